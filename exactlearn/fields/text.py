"""Numbers of a number field in writing: with a square root where the field is quadratic, else as polynomials in a."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flint import fmpq, fmpz

from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.latex import latex_number

_FACTOR_BITS = 128
"""Discriminants up to this size are brought to a squarefree radicand; of longer ones only easy squares are split."""

_DIGITS = 6


def element_text(element: FieldElement) -> str:
    """``1/2 + 3*sqrt(2)`` in a quadratic field, else a polynomial in a such as ``1 - 2*a + a**2``."""
    if element.field.degree == 2:
        constant, factor, radicand = quadratic_parts(element)
        return _sum_text([(constant, ""), (factor, f"sqrt({radicand})")])
    return polynomial_text(element.coefficients, "a")


def element_latex(element: FieldElement) -> str:
    """The same as LaTeX, without dollars."""
    if element.field.degree == 2:
        constant, factor, radicand = quadratic_parts(element)
        return _sum_latex([(constant, ""), (factor, rf"\sqrt{{{radicand}}}")])
    powers = ["", "a", *(f"a^{{{i}}}" for i in range(2, element.field.degree))]
    return _sum_latex(list(zip(element.coefficients, powers, strict=False)))


def polynomial_text(coefficients: Sequence[fmpq], letter: str) -> str:
    """A polynomial, constant term first."""
    powers = ["", letter, *(f"{letter}**{i}" for i in range(2, len(coefficients)))]
    return _sum_text(list(zip(coefficients, powers, strict=False)))


def field_text(field: NumberField) -> str:
    """``Q(sqrt(2))`` for a quadratic field, else the polynomial and about where its root lies."""
    if field.degree == 1:
        return "Q"
    if field.degree == 2:
        return f"Q(sqrt({_square_root(field)[2]}))"
    return f"Q(a), {polynomial_text(field.coefficients, 'a')} = 0, a = {_decimal(field)}"


def quadratic_parts(element: FieldElement) -> tuple[fmpq, fmpq, fmpz]:
    """(r, s, D) with the element r + s sqrt(D), D > 1 a whole number, squarefree when it can be factored easily."""
    middle, factor, radicand = _square_root(element.field)
    c0, c1 = element.coefficients
    return c0 + c1 * middle, c1 * factor, radicand


@lru_cache(maxsize=64)
def _square_root(field: NumberField) -> tuple[fmpq, fmpq, fmpz]:
    """(m, f, D) with a = m + f sqrt(D) in a quadratic field."""
    c0, c1, _ = field.coefficients
    discriminant = c1 * c1 / 4 - c0
    radicand, square = fmpz(1), fmpz(1)
    for prime, exponent in _factors(discriminant.p * discriminant.q):
        square *= prime ** (exponent // 2)
        radicand *= prime ** (exponent % 2)
    factor = fmpq(square, discriminant.q)
    return -c1 / 2, factor if field.root_index == 1 else -factor, radicand


def _factors(number: fmpz) -> list[tuple[fmpz, int]]:
    if number.bit_length() <= _FACTOR_BITS:
        return [(fmpz(p), int(e)) for p, e in number.factor()]
    return [(fmpz(p), int(e)) for p, e in number.factor(trial_limit=1000)]


def _decimal(field: NumberField) -> str:
    return str(field.ball().str(_DIGITS, radius=False))


def _sum_text(terms: Sequence[tuple[fmpq, str]]) -> str:
    text = ""
    for coefficient, factor in terms:
        if coefficient:
            size = abs(coefficient)
            part = factor if factor and size == 1 else f"{size}*{factor}" if factor else str(size)
            text += _signed(part, coefficient < 0, is_first=not text)
    return text or "0"


def _sum_latex(terms: Sequence[tuple[fmpq, str]]) -> str:
    text = ""
    for coefficient, factor in terms:
        if coefficient:
            size = abs(coefficient)
            part = factor if factor and size == 1 else f"{latex_number(size)}{factor}"
            text += _signed(part, coefficient < 0, is_first=not text)
    return text or "0"


def _signed(part: str, is_negative: bool, *, is_first: bool) -> str:
    if is_first:
        return f"-{part}" if is_negative else part
    return f" - {part}" if is_negative else f" + {part}"
