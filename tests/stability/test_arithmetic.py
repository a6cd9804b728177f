"""Tests of outward rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.stability.arithmetic import (
    decimal_above,
    decimal_below,
    greatest,
    rational_above,
    rational_below,
    smallest,
)

whole = st.integers(1, 10**12)
positive = st.builds(lambda p, q, n: fmpq(p, q) * fmpq(10) ** n, whole, whole, st.integers(-50, 50))


def meant(decimal: str) -> fmpq:
    """What a decimal with exponent says."""
    value = Fraction(decimal)
    return fmpq(value.numerator, value.denominator)


@given(positive)
def test_rounding_is_outward_and_tight(value: fmpq) -> None:
    """Bounds enclose the number: rationals within 2^-63 of it, decimals within 10^-5."""
    low, high = rational_below(value), rational_above(value)
    assert low is not None
    assert high is not None
    assert low <= value <= high
    assert (high - low) * 2**62 <= value
    assert meant(decimal_below(value)) <= value <= meant(decimal_above(value))
    assert (meant(decimal_above(value)) - meant(decimal_below(value))) * 10**5 <= value


@given(positive)
def test_balls_round_outwards(value: fmpq) -> None:
    """The bounds of a ball enclose what it holds."""
    ball = arb(value.p) / value.q
    low, high = rational_below(ball), rational_above(ball)
    assert low is not None
    assert high is not None
    assert low <= value <= high


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [(fmpq(1), "1", "1"), (fmpq(1000), "1e3", "1e3"), (fmpq(1, 3), "3.33333e-1", "3.33334e-1"), (fmpq(0), "0", "0")],
)
def test_decimals(value: fmpq, below: str, above: str) -> None:
    """Exact decimals are themselves, others are rounded down and up."""
    assert (decimal_below(value), decimal_above(value)) == (below, above)


def test_too_long_numbers_are_decimals_alone() -> None:
    """e^(10^12) has no rational worth writing; its decimal is right in all digits."""
    huge = arb(10**12).exp()
    assert rational_above(huge) is None
    assert rational_below(1 / huge) is None
    assert decimal_below(huge).endswith("e434294481903")


def test_greatest_and_smallest() -> None:
    """Of rationals the exact ones, of balls an enclosure of it."""
    assert greatest([fmpq(1), fmpq(3)], fmpq(2)) == 3
    assert smallest([fmpq(1), fmpq(3)], fmpq(2)) == 1
    assert greatest([arb(1), arb(3)], arb(2)) == 3
    assert smallest([arb(1), arb(3)], arb(2)) == 1
