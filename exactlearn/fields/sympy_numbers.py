"""Elements of number fields from and to sympy expressions; sympy is slow to import, so this file is apart."""

from __future__ import annotations

import functools
import operator
from typing import Any

import sympy
from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.fields.composing import compose
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.real_roots import isolating_intervals, root_ball
from exactlearn.fields.text import quadratic_parts
from exactlearn.rationals import as_fmpq, as_sympy

_DIGITS = 60


def to_sympy(value: FieldElement | fmpq) -> Any:
    """The same real number as a sympy expression: with a square root in a quadratic field, else in a CRootOf."""
    if not isinstance(value, FieldElement):
        return as_sympy(value)
    if value.field.degree == 2:
        constant, factor, radicand = quadratic_parts(value)
        return as_sympy(constant) + as_sympy(factor) * sympy.sqrt(sympy.Integer(int(radicand)))
    a = _root(value.field)
    return sympy.Add(*(as_sympy(c) * a**i for i, c in enumerate(value.coefficients)))


def from_sympy(expression: Any, field: NumberField) -> FieldElement:
    """A real algebraic number, given as a sympy expression, as an element of `field`.

    Raises:
        UnusableInputError: When it is no real algebraic number, or lies outside of the field.
    """
    expression = sympy.sympify(expression, strict=True)
    if isinstance(expression, sympy.Rational):
        return field(as_fmpq(expression))
    if expression.has(sympy.Float):
        raise UnusableInputError("a float is ambiguous: write the number as a sympy Rational")
    if isinstance(expression, sympy.Add | sympy.Mul):
        operation = operator.add if isinstance(expression, sympy.Add) else operator.mul
        parts = [from_sympy(argument, field) for argument in expression.args]
        return functools.reduce(operation, parts)
    if isinstance(expression, sympy.Pow) and isinstance(expression.exp, sympy.Integer):
        return from_sympy(expression.base, field) ** int(expression.exp)
    composition = compose(field, _field_of(expression))
    if composition.field != field:
        raise UnusableInputError(f"{expression} does not lie in {field}")
    return composition.right


def field_from_sympy(expression: Any) -> NumberField:
    """The number field Q(a) of a real algebraic number a, given as a sympy expression such as ``2*cos(2*pi/7)``.

    Raises:
        UnusableInputError: When it is no real algebraic number of a degree that is supported.
    """
    return _field_of(sympy.sympify(expression, strict=True))


def _root(field: NumberField) -> Any:
    x = sympy.Symbol("x")
    polynomial = sympy.Poly([as_sympy(c) for c in reversed(field.coefficients)], x)
    return sympy.CRootOf(polynomial.clear_denoms(convert=True)[1], field.root_index, radicals=False)


def _field_of(expression: Any) -> NumberField:
    x = sympy.Dummy("x")
    if not (expression.is_number and expression.is_real):
        raise UnusableInputError(f"{expression} is no real number")
    try:
        polynomial = sympy.minimal_polynomial(expression, x, polys=True)
    except (NotImplementedError, sympy.polys.polyerrors.NotAlgebraic):
        raise UnusableInputError(f"{expression} is no algebraic number that sympy knows") from None
    coefficients = tuple(as_fmpq(c) for c in reversed(polynomial.all_coeffs()))
    value = as_fmpq(sympy.Rational(str(expression.evalf(_DIGITS))))
    intervals = isolating_intervals(coefficients)
    if len(coefficients) == 2:
        return NumberField(coefficients, intervals[0])
    distances = [abs(_distance(root_ball(coefficients, ends, 4 * _DIGITS), value)) for ends in intervals]
    return NumberField(coefficients, intervals[distances.index(min(distances))])


def _distance(ball: Any, value: fmpq) -> fmpq:
    """The midpoint of a ball minus a rational, as a rational."""
    mantissa, exponent = ball.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent) - value
