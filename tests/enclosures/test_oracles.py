"""Tests of the oracles of balls: correct rounding of the true values, counts, and ties."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.enclosures.oracles import ball_of_width, ball_oracle, rounded_oracle
from exactlearn.enclosures.output_formats import FLOAT32, FLOAT64, OutputFormat, decimal_format
from exactlearn.enclosures.probe import exact_midpoint
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.places.rational import RationalBlackBox
from exactlearn.strategies import shaped_models, tokens

FORMATS = [FLOAT32, FLOAT64, decimal_format(0), decimal_format(25), decimal_format(80)]


@pytest.mark.parametrize("outputs", FORMATS, ids=str)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_correct_rounding(outputs: OutputFormat, data: st.DataObject) -> None:
    """The answers are the exact rationals rounded, ties included, and their radius is half an ulp and no more."""
    model = data.draw(shaped_models("log-rational", max_heads=2))
    x, y = data.draw(tokens(model.dim, 2)), data.draw(tokens(model.dim, 2))
    answers = rounded_oracle(model, outputs).copies(x, y, 4)
    for exact, answer in zip(RationalBlackBox(model).copies(x, y, range(1, 5)), answers, strict=True):
        rounded = outputs.round(exact)
        assert outputs.round(exact_midpoint(answer)) == rounded
        with ctx.workprec(4000):
            assert answer.overlaps(arb(exact.p) / arb(exact.q))
            radius = outputs.radius(rounded)
            assert answer.rad() < 1.000001 * (arb(radius.p) / arb(radius.q))


def test_float64_agrees_with_python() -> None:
    """2/3 is the double 2/3: T = 2, one copy, v = 1 gives F(1) = 2/3 at x = y = 1."""
    model = MultiHeadAttention([Head([[2]], [1])], weights="log-rational")
    answer = rounded_oracle(model, FLOAT64).copies((1,), (0,), 2)[1]
    assert float(answer.mid()) == 2 / 3
    assert rounded_oracle(model, FLOAT64).copies((1,), (1,), 1)[0].overlaps(arb(1) + arb(2) / 3)


@pytest.mark.parametrize(("decimals", "expected"), [(0, fmpq(0)), (1, fmpq(1, 2))])
def test_a_tie_goes_to_the_even_number(decimals: int, expected: fmpq) -> None:
    """F(1) = 1/2 exactly, though no ball alone can tell: with no decimals it is 0, and the ball reaches 1/2."""
    model = MultiHeadAttention([Head([[5]], [1])])
    answer = rounded_oracle(model, decimal_format(decimals)).copies((1,), (0,), 1)[0]
    assert answer.overlaps(arb(1) / 2)
    assert abs(exact_midpoint(answer) - expected) < fmpq(1, 2**60)


def test_counts() -> None:
    """Each query counts, the longest sequence is kept."""
    oracle = ball_oracle(MultiHeadAttention([Head([[1]], [1])]), 60)
    oracle.value([(1,), (2,), (3,)])
    oracle.copies((1,), (2,), 5)
    assert (oracle.tally.queries, oracle.tally.max_length) == (6, 6)


@given(st.fractions(), st.integers(1, 200))
def test_balls_of_a_width(middle: Fraction, bits: int) -> None:
    """The ball reaches both ends and hardly beyond."""
    centre, radius = fmpq(middle.numerator, middle.denominator), fmpq(1, 2**bits)
    ball = ball_of_width(centre, radius)
    with ctx.workprec(1000):
        for sign in (-1, 1):
            end = centre + sign * radius
            assert ball.overlaps(arb(end.p) / arb(end.q))
            beyond = centre + sign * radius * fmpq(1000001, 1000000)
            assert not ball.overlaps(arb(beyond.p) / arb(beyond.q))
