"""Tests of the real place: balls of the stated radius that hold the exact value, and the laws of a place on balls."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.examples import load
from exactlearn.model import Head, MultiHeadAttention, Unit, WeightKind
from exactlearn.places import real
from exactlearn.places.real import RealBlackBox, evaluate, exact_ends
from exactlearn.places.symbolic import evaluate as evaluate_exactly
from exactlearn.strategies import same_function_models, shaped_models, token_sequences, tokens

KINDS: list[WeightKind] = ["rational", "log-rational"]
BITS = 80


@pytest.mark.parametrize("weights", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_ball_holds_the_exact_value(weights: WeightKind, data: st.DataObject) -> None:
    """Against the symbolic place: the ball has the stated radius, and its ends lie on both sides of the exact value."""
    model = data.draw(shaped_models(weights, unit=None))
    sequence = data.draw(token_sequences(model.dim))
    ball = evaluate(model, sequence, BITS)
    assert ball.rad() <= arb(2) ** -BITS
    exact = evaluate_exactly(model, sequence)
    with ctx.workprec(400):
        assert ball.overlaps(arb(exact.decimal(60)))
        assert not (ball + 2 * arb(2) ** -BITS).contains(arb(exact.decimal(60)).mid())


@pytest.mark.parametrize("weights", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_laws_of_a_place(weights: WeightKind, data: st.DataObject) -> None:
    """Split, merged and permuted heads give overlapping balls; values add; copies are the written-out sequence."""
    model = data.draw(shaped_models(weights, unit=None, max_heads=2))
    d = model.dim
    other = data.draw(shaped_models(weights, unit=model.unit, dims=(d, d), max_heads=2))
    same = data.draw(same_function_models(model))
    x, y = data.draw(tokens(d)), data.draw(tokens(d))
    both = tuple(a + b for a, b in zip(x, y, strict=True))
    written_out = [(both,) * k + (y,) for k in (1, 2, 5)]
    box = RealBlackBox(model, BITS)
    for sequence, copies in zip(written_out, box.copies(x, y, [1, 2, 5]), strict=True):
        value = box.value(sequence)
        assert value.overlaps(copies)
        assert value.overlaps(RealBlackBox(same, BITS).value(sequence))
        assert value.overlaps(RealBlackBox(model, 2 * BITS).value(sequence))
        union = RealBlackBox(model.with_heads([*model.heads, *other.heads]), BITS).value(sequence)
        assert union.overlaps(value + RealBlackBox(other, BITS).value(sequence))


@pytest.mark.parametrize("name", ["conjugate-heads", "golden-ratio", "cosines", "sqrt-unit"])
def test_irrational_numbers(name: str) -> None:
    """Models over number fields and with irrational units are seen too."""
    model = load(name)
    sequence = [[fmpq(1), fmpq(1, 3)][: model.dim], [fmpq(2), fmpq(-1)][: model.dim]]
    if model.weights == "log-rational":
        sequence = [[fmpq(1), fmpq(2)], [fmpq(2), fmpq(-1)]]
    with ctx.workprec(400):
        exact = arb(evaluate_exactly(model, sequence).decimal(50))
        assert evaluate(model, sequence, BITS).overlaps(exact)


def test_scores_of_any_size() -> None:
    """A score of 10^30 needs more precision, not another answer; the largest weight is 1."""
    model = MultiHeadAttention([Head([[10**30]], [1])])
    assert evaluate(model, [[1], [2]], BITS).overlaps(arb(2))


def test_a_negative_number_of_bits() -> None:
    """A radius above 1 may be asked for, and the value still lies inside."""
    model = MultiHeadAttention([Head([[1]], [1000])])
    ball = evaluate(model, [[1], [2]], -3)
    assert ball.contains(evaluate(model, [[1], [2]], BITS))
    assert ball.rad() <= 8


def test_out_of_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the precision allowed is not enough, that is what is said."""
    monkeypatch.setattr(real, "MOST_BITS", 120)
    model = MultiHeadAttention([Head([[10**30]], [1])])
    with pytest.raises(OverBudgetError, match="120 bits of working precision"):
        evaluate(model, [[1], [2], [fmpq(5, 3)]], BITS)


def test_tokens_that_do_not_fit() -> None:
    """A token of another length is refused with its place."""
    with pytest.raises(UnusableInputError, match=r"tokens\[1\]"):
        evaluate(MultiHeadAttention([Head([[1]], [1])], unit=Unit.of(2)), [[1], [1, 2]], BITS)


@given(st.fractions(), st.integers(0, 60))
def test_exact_ends(middle: Fraction, bits: int) -> None:
    """The ends are exact whatever the working precision: their middle is the midpoint, their distance two radii."""
    with ctx.workprec(300):
        ball = arb(middle.numerator) / middle.denominator + arb(0, arb(2) ** -bits)
    lower, upper = exact_ends(ball)
    with ctx.workprec(2000):
        assert ball.mid() * 2 == _exact(lower + upper)
        assert ball.rad() * 2 == _exact(upper - lower)


def _exact(value: fmpq) -> arb:
    """A dyadic rational."""
    return arb(value.p) / arb(value.q)
