"""A real number field K = Q(a): an irreducible polynomial over Q and which of its real roots a is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from flint import acb, arb, ctx, fmpq, fmpq_poly, fmpz, fmpz_poly

from exactlearn.errors import UnusableInputError
from exactlearn.rationals import Rational, as_fmpq

if TYPE_CHECKING:
    from exactlearn.fields.element import FieldElement

MAXIMAL_DEGREE = 32
"""No field of a larger degree is made: arithmetic takes time with the square of the degree."""

MAXIMAL_HEIGHT_BITS = 20_000
"""Coefficients of a minimal polynomial and ends of an interval have at most so many bits."""

_FIRST_PRECISION = 64


@dataclass(frozen=True, eq=False)
class NumberField:
    """Q(a), a the real root of an irreducible polynomial in an interval.

    Two fields are equal when they have the same monic polynomial and the same root of it, whatever the interval.

    Attributes:
        coefficients: The monic minimal polynomial of a, constant term first.
        root: The isolating interval (lo, hi) as given: closed, with a as the only root of the polynomial in it.
        root_index: Which of the real roots a is, counting from 0 in ascending order.
    """

    coefficients: tuple[fmpq, ...]
    root: tuple[fmpq, fmpq]
    root_index: int = field(init=False)

    def __init__(self, minpoly: Sequence[Rational], root: Sequence[Rational]) -> None:
        """Check and take a polynomial and an isolating interval.

        Args:
            minpoly: The coefficients, constant term first; irreducible over Q; need not be monic.
            root: Two rationals lo <= hi.

        Raises:
            UnusableInputError: For a polynomial that is constant, reducible or too large (place ``minpoly``), and an
                interval that is empty or holds no root or several (place ``root``).
        """
        polynomial = _checked_polynomial(minpoly)
        interval = _checked_interval(root)
        monic = polynomial / polynomial.leading_coefficient()
        object.__setattr__(self, "coefficients", tuple(fmpq(c) for c in monic.coeffs()))
        object.__setattr__(self, "root", interval)
        object.__setattr__(self, "root_index", _index_of_root(polynomial, interval))

    @property
    def degree(self) -> int:
        """The degree of K over Q."""
        return len(self.coefficients) - 1

    @cached_property
    def polynomial(self) -> fmpq_poly:
        """The monic minimal polynomial of a."""
        return fmpq_poly(list(self.coefficients))

    @cached_property
    def generator(self) -> FieldElement:
        """The element a."""
        return self.element([0, 1])

    def element(self, coefficients: Sequence[Rational]) -> FieldElement:
        """The element sum coefficients[i] * a^i.

        Args:
            coefficients: At most `degree` rationals, constant term first (any number of them for a field of degree 1
                would be one).

        Raises:
            UnusableInputError: When there are too many of them, or one is no rational.
        """
        from exactlearn.fields.element import FieldElement  # noqa: PLC0415  # elements know their field

        if len(coefficients) > self.degree and not (len(coefficients) == 2 and self.degree == 1):
            raise UnusableInputError(
                f"an element has at most {self.degree} coefficients here (the degree of the field), "
                f"not {len(coefficients)}"
            )
        return FieldElement.reduced(self, fmpq_poly([as_fmpq(c) for c in coefficients]))

    def __call__(self, value: Any) -> FieldElement:
        """`value` as an element: a rational number, or an element of this field.

        Raises:
            UnusableInputError: For an element of another field (`compose` brings two fields together), and for what
                is no number.
        """
        from exactlearn.fields.element import FieldElement  # noqa: PLC0415  # elements know their field

        if isinstance(value, FieldElement):
            if value.field != self:
                raise UnusableInputError("the number lies in another number field")
            return value
        return FieldElement(self, fmpq_poly([as_fmpq(value)]))

    @property
    def conjugates(self) -> tuple[NumberField, ...]:
        """The real fields of the same polynomial, one for each of its real roots, in ascending order."""
        return tuple(NumberField(self.coefficients, ends) for ends in isolating_intervals(self.coefficients))

    def ball(self) -> arb:
        """A ball around a at the current working precision."""
        if self.degree == 1:
            return _arb(-self.coefficients[0])
        return real_roots(self.coefficients, int(ctx.prec))[self.root_index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NumberField):
            return NotImplemented
        return self is other or (self.root_index, self.coefficients) == (other.root_index, other.coefficients)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.coefficients, self.root_index))

    def __reduce__(self) -> tuple[Callable[..., NumberField], tuple[Any, ...]]:
        return NumberField, (self.coefficients, self.root)

    def __str__(self) -> str:
        from exactlearn.fields.text import field_text  # noqa: PLC0415  # text knows elements

        return field_text(self)

    def __repr__(self) -> str:
        return f"NumberField({[str(c) for c in self.coefficients]}, root=[{self.root[0]}, {self.root[1]}])"


@lru_cache(maxsize=64)
def real_roots(coefficients: tuple[fmpq, ...], precision: int) -> tuple[arb, ...]:
    """Disjoint balls around the real roots of a squarefree polynomial, ascending, with about so many bits each."""
    polynomial = fmpq_poly(list(coefficients)).numer()
    with ctx.workprec(precision):
        roots: Any = polynomial.complex_roots()
        found = [acb(root).real for root, _ in roots if acb(root).imag.is_zero()]
    return tuple(sorted(found, key=_midpoint))


def _midpoint(ball: arb) -> fmpq:
    mantissa, exponent = ball.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _checked_polynomial(minpoly: Sequence[Rational]) -> fmpq_poly:
    coefficients = []
    for index, coefficient in enumerate(minpoly):
        try:
            coefficients.append(as_fmpq(coefficient))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"minpoly[{index}]") from None
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    degree = len(coefficients) - 1
    if degree < 1:
        raise UnusableInputError("a minimal polynomial is not constant", "minpoly")
    if degree > MAXIMAL_DEGREE:
        raise UnusableInputError(f"the degree {degree} is too large: at most {MAXIMAL_DEGREE}", "minpoly")
    if any(c.height_bits() > MAXIMAL_HEIGHT_BITS for c in coefficients):
        raise UnusableInputError(f"a coefficient has more than {MAXIMAL_HEIGHT_BITS} bits", "minpoly")
    polynomial = fmpq_poly(coefficients)
    factors = fmpz_poly(polynomial.numer()).factor()[1]
    if sum(multiplicity for _, multiplicity in factors) > 1:
        (first, multiplicity) = factors[0]
        times = f" (to the power {multiplicity})" if multiplicity > 1 else ""
        raise UnusableInputError(
            f"the polynomial is reducible over Q: {_polynomial_text(first)} divides it{times}", "minpoly"
        )
    return polynomial


def _checked_interval(root: Sequence[Rational]) -> tuple[fmpq, fmpq]:
    if len(root) != 2:
        raise UnusableInputError(f"an interval has two ends, not {len(root)}", "root")
    ends = []
    for index, end in enumerate(root):
        try:
            ends.append(as_fmpq(end))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"root[{index}]") from None
    lower, upper = ends
    if lower > upper:
        raise UnusableInputError("the lower end of the interval comes first", "root")
    if max(lower.height_bits(), upper.height_bits()) > MAXIMAL_HEIGHT_BITS:
        raise UnusableInputError(f"an end of the interval has more than {MAXIMAL_HEIGHT_BITS} bits", "root")
    return lower, upper


def _index_of_root(polynomial: fmpq_poly, interval: tuple[fmpq, fmpq]) -> int:
    """The index of the one real root in the interval; an irreducible polynomial of degree > 1 has no rational root."""
    lower, upper = interval
    if polynomial.degree() == 1:
        inside = [0] if lower <= -fmpq(polynomial[0]) / fmpq(polynomial[1]) <= upper else []
    else:
        coefficients = tuple(fmpq(c) for c in polynomial.coeffs())
        count = len(real_roots(coefficients, _FIRST_PRECISION))
        inside = [
            i for i in range(count) if _is_above(coefficients, i, lower) and not _is_above(coefficients, i, upper)
        ]
    if len(inside) != 1:
        many = f"{len(inside)} real roots" if inside else "no real root"
        raise UnusableInputError(f"the interval from {lower} to {upper} holds {many} of the polynomial", "root")
    return inside[0]


def _is_above(coefficients: tuple[fmpq, ...], index: int, bound: fmpq) -> bool:
    """Whether a root, which is irrational, lies above a rational bound."""
    precision = _FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            difference = real_roots(coefficients, precision)[index] - _arb(bound)
            if not difference.contains(0):
                return bool(difference > 0)
        precision *= 2


@lru_cache(maxsize=64)
def isolating_intervals(coefficients: tuple[fmpq, ...]) -> tuple[tuple[fmpq, fmpq], ...]:
    """Disjoint intervals around the real roots of an irreducible polynomial, ascending, with short dyadic ends."""
    if len(coefficients) == 2:
        value = -coefficients[0] / coefficients[1]
        return ((value, value),)
    for bits in itertools.count():
        lower_ends = [_floor(coefficients, index, bits) for index in range(len(real_roots(coefficients, 64)))]
        if len(set(lower_ends)) == len(lower_ends):
            scale = fmpq(1, fmpz(1) << bits)
            return tuple((lower * scale, (lower + 1) * scale) for lower in lower_ends)
    raise AssertionError("unreachable: the roots are distinct")  # pragma: no cover


def _floor(coefficients: tuple[fmpq, ...], index: int, bits: int) -> fmpz:
    """The floor of 2^bits times a root, which is irrational."""
    precision = _FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            floor = (real_roots(coefficients, precision)[index] * arb(2) ** bits).floor().unique_fmpz()
            if floor is not None:
                return floor
        precision *= 2


def _arb(number: fmpq) -> arb:
    return arb(number.p) / arb(number.q)


def _polynomial_text(polynomial: fmpz_poly) -> str:
    from exactlearn.fields.text import polynomial_text  # noqa: PLC0415  # text knows fields
    from exactlearn.model.vectors import abbreviate  # noqa: PLC0415  # models know fields

    return abbreviate(polynomial_text([fmpq(c) for c in polynomial.coeffs()], "x"), 80)
