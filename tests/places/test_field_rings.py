"""Rings with an image of a number field, reading numbers back by lattice reduction, relations between numbers."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpz, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError, PrecisionTooLowError, UnluckyPrimeError
from exactlearn.fields import FieldElement, NumberField
from exactlearn.places.field_rings import FieldRing, first_ring, simple_root
from exactlearn.places.lattice_reading import read_elements
from exactlearn.places.multiplicative import coordinates_of_logarithms, relations_of
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import NUMBER_FIELDS, field_elements, rationals

ROOT_2 = NUMBER_FIELDS[0]
OCTIC = NumberField(list(fmpz_poly.cos_minpoly(17).coeffs()), [fmpq(9, 5), 2])
any_field = st.sampled_from([*NUMBER_FIELDS, OCTIC])
pairs = any_field.flatmap(lambda field: st.tuples(field_elements(field, 9), field_elements(field, 9)))


@given(pairs, st.integers(1, 9), st.integers(0, 3))
def test_images_are_homomorphisms(numbers: tuple[FieldElement, FieldElement], digits: int, seed: int) -> None:
    """Sums and products are kept, for numbers and for exponents; a finer ring refines; rationals go to their images."""
    a, b = numbers
    ring = FieldRing.of_field(a.field, seed, digits)
    for reduce, modulus in ((ring.reduce, ring.modulus), (ring.reduce_exponent, ring.exponent_modulus)):
        assert (reduce(a + b) - reduce(a) - reduce(b)) % modulus == 0
        assert (reduce(a * b) - reduce(a) * reduce(b)) % modulus == 0
        assert reduce(a.field(fmpq(2, 3))) * 3 % modulus == 2 % modulus
    assert ring.finer().reduce(a) % ring.modulus == ring.reduce(a)
    assert ring.reduce_exponent(a) % ring.log_modulus == ring.reduce(a) % ring.log_modulus
    assert ring.reduce(fmpq(2, 3)) == ResidueRing(ring.prime, digits).reduce(fmpq(2, 3))
    assert ring.reduce_all([a, fmpq(1, 5), b]) == [ring.reduce(n) for n in (a, fmpq(1, 5), b)]


@given(any_field, st.integers(0, 5))
def test_the_root_is_a_root(field: NumberField, seed: int) -> None:
    """The generator goes to a root mod p^k, and in exponents to a root mod q p^(k-1); the next prime is another."""
    ring = FieldRing.of_field(field, seed, 4)
    polynomial = field.polynomial.numer()
    assert polynomial(ring.root) % ring.modulus == 0
    assert polynomial(ring.exponent_root) % ring.exponent_modulus == 0
    assert fmpz(ring.prime).is_prime()
    assert fmpz(ring.half_order).is_prime()
    other = ring.with_next_prime()
    assert other.prime > ring.prime
    assert (other.digits, other.number_field) == (4, field)
    assert ring.with_digits(2) == FieldRing.of_field(field, seed, 2)


@given(st.sampled_from(NUMBER_FIELDS), st.data())
def test_numbers_come_back(field: NumberField, data: st.DataObject) -> None:
    """Elements are read off their images, together, whatever denominators they share."""
    numbers = data.draw(st.lists(field_elements(field, 1000), min_size=1, max_size=5))
    ring = FieldRing.of_field(field, 0, 24)
    assert ring.read_numbers([ring.reduce(n) for n in numbers], ring.modulus) == numbers
    images = [ring.reduce(n) % ring.log_modulus for n in numbers]
    assert ring.read_numbers(images, ring.log_modulus) == numbers


@given(st.sampled_from(NUMBER_FIELDS), st.integers(0, 10**9))
def test_chance_is_not_read(field: NumberField, seed: int) -> None:
    """A residue that is no short number's is not read, however many digits there are."""
    ring = FieldRing.of_field(field, 0, 12)
    residue = fmpz(seed + 2) ** 400 * 3 % ring.modulus
    with pytest.raises(PrecisionTooLowError, match="no short element"):
        ring.read_numbers([residue], ring.modulus)


@given(rationals(10**6), st.integers(2, 6))
def test_degree_one_is_rational_reconstruction(number: fmpq, digits: int) -> None:
    """Over a field of degree 1 the lattice gives what rational reconstruction gives."""
    field = NumberField([-3, 1], [3, 3])
    ring = ResidueRing.seeded(0, digits)
    (found,) = read_elements(field, fmpz(3), [ring.reduce(number)], ring.modulus)
    assert found == number
    assert ring.read_numbers([ring.reduce(number)], ring.modulus) == [number]


def test_denominators_that_meet_the_prime() -> None:
    """A denominator divisible by p, or in exponents by q, calls for another prime."""
    ring = FieldRing.of_field(ROOT_2, 0, 3)
    a = ROOT_2.generator
    for bad in (ring.prime, ring.half_order):
        with pytest.raises(UnluckyPrimeError, match="common factor with a denominator in the exponents"):
            ring.reduce_exponent(a / bad)
    with pytest.raises(UnluckyPrimeError, match="has to be inverted"):
        ring.reduce(a / ring.prime)
    assert ring.reduce(a / ring.half_order)


def test_bad_primes_are_passed_over() -> None:
    """Primes that divide the leading coefficient or the discriminant, or have no root, are not taken."""
    assert simple_root(fmpz_poly([-2, 0, 1]), 7) == 3
    assert simple_root(fmpz_poly([-2, 0, 1]), 11) is None
    assert simple_root(fmpz_poly([-14, 0, 1]), 7) is None
    assert simple_root(fmpz_poly([1, 0, 7]), 7) is None
    assert first_ring(None, 3) == ResidueRing.seeded(3)
    assert first_ring(ROOT_2, 3) == FieldRing.of_field(ROOT_2, 3)


@given(st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.integers(1, 4))
def test_relations(exponents: list[int], power: int) -> None:
    """Logarithms of units and numbers of Q(sqrt(2)) are zero together with their coordinates."""
    a = ROOT_2.generator
    numbers = [1 + a, a, ROOT_2(3), (1 + a) ** exponents[0] * a ** exponents[1] * ROOT_2(3) ** exponents[2], a**power]
    coordinates = coordinates_of_logarithms(ROOT_2, numbers)
    assert len({len(c) for c in coordinates}) == 1
    weights = [*(-e for e in exponents), 1, 0]
    for column in zip(*coordinates, strict=True):
        assert not sum(w * c for w, c in zip(weights, column, strict=True))
    assert any(coordinates[0])
    assert len([n for n in set(numbers) if n != 1]) - len(relations_of(ROOT_2, list({*numbers} - {ROOT_2(1)}))) == 3


def test_relations_of_what_and_how_many() -> None:
    """The number 1 has zeros; independent numbers have independent coordinates; too many are refused."""
    assert coordinates_of_logarithms(ROOT_2, [ROOT_2(1)] * 2) == [(fmpz(0),), (fmpz(0),)]
    assert relations_of(ROOT_2, [ROOT_2(2), ROOT_2(3), 1 + ROOT_2.generator]) == []
    with pytest.raises(OverBudgetError, match="more than 32 numbers"):
        coordinates_of_logarithms(ROOT_2, [ROOT_2(n) for n in range(2, 40)])
