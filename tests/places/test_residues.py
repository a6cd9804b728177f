"""Tests of Z/p^k: series, roots of unity, inverses and reading rationals, with tiny primes, which hide no fault."""

from __future__ import annotations

import math
import random

import pytest
import sympy
from flint import fmpq, fmpz, fmpz_mat
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.errors import PrecisionTooLowError, UnluckyPrimeError
from exactlearn.places import residues
from exactlearn.places.residues import (
    SLACK_BITS,
    ResidueRing,
    multiply_mod,
    next_safe_prime,
    read_rational,
    read_rationals,
)

SMALL_PRIMES = [5, 7, 11, 23, 47]
LARGE_PRIMES = [ResidueRing.seeded(seed).prime for seed in range(3)]

rings = st.builds(ResidueRing, st.sampled_from(SMALL_PRIMES + LARGE_PRIMES), st.integers(1, 30))
whole = st.integers(-(10**30), 10**30).map(fmpz)


def _unit(ring: ResidueRing, number: fmpz) -> fmpz:
    """A number that p does not divide, from any number."""
    return number if number % ring.prime else number + 1


@given(rings, whole, whole)
def test_exp_is_a_homomorphism(ring: ResidueRing, a: fmpz, b: fmpz) -> None:
    """The exponential takes sums in pZ to products, and is 1 mod p."""
    a, b = a * ring.prime, b * ring.prime
    assert ring.exp(a + b) == ring.exp(a) * ring.exp(b) % ring.modulus
    assert ring.exp(a) % ring.prime == 1
    assert ring.exp(fmpz(0)) == 1 % ring.modulus


@given(rings, whole, whole)
def test_log_is_a_homomorphism(ring: ResidueRing, a: fmpz, b: fmpz) -> None:
    """The logarithm takes products of units that are 1 mod p to sums in pZ."""
    u, v = 1 + a * ring.prime, 1 + b * ring.prime
    assert ring.log(u * v) == (ring.log(u) + ring.log(v)) % ring.modulus
    assert ring.log(u) % ring.prime == 0
    assert ring.log(fmpz(1)) == 0


@given(rings, whole)
def test_exp_and_log_are_inverse(ring: ResidueRing, a: fmpz) -> None:
    """Both ways round, each undoes the other."""
    a *= ring.prime
    assert ring.log(ring.exp(a)) == a % ring.modulus
    assert ring.exp(ring.log(1 + a)) == (1 + a) % ring.modulus


@given(st.sampled_from(SMALL_PRIMES), st.integers(1, 12), st.integers(-50, 50))
def test_series_against_rational_sums(prime: int, digits: int, a: int) -> None:
    """The partial sums of both series over Q, long enough, have the same images."""
    ring, z = ResidueRing(prime, digits), fmpq(a * prime)
    log_sum, exp_sum, term = fmpq(0), fmpq(1), fmpq(1)
    for n in range(1, 3 * digits + 6):
        log_sum += (-1) ** (n + 1) * z**n / n
        term *= z / n
        exp_sum += term
    assert ring.log(1 + z.p) == ring.reduce(log_sum)
    assert ring.exp(z.p) == ring.reduce(exp_sum)


@given(rings, whole)
def test_log_tells_units_apart(ring: ResidueRing, a: fmpz) -> None:
    """Control: a unit changed in its last digit has another logarithm."""
    assume(ring.digits > 1)
    u = 1 + a * ring.prime
    assert ring.log(u) != ring.log(u + ring.log_modulus)


@given(rings, whole, whole)
def test_teichmuller(ring: ResidueRing, a: fmpz, b: fmpz) -> None:
    """Representatives are (p-1)-th roots of unity, congruent to what they represent, and multiplicative."""
    a, b = _unit(ring, a), _unit(ring, b)
    root = ring.teichmuller(a)
    assert pow(root, ring.prime - 1, ring.modulus) == 1 % ring.modulus
    assert (root - a) % ring.prime == 0
    assert ring.teichmuller(a * b) == root * ring.teichmuller(b) % ring.modulus


