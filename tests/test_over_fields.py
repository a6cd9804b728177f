"""Models over number fields: canonical form, equality and symbolic values under conjugation, restriction, embedding."""

from __future__ import annotations

import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, reduce_heads, same_function
from exactlearn.common_field import over_common_field
from exactlearn.errors import UnusableInputError
from exactlearn.fields import NumberField, compose, square_root_in
from exactlearn.model import Head, MultiHeadAttention, Unit, as_token_sequence
from exactlearn.places.symbolic import evaluate
from exactlearn.strategies import (
    NUMBER_FIELDS,
    field_elements,
    models,
    models_over,
    same_function_models,
    token_sequences,
)
from exactlearn.sympy_form import from_sympy, to_sympy
from exactlearn.verdict import Fails

ROOT_2, GOLDEN, CUBIC, OTHER_CUBIC, BIQUADRATIC = NUMBER_FIELDS

any_field = st.sampled_from(NUMBER_FIELDS)
any_model = any_field.flatmap(models_over)
log_model = any_field.flatmap(lambda field: models_over(field, "log-rational"))
EMBEDDINGS = [
    (ROOT_2, BIQUADRATIC),
    (NumberField([-3, 0, 1], [1, 2]), BIQUADRATIC),
    (GOLDEN, NumberField([-3, 0, 1], [1, 2])),
    (ROOT_2, NumberField([-2, 0, 0, 1], [1, 2])),
]


@given(any_model, st.data())
def test_raw_heads_do_not_matter(model: MultiHeadAttention, data: st.DataObject) -> None:
    """Other raw heads of the same function have the same canonical form."""
    other = data.draw(same_function_models(model))
    assert canonical_form(other) == canonical_form(model)
    assert same_function(model, other).holds


@given(st.one_of(any_model, log_model), st.data())
@settings(max_examples=60)
def test_separating_sequences_separate(model: MultiHeadAttention, data: st.DataObject) -> None:
    """Different functions get a sequence on which the values differ, decided by another way to the values."""
    assert model.field is not None
    entry = data.draw(field_elements(model.field).filter(lambda e: e > 0))
    changed = Head([[e * entry for e in row] for row in model.heads[0].W], model.heads[0].v)
    other = model.with_heads([changed, *model.heads[1:]])
    verdict = same_function(model, other)
    assert verdict.holds == (canonical_form(model) == canonical_form(other))
    if isinstance(verdict, Fails):
        assert evaluate(model, verdict.witness) != evaluate(other, verdict.witness)


def test_equal_only_after_reduction() -> None:
    """Numbers that are equal modulo the minimal polynomial merge: a^2 and 2, a^3 and 2a."""
    a = ROOT_2.generator
    model = MultiHeadAttention([([[a * a]], [1]), ([[2]], [a]), ([[a**3]], [1]), ([[2 * a]], [-1])])
    reduction = reduce_heads(model)
    assert reduction.model.heads == (Head([[2]], [1 + a]),)
    assert [group.members for group in reduction.drops] == [(2, 3)]


def test_conjugate_weights_differ() -> None:
    """Heads whose W are conjugate are different heads, although no rational equation tells them apart."""
    a = ROOT_2.generator
    left, right = (MultiHeadAttention([([[w]], [1])]) for w in (a, -a))
    verdict = same_function(left, right)
    assert isinstance(verdict, Fails)
    assert evaluate(left, verdict.witness) != evaluate(right, verdict.witness)


@given(st.one_of(any_model, log_model), st.data())
@settings(max_examples=60)
def test_conjugation_carries_values_along(model: MultiHeadAttention, data: st.DataObject) -> None:
    """Merging commutes with conjugation, and the value of the conjugate model is the conjugate value.

    For log-rational weights T must be positive in both embeddings, so the squares are taken.
    """
    field = model.field
    assert field is not None
    tokens = data.draw(token_sequences(model.dim, max_length=3, size=2))
    if model.weights == "log-rational":
        model = model.with_heads(Head([[e * e for e in row] for row in head.W], head.v) for head in model.heads)
    other = data.draw(st.sampled_from(field.conjugates))
    conjugate = model.over(other, lambda entry: entry.in_field(other))
    carried = canonical_form(model).over(other, lambda entry: entry.in_field(other))
    assert set(canonical_form(conjugate).heads) == set(carried.heads)
    value, image = evaluate(model, tokens), evaluate(conjugate, tokens)
    if model.weights == "log-rational":
        number = value.algebraic
        assert number is not None
        assert number.in_field(other) == image.algebraic
    else:
        assert len(value.sum.quotients) == len(image.sum.quotients)
        assert (value == 0) == (image == 0)


@given(st.sampled_from(["rational", "log-rational"]), any_field, st.data())
@settings(max_examples=60)
def test_restriction_to_rationals(weights: str, field: NumberField, data: st.DataObject) -> None:
    """A rational model seen over a number field has the same canonical form and the same values."""
    model = data.draw(models(weights, dims=(1, 2), max_heads=2))  # type: ignore[arg-type]
    lifted = model.over(field)
    tokens = data.draw(token_sequences(model.dim, max_length=3, size=2))
    assert lifted.heads == model.heads
    assert canonical_form(lifted).heads == canonical_form(model).heads
    assert same_function(model, lifted).holds
    assert evaluate(lifted, tokens) == evaluate(model, tokens)
    assert evaluate(lifted, tokens).rational == evaluate(model, tokens).rational


