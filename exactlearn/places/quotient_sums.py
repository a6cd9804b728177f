"""Sums of quotients of exponential sums, one quotient per denominator, and the decisions about them.

A value of a model with several heads is kept as such a sum: the common denominator of 8 heads on 8 tokens has
8^8 terms.  In normal form no denominator is a single monomial, and every quotient N/D is reduced by a constant so
that N has no term at D's leading monomial; the constants go to the whole part.  Expansion happens only to decide
zero or rationality, on a budget; balls may show that a value is not zero, never that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from flint import arb, ctx, fmpq, fmpz

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.places.exponential_sums import (
    MAXIMAL_TERM_PRODUCTS,
    Budget,
    Exponent,
    ExponentialSum,
    Monomial,
    invert_monomial,
    negate_exponent,
)
from exactlearn.places.radicals import Base, Radical

MAXIMAL_PRECISION = 2**20
"""No ball is computed with more bits than this (about 315,000 digits)."""

REFUTATION_PRECISION = 2**14
"""Up to this many bits are tried to show that a value is not zero when expanding it is over the budget."""

_FIRST_PRECISION = 128
_CONJUGATES = tuple((scale, turn) for turn in (0, 1, 2) for scale in (1, 2, 3, -1))


class Quotient(NamedTuple):
    """numerator / denominator, the denominator not zero."""

    numerator: ExponentialSum
    denominator: ExponentialSum


@dataclass(frozen=True)
class QuotientSum:
    """whole + sum of quotients, in normal form when built by `of`."""

    whole: ExponentialSum
    quotients: tuple[Quotient, ...] = ()

    @classmethod
    def of(cls, whole: ExponentialSum, quotients: Iterable[Quotient]) -> QuotientSum:
        """The normal form of a sum of quotients over one coprime base.

        Raises:
            UnusableInputError: When a denominator is zero.
        """
        numerators: dict[ExponentialSum, ExponentialSum] = {}
        for quotient in quotients:
            part, reduced = _reduced(quotient)
            whole += part
            if reduced:
                known = numerators.get(reduced.denominator, ExponentialSum())
                numerators[reduced.denominator] = known + reduced.numerator
        return cls(whole, tuple(Quotient(top, bottom) for bottom, top in numerators.items() if top))

    def __add__(self, other: QuotientSum) -> QuotientSum:
        return QuotientSum.of(self.whole + other.whole, (*self.quotients, *other.quotients))

    def scaled(self, factor: Scalar) -> QuotientSum:
        """Factor * self, factor not zero."""
        return QuotientSum(
            self.whole.scaled(factor), tuple(Quotient(top.scaled(factor), bottom) for top, bottom in self.quotients)
        )

    def mapped(self, of: Callable[[Monomial, Scalar], tuple[Monomial, Scalar]]) -> QuotientSum:
        """The same number with every term written anew."""
        return QuotientSum.of(self.whole.mapped(of), (Quotient(t.mapped(of), b.mapped(of)) for t, b in self.quotients))

    def rewritten(self, base: Base) -> QuotientSum:
        """The same number over a finer coprime base."""
        return QuotientSum.of(
            self.whole.rewritten(base),
            (Quotient(top.rewritten(base), bottom.rewritten(base)) for top, bottom in self.quotients),
        )

    def times(self, other: QuotientSum, budget: Budget) -> QuotientSum:
        """The product, on a budget."""
        (left_whole, left), (right_whole, right) = self.joined(), other.joined()
        quotients = [Quotient(top.times(t, budget), bottom.times(b, budget)) for top, bottom in left for t, b in right]
        quotients += [Quotient(top.times(right_whole, budget), bottom) for top, bottom in left]
        quotients += [Quotient(left_whole.times(top, budget), bottom) for top, bottom in right]
        return QuotientSum.of(left_whole.times(right_whole, budget), quotients)

    def joined(self) -> tuple[ExponentialSum, tuple[Quotient, ...]]:
        """The whole part and the quotients; a rational whole part is put back into a single quotient."""
        constant = self.whole.constant
        if len(self.quotients) != 1 or not constant:
            return self.whole, self.quotients
        top, bottom = self.quotients[0]
        return ExponentialSum(), (Quotient(top + bottom.scaled(constant), bottom),)

    def single(self, budget: Budget) -> Quotient:
        """The value as one quotient, on a budget: short denominators first, so that common terms meet early."""
        parts = sorted(self.quotients, key=lambda quotient: len(quotient.denominator.terms))
        if not parts:
            return Quotient(self.whole, ExponentialSum.of(fmpq(1)))
        while len(parts) > 1:
            (left, below), (right, under) = parts.pop(0), parts.pop(0)
            top = left.times(under, budget) + right.times(below, budget)
            parts.append(Quotient(top, below.times(under, budget)))
        top, bottom = parts[0]
        return Quotient(top + self.whole.times(bottom, budget), bottom)

    def ball(self, scale: int = 1) -> arb:
        """A ball around the value at the current working precision; not finite when a denominator's ball meets 0."""
        total = self.whole.ball(scale)
        for top, bottom in self.quotients:
            total += top.ball(scale) / bottom.ball(scale)
        return total

    @property
    def decided_constant(self) -> tuple[bool, Scalar | None]:
        """Whether the normal form alone tells if the value is a constant, and then the number, or None for No.

        A constant is a rational number, over a number field an element of it.
        """
        constant = self.whole.constant
        if not self.quotients:
            return True, constant
        # One quotient N/D, reduced: N/D = q would make N = q D, whose term at D's leading monomial is q's alone.
        return len(self.quotients) == 1 and constant is not None, None

    def is_zero(self, products: int = MAXIMAL_TERM_PRODUCTS) -> bool:
        """Whether the value is zero, by structure; a ball that excludes 0 may only say No.

        Raises:
            OverBudgetError: When neither expanding within `products` nor balls up to `REFUTATION_PRECISION` decide.
        """
        decided, constant = self.decided_constant
        if decided:
            return constant == 0
        if self._excludes_zero(_FIRST_PRECISION):
            return False
        try:
            return not self.single(Budget(products)).numerator
        except OverBudgetError:
            if any(self._excludes_zero(precision) for precision in _doubling(2 * _FIRST_PRECISION)):
                return False
            raise

    def constant(self, products: int = MAXIMAL_TERM_PRODUCTS) -> Scalar | None:
        """The value as a rational number, over K as an element of K, or None when it is none.

        Raises:
            OverBudgetError: When neither expanding within `products` nor conjugates decide.
        """
        decided, constant = self.decided_constant
        if decided:
            return constant
        if self._has_two_conjugates():
            return None
        reduced = QuotientSum.of(ExponentialSum(), [self.single(Budget(products))])
        return reduced.decided_constant[1]

    def _excludes_zero(self, precision: int) -> bool:
        with ctx.workprec(precision):
            return excludes_zero(self.ball())

    def _has_two_conjugates(self) -> bool:
        """Whether two images of the value are seen to differ, so that it is no constant."""
        with ctx.workprec(_FIRST_PRECISION):
            images = [self._conjugate(scale, turn) for scale, turn in _CONJUGATES]
        finite = [image for image in images if image.is_finite()]
        return any(not finite[0].overlaps(image) for image in finite[1:])

    def _conjugate(self, scale: int, turn: int) -> arb:
        """The real part of the image of `ExponentialSum.conjugate_ball`, which constants share."""
        total = self.whole.conjugate_ball(scale, turn)
        for top, bottom in self.quotients:
            total += top.conjugate_ball(scale, turn) / bottom.conjugate_ball(scale, turn)
        return total.real

    def refine(self, accept: Callable[[arb], bool], first: int) -> arb | None:
        """A ball that `accept` takes, or None when the value is zero by structure.

        Raises:
            OverBudgetError: When precision or expansion would go over their bounds.
        """
        if self.decided_constant == (True, fmpq(0)):
            return None
        forms = [self]
        for precision in _doubling(first, MAXIMAL_PRECISION):
            with ctx.workprec(precision):
                for form in forms:
                    ball = form.ball()
                    if accept(ball):
                        return ball
            if len(forms) == 1 and self.quotients and not self._excludes_zero(precision):
                if self.is_zero():
                    return None
                forms += self._expanded()
        raise OverBudgetError(f"{MAXIMAL_PRECISION} bits of precision are not enough for this value")

    def _expanded(self) -> list[QuotientSum]:
        """The single quotient, in which terms that cancel are gone, when the budget allows it."""
        try:
            return [QuotientSum(ExponentialSum(), (self.single(Budget()),))]
        except OverBudgetError:
            return []


