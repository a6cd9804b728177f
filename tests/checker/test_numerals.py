"""The strict grammar of numbers: one text for each number, the same as the package's printer writes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.checker.numerals import print_number, strict_number, wide_number
from exactlearn.checker.outcome import Unusable
from exactlearn.files.numerals import print_number as print_with_flint

BORDER = 10**999
NUMERATORS, DENOMINATORS = (0, 1, -1, BORDER - 1, BORDER, -BORDER, 1 - BORDER), (1, 3, BORDER - 1, BORDER)
SPECIAL = [Fraction(n, d) for n in NUMERATORS for d in DENOMINATORS]


@pytest.mark.parametrize("value", SPECIAL, ids=range(len(SPECIAL)))
def test_printers_agree_at_the_border(value: Fraction) -> None:
    """From 1,000 digits on both printers change to hexadecimal, and the text is read back."""
    text = print_number(value)
    assert text == print_with_flint(fmpq(value.numerator, value.denominator))
    assert ("0x" in text) == (max(abs(value.numerator), value.denominator) >= BORDER)
    assert strict_number(text, "") == wide_number(text, "") == value


@given(st.fractions())
def test_printers_agree(value: Fraction) -> None:
    """The checker's text of a number is the package's, and is read back."""
    assert print_number(value) == print_with_flint(fmpq(value.numerator, value.denominator))
    assert strict_number(print_number(value), "") == value


@given(st.text("0123456789-/xabf. +_e\u0663\n", max_size=8))
def test_a_text_is_read_only_if_it_is_the_one(text: str) -> None:
    """Whatever is read is printed as the same text: no number has two."""
    try:
        value = strict_number(text, "")
    except Unusable:
        return
    assert print_number(value) == text


@pytest.mark.parametrize("length", [2**18, 2**18 + 1])
def test_longest_number(length: int) -> None:
    """262,144 characters are read, one more is not, and what is not is not converted."""
    text = "0x" + "f" * (length - 2)
    if length == 2**18:
        assert strict_number(text, "") == int(text, 16)
    else:
        with pytest.raises(Unusable, match=r"\(262145 characters\) is not a number here"):
            strict_number(text, "")