@given(st.sampled_from(EMBEDDINGS), st.sampled_from(["rational", "log-rational"]), st.data())
@settings(max_examples=40)
def test_a_larger_field_changes_nothing(
    fields: tuple[NumberField, NumberField], weights: str, data: st.DataObject
) -> None:
    """Seen over a larger field a model is the same function, with as many canonical heads and the same values."""
    model = data.draw(models_over(fields[0], weights))  # type: ignore[arg-type]
    both = compose(*fields)
    larger = model.over(both.field, both.of_left)
    tokens = data.draw(token_sequences(model.dim, max_length=2, size=2))
    assert same_function(model, larger).holds
    assert len(canonical_form(larger).heads) == len(canonical_form(model).heads)
    assert evaluate(model, tokens) == evaluate(larger, tokens)
    assert over_common_field(model, larger)[0] == larger


@given(any_field, st.sampled_from([2, 3, 6, 8]), st.data())
@settings(max_examples=40)
def test_units_inside_and_outside_of_the_field(field: NumberField, radicand: int, data: st.DataObject) -> None:
    """A unit sqrt(q) that lies in K may be multiplied into W; outside of K that needs a larger field."""
    model = data.draw(models_over(field, unit=Unit.sqrt(radicand)))
    root = square_root_in(field, fmpq(radicand))
    if root is None:
        both = compose(field, NumberField([-radicand, 0, 1], [0, radicand]))
        model_in, root = model.over(both.field, both.of_left), both.right
    else:
        model_in = model
    absorbed = MultiHeadAttention(
        [Head([[root * e for e in row] for row in head.W], head.v) for head in model_in.heads],
        dim=model.dim,
        field=model_in.field,
    )
    tokens = data.draw(token_sequences(model.dim, max_length=3, size=2))
    assert same_function(model, absorbed).holds
    assert evaluate(model, tokens) == evaluate(absorbed, tokens)


@given(any_field.flatmap(lambda field: st.tuples(models_over(field), field_elements(field), field_elements(field))))
@settings(max_examples=30)
def test_values_against_balls(given_model: tuple[MultiHeadAttention, object, object]) -> None:
    """The value on tokens in K lies in the ball that the definition gives in real arithmetic."""
    model, *entries = given_model
    d = model.dim
    tokens = as_token_sequence([entries[:1] * d, [1] * d, entries[1:] * d], d)
    with ctx.workprec(300):
        total = arb(0)
        final = [e.ball() if hasattr(e, "ball") else arb(e) for e in tokens[-1]]
        for head in model.heads:
            weights, values = [], []
            for token in tokens:
                x = [e.ball() if hasattr(e, "ball") else arb(e) for e in token]
                score = sum((x[i] * head.W[i][j].ball() * final[j] for i in range(d) for j in range(d)), arb(0))
                weights.append(score.exp())
                values.append(sum((x[i] * head.v[i].ball() for i in range(d)), arb(0)))
            total += sum((w * v for w, v in zip(weights, values, strict=True)), arb(0)) / sum(weights, arb(0))
        assert total.overlaps(evaluate(model, tokens).enclosure(30))


def test_comparable_logarithms() -> None:
    """Units of log-rational models over K are brought together: 2 log(1 + a) = log(3 + 2a)."""
    a = ROOT_2.generator

    def model(T: object, unit: fmpq | int) -> MultiHeadAttention:
        return MultiHeadAttention([([[T]], [1])], weights="log-rational", unit=unit)

    assert same_function(model(1 + a, 2), model(3 + 2 * a, 1)).holds
    assert same_function(model(a - 1, -2), model(3 + 2 * a, 1)).holds
    assert same_function(model(1 + a, fmpq(2, 3)), model((1 + a) ** 4, fmpq(1, 6))).holds
    assert isinstance(same_function(model(1 + a, 2), model(3 + a, 1)), Fails)
    assert isinstance(same_function(model(1 + a, 2), MultiHeadAttention([([[a]], [1])])), Fails)


def test_text_is_read_by_sympy() -> None:
    """The text of a value over a quadratic field is an expression for it."""
    a = ROOT_2.generator
    model = MultiHeadAttention([([[a, 1], [0, 1 + a]], [1, a]), ([[-a, 1], [0, 1 - a]], [1 - a, 2])])
    for tokens in ([[1, 0], [0, 1], [1, 1]], [[1, 1]], [[2, 0], [0, 1]]):
        value = evaluate(model, tokens)
        assert abs(sympy.N(sympy.sympify(str(value)) - value.to_sympy(), 40)) < sympy.Float("1e-30")
    assert str(evaluate(model, [[1, 1]])) == "4"


@given(st.sampled_from([ROOT_2, GOLDEN, CUBIC]).flatmap(models_over))
@settings(max_examples=15)
def test_models_to_and_from_sympy(model: MultiHeadAttention) -> None:
    """A model over a field is the model of its sympy matrices in that field."""
    assert from_sympy(to_sympy(model), field=model.field) == model


def test_from_sympy_in_a_field() -> None:
    """Expressions become elements; what lies outside is refused with its place."""
    golden = NumberField([-1, -1, 1], [1, 2])
    W, v = sympy.Matrix([[sympy.GoldenRatio]]), sympy.Matrix([sympy.sqrt(5)])
    a = golden.generator
    assert from_sympy([(W, v)], field=golden) == MultiHeadAttention([([[a]], [2 * a - 1])])
    with pytest.raises(UnusableInputError, match=r"^heads\[0\].v\[0\]: sqrt\(2\) does not lie in Q\(sqrt\(5\)\)$"):
        from_sympy([(W, sympy.Matrix([sympy.sqrt(2)]))], field=golden)
    log_model = MultiHeadAttention([([[a]], [1])], weights="log-rational")
    assert to_sympy(log_model)[0][0][0, 0] == sympy.log(sympy.Rational(1, 2) + sympy.sqrt(5) / 2)
