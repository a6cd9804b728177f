"""A real number field K = Q(a): an irreducible polynomial over Q and which of its real roots a is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz_poly

from exactlearn.errors import UnusableInputError
from exactlearn.fields.real_roots import count_roots, isolating_intervals, root_ball, roots_above
from exactlearn.rationals import Rational, as_fmpq

if TYPE_CHECKING:
    from exactlearn.fields.element import FieldElement

MAXIMAL_DEGREE = 32
"""No field of a larger degree is made: arithmetic takes time with the square of the degree."""

MAXIMAL_HEIGHT_BITS = 2_000
"""Coefficients of a minimal polynomial and ends of an interval have at most so many bits."""


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
        return root_ball(self.coefficients, self.root, int(ctx.prec))

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
    coefficients = tuple(fmpq(c) for c in polynomial.coeffs())
    inside = count_roots(coefficients, interval)
    if inside != 1:
        many = f"{inside} real roots" if inside else "no real root"
        ends = f"from {interval[0]} to {interval[1]}"
        raise UnusableInputError(f"the interval {ends} holds {many} of the polynomial", "root")
    if polynomial.degree() == 1:
        return 0
    return roots_above(coefficients, None) - roots_above(coefficients, interval[0])


def _polynomial_text(polynomial: fmpz_poly) -> str:
    from exactlearn.fields.text import polynomial_text  # noqa: PLC0415  # text knows fields
    from exactlearn.model.vectors import abbreviate  # noqa: PLC0415  # models know fields

    return abbreviate(polynomial_text([fmpq(c) for c in polynomial.coeffs()], "x"), 80)
