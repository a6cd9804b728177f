"""Float bits to dyadic rationals: IEEE binary16, bfloat16, binary32 and binary64 read with integers alone."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from exactlearn.errors import UnusableInputError


@dataclass(frozen=True)
class FloatFormat:
    """A binary float format: its size in bytes, its stored mantissa bits, and the struct code of its bits."""

    size: int
    mantissa_bits: int
    code: str

    @property
    def exponent_bits(self) -> int:
        """What is left of the bits after the sign and the mantissa."""
        return 8 * self.size - 1 - self.mantissa_bits

    @property
    def bias(self) -> int:
        """What the stored exponent is too large by."""
        return (1 << (self.exponent_bits - 1)) - 1


FORMATS = {
    "float16": FloatFormat(2, 10, "H"),
    "bfloat16": FloatFormat(2, 7, "H"),
    "float32": FloatFormat(4, 23, "I"),
    "float64": FloatFormat(8, 52, "Q"),
}


def decode_bits(bits: int, form: FloatFormat) -> fmpq | None:
    """The rational number with these bits, exactly; None for a NaN or an infinity.  Both zeros are 0."""
    mantissa = bits & ((1 << form.mantissa_bits) - 1)
    stored = (bits >> form.mantissa_bits) & ((1 << form.exponent_bits) - 1)
    if stored == (1 << form.exponent_bits) - 1:
        return None
    if stored:  # normal: the leading one is not stored
        mantissa |= 1 << form.mantissa_bits
    exponent = max(stored, 1) - form.bias - form.mantissa_bits
    signed = -mantissa if bits >> (8 * form.size - 1) else mantissa
    return fmpq(signed << exponent) if exponent >= 0 else fmpq(signed, 1 << -exponent)


def decode_array(dtype: str, shape: Sequence[int], data: bytes, name: str) -> list[fmpq]:
    """The entries of an array of floats as the dyadic rationals that they are, to the last bit.

    Args:
        dtype: "float16", "bfloat16", "float32" or "float64".
        shape: The extents; () is one number.
        data: The raw bytes, little-endian, last index fastest, nothing before or after.
        name: What errors call the array.

    Returns:
        The prod(shape) entries in the order of `data`.

    Raises:
        UnusableInputError: For another dtype, for data that does not fit the shape, and for a NaN or an infinity,
            whose entry is named as ``name[3][5]``.
    """
    form = FORMATS.get(dtype)
    if form is None:
        raise UnusableInputError(f"entries of type {dtype} are not taken, only {', '.join(FORMATS)}", name)
    count = math.prod(shape)
    if any(extent < 0 for extent in shape) or len(data) != count * form.size:
        raise UnusableInputError(f"{len(data)} bytes do not make a {dtype} array of shape {list(shape)}", name)
    entries = []
    for index, bits in enumerate(struct.unpack(f"<{count}{form.code}", data)):
        entry = decode_bits(bits, form)
        if entry is None:
            raise UnusableInputError("a NaN or an infinity is not a number", name + _subscript(index, shape))
        entries.append(entry)
    return entries


def _subscript(index: int, shape: Sequence[int]) -> str:
    """The flat `index` as ``[i][j]...``."""
    parts = []
    for extent in reversed(shape):
        index, inner = divmod(index, extent)
        parts.append(f"[{inner}]")
    return "".join(reversed(parts))
