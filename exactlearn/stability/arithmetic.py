"""Numbers of the constants: exact rationals, or balls that hold the true number; both go through the same formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import arb, ctx, fmpq, fmpz

Real = Any
"""An `fmpq`, or an `arb` ball with the true number inside; one kind throughout a computation."""

DECIMALS = 6
"""Significant digits of a decimal for people."""

_EXACT_POWER = 3000
"""Rationals between 10^-3000 and 10^3000 are rounded to decimals exactly, larger ones through a ball."""

MOST_BITS = 2**17
"""A bound of more bits above or below is told as a decimal alone."""


def ball(value: Real) -> arb:
    """The number as a ball at the working precision."""
    return value if isinstance(value, arb) else arb(value.p) / arb(value.q)


def greatest(values: Iterable[Real], least: Real) -> Real:
    """The largest of `values` and `least`."""
    top = least
    for value in values:
        top = top.max(value) if isinstance(top, arb) else max(top, value)
    return top


def smallest(values: Iterable[Real], most: Real) -> Real:
    """The smallest of `values` and `most`."""
    bottom = most
    for value in values:
        bottom = bottom.min(value) if isinstance(bottom, arb) else min(bottom, value)
    return bottom


def position_of_greatest(values: Sequence[Real]) -> int:
    """Where the greatest value stands; balls are compared by their upper ends, which is enough to name one."""
    best = 0
    for index, value in enumerate(values):
        if _upper(value) > _upper(values[best]):
            best = index
    return best


def sign(value: Real) -> int:
    """1 or -1; 1 for zero and for a ball that holds it."""
    return -1 if value < 0 else 1


def rational_above(value: Real, bits: int = 64) -> fmpq | None:
    """A rational from `value` on, above it by at most one part in 2^(bits - 1); None when it would be too long."""
    return _rounded(value, bits, up=True)


def rational_below(value: Real, bits: int = 64) -> fmpq | None:
    """Likewise from below, for a positive value."""
    return _rounded(value, bits, up=False)


def decimal_above(value: Real) -> str:
    """A decimal with exponent, not below `value` >= 0: for people, at any size."""
    return _decimal(value, up=True)


def decimal_below(value: Real) -> str:
    """A decimal with exponent, not above `value` >= 0."""
    return _decimal(value, up=False)


def _upper(value: Real) -> Real:
    return value.upper() if isinstance(value, arb) else value


def _rounded(value: Real, bits: int, *, up: bool) -> fmpq | None:
    if isinstance(value, arb):
        mantissa, exponent = (value.upper() if up else value.lower()).man_exp()
        if abs(exponent) > MOST_BITS:
            return None
        whole, power = fmpz(mantissa), int(exponent)
        exact = fmpq(whole << power) if power >= 0 else fmpq(whole, fmpz(1) << -power)
    else:
        exact = value
    if exact <= 0:
        return fmpq(0) if exact == 0 else exact
    shift = int(exact.p.bit_length()) - int(exact.q.bit_length()) - bits
    if abs(shift) > MOST_BITS:
        return None
    unit = fmpq(fmpz(1) << shift) if shift >= 0 else fmpq(1, fmpz(1) << -shift)
    return fmpq((exact / unit).ceil() if up else (exact / unit).floor()) * unit


def _decimal(value: Real, *, up: bool) -> str:
    if value == 0:
        return "0"
    with ctx.workprec(512):
        number = ball(value)
        power = (number.log() / arb(10).log()).mid().floor().unique_fmpz()
        assert power is not None  # noqa: S101  # a midpoint is exact
        if isinstance(value, fmpq) and abs(power) < _EXACT_POWER:
            scaled = value * fmpq(10) ** int(DECIMALS - 1 - power)
            digits = scaled.ceil() if up else scaled.floor()
        else:
            balls = number * arb(10) ** (DECIMALS - 1 - power)
            bound = balls.upper().ceil() if up else balls.lower().floor()
            digits = bound.unique_fmpz() or fmpz(0)
    text = str(digits)
    power += len(text) - DECIMALS
    text = text.rstrip("0") or "0"
    mantissa = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}"
    return f"{mantissa}e{power}" if power else mantissa
