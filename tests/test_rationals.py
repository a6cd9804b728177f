"""Tests of the one number type inside: what is taken, what is refused, and the way back."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import gmpy2
import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.rationals import as_fmpq, as_fraction, as_sympy, exact_float


@given(st.integers(), st.integers(min_value=1))
def test_all_types_agree(p: int, q: int) -> None:
    """Every accepted type gives the same fmpq, in lowest terms."""
    fraction = Fraction(p, q)
    given_as = [
        fraction, gmpy2.mpq(p, q), sympy.Rational(p, q), fmpq(p, q), fmpq(fmpz(p), fmpz(q)),
    ]  # fmt: skip
    for number in given_as:
        converted = as_fmpq(number)
        assert type(converted) is fmpq
        assert (int(converted.p), int(converted.q)) == (fraction.numerator, fraction.denominator)
    for whole in (p, fmpz(p), gmpy2.mpz(p), sympy.Integer(p)):
        assert type(as_fmpq(whole)) is fmpq
        assert as_fmpq(whole) == fmpq(p)


@given(st.fractions())
def test_round_trips(fraction: Fraction) -> None:
    """To Fraction and sympy and back nothing changes."""
    number = as_fmpq(fraction)
    assert as_fraction(number) == fraction
    assert as_fmpq(as_fraction(number)) == number
    assert as_fmpq(as_sympy(number)) == number
    assert as_sympy(number) == sympy.Rational(fraction.numerator, fraction.denominator)


@given(st.integers(5000, 9000))
def test_long_numbers(digits: int) -> None:
    """Python's limit on the digits of printed integers does not matter."""
    number = as_fmpq(Fraction(7 * 10**digits + 1, 3))
    assert as_fraction(number).numerator == 7 * 10**digits + 1


@pytest.mark.parametrize("value", [True, False])
def test_bools(value: bool) -> None:
    """A bool is no number."""
    with pytest.raises(UnusableInputError, match="a bool is not a number"):
        as_fmpq(value)


def test_floats() -> None:
    """A float is refused with both ways to write it."""
    with pytest.raises(UnusableInputError, match=r"the float 0\.1 is ambiguous: write Fraction\('0\.1'\).*exact_float"):
        as_fmpq(0.1)


@pytest.mark.parametrize("value", ["1", None, 1j, [1], sympy.Float("0.5"), sympy.sqrt(2), b"1"], ids=repr)
def test_other_types(value: Any) -> None:
    """Every other type is named."""
    with pytest.raises(UnusableInputError, match=f"not {type(value).__name__}"):
        as_fmpq(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_floats(value: float) -> None:
    """A float is its dyadic rational, to the last bit."""
    number = exact_float(value)
    assert as_fraction(number) == Fraction(value)
    assert number.q & (number.q - 1) == 0


def test_the_float_tenth() -> None:
    """The float 0.1 is not 1/10."""
    assert exact_float(0.1) == fmpq(3602879701896397, 2**55) != fmpq(1, 10)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_numbers(value: float) -> None:
    """NaN and infinities are refused."""
    with pytest.raises(UnusableInputError, match="is not a number"):
        exact_float(value)


def test_exact_float_of_others() -> None:
    """The door for floats takes floats alone."""
    with pytest.raises(UnusableInputError, match="a float was expected, not int"):
        exact_float(1)
