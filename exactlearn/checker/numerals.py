"""Numbers: their texts, strict in certificates and wider in model files, and arithmetic within bounds."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import lcm, prod
from operator import mul

from .outcome import Clock, Unusable, bounded_bits

Token = tuple[int, ...]

_GRAMMAR = re.compile(r"(-?)(?:0x([0-9a-fA-F]+)(?:/0x([0-9a-fA-F]+))?|([0-9]+)(?:/([0-9]+)|\.([0-9]+))?)")
_MAX_LENGTH, _MAX_MODEL_LENGTH = 2**18, 100_000
_HEXADECIMAL_FROM = 10**999

def quote(text: str) -> str:
    """`text` for a message: ASCII, one line, cut to some forty characters."""
    return ascii(text) if len(text) <= 40 else f"{text[:40]!a}... ({len(text)} characters)"

def kind(value: object) -> str:
    """What a JSON value is, in words."""
    words = {type(None): "null", bool: "true or false", int: "a JSON number", str: "a string", list: "a list"}
    return words.get(type(value), "an object")

def strict_number(text: object, place: str) -> Fraction:
    """The rational of a number text in a certificate, which is the only text for it (SPEC section 2)."""
    value = wide_number(text, place, _MAX_LENGTH)
    if print_number(value) != text:
        raise Unusable(f"{quote(str(text))} is not the one text of this number, in lowest terms", place)
    return value

def print_number(value: Fraction) -> str:
    """The text that `strict_number` reads as `value`."""
    p, q = value.numerator, value.denominator
    if -_HEXADECIMAL_FROM < p < _HEXADECIMAL_FROM and q < _HEXADECIMAL_FROM:
        return str(p) if q == 1 else f"{p}/{q}"
    return f"{p:#x}" if q == 1 else f"{p:#x}/{q:#x}"

def wide_number(text: object, place: str, longest: int = _MAX_MODEL_LENGTH) -> Fraction:
    """The rational of a number text in a model file (DESIGN section 12)."""
    if not isinstance(text, str):
        raise Unusable(f"a number is a string, not {kind(text)}", place)
    match = _GRAMMAR.fullmatch(text) if len(text) <= longest else None
    if match is None:
        raise Unusable(f"{quote(text)} is not a number here", place)
    sign, hex_p, hex_q, p, q, decimals = match.groups("")
    bottom = int(hex_q or "1", 16) if hex_p else 10 ** len(decimals) * _decimal(q or "1")
    if bottom == 0:
        raise Unusable(f"{quote(text)} has the denominator zero", place)
    return Fraction(int(sign + hex_p, 16) if hex_p else int(f"{sign}1") * _decimal(p + decimals), bottom)

def _decimal(digits: str) -> int:
    total = 0
    for start in range(0, len(digits), 4_000):  # what int() takes; Python's own limit is 4,300
        total = total * 10 ** len(digits[start : start + 4_000]) + int(digits[start : start + 4_000])
    return total

def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The scalar product of two lists of integers."""
    return sum(map(mul, left, right))

def plus(left: Token, right: Token) -> Token:
    """The sum of two tokens."""
    return tuple(a + b for a, b in zip(left, right, strict=True))

def over_common(values: Sequence[Fraction], place: str) -> tuple[int, Token]:
    """The least common denominator, and the numerators over it."""
    total = 1
    for value in values:
        total = lcm(total, value.denominator)
        bounded_bits(total.bit_length(), place)
    return total, tuple([value.numerator * (total // value.denominator) for value in values])

def power_product(bases: Sequence[Fraction], exponents: Sequence[int], place: str) -> Fraction:
    """The product of bases^exponents; how large it can get is seen before any power is taken."""
    pairs = [(base, n) for base, n in zip(bases, exponents, strict=True) if n and base != 1]
    bounded_bits(sum(abs(n) * max(b.numerator.bit_length(), b.denominator.bit_length()) for b, n in pairs), place)
    return prod((base**n for base, n in pairs), start=Fraction(1))

def determinant(rows: Sequence[Token], clock: Clock, place: str) -> int:
    """The determinant of an integer matrix by Bareiss' fraction-free elimination."""
    rest, sign, previous = [list(row) for row in rows], 1, 1
    while rest:
        index = next((i for i, row in enumerate(rest) if row[0]), None)
        if index is None:
            return 0
        pivot, *top = rest.pop(index)
        bounded_bits(pivot.bit_length(), place)
        for row in rest:
            clock.tick()
            row[:] = [(entry * pivot - row[0] * above) // previous for entry, above in zip(row[1:], top, strict=True)]
        sign, previous = sign * (-1) ** index, pivot
    return sign * previous
