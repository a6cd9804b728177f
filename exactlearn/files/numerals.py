"""Number text: the one parser and the one printer of rational numbers and units (DESIGN section 12)."""

from __future__ import annotations

import re

from flint import fmpq, fmpz

from exactlearn.errors import UnusableInputError
from exactlearn.model import Unit

MAX_LENGTH = 100_000
"""Longer number texts are refused before any conversion."""

HEXADECIMAL_FROM_DIGITS = 1_000
"""Numbers with a numerator or denominator of so many decimal digits are printed in hexadecimal."""

_NUMBER = re.compile(
    r"(?P<sign>-?)(?:0x(?P<hex_p>[0-9a-fA-F]+)(?:/0x(?P<hex_q>[0-9a-fA-F]+))?"
    r"|(?P<p>[0-9]+)(?:/(?P<q>[0-9]+)|\.(?P<decimals>[0-9]+))?)"
)
_ROOT = re.compile(r"(?P<sign>-?)sqrt\((?P<radicand>.*)\)", re.DOTALL)
_QUOTED = 40
_HOW = 'write "3/4", "-2", "0.25" or "-0x1f/0x3" (no exponents, underscores, plus signs or blanks)'
_HEXADECIMAL_FROM = fmpz(10) ** (HEXADECIMAL_FROM_DIGITS - 1)


def quote(text: str) -> str:
    """`text` for an error message: on one line, in ASCII, cut to some forty characters."""
    shown = ascii(text[:_QUOTED])
    return shown if len(text) <= _QUOTED else f"{shown}... ({len(text)} characters)"


def parse_number(text: str) -> fmpq:
    """The rational number that `text` denotes, exactly.

    The grammar, with D for ASCII digits and H for hexadecimal digits: ``-?D``, ``-?D/D``, ``-?D.D`` (an exact
    decimal), ``-?0xH``, ``-?0xH/0xH``.  Leading zeros and "-0" are allowed, nothing else is.

    Args:
        text: At most `MAX_LENGTH` characters; nothing is stripped from it.

    Raises:
        UnusableInputError: When `text` is too long, not of the grammar, or has the denominator zero.
    """
    if len(text) > MAX_LENGTH:
        raise UnusableInputError(f"the number {quote(text)} is too long: at most {MAX_LENGTH} characters are read")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise UnusableInputError(f"{quote(text)} is not a number here: {_HOW}")
    numerator, denominator = _magnitude(match)
    if denominator == 0:
        raise UnusableInputError(f"{quote(text)} has the denominator zero")
    return fmpq(-numerator if match["sign"] else numerator, denominator)


def print_number(value: fmpq) -> str:
    """The number in lowest terms, as `parse_number` reads it.

    Decimal "p" or "p/q"; from `HEXADECIMAL_FROM_DIGITS` decimal digits on in the numerator or the denominator,
    hexadecimal "0xp" or "0xp/0xq", which takes linear time to write and to read.  No bound on the length.
    """
    if abs(value.p) < _HEXADECIMAL_FROM and value.q < _HEXADECIMAL_FROM:
        return str(value.p) if value.q == 1 else f"{value.p}/{value.q}"
    sign = "-" if value < 0 else ""
    numerator = f"{sign}0x{abs(value.p).str(base=16)}"
    return numerator if value.q == 1 else f"{numerator}/0x{value.q.str(base=16)}"


def print_file_number(value: fmpq) -> str:
    """`print_number` for files: what is too long to be read back is not written.

    Raises:
        UnusableInputError: When the text would have more than `MAX_LENGTH` characters.
    """
    text = print_number(value)
    if len(text) > MAX_LENGTH:
        raise UnusableInputError(f"the number has {len(text)} characters, files hold at most {MAX_LENGTH} of one")
    return text


def parse_unit(text: str) -> Unit:
    """The unit that `text` denotes: a rational that is not zero, or "sqrt(q)" or "-sqrt(q)" with a rational q > 0.

    Raises:
        UnusableInputError: When `text` is neither.
    """
    root = _ROOT.fullmatch(text)
    number = parse_number(text if root is None else root["radicand"])
    if root is None:
        if number == 0:
            raise UnusableInputError("a unit is not zero")
        return Unit.of(number)
    if number <= 0:
        raise UnusableInputError(f"{quote(text)} is no unit: sqrt(q) needs q > 0")
    return Unit(number, -1 if root["sign"] else 1)


def print_unit(unit: Unit) -> str:
    """The unit as `parse_unit` reads it: as a rational when it is one, else "sqrt(q)" or "-sqrt(q)"."""
    value = unit.rational
    if value is not None:
        return print_file_number(value)
    return f"{'-' if unit.sign < 0 else ''}sqrt({print_file_number(unit.square)})"


def _magnitude(match: re.Match[str]) -> tuple[fmpz, fmpz]:
    """Numerator and denominator without the sign, not in lowest terms."""
    # int(_, 16) takes linear time and knows no limit on digits; for decimals only FLINT has neither fault.
    if match["hex_p"] is not None:
        return fmpz(int(match["hex_p"], 16)), fmpz(int(match["hex_q"] or "1", 16))
    if match["decimals"] is not None:
        return fmpz(match["p"] + match["decimals"]), fmpz(10) ** len(match["decimals"])
    return fmpz(match["p"]), fmpz(match["q"] or "1")
