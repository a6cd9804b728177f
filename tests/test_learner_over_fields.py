"""The learner over number fields: exact counts, conjugation, restriction, embedding, primes that are replaced."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flint import fmpq, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, same_function
from exactlearn.errors import NotAttentionError, NotAtThisPlaceError
from exactlearn.fields import FieldElement, NumberField, compose
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, Unit, WeightKind
from exactlearn.oracle import oracle_of, oracle_of_function, place_of
from exactlearn.places.conformance import check_place
from exactlearn.places.field_rings import FieldRing
from exactlearn.places.rational import RationalBlackBox
from exactlearn.strategies import NUMBER_FIELDS, models_over, same_function_models

KINDS: list[WeightKind] = ["rational", "log-rational"]
ROOT_2, GOLDEN, CUBIC, OTHER_CUBIC, BIQUADRATIC = NUMBER_FIELDS
OCTIC = NumberField(list(fmpz_poly.cos_minpoly(17).coeffs()), [fmpq(9, 5), 2])


def _random_model(field: NumberField, weights: WeightKind, heads: int, dim: int, seed: int = 0) -> MultiHeadAttention:
    """A canonical model with so many heads and small entries."""
    generator = random.Random(f"{field} {weights} {heads} {dim} {seed}")

    def entry() -> FieldElement:
        found = field.element([generator.randint(-2, 2) for _ in range(min(field.degree, 4))])
        if not found:
            return entry()
        return abs(found) if weights == "log-rational" else found

    while True:
        raw = [
            ([[entry() for _ in range(dim)] for _ in range(dim)], [entry() for _ in range(dim)]) for _ in range(heads)
        ]
        model = canonical_form(MultiHeadAttention(raw, weights=weights))
        if len(model.heads) == heads:
            return model


def _formula(dim: int, bound: int) -> tuple[int, int]:
    return 4 * bound * dim**2 - 2 * bound + 1, 2 * bound + 1


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("field", [*NUMBER_FIELDS, OCTIC], ids=str)
def test_exact_counts(weights: WeightKind, field: NumberField) -> None:
    """Models over every field are learned exactly, with the stated number of queries and the stated length."""
    largest = 2 if weights == "log-rational" else 3
    for heads, dim in [(1, 1), (1, 2), (2, 1), (2, 2), (largest, largest)]:
        model = _random_model(field, weights, heads, dim)
        result = learn(oracle_of(model), heads=heads, box=4 if weights == "log-rational" else None)
        assert result.model == model
        assert (result.queries, result.max_length) == _formula(dim, heads)
        assert isinstance(result.ring, FieldRing)
        assert result.ring.field == field


@settings(max_examples=25)
@given(st.sampled_from(NUMBER_FIELDS), st.sampled_from(KINDS), st.data())
def test_raw_heads_bounds_and_seeds(field: NumberField, weights: WeightKind, data: st.DataObject) -> None:
    """Whatever raw heads the box holds, the canonical ones come back, told H or a bound on it."""
    model = data.draw(models_over(field, weights))
    raw = data.draw(same_function_models(model)) if weights == "rational" else model
    canonical, extra = canonical_form(model), data.draw(st.integers(0, 1))
    result = learn(oracle_of(raw), max_heads=len(canonical.heads) + extra, seed=data.draw(st.integers(0, 99)), box=5)
    assert result.model == canonical
    assert result.queries == _formula(model.dim, len(canonical.heads) + extra)[0]


@settings(max_examples=25)
@given(st.sampled_from(NUMBER_FIELDS), st.sampled_from(KINDS), st.data())
def test_conjugation_carries_recoveries_along(field: NumberField, weights: WeightKind, data: st.DataObject) -> None:
    """The recovery of the conjugate model is the conjugate of the recovery, from the same queries."""
    model = data.draw(models_over(field, weights, max_heads=1))
    if weights == "log-rational":  # squares are positive in every embedding
        model = model.with_heads(Head([[e * e for e in row] for row in head.W], head.v) for head in model.heads)
    other = data.draw(st.sampled_from(field.conjugates))
    conjugate = model.over(other, lambda entry: entry.in_field(other))
    left, right = (learn(oracle_of(one), max_heads=2, box=6) for one in (model, conjugate))
    assert set(left.model.over(other, lambda entry: entry.in_field(other)).heads) == set(right.model.heads)
    assert (left.queries, left.draw) == (right.queries, right.draw)


@pytest.mark.parametrize("weights", KINDS)
def test_restriction_to_rationals(weights: WeightKind) -> None:
    """A rational model seen over a field is recovered as over Q, with the same counts."""
    W = [[fmpq(1, 2), 3], [2, fmpq(5, 3)]]
    model = MultiHeadAttention([(W, [1, -2]), ([[1, 1], [1, 2]], [fmpq(1, 3), 4])], weights=weights)
    over_q = learn(oracle_of(model), heads=2, box=4)
    for field in (ROOT_2, CUBIC):
        found = learn(oracle_of(model.over(field)), heads=2, box=4)
        assert found.model.heads == over_q.model.heads
        assert (found.queries, found.max_length, found.draw) == (over_q.queries, over_q.max_length, over_q.draw)


@pytest.mark.parametrize("weights", KINDS)
def test_a_larger_field_changes_nothing(weights: WeightKind) -> None:
    """Seen over a larger field the same function is recovered."""
    model, both = _random_model(ROOT_2, weights, 2, 2), compose(ROOT_2, BIQUADRATIC)
    larger = learn(oracle_of(model.over(both.field, both.of_left)), heads=2, box=4).model
    assert same_function(larger, model).holds
    assert canonical_form(larger) == canonical_form(model.over(both.field, both.of_left))


@pytest.mark.parametrize("unit", [Unit.sqrt(2), Unit.sqrt(fmpq(1, 3)), Unit.of(fmpq(-2, 3))], ids=str)
def test_units(unit: Unit) -> None:
    """A unit inside of the field, outside of it, or rational is known to the learner and kept."""
    model = MultiHeadAttention(_random_model(ROOT_2, "rational", 2, 2).heads, unit=unit)
    assert learn(oracle_of(model), heads=2).model == canonical_form(model)


@pytest.mark.parametrize("which", ["p", "q"])
def test_a_prime_in_a_denominator_is_replaced(which: str) -> None:
    """When the first prime, or q, divides a denominator of the weights, another prime is taken."""
    first = FieldRing.of_field(ROOT_2, 0)
    bad = first.prime if which == "p" else first.half_order
    model = MultiHeadAttention([([[ROOT_2.generator / bad]], [1])])
    result = learn(oracle_of(model), heads=1)
    assert result.model == model
    assert result.ring.prime > first.prime


def test_tiny_primes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that begins modulo 47 notices when it is unlucky, and ends with the right model."""

    def tiny(field: NumberField, _seed: int, digits: int = 5) -> FieldRing:
        return FieldRing(47, digits, field, 7, 5)

    monkeypatch.setattr(FieldRing, "of_field", tiny)
    primes = []
    for seed in range(8):
        model = _random_model(ROOT_2, "rational", 2, 2, seed)
        result = learn(oracle_of(model), heads=2, seed=seed)
        assert result.model == model
        assert result.queries == _formula(2, 2)[0]
        primes.append(result.ring.prime)
    assert min(primes) == 47  # the control: the tiny prime is used
    assert max(primes) > 47  # and replaced where two things collapse