def excludes_zero(ball: arb) -> bool:
    """Whether the ball proves that its number is not zero."""
    return bool(ball.is_finite()) and not ball.contains(0)


def _doubling(first: int, last: int = REFUTATION_PRECISION) -> Iterator[int]:
    precision = min(first, last)
    while precision < last:
        yield precision
        precision *= 2
    yield last


def _reduced(quotient: Quotient) -> tuple[ExponentialSum, Quotient | None]:
    """The constant (or all) of a quotient, and what is left with a normalised denominator."""
    top, bottom = quotient
    if not bottom:
        raise UnusableInputError("division by zero")
    if len(bottom.terms) == 1:
        ((monomial, coefficient),) = bottom.terms.items()
        factor, inverse = invert_monomial(monomial)
        return top.shifted(inverse).scaled(factor / coefficient), None
    top, bottom = _without_leading_monomial(top, bottom)
    leading = min(bottom.terms, key=lambda monomial: (monomial.exponent != (), monomial.radical))
    scale = _primitive_scale(bottom, leading)
    top, bottom = top.scaled(scale), bottom.scaled(scale)
    constant = top.terms.get(leading, fmpq(0)) / bottom.terms[leading]
    top -= bottom.scaled(constant)
    return ExponentialSum.of(constant), Quotient(top, bottom) if top else None


