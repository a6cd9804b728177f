"""Tests of the factor on the scores: the nearest float32 number, by exact inequalities, and the two choices."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_any_model
from exactlearn.files.scales import nearest_float32, parse_scale, unit_of
from exactlearn.model import Unit

DATA = Path(__file__).parent / "data"


@given(st.integers(1, 10**6))
@example(64)
@example(9)
@example(1)
def test_nearest_float32(square: int) -> None:
    """It is a float32 number, and 1/sqrt(n) lies between the midpoints to its neighbours."""
    found = nearest_float32(square)
    number = Fraction(int(found.p), int(found.q))
    single = np.float32(float(number))
    assert Fraction(float(single)) == number
    below, above = (Fraction(float(np.nextafter(single, np.float32(end)))) for end in (0, 2))
    assert ((below + number) / 2) ** 2 * square < 1 < ((number + above) / 2) ** 2 * square


def test_units() -> None:
    """Exact is the root itself; float32 is a rational number near it, the same when the root is a power of two."""
    assert unit_of(32) == Unit.sqrt(fmpq(1, 32))
    assert unit_of(32, "float32") == Unit.of(fmpq(11863283, 67108864))
    assert unit_of(32, "float32").square != fmpq(1, 32)
    assert unit_of(64, "float32") == unit_of(64) == Unit.of(fmpq(1, 8))
    assert unit_of(9, "float32") != unit_of(9)


def test_choices() -> None:
    """Two words are known."""
    assert (parse_scale("exact"), parse_scale("float32")) == ("exact", "float32")
    with pytest.raises(UnusableInputError, match=r"^--scale: exact or float32 is expected, not 'half'$"):
        parse_scale("half")


def test_import_with_either() -> None:
    """A layer imported with float32 differs in its unit alone."""
    path = DATA / "digits_attention_h4.safetensors"
    exact, rounded = import_any_model(path), import_any_model(path, scale="float32")
    assert exact.heads == rounded.heads
    assert (exact.unit, rounded.unit) == (unit_of(2), unit_of(2, "float32"))