def test_refusals() -> None:
    """Too few heads are refused; a place of one field does not see a model over another."""
    model = _random_model(CUBIC, "rational", 3, 2)
    with pytest.raises(NotAttentionError):
        learn(oracle_of(model), heads=2)
    with pytest.raises(NotAtThisPlaceError, match="another number field"):
        place_of(model).black_box(_random_model(ROOT_2, "rational", 1, 1))
    with pytest.raises(NotAtThisPlaceError, match="another number field"):
        place_of(_random_model(ROOT_2, "log-rational", 1, 1)).black_box(model)


def test_a_function_with_values_in_a_field() -> None:
    """A user's own function may return elements of a number field."""
    model = _random_model(GOLDEN, "log-rational", 2, 1)
    box = RationalBlackBox(model)
    assert learn(oracle_of_function(box.value, 1, GOLDEN), heads=2).model == model


@settings(max_examples=15)
@given(st.sampled_from(NUMBER_FIELDS), st.sampled_from(KINDS), st.data())
def test_places_conform(field: NumberField, weights: WeightKind, data: st.DataObject) -> None:
    """Both exact places pass the laws of a place over every field."""
    first: Any = data.draw(models_over(field, weights))
    second: Any = data.draw(models_over(field, weights, dims=(first.dim, first.dim)))
    check_place(place_of(first), [first, second], seed=data.draw(st.integers(0, 99)))
