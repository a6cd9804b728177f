"""The factor on the scores: the exact 1/sqrt(head_dim), or the float32 number that an exported graph holds for it."""

from __future__ import annotations

from math import isqrt
from typing import Literal

from flint import fmpq, fmpz

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.model import Unit

Scale = Literal["exact", "float32"]
"""Two different functions: "exact" is what the formula means, "float32" what a rounded constant makes of it."""

_MANTISSA_BITS = 24


def parse_scale(text: str) -> Scale:
    """The choice that a text names.

    Raises:
        UnusableInputError: When it is neither of the two.
    """
    if text == "exact":
        return "exact"
    if text == "float32":
        return "float32"
    raise UnusableInputError(f"exact or float32 is expected, not {quote(text)}", "--scale")


def unit_of(square: int, scale: Scale = "exact") -> Unit:
    """1/sqrt(`square`), `square` a positive integer: exactly, or as the float32 number nearest to it."""
    return Unit.sqrt(fmpq(1, square)) if scale == "exact" else Unit.of(nearest_float32(square))


def nearest_float32(square: int) -> fmpq:
    """The float32 number nearest to 1/sqrt(`square`), by integers alone."""
    shift = _MANTISSA_BITS - 1
    while (mantissa := isqrt((1 << 2 * shift) // square)) < 1 << (_MANTISSA_BITS - 1):
        shift += 1
    if (2 * mantissa + 1) ** 2 * square < 4 << 2 * shift:  # nearer to the next one; a tie is impossible
        mantissa += 1
    return fmpq(mantissa, fmpz(1) << shift)
