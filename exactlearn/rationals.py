"""Rational numbers at the edge: one type inside (`fmpq`), converters for what users hold.

Floats are refused here on purpose: 0.1 may be meant as 1/10 or as the dyadic rational that the
machine holds.  `exact_float` is the door for the second, a string is the door for the first.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import gmpy2
from flint import fmpq, fmpz

from exactlearn.errors import UnusableInputError

Rational = Any
"""What a user may hand over as a rational: int, Fraction, fmpz, fmpq, mpz, mpq or sympy.Rational."""


def as_fmpq(value: Rational) -> fmpq:
    """The rational number `value` as an `fmpq`.

    Args:
        value: An int, Fraction, fmpz, fmpq, gmpy2 mpz or mpq, or sympy Rational.  Not a bool, not a float.

    Raises:
        UnusableInputError: For every other type, with the way to write the number.
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool):
        raise UnusableInputError("a bool is not a number here")
    if isinstance(value, int | fmpz):
        return fmpq(value)
    if isinstance(value, Fraction | gmpy2.mpq):
        return fmpq(int(value.numerator), int(value.denominator))
    if isinstance(value, gmpy2.mpz):
        return fmpq(int(value))
    sympy = sys.modules.get("sympy")  # a sympy number can only come from one who has imported it
    if sympy is not None and isinstance(value, sympy.Rational):
        return fmpq(int(value.p), int(value.q))
    if isinstance(value, float):
        raise UnusableInputError(
            f"the float {value!r} is ambiguous: write Fraction('{value!r}') for the decimal, "
            "or exact_float(...) for the dyadic rational that the machine holds"
        )
    raise UnusableInputError(f"a rational number was expected, not {type(value).__name__}")


def exact_float(value: float) -> fmpq:
    """The dyadic rational that a finite Python float (IEEE binary64) is, to the last bit.

    Raises:
        UnusableInputError: When `value` is a NaN or an infinity, or not a float.
    """
    if not isinstance(value, float):
        raise UnusableInputError(f"a float was expected, not {type(value).__name__}")
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  # the NaN test
        raise UnusableInputError(f"{value!r} is not a number")
    numerator, denominator = value.as_integer_ratio()
    return fmpq(numerator, denominator)


def as_fraction(value: fmpq) -> Fraction:
    """The same number as a Fraction of the standard library."""
    return Fraction(int(value.p), int(value.q))


def as_sympy(value: fmpq) -> Any:
    """The same number as a sympy Rational."""
    import sympy  # noqa: PLC0415  # slow to import, and rarely asked for

    return sympy.Rational(int(value.p), int(value.q))
