"""Tests of radicals over a coprime base, with and without complete factorizations."""

from __future__ import annotations

import itertools
import math

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError
from exactlearn.places.radicals import (
    MAXIMAL_BASE_BITS,
    MAXIMAL_POWER_BITS,
    bounded_power,
    common_base,
    coprime_base,
    exponents_over,
    invert_radical,
    multiply_radicals,
    power_product,
    rewrite_radical,
    square_root,
)

P, Q, R = 2**127 - 1, 2**89 - 1, 2**107 - 1
"""Primes beyond the size up to which numbers are factored (Mersenne)."""


@given(st.lists(st.integers(1, 10**6), max_size=6))
def test_small_bases_are_the_primes(numbers: list[int]) -> None:
    """Small numbers are factored completely."""
    base = coprime_base(map(fmpz, numbers))
    assert all(element.is_prime() for element in base)
    assert {int(p) for n in numbers for p, _ in fmpz(n).factor()} == {int(element) for element in base}


@given(st.lists(st.lists(st.sampled_from([P, Q, R, 2, 9, 10007]), min_size=1, max_size=5), min_size=1, max_size=4))
def test_bases_are_coprime_complete_and_without_perfect_powers(factors: list[list[int]]) -> None:
    """Whatever hard numbers come in, the base is pairwise coprime, has no perfect powers and gives the numbers back."""
    numbers = [math.prod(some) for some in factors]
    base = coprime_base(map(fmpz, numbers))
    assert all(a.gcd(b) == 1 for a, b in itertools.combinations(base, 2))
    assert not any(element.is_perfect_power() for element in base)
    for number in numbers:
        exponents = exponents_over(fmpq(number), base)
        assert math.prod(int(element) ** power for element, power in exponents.items()) == number


def test_hard_products_stay_whole_until_something_splits_them() -> None:
    """P Q cannot be factored here and is one element; with P R around, all three primes appear."""
    assert coprime_base([fmpz(P * Q) ** 6]) == (fmpz(P * Q),)
    assert set(coprime_base([fmpz(P * Q), fmpz(P * R)])) == {P, Q, R}
    assert set(common_base((fmpz(P * Q),), (fmpz(P * R),))) == {P, Q, R}
    left = (fmpz(2), fmpz(P))
    assert common_base(left, (fmpz(P),)) is left


def test_exponents_over_an_incomplete_base() -> None:
    """A number that is no product over the base is a caller's mistake, never a wrong answer."""
    with pytest.raises(ValueError, match="not a product"):
        exponents_over(fmpq(6), (fmpz(2),))


@given(st.dictionaries(st.sampled_from([2, 3, P]), st.builds(fmpq, st.integers(-12, 12), st.integers(1, 5))))
def test_power_product_has_exponents_below_one_and_inverts(exponents: dict[int, fmpq]) -> None:
    """Whole parts go to the factor; a radical times its inverse is 1."""
    given_exponents = {fmpz(element): s for element, s in exponents.items()}
    factor, radical = power_product(given_exponents)
    assert all(0 < s < 1 for _, s in radical)
    whole = exponents_over(factor, coprime_base(given_exponents))
    for element, s in given_exponents.items():
        assert whole.get(element, 0) + dict(radical).get(element, fmpq(0)) == s
    inverse_factor, inverse = invert_radical(radical)
    carry, one = multiply_radicals(radical, inverse)
    assert one == ()
    assert carry * inverse_factor == 1


def test_rewriting_over_a_finer_base() -> None:
    """sqrt(l) with l = P^2 Q is P sqrt(Q)."""
    factor, radical = rewrite_radical(((fmpz(P * P * Q), fmpq(1, 2)),), (fmpz(Q), fmpz(P)))
    assert factor == P
    assert radical == ((fmpz(Q), fmpq(1, 2)),)


def test_square_roots() -> None:
    """sqrt(12/49) = 2 sqrt(3) / 7, sqrt(1/2) = sqrt(2) / 2."""
    assert square_root(fmpq(12, 49), (fmpz(2), fmpz(3), fmpz(7))) == (fmpq(2, 7), ((fmpz(3), fmpq(1, 2)),))
    assert square_root(fmpq(1, 2), (fmpz(2),)) == (fmpq(1, 2), ((fmpz(2), fmpq(1, 2)),))


def test_sizes_are_bounded_first() -> None:
    """Powers and base elements beyond their bounds are refused; those at the bound are not."""
    assert bounded_power(fmpq(1), 10**30) == 1
    assert bounded_power(fmpq(2), MAXIMAL_POWER_BITS // 2).height_bits() == MAXIMAL_POWER_BITS // 2 + 1
    for exponent in (MAXIMAL_POWER_BITS, -MAXIMAL_POWER_BITS, 10**30):
        with pytest.raises(OverBudgetError, match="exceeds"):
            bounded_power(fmpq(2), exponent)
    with pytest.raises(OverBudgetError, match="radical of a number"):
        coprime_base([fmpz(1) << MAXIMAL_BASE_BITS])
    assert coprime_base([fmpz(1) << (MAXIMAL_BASE_BITS - 1)]) == (fmpz(2),)
