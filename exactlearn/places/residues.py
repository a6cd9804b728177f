"""The ring Z/p^k in which exact values are seen, and what can be read back from it (DESIGN section 2).

p = 2q + 1 with p and q prime, so that the squares mod p are a group of prime order q.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import fmpq, fmpz, fmpz_mat, fmpz_mod_ctx, fmpz_mod_poly_ctx, nmod_mat

from exactlearn.errors import PrecisionTooLowError, UnluckyPrimeError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar

DIGITS = 5
"""The first k: with a 61-bit p it holds products of two or three float32 weights; k = 3 is hardly faster."""

SLACK_BITS = 64
"""A number is read off only when its residue could have shown one 2^64 times as long; a chance agreement of a
number that does not fit is as rare as that."""

_PRIME_BITS = 61


@dataclass(frozen=True)
class ResidueRing:
    """Z/p^k.

    Attributes:
        prime: p, a prime such that (p - 1) / 2 is prime, p >= 5.
        digits: k >= 1.
    """

    prime: int
    digits: int

    @classmethod
    def seeded(cls, seed: int, digits: int = DIGITS) -> ResidueRing:
        """The ring of the 61-bit safe prime that `seed` picks."""
        start = random.Random(f"prime {seed}").getrandbits(_PRIME_BITS - 2) | 1 << (_PRIME_BITS - 2)
        return cls(next_safe_prime(start), digits)

    @property
    def number_field(self) -> NumberField | None:
        """The number field whose elements are seen here; None for the rationals."""
        return None

    def with_digits(self, digits: int) -> ResidueRing:
        """The same prime with so many digits."""
        return ResidueRing(self.prime, digits)

    def finer(self) -> ResidueRing:
        """The same prime with twice as many digits."""
        return self.with_digits(2 * self.digits)

    def with_next_prime(self) -> ResidueRing:
        """The next safe prime, of 61 bits even when this one is small, with as many digits."""
        return ResidueRing(next_safe_prime(self._next_half()), self.digits)

    def _next_half(self) -> int:
        return max(self.half_order, 1 << (_PRIME_BITS - 2))

    def read_numbers(self, residues: Sequence[fmpz], modulus: fmpz) -> list[Scalar]:
        """The numbers behind residues modulo p^k or p^(k-1): `read_rationals`, which raises PrecisionTooLowError."""
        return list(read_rationals(residues, modulus))

    @property
    def is_small(self) -> bool:
        """Whether p has so few bits that chance coincidences mod p are to be expected."""
        return self.prime.bit_length() < _PRIME_BITS - 1

    @property
    def half_order(self) -> int:
        """Q = (p - 1) / 2, the order of the group of squares mod p."""
        return self.prime // 2

    @cached_property
    def modulus(self) -> fmpz:
        """p^k."""
        return fmpz(self.prime) ** self.digits

    @cached_property
    def log_modulus(self) -> fmpz:
        """p^(k-1), the modulus to which logarithms to the base U are known."""
        return fmpz(self.prime) ** (self.digits - 1)

    @cached_property
    def elements(self) -> fmpz_mod_ctx:
        """Z/p^k itself, as FLINT has it."""
        return fmpz_mod_ctx(self.modulus)

    @cached_property
    def polynomials(self) -> fmpz_mod_poly_ctx:
        """Polynomials over Z/p^k."""
        return fmpz_mod_poly_ctx(self.elements)

    def reduce(self, value: Scalar) -> fmpz:
        """The image of a rational number.

        Raises:
            UnluckyPrimeError: When p divides the denominator.
        """
        numerator: fmpz = value.p
        if value.q == 1:
            return numerator % self.modulus
        return numerator * self.inverse(value.q) % self.modulus

    def reduce_all(self, values: Sequence[Scalar]) -> list[fmpz]:
        """The images of rational numbers, their denominators inverted together."""
        inverses = self.inverses([value.q for value in values])
        return [value.p * inverse % self.modulus for value, inverse in zip(values, inverses, strict=True)]

    def inverse(self, value: fmpz) -> fmpz:
        """1/value; raises UnluckyPrimeError when p divides it (FLINT itself would abort the process)."""
        if value % self.prime == 0:
            raise UnluckyPrimeError(f"{self.prime} divides a number that has to be inverted")
        return pow(value, -1, self.modulus)

    def inverses(self, values: Sequence[fmpz]) -> list[fmpz]:
        """All inverses with one inversion and three products each."""
        modulus = self.modulus
        partial = fmpz(1)
        prefixes = []
        for value in values:
            prefixes.append(partial)
            partial = partial * value % modulus
        suffix = self.inverse(partial)
        inverses = []
        for value, prefix in zip(reversed(values), reversed(prefixes), strict=True):
            inverses.append(suffix * prefix % modulus)
            suffix = suffix * value % modulus
        inverses.reverse()
        return inverses

    def inverse_matrix(self, matrix: fmpz_mat) -> fmpz_mat:
        """The inverse mod p^k of a square integer matrix: inverted mod p, then lifted by Newton's iteration.

        Raises:
            UnluckyPrimeError: When p divides the determinant.
        """
        size = matrix.nrows()
        try:
            inverse = nmod_mat(size, size, [int(entry % self.prime) for entry in matrix.entries()], self.prime).inv()
        except ZeroDivisionError:
            raise UnluckyPrimeError(f"{self.prime} divides a determinant") from None
        lifted = fmpz_mat(size, size, [int(entry) for entry in inverse.entries()])
        twice = fmpz_mat(size, size, [2 * int(i == j) for i in range(size) for j in range(size)])
        digits = 1
        while digits < self.digits:
            digits = min(2 * digits, self.digits)
            modulus = fmpz(self.prime) ** digits
            lifted = multiply_mod(lifted, twice - multiply_mod(matrix, lifted, modulus), modulus)
        return lifted

    @cached_property
    def teichmuller_square(self) -> fmpz:
        """omega, the Teichmuller representative of a square mod p: of order q.

        The square is picked by p itself and is no small number: with omega congruent to 4, say, e^(-1/2) would be
        congruent to -1/2 for every second prime, and 1 + k t would vanish at k = 2.
        """
        root = random.Random(f"base {self.prime}").randrange(2, self.prime - 1)
        return self.teichmuller(fmpz(root) ** 2)

    def teichmuller(self, value: fmpz) -> fmpz:
        """The (p-1)-th root of unity congruent to the unit `value` mod p, by Newton's iteration for z^(1-p) = 1."""
        root, digits = value % self.prime, 1
        while digits < self.digits:
            digits = min(2 * digits, self.digits)
            modulus = fmpz(self.prime) ** digits
            root += root * (1 - pow(root, self.prime - 1, modulus)) * self._inverse_of_order
            root %= modulus
        return root

    @cached_property
    def _inverse_of_order(self) -> fmpz:
        return self.inverse(fmpz(self.prime - 1))

    def log(self, unit: fmpz) -> fmpz:
        """The p-adic logarithm of a unit congruent to 1 mod p, an element of pZ/p^k (by its series)."""
        guarded = self._guarded_modulus
        z = (unit - 1) % self.modulus
        total, power = fmpz(0), fmpz(1)
        for p_part, factor in self._log_terms:
            power = power * z % guarded
            total += power // p_part * factor
        return total % self.modulus

    def exp(self, value: fmpz) -> fmpz:
        """The p-adic exponential of an element of pZ/p^k (by its series); p is odd."""
        guarded = self.modulus**2 * self.prime**2
        total, term, factorial = fmpz(0), fmpz(1), fmpz(1)
        for n in itertools.count():
            # n!'s p-part has at most (n-1)/(p-1) digits: from here on every term vanishes mod p^k.
            if n and n - (n - 1) // (self.prime - 1) >= self.digits:
                return total % self.modulus
            p_part = fmpz(self.prime) ** _valuation(factorial, self.prime)
            total += term // p_part * pow(factorial // p_part, -1, guarded) % guarded
            term = term * value % guarded
            factorial *= n + 1
        raise AssertionError("unreachable: the series is cut off")  # pragma: no cover

    @cached_property
    def _log_terms(self) -> list[tuple[fmpz, fmpz]]:
        """For n = 1, 2, ...: the p-part of n and (-1)^(n+1) / (n without it), as long as z^n/n can be non-zero."""
        candidates = range(1, self.digits + self.digits.bit_length() + 2)
        valuations = {n: _valuation(fmpz(n), self.prime) for n in candidates}
        last = max((n for n in candidates if n - valuations[n] < self.digits), default=0)
        terms = []
        for n in range(1, last + 1):
            p_part = fmpz(self.prime) ** valuations[n]
            terms.append((p_part, (1 if n % 2 else -1) * pow(n // p_part, -1, self._guarded_modulus)))
        return terms

    @cached_property
    def _guarded_modulus(self) -> fmpz:
        """Digits enough that z^n can be divided by the p-part of n and still be known mod p^k."""
        return self.modulus * fmpz(self.prime) ** self.digits.bit_length()


def multiply_mod(left: fmpz_mat, right: fmpz_mat, modulus: fmpz) -> fmpz_mat:
    """The product of two integer matrices with its entries reduced to 0..modulus-1."""
    product = left * right
    return fmpz_mat(product.nrows(), product.ncols(), [entry % modulus for entry in product.entries()])


@lru_cache(maxsize=256)
def next_safe_prime(half: int) -> int:
    """The smallest p = 2q + 1 with q > `half`, p and q prime."""
    for q in itertools.count(half + 1):
        if q % 6 in (5, 2, 3) and fmpz(q).is_prime() and fmpz(2 * q + 1).is_prime():
            return 2 * q + 1
    raise AssertionError("unreachable: the count does not end")  # pragma: no cover


def read_rational(residue: fmpz, modulus: fmpz) -> fmpq:
    """The rational n/d with n = d * residue mod `modulus` that stands out as short.

    The continued fraction of residue/modulus has one convergent in front of an outstandingly large quotient when
    the residue comes from a short fraction (maximal quotient rational reconstruction, Monagan 2004): no bound on
    numerator and denominator apart is needed, only on their product.  Among fractions with lopsided numerator and
    denominator two can stand out in rare, structured cases; the one with the smaller denominator is returned, so a
    caller confirms what was read by other means.

    Raises:
        PrecisionTooLowError: When no fraction with |n| d 2^SLACK_BITS < modulus fits.
    """
    bound = modulus >> SLACK_BITS
    outstanding = fmpz(1) << (SLACK_BITS - 2)
    previous, current = modulus, residue % modulus
    # The cofactors' absolute values; their signs alternate, and the remainder n belongs to cofactor +-d.
    previous_cofactor, cofactor, sign = fmpz(0), fmpz(1), 1
    while True:
        quotient, remainder = divmod(previous, current) if current else (outstanding, current)
        # current * cofactor is about modulus / quotient: only a large quotient is worth the exact test.
        if quotient >= outstanding and current * cofactor < bound and current.gcd(cofactor) == 1:
            return fmpq(sign * current, cofactor)
        if not current:
            raise PrecisionTooLowError("no short fraction has this residue")
        previous, current = current, remainder
        previous_cofactor, cofactor = cofactor, previous_cofactor + quotient * cofactor
        sign = -sign


def read_rationals(residues: Sequence[fmpz], modulus: fmpz) -> list[fmpq]:
    """`read_rational` for many numbers that are likely to share denominators.

    The common denominator found so far is tried first: when denominator * residue is outstandingly small as an
    integer, the fraction is found with one product.  Accepted under the same condition as in `read_rational`.
    """
    common = fmpz(1)
    bound = modulus >> SLACK_BITS
    half = modulus // 2
    numbers = []
    for residue in residues:
        numerator = residue * common % modulus
        if numerator > half:
            numerator -= modulus
        if abs(numerator) * common < bound:
            numbers.append(fmpq(numerator, common))
            continue
        number = read_rational(residue, modulus)
        common = common.lcm(number.q)
        numbers.append(number)
    return numbers


def _valuation(value: fmpz, prime: int) -> int:
    count = 0
    while value % prime == 0:
        value //= prime
        count += 1
    return count
