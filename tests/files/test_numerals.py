"""Tests of number text: grammar, exact values, round trips, and the lengths at which other parsers break."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import (
    MAX_LENGTH,
    parse_number,
    parse_unit,
    print_file_number,
    print_number,
    print_unit,
    quote,
)
from exactlearn.model import Unit

rationals = st.fractions().map(lambda q: fmpq(q.numerator, q.denominator))
non_zero = rationals.filter(lambda q: q != 0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/4", fmpq(3, 4)),
        ("-2", fmpq(-2)),
        ("0.25", fmpq(1, 4)),
        ("0.1", fmpq(1, 10)),
        ("-1.50", fmpq(-3, 2)),
        ("-0x1f/0x3", fmpq(-31, 3)),
        ("0xFf", fmpq(255)),
        ("6/4", fmpq(3, 2)),
        ("007", fmpq(7)),
        ("-0", fmpq(0)),
        ("-0.0", fmpq(0)),
        ("0/5", fmpq(0)),
    ],
)
def test_values(text: str, value: fmpq) -> None:
    """Each form of the grammar denotes its exact value."""
    assert parse_number(text) == value


NOT_NUMBERS = [
    "", " ", "-", "+1", "--1", "1e5", "1E5", "1_000", "0x", "0xg", "0X1f", "1/0x2", "0x1/2", "0x1.8", ".5", "5.",
    "1.2.3", "1/2/3", "1/-2", "1.5/2", " 1", "1 ", "1\n", "\n1", "1 /2", "\u0661", "\uff11", "1\u00b2", "\u22121",
    "nan", "inf", "1,5", "1\x00", "0b1", "0o7", "1j", "sqrt(2)", "1/", "/2",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_NUMBERS, ids=ascii)
def test_what_is_no_number(text: str) -> None:
    """What the grammar does not allow is refused, and the message quotes it on one line."""
    with pytest.raises(UnusableInputError, match=re.escape(quote(text)) + " is not a number here") as caught:
        parse_number(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["1/0", "-1/000", "0/0", "0x1/0x0"])
def test_denominator_zero(text: str) -> None:
    """A denominator zero is refused in both notations."""
    with pytest.raises(UnusableInputError, match="has the denominator zero"):
        parse_number(text)


def test_length_is_bounded_before_conversion() -> None:
    """The longest number is read, one more character is not, and a million digits are refused at once."""
    assert parse_number("1" + "0" * (MAX_LENGTH - 1)) == fmpq(fmpz(10) ** (MAX_LENGTH - 1))
    with pytest.raises(UnusableInputError, match="is too long: at most 100000 characters"):
        parse_number("1" * (MAX_LENGTH + 1))
    start = time.perf_counter()
    with pytest.raises(UnusableInputError, match=r"'1{40}'\.\.\. \(1000000 characters\) is too long") as caught:
        parse_number("1" * 1_000_000)
    assert time.perf_counter() - start < 2
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text", ["7" * 100_000, "0x" + "f" * 99_998, "0." + "3" * 50_000, "7" * 50_000 + "/" + "9" * 49_999]
)
def test_the_longest_numbers_are_fast(text: str) -> None:
    """Numbers far above Python's limit of 4,300 digits take a fraction of a second."""
    start = time.perf_counter()
    value = parse_number(text)
    assert parse_number(print_number(value)) == value
    assert time.perf_counter() - start < 2


def test_hexadecimal_starts_at_a_thousand_digits() -> None:
    """999 digits are printed in decimal, 1,000 digits above or below the bar in hexadecimal."""
    assert print_number(fmpq(-(fmpz(10) ** 999) + 1)) == "-" + "9" * 999
    assert print_number(-fmpq(fmpz(10) ** 999)).startswith("-0x")
    assert re.fullmatch(r"-0x1/0x[0-9a-f]+", print_number(fmpq(-1, fmpz(10) ** 999)))
    assert print_number(fmpq(-31, 3)) == "-31/3"


@given(rationals)
def test_parse_agrees_with_fractions(value: fmpq) -> None:
    """Printed numbers have the value that the standard library's Fraction gives them, and come back."""
    text = print_number(value)
    fraction = Fraction(text)
    assert (fraction.numerator, fraction.denominator) == (int(value.p), int(value.q))
    assert parse_number(text) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=12))