def _without_leading_monomial(top: ExponentialSum, bottom: ExponentialSum) -> tuple[ExponentialSum, ExponentialSum]:
    """Both divided by the smallest e^alpha below, and by the radical there when it is only one."""
    key = _lexicographic(bottom)
    smallest = min((monomial.exponent for monomial in bottom.terms), key=key)
    if smallest:
        shift = Monomial(negate_exponent(smallest), ())
        top, bottom = top.shifted(shift), bottom.shifted(shift)
    radicals = [monomial.radical for monomial in bottom.terms if not monomial.exponent]
    if len(radicals) == 1 and radicals[0]:
        factor, inverse = invert_monomial(Monomial((), radicals[0]))
        top, bottom = top.shifted(inverse).scaled(factor), bottom.shifted(inverse).scaled(factor)
    return top, bottom


def _lexicographic(total: ExponentialSum) -> Callable[[Exponent], tuple[Scalar, ...]]:
    """A key that orders the exponents of a sum as vectors: the order is invariant under shifts."""
    axes: list[Radical] = sorted({radical for monomial in total.terms for radical, _ in monomial.exponent})

    def key(exponent: Exponent) -> tuple[Scalar, ...]:
        entries = dict(exponent)
        return tuple(entries.get(axis, fmpq(0)) for axis in axes)

    return key


def _primitive_scale(total: ExponentialSum, leading: Monomial) -> Scalar:
    """The factor that makes the coefficients coprime whole numbers, the leading one positive; over K that one 1."""
    if any(isinstance(coefficient, FieldElement) for coefficient in total.terms.values()):
        return 1 / total.terms[leading]
    numerator, denominator = fmpz(0), fmpz(1)
    for coefficient in total.terms.values():
        numerator = numerator.gcd(coefficient.p)
        denominator = denominator.lcm(coefficient.q)
    scale = fmpq(denominator, numerator)
    return scale if total.terms[leading] > 0 else -scale
