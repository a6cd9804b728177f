"""Symbolic values in writing: compact text that sympy reads, and LaTeX."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import NamedTuple

from flint import fmpq, fmpz

from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.latex import latex_number
from exactlearn.places.exponential_sums import Exponent, ExponentialSum, Monomial
from exactlearn.places.quotient_sums import Quotient, QuotientSum
from exactlearn.places.radicals import Radical

_HALF = fmpq(1, 2)


class Notation(NamedTuple):
    """How the parts are written."""

    number: Callable[[Scalar], str]
    power: Callable[[fmpz, fmpq], str]
    square_root: Callable[[fmpz], str]
    exponential: Callable[[str], str]
    quotient: Callable[[str, str, bool], str]
    times: str


def _plain_quotient(top: str, bottom: str, top_is_sum: bool) -> str:
    return f"({top})/({bottom})" if top_is_sum else f"{top}/({bottom})"


def _latex_power(number: fmpz, exponent: fmpq) -> str:
    return rf"\sqrt{{{number}}}" if exponent == _HALF else f"{number}^{{{latex_number(exponent)}}}"


PLAIN = Notation(
    number=str,
    power=lambda number, exponent: f"{number}**({exponent})",
    square_root=lambda number: f"sqrt({number})",
    exponential=lambda exponent: f"exp({exponent})",
    quotient=_plain_quotient,
    times="*",
)

LATEX = Notation(
    number=latex_number,
    power=_latex_power,
    square_root=lambda number: rf"\sqrt{{{number}}}",
    exponential=lambda exponent: f"e^{{{exponent}}}",
    quotient=lambda top, bottom, _: rf"\frac{{{top}}}{{{bottom}}}",
    times=r" \cdot ",
)


def plain(value: QuotientSum) -> str:
    """Text such as ``(1 + 2*exp(3/2))/(1 + exp(3/2))``; numbers of any length; read exactly by sympy.sympify.

    (sympy reads numbers up to the digit limit of Python's int; `sympy_value.to_sympy` has no limit.)
    """
    return _value(value, PLAIN)


def latex(value: QuotientSum) -> str:
    """LaTeX of the value, without dollars."""
    return _value(value, LATEX)


def ordered(quotients: tuple[Quotient, ...]) -> list[Quotient]:
    """The quotients in an order that depends on nothing but the numbers in them."""
    return sorted(quotients, key=lambda quotient: sorted(quotient.denominator.terms.items()))


def ordered_terms(total: ExponentialSum) -> list[tuple[Monomial, Scalar]]:
    """The terms by ascending exponent, then radical."""
    axes = sorted({radical for monomial in total.terms for radical, _ in monomial.exponent})

    def key(term: tuple[Monomial, Scalar]) -> tuple[list[Scalar], Radical]:
        entries = dict(term[0].exponent)
        return [entries.get(axis, fmpq(0)) for axis in axes], term[0].radical

    return sorted(total.terms.items(), key=key)


def _value(value: QuotientSum, notation: Notation) -> str:
    whole, quotients = value.joined()
    constant = whole.constant
    if not quotients and isinstance(constant, FieldElement):
        return notation.number(constant)
    parts = [_sum(whole, notation)] if whole or not quotients else []
    return _joined(parts + [_quotient(quotient, notation) for quotient in ordered(quotients)])


def _quotient(quotient: Quotient, notation: Notation) -> str:
    top, bottom = (_sum(part, notation) for part in quotient)
    is_sum = len(quotient.numerator.terms) > 1
    sign = "-" if top.startswith("-") and not is_sum else ""
    return sign + notation.quotient(top.removeprefix(sign), bottom, is_sum)


def _sum(total: ExponentialSum, notation: Notation) -> str:
    if not total:
        return "0"
    return _joined([_term(monomial, c, notation) for monomial, c in ordered_terms(total)])


def _joined(signed: list[str]) -> str:
    """Terms joined by plus and minus signs; each brings its own sign in front."""
    text = signed[0]
    for term in signed[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _term(monomial: Monomial, coefficient: Scalar, notation: Notation) -> str:
    sign, size = _sign_and_size(coefficient, notation)
    factors = [notation.power(element, exponent) for element, exponent in monomial.radical]
    if size != "1" or monomial == ((), ()):
        factors.append(size)
    if monomial.exponent:
        factors.append(notation.exponential(_exponent(monomial.exponent, notation)))
    return sign + notation.times.join(factors)


def _exponent(exponent: Exponent, notation: Notation) -> str:
    parts = []
    for radical, factor in exponent:
        sign, size = _sign_and_size(factor, notation)
        factors = [notation.square_root(_radicand(radical))] if radical else []
        if size != "1" or not radical:
            factors.append(size[1:-1] if len(exponent) == 1 and not radical and size.startswith("(") else size)
        parts.append(sign + notation.times.join(factors))
    return _joined(parts)


def _sign_and_size(number: Scalar, notation: Notation) -> tuple[str, str]:
    """A number as a factor: its sign, and the rest; a sum in a number field keeps its signs within brackets."""
    text = notation.number(number)
    if isinstance(number, FieldElement) and (" + " in text or " - " in text):
        return "", f"({text})"
    return ("-", text[1:]) if text.startswith("-") else ("", text)


def _radicand(radical: Radical) -> fmpz:
    """The product of the base elements: the radicals in exponents are square roots, since units are."""
    return functools.reduce(operator.mul, (element for element, _ in radical), fmpz(1))
