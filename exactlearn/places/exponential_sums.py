"""Finite sums of monomials e^alpha * prod_l l^{s_l} with exact coefficients: the ring behind the symbolic place.

Over Q the coefficients are rational, and alpha is a rational combination of radicals (c r for the unit c = sqrt(q),
so one term in practice).  Over a number field K coefficients and alpha are elements of K, and there are no radicals.
Distinct real algebraic alpha have e^alpha linearly independent over the algebraic numbers (Lindemann-Weierstrass), and
the radicals are linearly independent over Q (see radicals.py): a sum is zero exactly when it has no terms.
All sums that meet in one operation are over the same coprime base.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from flint import acb, arb, fmpq, fmpz

from exactlearn.errors import OverBudgetError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.places.radicals import Base, Radical, invert_radical, multiply_radicals, rewrite_radical

Exponent = tuple[tuple[Radical, Scalar], ...]
"""sum r * radical as pairs (radical, r), r not zero, in ascending order; the empty tuple is 0.  Over K: ((), r)."""

MAXIMAL_TERM_PRODUCTS = 200_000
"""How many products of two terms one expansion may take (a few seconds); longer coefficients count more."""

_COEFFICIENT_BITS = 512
"""Coefficients up to this many bits count as one product."""


class Monomial(NamedTuple):
    """e^exponent * radical."""

    exponent: Exponent
    radical: Radical


ONE = Monomial((), ())


class Budget:
    """Counts the term products of one expansion, and ends it by an OverBudgetError."""

    def __init__(self, products: int = MAXIMAL_TERM_PRODUCTS) -> None:
        self.limit = products
        self.left = products

    def spend(self, products: int) -> None:
        """Take `products` off, before they are computed."""
        self.left -= products
        if self.left < 0:
            raise OverBudgetError(f"expanding the value takes more than {self.limit} products of terms")


@dataclass(frozen=True)
class ExponentialSum:
    """sum coefficient * monomial; `terms` has no zero coefficient and is never changed."""

    terms: dict[Monomial, Scalar] = field(default_factory=dict)

    @classmethod
    def of(cls, number: Scalar) -> ExponentialSum:
        """The constant `number`."""
        return cls({ONE: number} if number else {})

    @classmethod
    def collect(cls, terms: Iterable[tuple[Monomial, Scalar]]) -> ExponentialSum:
        """The sum of the terms, equal monomials added, zeros left out."""
        return cls(_add_terms({}, terms))

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: ExponentialSum) -> ExponentialSum:
        longer, shorter = (self, other) if len(self.terms) >= len(other.terms) else (other, self)
        return ExponentialSum(_add_terms(dict(longer.terms), shorter.terms.items())) if shorter else longer

    def __sub__(self, other: ExponentialSum) -> ExponentialSum:
        return self + other.scaled(fmpq(-1))

    @property
    def constant(self) -> Scalar | None:
        """The rational number (over K: the element of K) that the sum is, or None; structural, so None means No."""
        if not self.terms:
            return fmpq(0)
        return self.terms.get(ONE) if len(self.terms) == 1 else None

    @property
    def height_bits(self) -> int:
        """The bits of the longest numerator or denominator among the coefficients."""
        return max((int(coefficient.height_bits()) for coefficient in self.terms.values()), default=0)

    def scaled(self, factor: Scalar) -> ExponentialSum:
        """Factor * self."""
        return ExponentialSum({monomial: factor * c for monomial, c in self.terms.items()} if factor else {})

    def shifted(self, monomial: Monomial) -> ExponentialSum:
        """Monomial * self."""
        return ExponentialSum.collect(_product((monomial, fmpq(1)), term) for term in self.terms.items())

    def times(self, other: ExponentialSum, budget: Budget) -> ExponentialSum:
        """The product, paid from `budget` before it is computed.

        Raises:
            OverBudgetError: When the budget does not last.
        """
        length = 1 + (self.height_bits + other.height_bits) // _COEFFICIENT_BITS
        budget.spend(len(self.terms) * len(other.terms) * length)
        return ExponentialSum.collect(
            _product(left, right) for left in self.terms.items() for right in other.terms.items()
        )

    def rewritten(self, base: Base) -> ExponentialSum:
        """The same number over a finer coprime base."""
        return ExponentialSum.collect(_rewrite(term, base) for term in self.terms.items())

    def mapped(self, of: Callable[[Monomial, Scalar], tuple[Monomial, Scalar]]) -> ExponentialSum:
        """The sum with every term replaced."""
        return ExponentialSum.collect(of(monomial, coefficient) for monomial, coefficient in self.terms.items())

    def ball(self, scale: int = 1) -> arb:
        """A ball that contains the value, at the current working precision; e^alpha is read as e^{scale alpha}."""
        total = arb(0)
        for monomial, coefficient in self.terms.items():
            total += _arb(coefficient) * _exponential(monomial.exponent, scale) * _radical_ball(monomial.radical)
        return total

    def conjugate_ball(self, scale: int, turn: int) -> acb:
        """A ball around another image: e^alpha -> e^{scale alpha}, l^s -> l^s e^{2 pi i k s}, k drawn from (l, turn).

        Radicals over a coprime base satisfy no relation but l^{1/N} ** N = l, and the e^alpha of independent alpha
        none at all over the algebraic numbers, so this is a ring homomorphism that fixes the rationals, and K.
        """
        total = acb(0)
        for monomial, coefficient in self.terms.items():
            angle = sum((2 * _turns(element, turn) * s for element, s in monomial.radical), fmpq(0))
            size = _arb(coefficient) * _exponential(monomial.exponent, scale) * _radical_ball(monomial.radical)
            total += acb(size) * acb(_arb(angle - 2 * (angle / 2).floor())).exp_pi_i()
        return total


def add_exponents(left: Exponent, right: Exponent) -> Exponent:
    """The sum of two exponents over the same base."""
    if not left or not right:
        return left or right
    if len(left) == len(right) == 1 and left[0][0] == right[0][0]:
        factor = left[0][1] + right[0][1]
        return ((left[0][0], factor),) if factor else ()
    return _exponent([*left, *right])


def negate_exponent(exponent: Exponent) -> Exponent:
    """-exponent."""
    return tuple((radical, -factor) for radical, factor in exponent)


def invert_monomial(monomial: Monomial) -> tuple[fmpq, Monomial]:
    """1 / monomial, as a rational factor and a monomial."""
    factor, radical = invert_radical(monomial.radical)
    return factor, Monomial(negate_exponent(monomial.exponent), radical)


def _add_terms(total: dict[Monomial, Scalar], terms: Iterable[tuple[Monomial, Scalar]]) -> dict[Monomial, Scalar]:
    """Add terms into `total`, which is given up by the caller."""
    # One look-up a term, since hashing rationals is slow.
    for monomial, coefficient in terms:
        size = len(total)
        known = total.setdefault(monomial, coefficient)
        if len(total) == size:
            total[monomial] = known + coefficient
    for monomial in [monomial for monomial, coefficient in total.items() if not coefficient]:
        del total[monomial]
    return total


def _exponent(parts: Iterable[tuple[Radical, Scalar]]) -> Exponent:
    total: dict[Radical, Scalar] = {}
    for radical, factor in parts:
        total[radical] = total.get(radical, fmpq(0)) + factor
    return tuple(sorted((radical, factor) for radical, factor in total.items() if factor))


def _product(left: tuple[Monomial, Scalar], right: tuple[Monomial, Scalar]) -> tuple[Monomial, Scalar]:
    (left_monomial, left_factor), (right_monomial, right_factor) = left, right
    exponent = add_exponents(left_monomial.exponent, right_monomial.exponent)
    if not left_monomial.radical or not right_monomial.radical:
        radical = left_monomial.radical or right_monomial.radical
        return Monomial(exponent, radical), left_factor * right_factor
    carry, radical = multiply_radicals(left_monomial.radical, right_monomial.radical)
    return Monomial(exponent, radical), left_factor * right_factor * carry


def _rewrite(term: tuple[Monomial, Scalar], base: Base) -> tuple[Monomial, Scalar]:
    monomial, coefficient = term
    parts = []
    for radical, factor in monomial.exponent:
        carry, finer = rewrite_radical(radical, base)
        parts.append((finer, carry * factor))
    carry, radical = rewrite_radical(monomial.radical, base)
    return Monomial(_exponent(parts), radical), carry * coefficient


def _arb(number: Scalar) -> arb:
    if isinstance(number, FieldElement):
        return number.ball()
    return arb(number.p) / arb(number.q)


def _radical_ball(radical: Radical) -> arb:
    logarithm = arb(0)
    for element, exponent in radical:
        if exponent == fmpq(1, 2) and len(radical) == 1:
            return arb(element).sqrt()
        logarithm += _arb(exponent) * arb(element).log()
    return logarithm.exp() if radical else arb(1)


def _exponential(exponent: Exponent, scale: int) -> arb:
    if not exponent:
        return arb(1)
    total = arb(0)
    for radical, factor in exponent:
        total += _arb(scale * factor) * _radical_ball(radical)
    return total.exp()


def _turns(element: fmpz, turn: int) -> int:
    """A whole number that depends on (element, turn) alone; turn 0 is the real embedding."""
    return random.Random(f"{turn} {element}").getrandbits(32) if turn else 0
