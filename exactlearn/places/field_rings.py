"""Z/p^k with an image of a number field K = Q(a): a goes to a root of its minimal polynomial (DESIGN section 2).

The prime p = 2q + 1 is chosen so that the minimal polynomial has a simple root both mod p and mod q.  Numbers are seen
through a -> the root mod p^k, exponents of e through a -> the root mod q p^(k-1); both are ring homomorphisms on the
elements of K whose denominators are prime to p q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import fmpq, fmpz, fmpz_poly, nmod_poly

from exactlearn.errors import NotAttentionError, UnluckyPrimeError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.places.lattice_reading import read_elements
from exactlearn.places.residues import DIGITS, ResidueRing, next_safe_prime

MOST_PRIMES = 100_000
"""Safe primes tried for one with both roots; a Galois field of degree n has them for about one in n^2."""


@dataclass(frozen=True)
class FieldRing(ResidueRing):
    """Z/p^k as the image of a number field.

    Attributes:
        field: K = Q(a).
        root_mod_p: The root mod p to which a goes; simple.
        root_mod_q: The root mod q to which a goes in exponents; simple.
    """

    field: NumberField
    root_mod_p: int
    root_mod_q: int

    @classmethod
    def of_field(cls, field: NumberField, seed: int, digits: int = DIGITS) -> FieldRing:
        """The ring of the first 61-bit safe prime with both roots after the one that `seed` picks."""
        return cls._from_prime(field, ResidueRing.seeded(seed).half_order - 1, digits)

    @classmethod
    def _from_prime(cls, field: NumberField, half: int, digits: int) -> FieldRing:
        """The ring of the smallest safe prime 2q + 1 with q > `half` at which the polynomial has both roots."""
        return cls(*_prime_with_roots(field, half, digits))

    @property
    def number_field(self) -> NumberField:
        """K."""
        return self.field

    def with_digits(self, digits: int) -> FieldRing:
        """The same prime and roots with so many digits."""
        return FieldRing(self.prime, digits, self.field, self.root_mod_p, self.root_mod_q)

    def with_next_prime(self) -> FieldRing:
        """The next safe prime with both roots, of 61 bits even when this one is small, with as many digits."""
        return self._from_prime(self.field, self._next_half(), self.digits)

    @cached_property
    def root(self) -> fmpz:
        """The root mod p^k, lifted by Newton's iteration."""
        return _lifted(_whole_polynomial(self.field), fmpz(self.root_mod_p), self.prime, self.digits)

    @cached_property
    def exponent_modulus(self) -> fmpz:
        """Q p^(k-1), the order of the image of e."""
        return self.log_modulus * self.half_order

    @cached_property
    def exponent_root(self) -> fmpz:
        """The root mod q p^(k-1): that mod p^(k-1) and that mod q together."""
        p_part, q = self.log_modulus, fmpz(self.half_order)
        step = (self.root_mod_q - self.root) * pow(p_part, -1, q) % q
        return (self.root + p_part * step) % self.exponent_modulus

    def reduce(self, value: Scalar) -> fmpz:
        """The image of a rational number or an element of K.

        Raises:
            UnluckyPrimeError: When p divides a denominator.
        """
        if not isinstance(value, FieldElement):
            return super().reduce(value)
        return _image(value, self._powers, self.modulus) * self.inverse(value.polynomial.denom()) % self.modulus

    def reduce_all(self, values: Sequence[Scalar]) -> list[fmpz]:
        """The images of numbers, their denominators inverted together."""
        inverses = self.inverses([_denominator(value) for value in values])
        return [
            (_image(value, self._powers, self.modulus) if isinstance(value, FieldElement) else value.p)
            * inverse
            % self.modulus
            for value, inverse in zip(values, inverses, strict=True)
        ]

    def reduce_exponent(self, value: FieldElement) -> fmpz:
        """The image of an element of K modulo q p^(k-1).

        Raises:
            UnluckyPrimeError: When p or q divides a denominator.
        """
        denominator = value.polynomial.denom()
        if denominator % self.prime == 0 or denominator % self.half_order == 0:
            raise UnluckyPrimeError("p q has a common factor with a denominator in the exponents")
        order = self.exponent_modulus
        return _image(value, self._exponent_powers, order) * pow(denominator, -1, order) % order

    def read_numbers(self, residues: Sequence[fmpz], modulus: fmpz) -> list[Scalar]:
        """The elements of K that stand out as short behind residues modulo p^k or p^(k-1), by lattice reduction.

        Raises:
            PrecisionTooLowError: When more digits are needed.
        """
        return list(read_elements(self.field, self.root % modulus, residues, modulus))

    @cached_property
    def _powers(self) -> tuple[fmpz, ...]:
        return _powers_of(self.root, self.field.degree, self.modulus)

    @cached_property
    def _exponent_powers(self) -> tuple[fmpz, ...]:
        return _powers_of(self.exponent_root, self.field.degree, self.exponent_modulus)


def first_ring(field: NumberField | None, seed: int) -> ResidueRing:
    """The ring in which a run begins: that of the seed, for a number field that of a prime with both roots."""
    return ResidueRing.seeded(seed) if field is None else FieldRing.of_field(field, seed)


@lru_cache(maxsize=256)
def _prime_with_roots(field: NumberField, half: int, digits: int) -> tuple[int, int, NumberField, int, int]:
    polynomial = _whole_polynomial(field)
    for _ in range(MOST_PRIMES):
        prime = next_safe_prime(half)
        half = prime // 2
        root_mod_q = simple_root(polynomial, half)
        if root_mod_q is None:
            continue
        root_mod_p = simple_root(polynomial, prime)
        if root_mod_p is not None:
            return prime, digits, field, root_mod_p, root_mod_q
    raise NotAttentionError(f"none of {MOST_PRIMES} primes has the roots that the number field needs")


def simple_root(polynomial: fmpz_poly, prime: int) -> int | None:
    """The smallest root mod `prime` when the degree stays and all roots there are simple, else None."""
    image = nmod_poly([int(c % prime) for c in polynomial.coeffs()], prime)
    if image.degree() < polynomial.degree() or image.gcd(image.derivative()).degree() > 0:
        return None
    return min((int(root) for root, _ in image.roots()), default=None)


def _whole_polynomial(field: NumberField) -> fmpz_poly:
    return field.polynomial.numer()


def _lifted(polynomial: fmpz_poly, root: fmpz, prime: int, digits: int) -> fmpz:
    derivative, known = polynomial.derivative(), 1
    while known < digits:
        known = min(2 * known, digits)
        modulus = fmpz(prime) ** known
        root = (root - polynomial(root) * pow(derivative(root) % modulus, -1, modulus)) % modulus
    return root


def _powers_of(root: fmpz, count: int, modulus: fmpz) -> tuple[fmpz, ...]:
    powers = [fmpz(1)]
    while len(powers) < count:
        powers.append(powers[-1] * root % modulus)
    return tuple(powers)


def _image(value: FieldElement, powers: Sequence[fmpz], modulus: fmpz) -> fmpz:
    """The image of the numerator of an element."""
    coefficients = value.polynomial.numer().coeffs()
    return sum((fmpz(c) * power for c, power in zip(coefficients, powers, strict=False)), fmpz(0)) % modulus


def _denominator(value: FieldElement | fmpq) -> fmpz:
    return fmpz(value.polynomial.denom()) if isinstance(value, FieldElement) else value.q
