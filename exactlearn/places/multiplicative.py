"""Which products of powers of positive elements of a number field are 1, so that their logarithms have coordinates.

The p-adic logarithm takes such a product to a sum, so every relation prod T_j^{e_j} = 1 lies in a lattice modulo p^k.
Short vectors of the reduced lattice are tried exactly; when the next one is longer than a bound that LLL guarantees,
no other relation with exponents up to MOST_EXPONENT exists.  (T_j is positive, so the relations are those of log T_j.)
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpz, fmpz_mat

from exactlearn.errors import OverBudgetError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.places.field_rings import FieldRing
from exactlearn.places.residues import ResidueRing

MOST_EXPONENT = fmpz(2) ** 64
"""No relation with shorter exponent vectors is missed; tokens of the rational place make much smaller ones."""

MOST_NUMBERS = 32
"""So many different numbers can be looked at together: the lattice has as many dimensions."""

_TRIED_EXPONENT = 4096
"""Vectors of the reduced lattice with exponents up to this are tried exactly."""


def coordinates_of_logarithms(field: NumberField, numbers: Sequence[FieldElement]) -> list[tuple[fmpz, ...]]:
    """Whole coordinates of log T_j over real numbers that no relation with exponents up to MOST_EXPONENT ties.

    Args:
        field: K.
        numbers: Positive elements of K; equal ones get equal coordinates, and 1 gets zeros.

    Returns:
        One tuple for each number, all of one length, at least 1: sum e_j log T_j = 0 exactly when
        sum e_j coordinates_j = 0, for all whole e_j with a length up to MOST_EXPONENT.

    Raises:
        OverBudgetError: For more than MOST_NUMBERS different numbers.
    """
    distinct = [number for number in dict.fromkeys(numbers) if number != 1]
    if not distinct:
        return [(fmpz(0),) for _ in numbers]
    if len(distinct) > MOST_NUMBERS:
        raise OverBudgetError(f"the relations of more than {MOST_NUMBERS} numbers of a number field are not computed")
    relations = relations_of(field, distinct)
    # The logarithms are orthogonal to the relations: their coordinates are those of a basis of the complement.
    complement = _orthogonal(relations, len(distinct))
    known = {number: tuple(row[j] for row in complement) for j, number in enumerate(distinct)}
    return [known.get(number, (fmpz(0),) * len(complement)) for number in numbers]


def relations_of(field: NumberField, numbers: Sequence[FieldElement]) -> list[list[fmpz]]:
    """A basis of the e with prod T_j^{e_j} = 1, complete for exponent vectors up to MOST_EXPONENT.

    Raises:
        OverBudgetError: When relations and other short vectors cannot be told apart.
    """
    size = len(numbers)
    bits = 2 * (size + 1) * (MOST_EXPONENT.bit_length() + size)
    digits = bits // 60 + 3
    rows = _reduced_lattice(FieldRing.of_field(field, 0, digits), numbers)
    relations: list[list[fmpz]] = []
    for row in rows:
        if max(map(abs, row)) > _TRIED_EXPONENT or not _is_relation(numbers, row):
            break
        relations.append(row)
    rest = rows[len(relations) :]
    longest = max((_square(row) for row in relations), default=fmpz(0))
    # Any vector outside of the span of the relations has at least this squared length, times 2^(size - 1).
    if rest and not _square(rest[0]) > (fmpz(2) ** size) * max(MOST_EXPONENT**2, longest):
        raise OverBudgetError("the relations between numbers of a number field have exponents too large to be found")
    return relations


def _reduced_lattice(ring: ResidueRing, numbers: Sequence[FieldElement]) -> list[list[fmpz]]:
    """The reduced basis of the e with sum e_j log_p(T_j) = 0 mod p^(k-1)."""
    size, modulus = len(numbers), ring.log_modulus
    images = [ring.reduce(number) for number in numbers]
    logarithms = [ring.log(pow(image, ring.prime - 1, ring.modulus)) // ring.prime for image in images]
    weight = modulus << size  # so long that in a reduced basis one vector alone is not in the kernel
    rows = [[*(fmpz(int(i == j)) for j in range(size)), weight * value] for i, value in enumerate(logarithms)]
    rows.append([*[fmpz(0)] * size, weight * modulus])
    reduced: list[list[fmpz]] = fmpz_mat(rows).lll().tolist()
    return [row[:size] for row in reduced if not row[size] and any(row[:size])]


def _is_relation(numbers: Sequence[FieldElement], exponents: Sequence[fmpz]) -> bool:
    left = right = numbers[0].field(1)
    for number, exponent in zip(numbers, exponents, strict=True):
        if exponent > 0:
            left = left * number ** int(exponent)
        elif exponent < 0:
            right = right * number ** int(-exponent)
    return left == right


def _orthogonal(relations: Sequence[Sequence[fmpz]], size: int) -> list[list[fmpz]]:
    """Independent whole vectors orthogonal to the relations, as many as there are."""
    if not relations:
        return [[fmpz(int(i == j)) for j in range(size)] for i in range(size)]
    basis, rank = fmpz_mat([list(row) for row in relations]).nullspace()
    columns = basis.transpose().tolist()[:rank]
    return columns or [[fmpz(0)] * size]


def _square(row: Sequence[fmpz]) -> fmpz:
    return sum((e * e for e in row), fmpz(0))
