"""Tests of float bits: every small pattern, and long runs of the large ones, against Python's own floats."""

from __future__ import annotations

import math
import random
import struct

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.floats import FORMATS, decode_array, decode_bits


def by_python(value: float) -> fmpq | None:
    """What Python says a float is; None when it is not finite."""
    return fmpq(*value.as_integer_ratio()) if math.isfinite(value) else None


def test_all_float16() -> None:
    """All 65,536 float16 patterns have the value that struct and as_integer_ratio give them."""
    for bits in range(1 << 16):
        (value,) = struct.unpack("<e", bits.to_bytes(2, "little"))
        assert decode_bits(bits, FORMATS["float16"]) == by_python(value)


def test_all_bfloat16() -> None:
    """All 65,536 bfloat16 patterns have the value of the float32 that they are the upper half of."""
    for bits in range(1 << 16):
        (value,) = struct.unpack("<f", (bits << 16).to_bytes(4, "little"))
        assert decode_bits(bits, FORMATS["bfloat16"]) == by_python(value)


def test_a_million_float32() -> None:
    """A million random float32 patterns, subnormals and huge ones among them, have the value that struct gives."""
    draw = random.Random(1)
    for _ in range(1_000_000):
        bits = draw.getrandbits(32)
        (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
        assert decode_bits(bits, FORMATS["float32"]) == by_python(value)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_float64(values: list[float]) -> None:
    """Arrays of float64 are read entry for entry, and back to the same floats."""
    entries = decode_array("float64", [len(values)], struct.pack(f"<{len(values)}d", *values), "a")
    assert entries == [by_python(value) for value in values]
    assert [int(entry.p) / int(entry.q) for entry in entries] == values


def test_a_tenth_is_not_a_tenth() -> None:
    """The float32 nearest to 0.1 is 13421773/134217728, not 1/10."""
    assert decode_array("float32", [1], struct.pack("<f", 0.1), "a") == [fmpq(13421773, 134217728)]


@pytest.mark.parametrize("code", ["e", "f", "d"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_not_finite_entries_are_named(code: str, value: float) -> None:
    """A NaN or an infinity is refused, and its entry is named."""
    dtype = {"e": "float16", "f": "float32", "d": "float64"}[code]
    values = [0.0] * 40
    values[3 * 8 + 5] = value
    with pytest.raises(UnusableInputError, match=r"^in_proj_weight\[3\]\[5\]: a NaN or an infinity is not a number$"):
        decode_array(dtype, (5, 8), struct.pack(f"<40{code}", *values), "in_proj_weight")


@pytest.mark.parametrize(
    ("dtype", "shape", "size", "message"),
    [
        ("int64", (1,), 8, "a: entries of type int64 are not taken"),
        ("float32", (2, 2), 12, r"a: 12 bytes do not make a float32 array of shape \[2, 2\]"),
        ("float32", (-1, -1), 4, r"do not make a float32 array of shape \[-1, -1\]"),
        ("float16", (), 4, r"do not make a float16 array of shape \[\]"),
    ],
)
def test_unusable_arrays(dtype: str, shape: tuple[int, ...], size: int, message: str) -> None:
    """Another type, and data that do not fit the shape, are refused."""
    with pytest.raises(UnusableInputError, match=message):
        decode_array(dtype, shape, bytes(size), "a")


def test_scalars_and_empty_arrays() -> None:
    """The shape () is one number, an extent zero none."""
    assert decode_array("float16", (), struct.pack("<e", -1.5), "a") == [fmpq(-3, 2)]
    assert decode_array("float64", (3, 0), b"", "a") == []
