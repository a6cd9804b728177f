"""Symbolic values as sympy expressions, without going through text; sympy is slow to import, so this file is apart."""

from __future__ import annotations

from typing import Any

import sympy

from exactlearn.fields.scalars import Scalar
from exactlearn.fields.sympy_numbers import to_sympy as as_sympy
from exactlearn.places.exponential_sums import ExponentialSum, Monomial
from exactlearn.places.quotient_sums import QuotientSum
from exactlearn.places.radicals import Radical
from exactlearn.places.symbolic_text import ordered, ordered_terms


def to_sympy(value: QuotientSum) -> Any:
    """The value as a sympy expression."""
    whole, quotients = value.joined()
    return sympy.Add(_sum(whole), *(_sum(top) / _sum(bottom) for top, bottom in ordered(quotients)))


def _sum(total: ExponentialSum) -> Any:
    return sympy.Add(*(_term(monomial, coefficient) for monomial, coefficient in ordered_terms(total)))


def _term(monomial: Monomial, coefficient: Scalar) -> Any:
    exponent = sympy.Add(*(as_sympy(factor) * _radical(radical) for radical, factor in monomial.exponent))
    return as_sympy(coefficient) * _radical(monomial.radical) * sympy.exp(exponent)


def _radical(radical: Radical) -> Any:
    return sympy.Mul(*(sympy.Integer(int(element)) ** as_sympy(exponent) for element, exponent in radical))
