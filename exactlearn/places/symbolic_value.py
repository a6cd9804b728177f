"""The numbers of the symbolic place: exact, compared by structure, enclosed by balls on demand (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from flint import arb, fmpq

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar, as_scalar, common_field, rational_part
from exactlearn.model import ONE as UNIT_ONE
from exactlearn.model import Unit, abbreviate
from exactlearn.places import symbolic_text
from exactlearn.places.exponential_sums import Budget, Exponent, ExponentialSum, Monomial
from exactlearn.places.quotient_sums import MAXIMAL_PRECISION, Quotient, QuotientSum, excludes_zero
from exactlearn.places.radicals import Base, common_base, coprime_base, exponents_over, power_product, square_root
from exactlearn.rationals import Rational, as_fmpq

_ABBREVIATE_ABOVE = 200
_GUARD_BITS = 8
_GUARD_DIGITS = 3


@dataclass(frozen=True, eq=False, repr=False)
class SymbolicValue:
    """An exact real number: a sum of quotients of sums of monomials e^{c r} * prod_l l^{s_l}, coefficients rational.

    Over a number field K: of sums of c e^r with c and r in K.  Values over different fields meet in a field that
    holds both.  Arithmetic takes other values, elements of number fields, and every rational that `as_fmpq` takes.

    ``==`` is equality of numbers, decided by structure: the monomials are linearly independent over Q
    (Lindemann-Weierstrass; Besicovitch, Mordell, Siegel).  It raises OverBudgetError when it would have to expand too
    much; it never guesses.  A float is equal to nothing here.  Values have no hash, since equal numbers may be written
    differently.

    Attributes:
        sum: The number as a sum of quotients in normal form.
        base: The coprime base of its radicals; values over different bases are compared over a common one.
        field: The number field of its numbers; None over Q.
    """

    sum: QuotientSum
    base: Base = ()
    field: NumberField | None = None

    __hash__: ClassVar[None]  # type: ignore[assignment]

    @classmethod
    def of(cls, number: Scalar) -> SymbolicValue:
        """A rational number, or an element of a number field."""
        scalar = as_scalar(number)
        return cls(QuotientSum(ExponentialSum.of(scalar)), field=common_field([scalar]))

    @classmethod
    def exp(cls, exponent: Scalar, unit: Unit = UNIT_ONE) -> SymbolicValue:
        """e^{c r} for the unit c and r = `exponent`, rational or in a number field."""
        if isinstance(exponent, FieldElement):
            from exactlearn.places.symbolic_fields import exponential_over_field  # noqa: PLC0415  # rarely needed

            total, field = exponential_over_field(exponent, unit)
            return cls(total, (), field)
        base = unit_base(unit)
        return cls._monomial(Monomial(unit_exponent(as_fmpq(exponent), unit, base), ()), fmpq(1), base)

    @classmethod
    def power(cls, number: Scalar, exponent: Rational) -> SymbolicValue:
        """`number` ** `exponent`, the number positive; the exponent any rational, over a number field whole.

        Raises:
            UnusableInputError: When `number` is not positive.
            NotAtThisPlaceError: For a power in a number field that is not whole.
            OverBudgetError: When a whole part of the power would be too long.
        """
        if isinstance(number, FieldElement):
            from exactlearn.places.symbolic_fields import whole_power  # noqa: PLC0415  # rarely needed

            return cls.of(number.field(whole_power(number, as_fmpq(exponent))))
        positive, s = as_fmpq(number), as_fmpq(exponent)
        if not positive > 0:
            raise UnusableInputError("a power with a rational exponent takes a positive number")
        base = coprime_base([positive.p, positive.q])
        factor, radical = power_product({part: e * s for part, e in exponents_over(positive, base).items()})
        return cls._monomial(Monomial((), radical), factor, base)

    @classmethod
    def from_quotients(
        cls, quotients: Iterable[Quotient], base: Base = (), field: NumberField | None = None
    ) -> SymbolicValue:
        """The sum of quotients of exponential sums over the coprime `base`, or over a number field."""
        return cls(QuotientSum.of(ExponentialSum(), quotients), base, field)

    @classmethod
    def _monomial(cls, monomial: Monomial, coefficient: fmpq, base: Base) -> SymbolicValue:
        return cls(QuotientSum(ExponentialSum({monomial: coefficient})), base)

    def __add__(self, other: object) -> SymbolicValue:
        value = _as_value(other)
        if value is None:
            return NotImplemented
        left, right, base, field = _together(self, value)
        return SymbolicValue(left + right, base, field)

    def __neg__(self) -> SymbolicValue:
        return SymbolicValue(self.sum.scaled(fmpq(-1)), self.base, self.field)

    def __pos__(self) -> SymbolicValue:
        return self

    def __sub__(self, other: object) -> SymbolicValue:
        value = _as_value(other)
        return NotImplemented if value is None else self + (-value)

    def __rsub__(self, other: object) -> SymbolicValue:
        return -self + other

    def __mul__(self, other: object) -> SymbolicValue:
        value = _as_value(other)
        if value is None:
            return NotImplemented
        left, right, base, field = _together(self, value)
        return SymbolicValue(left.times(right, Budget()), base, field)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: object) -> SymbolicValue:
        value = _as_value(other)
        if value is None:
            return NotImplemented
        if value.is_zero():
            raise UnusableInputError("division by zero")
        top, bottom = value.sum.single(Budget())
        return self * SymbolicValue.from_quotients([Quotient(bottom, top)], value.base, value.field)

    def __rtruediv__(self, other: object) -> SymbolicValue:
        value = _as_value(other)
        return NotImplemented if value is None else value / self

    def __eq__(self, other: object) -> bool:
        try:
            value = _as_value(other)
        except UnusableInputError:
            return NotImplemented
        return NotImplemented if value is None else (self - value).is_zero()

    def __bool__(self) -> bool:
        return not self.is_zero()

    def is_zero(self) -> bool:
        """Whether the number is zero, by structure.

        Raises:
            OverBudgetError: When expanding is over the budget and no ball shows that it is not zero.
        """
        return self.sum.is_zero()

    def sign(self) -> int:
        """-1, 0 or 1: zero by structure, else by balls of growing precision.

        Raises:
            OverBudgetError: As `is_zero`, and when the precision would go over its bound.
        """
        constant = self.sum.decided_constant[1]
        if constant is not None:
            return int(constant > 0) - int(constant < 0)
        ball = self.sum.refine(excludes_zero, 64)
        if ball is None:
            return 0
        return 1 if ball > 0 else -1

    @property
    def rational(self) -> fmpq | None:
        """The number as an `fmpq` when it is rational, else None.

        Raises:
            OverBudgetError: When expanding is over the budget and no conjugate shows that it is irrational.
        """
        return rational_part(self.sum.constant())

    @property
    def algebraic(self) -> Scalar | None:
        """The number as an element of the value's number field, over Q as an `fmpq`, when it is one, else None.

        Raises:
            OverBudgetError: As `rational`.
        """
        constant = self.sum.constant()
        return constant if self.field is None or constant is None else self.field(constant)

    def enclosure(self, digits: int = 20) -> arb:
        """A ball that contains the number, its radius at most about 10^-digits of its size; exactly 0 for zero.

        Raises:
            UnusableInputError: When `digits` is not a whole number from 1 on.
            OverBudgetError: When the precision would go over its bound.
        """
        if isinstance(digits, bool) or not isinstance(digits, int) or digits < 1:
            raise UnusableInputError("a whole number from 1 on was expected", "digits")
        if digits > MAXIMAL_PRECISION // 4:
            raise OverBudgetError(f"at most {MAXIMAL_PRECISION // 4} digits are computed")
        bits = digits * 10 // 3 + 1 + _GUARD_BITS  # 10^3 < 2^10, so 10/3 bits a digit are enough
        ball = self.sum.refine(lambda ball: bool(ball.is_finite()) and ball.rel_accuracy_bits() >= bits, bits + 64)
        return arb(0) if ball is None else ball

    def decimal(self, digits: int = 20) -> str:
        """About `digits` decimal digits as ``[mid +/- rad]``, an interval that contains the number; ``0`` for zero.

        Raises:
            UnusableInputError: As `enclosure`.
            OverBudgetError: As `enclosure`.
        """
        ball = self.enclosure(digits + _GUARD_DIGITS)
        return "0" if ball.is_zero() else str(ball.str(digits))

    def __str__(self) -> str:
        return symbolic_text.plain(self.sum)

    def __repr__(self) -> str:
        return f"SymbolicValue({abbreviate(str(self), _ABBREVIATE_ABOVE)})"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {symbolic_text.latex(self.sum)}$"

    def to_sympy(self) -> Any:
        """The same number as a sympy expression."""
        from exactlearn.places.sympy_value import to_sympy  # noqa: PLC0415  # sympy is slow to import

        return to_sympy(self.sum)


SymbolicValue.__hash__ = None


def unit_base(unit: Unit) -> Base:
    """A coprime base for the square root that the unit is; empty for a rational unit, which is never factored."""
    return () if unit.rational is not None else coprime_base([unit.square.p, unit.square.q])


def unit_exponent(r: fmpq, unit: Unit, base: Base) -> Exponent:
    """C r as an exponent over a base that refines `unit_base`."""
    rational = unit.rational
    factor, radical = (rational, ()) if rational is not None else square_root(unit.square, base)
    if rational is None:
        factor *= unit.sign
    return ((radical, factor * r),) if r else ()


def _as_value(other: object) -> SymbolicValue | None:
    """A value from a value or a rational number; None for what is no number, an error for a float."""
    if isinstance(other, SymbolicValue):
        return other
    try:
        return SymbolicValue.of(other)
    except UnusableInputError:
        if isinstance(other, float):
            raise
        return None


def _together(
    left: SymbolicValue, right: SymbolicValue
) -> tuple[QuotientSum, QuotientSum, Base, NumberField | None]:
    if left.field != right.field:
        left, right = _over_one_field(left, right)
    if left.field is not None:
        return left.sum, right.sum, (), left.field
    base = common_base(left.base, right.base)
    return (
        left.sum if base == left.base else left.sum.rewritten(base),
        right.sum if base == right.base else right.sum.rewritten(base),
        base,
        None,
    )


def _over_one_field(left: SymbolicValue, right: SymbolicValue) -> tuple[SymbolicValue, SymbolicValue]:
    from exactlearn.places.symbolic_fields import over_field  # noqa: PLC0415  # rarely needed

    if left.field is None:
        right, left = _over_one_field(right, left)
        return left, right
    total, field = over_field(right.sum, right.field, left.field)
    widened = left.sum if field == left.field else over_field(left.sum, left.field, field)[0]
    return SymbolicValue(widened, (), field), SymbolicValue(total, (), field)
