"""Tests of rounding to formats: against the processor's own floats and the decimal module."""

from __future__ import annotations

import decimal
import math
import struct
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.enclosures.output_formats import FLOAT32, FLOAT64, OutputFormat, decimal_format, output_format
from exactlearn.errors import UnusableInputError


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


@given(st.fractions() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction))
def test_float64_is_the_processors(value: Fraction) -> None:
    """Python's own division of integers rounds correctly: the same number, subnormal ones included."""
    assert FLOAT64.round(_fmpq(value)) == _fmpq(Fraction(value.numerator / value.denominator))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(-2, 2), st.integers(1, 60))
def test_float32_halfway(value: float, eighths: int, bits: int) -> None:
    """Exactly half way between neighbours the even one is taken, and a little off it the nearer one."""
    exact = Fraction(value)
    bits_of = struct.unpack("<I", struct.pack("<f", abs(value)))[0]
    if bits_of >= 0x7F7FFFFF:
        return
    above = Fraction(struct.unpack("<f", struct.pack("<I", bits_of + 1))[0])
    halfway = (abs(exact) + above) / 2
    even = abs(exact) if bits_of % 2 == 0 else above
    assert FLOAT32.round(_fmpq(halfway)) == _fmpq(even)
    off = (above - abs(exact)) * eighths / (8 << bits)
    nearest = even if off == 0 else (above if off > 0 else abs(exact))
    assert FLOAT32.round(_fmpq(halfway + off)) == _fmpq(nearest)
    assert FLOAT32.round(_fmpq(-halfway - off)) == -_fmpq(nearest)


@given(st.fractions(), st.integers(0, 30))
def test_decimals_are_those_of_the_decimal_module(value: Fraction, decimals: int) -> None:
    """Rounding half to even behind the decimal point, as `decimal` does with enough digits."""
    with decimal.localcontext(decimal.Context(prec=2000)):
        scaled = value * 10**decimals
        whole = decimal.Decimal(math.floor(scaled))
        rest = scaled - math.floor(scaled)
        digit = decimal.Decimal(5 if rest == Fraction(1, 2) else (1 if rest < Fraction(1, 2) else 9)) / 10
        expected = (whole + (digit if rest else 0)).quantize(decimal.Decimal(1), rounding=decimal.ROUND_HALF_EVEN)
    assert decimal_format(decimals).round(_fmpq(value)) == fmpq(int(expected), 10**decimals)


@pytest.mark.parametrize("outputs", [FLOAT32, FLOAT64, decimal_format(3)], ids=str)
@given(value=st.fractions())
def test_the_radius_holds_and_is_needed(outputs: OutputFormat, value: Fraction) -> None:
    """The rounded number is within its radius and rounds to itself; half the radius is not enough."""
    rounded = outputs.round(_fmpq(value))
    assert abs(rounded - _fmpq(value)) <= outputs.radius(rounded)
    assert outputs.round(rounded) == rounded
    halfway = rounded + (outputs.radius(rounded) if rounded >= 0 else -outputs.radius(rounded))
    worst = outputs.round(halfway)
    assert abs(worst - halfway) > outputs.radius(worst) / 2


@pytest.mark.parametrize(("outputs", "bits"), [(FLOAT32, 128), (FLOAT64, 1024)], ids=str)
def test_overflow(outputs: OutputFormat, bits: int) -> None:
    """What would round to infinity is refused; the largest float is not."""
    largest = (1 - fmpq(1, 2**outputs.digits)) * 2**bits
    assert outputs.round(largest) == largest
    with pytest.raises(UnusableInputError, match=f"too large for {outputs.name}"):
        outputs.round((1 - fmpq(1, 2 ** (outputs.digits + 1))) * 2**bits)


@pytest.mark.parametrize("name", ["float16", "decimal", "decimal:", "decimal:-1", "decimal:1e3", "decimal:\u0661", ""])
def test_unknown_names(name: str) -> None:
    """Only the three kinds are taken."""
    with pytest.raises(UnusableInputError, match="float32, float64 or decimal:N"):
        output_format(name)


def test_names() -> None:
    """Names and formats belong to each other; decimals are bounded."""
    assert [output_format(name).name for name in ("float32", "float64", "decimal:7")] == [
        "float32",
        "float64",
        "decimal:7",
    ]
    for digits in ("2001", "9" * 5000):
        with pytest.raises(UnusableInputError, match="at most 2000 decimals"):
            output_format(f"decimal:{digits}")
