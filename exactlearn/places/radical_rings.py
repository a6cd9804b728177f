"""Z/p^k with an image of radicals: l^{a/b} goes to the root among the squares, a group of order q p^(k-1).

That order is odd and prime to every small b, so roots of squares are unique in it, and l^s -> l^s is a homomorphism.
It fixes the rationals when every l of which a root of even degree is taken is a square mod p; else the prime is
replaced by one for which they are squares.  (Roots of odd degree exist for every l.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from flint import fmpq, fmpz

from exactlearn.errors import OverBudgetError, UnluckyPrimeError
from exactlearn.places.exponential_sums import ExponentialSum
from exactlearn.places.quotient_sums import QuotientSum
from exactlearn.places.radicals import Radical
from exactlearn.places.residues import ResidueRing

MOST_CANDIDATES = 4_000_000
"""Numbers tried for a safe prime modulo which all the numbers asked for are squares (some seconds)."""

_STEP_BITS = 40
"""The residue class in which primes are looked for has at most so many bits, so that primes of 61 bits lie in it."""


class RadicandsNotSquaresError(UnluckyPrimeError):
    """Numbers of which a square root is taken are no squares modulo this prime.

    Attributes:
        radicands: The numbers.
    """

    is_accident = False

    def __init__(self, radicands: Iterable[fmpz]) -> None:
        self.radicands = tuple(sorted(set(radicands)))
        super().__init__(f"square roots of {len(self.radicands)} numbers do not exist modulo this prime")

    def next_ring(self, ring: ResidueRing) -> RadicalRing:
        """A ring in which they exist, beside those that exist in `ring`, with as many digits."""
        known = ring.radicands if isinstance(ring, RadicalRing) else ()
        return RadicalRing(ring.prime, ring.digits, tuple(sorted({*known, *self.radicands}))).with_next_prime()


def next_ring(ring: ResidueRing, error: UnluckyPrimeError) -> ResidueRing:
    """Another prime, after this one turned out to be unlucky: one with the roots that were missing, if any were."""
    return error.next_ring(ring) if isinstance(error, RadicandsNotSquaresError) else ring.with_next_prime()


@dataclass(frozen=True)
class RadicalRing(ResidueRing):
    """Z/p^k where some numbers are squares mod p.

    Attributes:
        radicands: The numbers; the next primes keep them squares.

    Raises:
        OverBudgetError: By `with_next_prime`, when there are too many numbers.
    """

    radicands: tuple[fmpz, ...]

    def with_digits(self, digits: int) -> RadicalRing:
        """The same prime with so many digits."""
        return RadicalRing(self.prime, digits, self.radicands)

    def with_next_prime(self) -> RadicalRing:
        """The next safe prime in a class where the numbers are squares, with as many digits.

        By quadratic reciprocity l is a square mod p when p = -1 mod 8 and mod the odd part of l, factored or not; as
        many of the numbers as fit are taken care of in this way, the others are tried.
        """
        step = fmpz(4)
        for number in self.radicands:
            larger = step.lcm(number)
            step = larger if larger.bit_length() <= _STEP_BITS else step
        start = self._next_half() // step * step + 2 * step - 1
        for half in itertools.islice(itertools.count(int(start), int(step)), MOST_CANDIDATES):
            prime = 2 * half + 1
            if fmpz(half).is_prime() and fmpz(prime).is_prime():  # noqa: SIM102  # the cheap test first
                if all(is_square(number, prime) for number in self.radicands):
                    return RadicalRing(prime, self.digits, self.radicands)
        raise OverBudgetError(f"no prime was found modulo which {len(self.radicands)} numbers are all squares")


def is_square(number: fmpz, prime: int) -> bool:
    """Whether a number is a square other than zero mod `prime`."""
    return pow(number % prime, prime // 2, prime) == 1


def see_radicals(value: QuotientSum, ring: ResidueRing) -> fmpz:
    """The image of a sum of quotients of sums of radicals, without exponentials.

    Raises:
        RadicandsNotSquaresError: When square roots are missing mod p.
        UnluckyPrimeError: When p divides a denominator.
    """
    sums = [value.whole, *(part for quotient in value.quotients for part in quotient)]
    radicals = {monomial.radical for part in sums for monomial in part.terms}
    even = {number for radical in radicals for number, exponent in radical if exponent.q % 2 == 0}
    missing = [number for number in even if not is_square(number, ring.prime)]
    if missing:
        raise RadicandsNotSquaresError(missing)
    images = {radical: _radical_image(radical, ring) for radical in radicals}
    total = _sum_image(value.whole, images, ring)
    for top, bottom in value.quotients:
        total += _sum_image(top, images, ring) * ring.inverse(_sum_image(bottom, images, ring))
    return total % ring.modulus


def _sum_image(total: ExponentialSum, images: dict[Radical, fmpz], ring: ResidueRing) -> fmpz:
    terms = total.terms.items()
    return sum((ring.reduce(c) * images[monomial.radical] for monomial, c in terms), fmpz(0)) % ring.modulus


def _radical_image(radical: Radical, ring: ResidueRing) -> fmpz:
    product = fmpz(1)
    for number, exponent in radical:
        product = product * _root_image(number, exponent, ring) % ring.modulus
    return product


def _root_image(number: fmpz, exponent: fmpq, ring: ResidueRing) -> fmpz:
    """number^(a/b): among the squares, or for odd b in the whole group of units."""
    order = ring.log_modulus * ring.half_order * (1 if exponent.q % 2 == 0 else 2)
    if number % ring.prime == 0 or exponent.q.gcd(order) != 1:
        raise UnluckyPrimeError("a root does not exist, or is not unique, modulo this prime")
    return pow(number % ring.modulus, exponent.p * pow(exponent.q, -1, order) % order, ring.modulus)