@given(rings)
def test_teichmuller_square_has_order_q(ring: ResidueRing) -> None:
    """Omega has order q exactly."""
    omega = ring.teichmuller_square
    assert pow(omega, ring.half_order, ring.modulus) == 1 % ring.modulus
    assert omega % ring.prime != 1


@given(rings, st.lists(whole, max_size=6))
def test_inverses(ring: ResidueRing, numbers: list[fmpz]) -> None:
    """Inverses taken together are the inverses taken one by one, and are inverses."""
    units = [_unit(ring, number) for number in numbers]
    together = ring.inverses(units)
    assert together == [ring.inverse(unit) for unit in units]
    assert all(unit * inverse % ring.modulus == 1 % ring.modulus for unit, inverse in zip(units, together, strict=True))


@given(rings, st.lists(whole, min_size=1, max_size=4), whole, st.data())
def test_no_inverse(ring: ResidueRing, numbers: list[fmpz], bad: fmpz, data: st.DataObject) -> None:
    """A multiple of p anywhere is an unlucky prime, never an abort of the process."""
    numbers[data.draw(st.integers(0, len(numbers) - 1))] = bad * ring.prime
    with pytest.raises(UnluckyPrimeError, match="has to be inverted"):
        ring.inverses(numbers)
    with pytest.raises(UnluckyPrimeError, match="has to be inverted"):
        ring.reduce(fmpq(1, ring.prime * (abs(bad) + 1)))
    with pytest.raises(UnluckyPrimeError, match="has to be inverted"):
        ring.reduce_all([fmpq(1), fmpq(1, ring.prime)])


