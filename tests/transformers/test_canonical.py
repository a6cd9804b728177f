"""The canonical form of Transformers: laws on random ones, and what merges, cancels and turns."""

from __future__ import annotations

import random

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from random_transformers import random_transformer

from exactlearn.model import Transformer
from exactlearn.strategies import transformers
from exactlearn.transformers.canonical import canonical_transformer, reduce_transformer, transformer_of
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.verdict import Fails

seeds = st.integers(0, 10**6)
kinds = st.sampled_from(["rational", "log-rational"])


def changed(model: Transformer, B: list[list[fmpq]], u: list[fmpq]) -> Transformer:
    """The same heads with another network."""
    return Transformer(model.heads, B, u, dim=model.dim, weights=model.weights, unit=model.unit)


@given(seeds, kinds)
@settings(max_examples=40, deadline=None)
def test_the_equivalent_transformer_has_the_same_form_and_values(seed: int, weights: str) -> None:
    """transformer_of undoes canonical_transformer, and the values agree on random sequences."""
    model = random_transformer(seed, weights=weights)
    form = canonical_transformer(model)
    other, _ = transformer_of(form)
    assert canonical_transformer(other) == form
    generator = random.Random(seed)
    for n in (1, 2, 3):
        tokens = [[fmpq(generator.randint(-3, 3)) for _ in range(2)] for _ in range(n)]
        assert evaluate_transformer(model, tokens) == evaluate_transformer(other, tokens)


@given(seeds, kinds, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_permuting_scaling_splitting_and_dead_units_change_nothing(
    seed: int, weights: str, shuffled: random.Random
) -> None:
    """Units in another order, b and u scaled against each other, one unit split in two, a dead one added."""
    model = random_transformer(seed, weights=weights)
    order = list(range(len(model.u)))
    shuffled.shuffle(order)
    factor = fmpq(shuffled.randint(1, 7), shuffled.randint(1, 7))
    B = [[factor * b for b in model.B[j]] for j in order]
    u = [model.u[j] / factor for j in order]
    B += [B[0], [fmpq(0)] * len(B[0]), B[1]]
    u = [u[0] / 3, *u[1:], 2 * u[0] / 3, fmpq(1), fmpq(0)]
    other = changed(model, B, u)
    assert canonical_transformer(other) == canonical_transformer(model)
    assert same_transformer(model, other).holds


@given(seeds, kinds)
@settings(max_examples=25, deadline=None)
def test_a_changed_unit_is_another_function_with_a_sequence_that_shows_it(seed: int, weights: str) -> None:
    """A control: one u_j doubled, unless its unit is dead."""
    model = random_transformer(seed, weights=weights)
    reduction = reduce_transformer(model)
    other = changed(model, [list(row) for row in model.B], [2 * model.u[0], *model.u[1:]])
    verdict = same_transformer(model, other)
    if 0 in reduction.dead:
        assert verdict.holds
        return
    assert isinstance(verdict, Fails)
    values = [evaluate_transformer(one, verdict.witness) for one in (model, other)]
    assert values[0] != values[1]


def test_opposite_units_leave_a_linear_part() -> None:
    """ReLU(z) - ReLU(-z) = z: no unit in the even part, and two are needed to write it."""
    model = random_transformer(3, units=1)
    row = list(model.B[0])
    linear = changed(model, [row, [-b for b in row]], [fmpq(1), fmpq(-1)])
    reduction = reduce_transformer(linear)
    assert reduction.form.units == ()
    assert reduction.groups == (((0, 1), None),)
    other, is_units_alone = transformer_of(reduction.form)
    assert (len(other.u), is_units_alone) == (2, False)
    assert same_transformer(linear, other).holds


def test_one_more_unit_is_enough_along_a_unit() -> None:
    """ReLU(z) + z takes two units, not three."""
    model = random_transformer(3, units=1)
    row = list(model.B[0])
    model = changed(model, [row, row, [-b for b in row]], [fmpq(1), fmpq(1), fmpq(-1)])
    other, is_units_alone = transformer_of(canonical_transformer(model))
    assert (len(other.u), is_units_alone) == (2, False)
    assert same_transformer(model, other).holds


def test_negating_every_token_gives_the_odd_part() -> None:
    """f(X) - f(-X) is the odd part's value; with the final token alone negated it is not."""
    from exactlearn.places.symbolic import evaluate

    model = random_transformer(11, weights="rational")
    tokens = [[fmpq(1), fmpq(2)], [fmpq(-1), fmpq(1)]]
    negated = [[-a for a in token] for token in tokens]
    value = evaluate(model.odd_part, tokens)
    assert evaluate_transformer(model, tokens) - evaluate_transformer(model, negated) == value
    half = [tokens[0], negated[1]]
    assert evaluate_transformer(model, tokens) - evaluate_transformer(model, half) != value


@pytest.mark.parametrize("unit", [fmpq(2), fmpq(-1, 2)])
def test_other_units_of_the_weights_are_seen_through(unit: fmpq) -> None:
    """W and the unit scaled against each other are one function; W alone is not."""
    model = random_transformer(7, weights="rational")
    heads = [([[entry / unit for entry in row] for row in head.W], head.V) for head in model.heads]
    assert same_transformer(model, Transformer(heads, model.B, model.u, unit=unit)).holds
    assert isinstance(same_transformer(model, Transformer(heads, model.B, model.u)), Fails)


@given(transformers("rational") | transformers("log-rational"))
@settings(max_examples=40, deadline=None)
def test_published_strategy(model: Transformer) -> None:
    """Drawn Transformers, dead and opposite units among them, equal the one written from their canonical form."""
    assert same_transformer(model, transformer_of(canonical_transformer(model))[0]).holds
