"""Two real number fields in one: a field that holds both, and where their generators lie in it.

For c = b + k a the numbers b_j + k a_i are the roots of a resultant; its factor that vanishes at the real number c
is the minimal polynomial of c.  Then f(x) and g(c - k x) have x - a as greatest common divisor over Q(c), unless
two of the b_j + k a_i meet; then another k is taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import arb, ctx, fmpq, fmpq_mat, fmpq_poly

from exactlearn.errors import OverBudgetError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import MAXIMAL_DEGREE, NumberField
from exactlearn.fields.real_roots import isolating_intervals, root_ball

MAXIMAL_PRODUCT = 128
"""The product of the two degrees is at most this: the resultant is a characteristic polynomial of such a matrix."""


@dataclass(frozen=True)
class Composition:
    """A field that holds two others.

    Attributes:
        field: The field; the left one itself when it holds the right one, else the right one when it holds the left.
        left: The image in it of the generator of the left field.
        right: The image of the generator of the right field.
    """

    field: NumberField
    left: FieldElement
    right: FieldElement

    def of_left(self, value: FieldElement | fmpq) -> FieldElement:
        """An element of the left field, or a rational, as an element of the field."""
        return value.at(self.left) if isinstance(value, FieldElement) else self.field(value)

    def of_right(self, value: FieldElement | fmpq) -> FieldElement:
        """An element of the right field, or a rational, as an element of the field."""
        return value.at(self.right) if isinstance(value, FieldElement) else self.field(value)


@lru_cache(maxsize=64)
def compose(left: NumberField, right: NumberField) -> Composition:
    """The smallest real field that holds both fields.

    Raises:
        OverBudgetError: When the degrees are too large.
    """
    if left == right:
        return Composition(left, left.generator, left.generator)
    if left.degree == 1 or right.degree == 1:
        return _with_rationals(left, right)
    if left.degree * right.degree > MAXIMAL_PRODUCT:
        degrees = f"degrees {left.degree} and {right.degree}"
        raise OverBudgetError(f"fields of {degrees} are too large to be brought together")
    for k in itertools.chain.from_iterable((k, -k) for k in itertools.count(1)):
        found = _compose_with(left, right, k)
        if found is not None:
            return _in_old_terms(found, left, right)
    raise AssertionError("unreachable: only finitely many k are bad")  # pragma: no cover


def square_root_in(field: NumberField, radicand: fmpq) -> FieldElement | None:
    """The positive square root of a positive rational that is no square, as an element of `field`; None when outside.

    Raises:
        OverBudgetError: When the degree is too large.
    """
    composition = compose(field, _root_field(radicand))
    return composition.right if composition.field == field else None


def adjoin_square_root(field: NumberField, radicand: fmpq) -> Composition:
    """`field` with the positive square root of a positive rational that is no square; `right` is that root."""
    return compose(field, _root_field(radicand))


def _root_field(radicand: fmpq) -> NumberField:
    return NumberField([-radicand, 0, 1], (fmpq(0), radicand + 1))


def _with_rationals(left: NumberField, right: NumberField) -> Composition:
    """One of the two is Q."""
    larger, smaller = (left, right) if right.degree == 1 else (right, left)
    value = larger(-smaller.coefficients[0])
    if larger is left:
        return Composition(left, left.generator, value)
    return Composition(right, value, right.generator)


def _compose_with(left: NumberField, right: NumberField, k: int) -> Composition | None:
    """The composition with c = b + k a, a and b the generators; None when k is bad."""
    resultant = _kronecker_sum(left, right, k)
    factors = [fmpq_poly(factor.coeffs()) for factor, _ in resultant.numer().factor()[1]]
    with_root = _vanishing_factor(factors, left, right, k)
    if with_root.degree() > MAXIMAL_DEGREE:
        raise OverBudgetError(f"the field of both has degree {with_root.degree()}, more than {MAXIMAL_DEGREE}")
    field = _field_with_root(with_root, left, right, k)
    c = field.generator
    first = [field(coefficient) for coefficient in left.coefficients]
    second = _shifted(right, c, k)
    common = _gcd(first, second)
    if len(common) != 2:
        return None
    a = -common[0] / common[1]
    return Composition(field, a, c - k * a)


def _kronecker_sum(left: NumberField, right: NumberField, k: int) -> fmpq_poly:
    """prod_ij (x - b_j - k a_i), as the characteristic polynomial of B (x) 1 + k (1 (x) A)."""
    A, B = _companion(left), _companion(right)
    n, m = left.degree, right.degree
    rows = [
        [(B[j][s] if i == r else fmpq(0)) + (k * A[i][r] if j == s else fmpq(0)) for s in range(m) for r in range(n)]
        for j in range(m)
        for i in range(n)
    ]
    return fmpq_mat(rows).charpoly()


def _companion(field: NumberField) -> list[list[fmpq]]:
    """Multiplication by the generator, in the basis of its powers."""
    n = field.degree
    rows = [[fmpq(int(column == row + 1)) for column in range(n)] for row in range(n - 1)]
    return [*rows, [-c for c in field.coefficients[:-1]]]


def _vanishing_factor(factors: Sequence[fmpq_poly], left: NumberField, right: NumberField, k: int) -> fmpq_poly:
    """The one factor that vanishes at b + k a; irreducible factors have no common root, so precision decides."""
    precision, candidates = 64, list(factors)
    while len(candidates) > 1:
        with ctx.workprec(precision):
            c = right.ball() + k * left.ball()
            candidates = [factor for factor in candidates if _ball_at(factor, c).contains(0)]
        precision *= 2
    return candidates[0]


def _ball_at(polynomial: fmpq_poly, point: arb) -> arb:
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        number = fmpq(coefficient)
        total = total * point + arb(number.p) / arb(number.q)
    return total


def _field_with_root(polynomial: fmpq_poly, left: NumberField, right: NumberField, k: int) -> NumberField:
    """The field of the real root b + k a."""
    coefficients = tuple(fmpq(c) for c in polynomial.coeffs())
    intervals, precision = isolating_intervals(coefficients), 64
    while True:
        with ctx.workprec(precision):
            c = right.ball() + k * left.ball()
            near = [ends for ends in intervals if root_ball(coefficients, ends, precision).overlaps(c)]
        if len(near) == 1:
            return NumberField(coefficients, near[0])
        precision *= 2


def _shifted(right: NumberField, c: FieldElement, k: int) -> list[FieldElement]:
    """g(c - k x) as a polynomial in x, constant term first."""
    result = [c.field(0)]
    for coefficient in reversed(right.coefficients):
        carried = [c * term for term in result] + [c.field(0)]
        for index, term in enumerate(result):
            carried[index + 1] = carried[index + 1] - k * term
        carried[0] = carried[0] + coefficient
        result = carried
    return _trimmed(result)


def _gcd(first: list[FieldElement], second: list[FieldElement]) -> list[FieldElement]:
    while second:
        first, second = second, _remainder(first, second)
    return first


def _remainder(top: list[FieldElement], bottom: list[FieldElement]) -> list[FieldElement]:
    rest, inverse = list(top), bottom[-1].inverse()
    while len(rest) >= len(bottom):
        factor, shift = rest[-1] * inverse, len(rest) - len(bottom)
        for index, term in enumerate(bottom):
            rest[shift + index] = rest[shift + index] - factor * term
        rest = _trimmed(rest)
    return rest


def _trimmed(polynomial: list[FieldElement]) -> list[FieldElement]:
    while polynomial and not polynomial[-1]:
        polynomial = polynomial[:-1]
    return polynomial


def _in_old_terms(found: Composition, left: NumberField, right: NumberField) -> Composition:
    """The composition over one of the two fields themselves when that one holds the other."""
    for field, image in ((left, found.left), (right, found.right)):
        if field.degree == found.field.degree:
            powers = [image**i for i in range(field.degree)]
            basis = fmpq_mat([list(power.coefficients) for power in powers]).transpose()

            def back(
                value: FieldElement, basis: fmpq_mat = basis, field: NumberField = field
            ) -> FieldElement:
                column = fmpq_mat(field.degree, 1, list(value.coefficients))
                return field.element(basis.solve(column).entries())

            return Composition(field, back(found.left), back(found.right))
    return found