@given(rings, st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_reduce_is_a_homomorphism(ring: ResidueRing, a: object, b: object) -> None:
    """Images add and multiply; a common list is reduced as its members are; a finer ring refines."""
    left, right = (fmpq(n.numerator, n.denominator) for n in (a, b))  # type: ignore[attr-defined]
    assume(left.q % ring.prime and right.q % ring.prime)
    images = ring.reduce_all([left, right])
    assert images == [ring.reduce(left), ring.reduce(right)]
    assert ring.reduce(left + right) == sum(images) % ring.modulus
    assert ring.reduce(left * right) == images[0] * images[1] % ring.modulus
    assert ring.finer().reduce(left) % ring.modulus == images[0]


@given(rings, st.integers(0, 5), st.data())
def test_inverse_matrix(ring: ResidueRing, size: int, data: st.DataObject) -> None:
    """The inverse times the matrix is one; when p divides the determinant, that is an unlucky prime."""
    entries = data.draw(st.lists(st.integers(-(10**25), 10**25), min_size=size**2, max_size=size**2))
    matrix = fmpz_mat(size, size, entries)
    if matrix.det() % ring.prime == 0:
        with pytest.raises(UnluckyPrimeError, match="determinant"):
            ring.inverse_matrix(matrix)
        return
    one = fmpz_mat(size, size, [int(i == j) % ring.modulus for i in range(size) for j in range(size)])
    assert multiply_mod(ring.inverse_matrix(matrix), matrix, ring.modulus) == one


@pytest.mark.parametrize("prime", SMALL_PRIMES + LARGE_PRIMES)
def test_singular_matrix(prime: int) -> None:
    """A matrix of determinant p, and the zero matrix, have no inverse."""
    ring = ResidueRing(prime, 3)
    for rows in ([[prime, 5], [0, 1]], [[0, 0], [0, 0]]):
        with pytest.raises(UnluckyPrimeError, match="determinant"):
            ring.inverse_matrix(fmpz_mat(rows))


def test_safe_primes() -> None:
    """The next safe prime is what a plain search finds, from 5 on; the seeded ones have 61 bits, are safe, differ."""

    def is_safe(p: int) -> bool:
        return p % 2 == 1 and bool(sympy.isprime(p) and sympy.isprime((p - 1) // 2))

    for half in range(1, 300):
        assert next_safe_prime(half) == next(p for p in range(2 * half + 2, 10**4) if is_safe(p))
    assert len(set(LARGE_PRIMES)) == len(LARGE_PRIMES)
    for p in LARGE_PRIMES:
        assert is_safe(p)
        assert p.bit_length() in (60, 61)
        assert not ResidueRing(p, 1).is_small
    assert ResidueRing(47, 9).is_small


@pytest.mark.parametrize("prime", [*SMALL_PRIMES, LARGE_PRIMES[0]])
def test_neighbouring_rings(prime: int) -> None:
    """Finer rings have twice the digits; the next prime is another large safe one with as many digits."""
    ring = ResidueRing(prime, 3)
    assert ring.finer() == ResidueRing(prime, 6)
    following = ring.with_next_prime()
    assert following.digits == 3
    assert following.prime > ring.prime
    assert not following.is_small
    assert sympy.isprime(following.prime)
    assert sympy.isprime(following.half_order)


def _short_fractions(residue: int, modulus: int, slack: int) -> set[tuple[int, int]]:
    """By search: all n/d in lowest terms with n = d residue and |n| d 2^slack < modulus (floor)."""
    bound, found = modulus >> slack, set()
    for d in range(1, bound + 1):
        if math.gcd(d, modulus) > 1:
            continue
        for n in (d * residue % modulus, d * residue % modulus - modulus):
            if abs(n) * d < bound and math.gcd(n, d) == 1:
                found.add((n, d))
    return found


@pytest.mark.parametrize("modulus", [5**4, 7**3, 11**3, 23**2])
@pytest.mark.parametrize("slack", [3, 4, 5])
def test_every_residue_with_little_slack(monkeypatch: pytest.MonkeyPatch, modulus: int, slack: int) -> None:
    """With a small slack in place of 64 bits, every residue is read as one of the short fractions there are."""
    monkeypatch.setattr(residues, "SLACK_BITS", slack)
    refused = 0
    for residue in range(modulus):
        fractions = _short_fractions(residue, modulus, slack)
        for r in (residue, residue + 3 * modulus, residue - modulus):
            if fractions:
                number = read_rational(fmpz(r), fmpz(modulus))
                assert (int(number.p), int(number.q)) in fractions
                together = read_rationals([fmpz(r)] * 2, fmpz(modulus))
                assert {(int(n.p), int(n.q)) for n in together} <= fractions
            else:
                refused += 1
                with pytest.raises(PrecisionTooLowError):
                    read_rational(fmpz(r), fmpz(modulus))
                with pytest.raises(PrecisionTooLowError):
                    read_rationals([fmpz(r)], fmpz(modulus))
    assert refused


long_rings = st.one_of(
    st.builds(ResidueRing, st.sampled_from(SMALL_PRIMES), st.integers(60, 120)),
    st.builds(ResidueRing, st.sampled_from(LARGE_PRIMES), st.integers(3, 8)),
)


@given(long_rings, st.data())
def test_reading_short_numbers(ring: ResidueRing, data: st.DataObject) -> None:
    """Numbers of either sign and zero, inside the documented bound, are read, from unreduced residues as well."""
    bound = int(ring.modulus >> SLACK_BITS)
    d = data.draw(st.integers(1, max(1, math.isqrt(bound))))
    n = data.draw(st.integers(-((bound - 1) // d), (bound - 1) // d))
    assume(d % ring.prime and math.gcd(n, d) == 1)
    residue = ring.reduce(fmpq(n, d))
    for r in (residue, residue + 7 * ring.modulus, residue - 2 * ring.modulus):
        assert read_rational(r, ring.modulus) == fmpq(n, d)
        assert read_rationals([fmpz(0), r, r + ring.modulus, r], ring.modulus)[1:] == [fmpq(n, d)] * 3


@given(long_rings, st.integers(1, 10**6), st.integers(-3, 3), st.sampled_from([1, -1]))
def test_at_the_slack(ring: ResidueRing, d: int, offset: int, sign: int) -> None:
    """Around |n| d = p^k / 2^64 a number is read when it is inside and refused when it is outside.

    The denominator is random and large: floor(p^k / 2^64) / 1, say, has the residue of another, short fraction.
    """
    bound = int(ring.modulus >> SLACK_BITS)
    d = random.Random(d).randint(math.isqrt(bound) // 2, math.isqrt(bound))
    assume(d % ring.prime)
    n = bound // d + offset
    assume(math.gcd(n, d) == 1 and n > 0)
    residue = ring.reduce(fmpq(sign * n, d))
    if n * d < bound:
        assert read_rational(residue, ring.modulus) == fmpq(sign * n, d)
    else:
        with pytest.raises(PrecisionTooLowError, match="no short fraction"):
            read_rational(residue, ring.modulus)
        with pytest.raises(PrecisionTooLowError, match="no short fraction"):
            read_rationals([residue], ring.modulus)


@given(long_rings, st.integers(2, 10**6), st.sampled_from([1, -1]))
def test_at_the_classical_bound(ring: ResidueRing, d: int, sign: int) -> None:
    """At 2 N D = m +- 1, where reconstruction is unique for the last time, nothing stands out and nothing is read."""
    assume(d % ring.prime)
    n = (int(ring.modulus) + sign) // (2 * d)
    assume(math.gcd(n, d) == 1)
    try:
        number = read_rational(ring.reduce(fmpq(n, d)), ring.modulus)
    except PrecisionTooLowError:
        return
    # Another fraction may be short by luck (1/(2 d^2) is one when 2 n d = m +- 1 exactly): then it is that one.
    assert abs(number.p) * number.q << SLACK_BITS < ring.modulus
    assert ring.reduce(number) == ring.reduce(fmpq(n, d))


@pytest.mark.parametrize("prime", [*SMALL_PRIMES, LARGE_PRIMES[0]])
def test_halves_at_the_classical_bound(prime: int) -> None:
    """The residues (m - 1)/2 and (m + 1)/2, where 2 N D = m +- 1, are -1/2 and 1/2."""
    ring = ResidueRing(prime, 60)
    assert read_rational((ring.modulus - 1) // 2, ring.modulus) == fmpq(-1, 2)
    assert read_rational((ring.modulus + 1) // 2, ring.modulus) == fmpq(1, 2)


@given(long_rings, st.integers(0, 2**300))
def test_garbage_is_refused(ring: ResidueRing, garbage: int) -> None:
    """A random residue stands out as no number (2^512 + garbage is no short number itself)."""
    residue = pow(fmpz(2**512 + garbage), 3, ring.modulus)
    with pytest.raises(PrecisionTooLowError):
        read_rational(residue, ring.modulus)
    with pytest.raises(PrecisionTooLowError):
        read_rationals([fmpz(3), residue], ring.modulus)


@pytest.mark.parametrize("modulus", [1, 5, 2**63 - 25])
def test_nothing_is_read_without_slack(modulus: int) -> None:
    """Moduli below 2^64 leave no slack: nothing is read, not even zero."""
    for residue in (0, 1, 3):
        with pytest.raises(PrecisionTooLowError):
            read_rational(fmpz(residue), fmpz(modulus))
        with pytest.raises(PrecisionTooLowError):
            read_rationals([fmpz(residue)], fmpz(modulus))


@given(long_rings, st.lists(st.tuples(st.integers(-99, 99), st.integers(1, 12)), max_size=8))
def test_shared_denominators(ring: ResidueRing, pairs: list[tuple[int, int]]) -> None:
    """Many numbers read together are the numbers, in order, whatever denominators they share."""
    numbers = [fmpq(n, d) for n, d in pairs]
    assume(all(number.q % ring.prime for number in numbers))
    assert read_rationals(ring.reduce_all(numbers), ring.modulus) == numbers


@given(long_rings, st.integers(0, 10**6))
def test_a_shared_denominator_is_no_licence(ring: ResidueRing, seed: int) -> None:
    """A number over a denominator already found is still refused when it is too long to stand out."""
    generator, bound = random.Random(seed), int(ring.modulus >> SLACK_BITS)
    d = generator.randint(math.isqrt(bound) // 2, math.isqrt(bound))
    n = bound // d * generator.randint(5, 2**20) + generator.randint(0, 99)
    assume(d % ring.prime and math.gcd(n, d) == 1 and n < bound)
    images = ring.reduce_all([fmpq(1, d), fmpq(n, d)])
    assert read_rationals(images[:1], ring.modulus) == [fmpq(1, d)]
    with pytest.raises(PrecisionTooLowError):
        read_rationals(images, ring.modulus)
