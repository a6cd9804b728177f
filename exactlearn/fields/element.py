"""Elements of a real number field, exact: arithmetic modulo the minimal polynomial, order by the real embedding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.rationals import as_fmpq

MAXIMAL_PRECISION = 2**20
"""No sign takes more bits than this: an element so close to zero has coefficients of about as many bits."""

_FIRST_PRECISION = 64


class FieldElement:
    """sum c_i a^i with rational c_i, i below the degree; immutable, and equal exactly when the c_i are.

    Arithmetic takes elements of the same field and every rational that `as_fmpq` takes; a rational element equals,
    and hashes as, the rational number.  ``<`` is the order of real numbers: equality is decided by structure, and
    then balls of growing precision find the sign.
    """

    __slots__ = ("field", "polynomial")

    field: NumberField
    polynomial: fmpq_poly

    def __init__(self, field: NumberField, polynomial: fmpq_poly) -> None:
        """An element from a polynomial in a of degree below that of the field (`reduced` takes any)."""
        object.__setattr__(self, "field", field)
        object.__setattr__(self, "polynomial", polynomial)

    @classmethod
    def reduced(cls, field: NumberField, polynomial: fmpq_poly) -> FieldElement:
        """An element from any polynomial in a."""
        return cls(field, polynomial % field.polynomial)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("elements of a number field are never changed")

    @property
    def coefficients(self) -> tuple[fmpq, ...]:
        """The c_i, as many as the degree of the field."""
        known = [fmpq(c) for c in self.polynomial.coeffs()]
        return (*known, *(fmpq(0) for _ in range(self.field.degree - len(known))))

    @property
    def rational(self) -> fmpq | None:
        """The element as an `fmpq` when it is rational, else None."""
        return fmpq(self.polynomial[0]) if self.polynomial.degree() < 1 else None

    def in_field(self, field: NumberField) -> FieldElement:
        """The image under a -> the generator of `field`, which has the same minimal polynomial (a conjugation)."""
        if field.coefficients != self.field.coefficients:
            raise UnusableInputError("a conjugate field has the same minimal polynomial")
        return FieldElement(field, self.polynomial)

    def at(self, value: FieldElement) -> FieldElement:
        """The image under a -> `value`, a root of the minimal polynomial: a homomorphism into the field of `value`."""
        total = value.field(0)
        for coefficient in reversed(self.coefficients):
            total = total * value + coefficient
        return total

    def height_bits(self) -> int:
        """The bits of the longest numerator or denominator among the coefficients."""
        return max(int(c.height_bits()) for c in self.coefficients)

    def ball(self) -> arb:
        """A ball around the real number at the current working precision."""
        if self.polynomial.degree() < 1:
            return _arb(fmpq(self.polynomial[0]))
        root, total = self.field.ball(), arb(0)
        for coefficient in reversed(self.polynomial.coeffs()):
            total = total * root + _arb(fmpq(coefficient))
        return total

    def sign(self) -> int:
        """-1, 0 or 1 of the real number; 0 by structure alone.

        Raises:
            OverBudgetError: When the precision would go over its bound.
        """
        value = self.rational
        if value is not None:
            return int(value > 0) - int(value < 0)
        precision = _FIRST_PRECISION
        while precision <= MAXIMAL_PRECISION:
            with ctx.workprec(precision):
                ball = self.ball()
                if not ball.contains(0):
                    return 1 if ball > 0 else -1
            precision *= 2
        raise OverBudgetError(f"{MAXIMAL_PRECISION} bits of precision do not tell the sign of a number")

    def floor(self) -> fmpz:
        """The largest whole number that is not larger.

        Raises:
            OverBudgetError: When the precision would go over its bound.
        """
        value = self.rational
        if value is not None:
            return value.floor()
        precision = _FIRST_PRECISION
        while precision <= MAXIMAL_PRECISION:
            with ctx.workprec(precision):
                floor = self.ball().floor().unique_fmpz()
                if floor is not None:
                    return floor
            precision *= 2
        raise OverBudgetError(f"{MAXIMAL_PRECISION} bits of precision do not tell the floor of a number")

    def inverse(self) -> FieldElement:
        """1 / self; raises ZeroDivisionError for zero."""
        if not self.polynomial:
            raise ZeroDivisionError("division by zero in a number field")
        _, inverse, _ = self.polynomial.xgcd(self.field.polynomial)
        return FieldElement(self.field, inverse)

    def __bool__(self) -> bool:
        return bool(self.polynomial)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FieldElement):
            if self.field == other.field:
                return bool(self.polynomial == other.polynomial)
            mine, theirs = self.rational, other.rational
            if mine is None or theirs is None:
                return NotImplemented if mine is theirs else False
            return bool(mine == theirs)
        number = _rational_or_none(other)
        if number is None:
            return NotImplemented
        return self.polynomial.degree() < 1 and bool(self.polynomial[0] == number)

    def __hash__(self) -> int:
        value = self.rational
        return hash(value) if value is not None else hash((self.field, *self.coefficients))

    def _compared(self, other: object) -> int | None:
        difference = self._combined(other, lambda left, right: left - right)
        return difference.sign() if isinstance(difference, FieldElement) else None

    def __lt__(self, other: object) -> bool:
        sign = self._compared(other)
        return NotImplemented if sign is None else sign < 0

    def __le__(self, other: object) -> bool:
        sign = self._compared(other)
        return NotImplemented if sign is None else sign <= 0

    def __gt__(self, other: object) -> bool:
        sign = self._compared(other)
        return NotImplemented if sign is None else sign > 0

    def __ge__(self, other: object) -> bool:
        sign = self._compared(other)
        return NotImplemented if sign is None else sign >= 0

    def __neg__(self) -> FieldElement:
        return FieldElement(self.field, -self.polynomial)

    def __pos__(self) -> FieldElement:
        return self

    def __abs__(self) -> FieldElement:
        return -self if self.sign() < 0 else self

    def _combined(self, other: object, operation: Callable[[fmpq_poly, Any], fmpq_poly]) -> Any:
        if isinstance(other, FieldElement):
            if other.field is not self.field and other.field != self.field:
                raise UnusableInputError("the numbers lie in different number fields; compose() brings them together")
            return FieldElement(self.field, operation(self.polynomial, other.polynomial))
        number = _rational_or_none(other)
        return NotImplemented if number is None else FieldElement(self.field, operation(self.polynomial, number))

    def __add__(self, other: Any) -> FieldElement:
        return self._combined(other, lambda left, right: left + right)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __sub__(self, other: Any) -> FieldElement:
        return self._combined(other, lambda left, right: left - right)  # type: ignore[no-any-return]

    def __rsub__(self, other: Any) -> FieldElement:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> FieldElement:
        field = self.field
        return self._combined(  # type: ignore[no-any-return]
            other,
            lambda left, right: left * right % field.polynomial if isinstance(right, fmpq_poly) else left * right,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> FieldElement:
        if isinstance(other, FieldElement):
            return self * other.inverse()
        number = _rational_or_none(other)
        if number is None:
            return NotImplemented
        return FieldElement(self.field, self.polynomial / number)

    def __rtruediv__(self, other: Any) -> FieldElement:
        return self.inverse().__mul__(other)

    def __pow__(self, exponent: Any) -> FieldElement:
        """A whole power, negative ones of what is not zero."""
        try:
            n = int(exponent)
        except (TypeError, ValueError):
            return NotImplemented
        if n != exponent:
            raise UnusableInputError("powers in a number field have whole exponents")
        base = self if n >= 0 else self.inverse()
        result = self.field(1)
        n = abs(n)
        while n:
            if n & 1:
                result = result * base
            n >>= 1
            if n:
                base = base * base
        return result

    def __reduce__(self) -> tuple[Callable[..., FieldElement], tuple[Any, ...]]:
        return _rebuilt, (self.field, self.coefficients)

    def __str__(self) -> str:
        from exactlearn.fields.text import element_text  # noqa: PLC0415  # text knows elements

        return element_text(self)

    def __repr__(self) -> str:
        from exactlearn.model.vectors import abbreviate  # noqa: PLC0415  # models know fields

        return f"FieldElement({abbreviate(str(self), 200)})"

    def latex(self) -> str:
        """The number as LaTeX, without dollars."""
        from exactlearn.fields.text import element_latex  # noqa: PLC0415  # text knows elements

        return element_latex(self)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


def _rebuilt(field: NumberField, coefficients: tuple[fmpq, ...]) -> FieldElement:
    return field.element(coefficients)


def _rational_or_none(value: object) -> fmpq | None:
    """A rational number; None for what is no number, an error for a float."""
    try:
        return as_fmpq(value)
    except UnusableInputError:
        if isinstance(value, float):
            raise
        return None


def _arb(number: fmpq) -> arb:
    return arb(number.p) / arb(number.q)