def test_decimals_are_exact(value: Decimal) -> None:
    """A decimal text denotes exactly the decimal fraction."""
    text = f"{value:f}"
    expected = Fraction(text)
    assert parse_number(text) == fmpq(expected.numerator, expected.denominator)


@given(st.integers(1, 60_000), st.integers(0, 60_000), st.integers(-99, 99), st.integers(1, 99))
def test_long_round_trips(p_bits: int, q_bits: int, p: int, q: int) -> None:
    """Numbers on both sides of every digit limit come back equal, and their hexadecimal text is Python's."""
    value = fmpq(fmpz(p) * 2**p_bits + 1, fmpz(q) * 3 ** (q_bits // 2))
    text = print_number(value)
    assert parse_number(text) == value
    if "0x" in text:
        numerator, _, denominator = text.partition("/")
        assert fmpq(int(numerator, 16), int(denominator or "1", 16)) == value


@given(st.text(alphabet="0123456789abcdefx/.-+_eE \n\u0661", max_size=12))
def test_nothing_but_the_grammar(text: str) -> None:
    """A text is read exactly when a second, plainly written recogniser of the grammar says so."""
    body = text.removeprefix("-")
    is_hex = body.startswith("0x")
    parts = body.split("/") if "/" in body or is_hex else body.split(".")
    digits = "0123456789abcdefABCDEF" if is_hex else "0123456789"
    if is_hex:
        parts = [part[2:] if part.startswith("0x") else "?" for part in parts]
    expected = len(parts) <= 2 and all(part and all(c in digits for c in part) for part in parts)
    expected = expected and not ("/" in body and set(parts[1]) == {"0"})
    try:
        parse_number(text)
    except UnusableInputError:
        assert not expected
    else:
        assert expected


def test_file_numbers_can_be_read_back() -> None:
    """A number too long to be read back is printed for people and refused for files."""
    value = fmpq(fmpz(2) ** (4 * MAX_LENGTH))
    assert len(print_number(value)) > MAX_LENGTH
    with pytest.raises(UnusableInputError, match="files hold at most 100000"):
        print_file_number(value)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("1/2", Unit.of(fmpq(1, 2))),
        ("-3", Unit.of(-3)),
        ("sqrt(1/2)", Unit.sqrt(fmpq(1, 2))),
        ("-sqrt(2)", Unit(fmpq(2), -1)),
        ("sqrt(0.25)", Unit.of(fmpq(1, 2))),
        ("sqrt(0x9)", Unit.of(3)),
    ],
)
def test_units(text: str, unit: Unit) -> None:
    """Units are rationals or square roots; a root that is rational is the rational."""
    assert parse_unit(text) == unit


@pytest.mark.parametrize(
    ("unit", "text"), [(Unit.sqrt(fmpq(1, 2)), "sqrt(1/2)"), (Unit.of(-3), "-3"), (Unit.sqrt(4), "2")]
)
def test_printed_units(unit: Unit, text: str) -> None:
    """Units are printed as rationals when they are, else as square roots."""
    assert print_unit(unit) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "a unit is not zero"),
        ("-0/3", "a unit is not zero"),
        ("sqrt(0)", r"sqrt\(q\) needs q > 0"),
        ("sqrt(-2)", r"sqrt\(q\) needs q > 0"),
        ("sqrt(2", "is not a number here"),
        ("sqrt(2)\n", "is not a number here"),
        ("sqrt(2\n)", "is not a number here"),
        ("sqrt()", "is not a number here"),
        ("sqrt(sqrt(2))", "is not a number here"),
        ("SQRT(2)", "is not a number here"),
        ("2*sqrt(2)", "is not a number here"),
        ("sqrt(1/0)", "has the denominator zero"),
        ("sqrt(" + "1" * 100_001 + ")", "is too long"),
    ],
)
def test_what_is_no_unit(text: str, message: str) -> None:
    """What is no unit is refused with its reason."""
    with pytest.raises(UnusableInputError, match=message):
        parse_unit(text)


@given(non_zero, st.booleans())
def test_unit_round_trips(value: fmpq, is_root: bool) -> None:
    """Every unit is read back as an equal unit."""
    unit = Unit(abs(value), 1 if value > 0 else -1) if is_root else Unit.of(value)
    assert parse_unit(print_unit(unit)) == unit
