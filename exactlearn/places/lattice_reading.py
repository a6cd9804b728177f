"""Elements of a number field from their residues, by lattice reduction (DESIGN section 2, "Number fields").

(c_0, ..., c_(n-1), d) with sum c_i r^i = d s mod m form a lattice of dimension n + 1 and determinant m, r the image of
a and s the residue.  An element with short coefficients c_i / d is a vector of it that is far shorter than m^(1/(n+1)),
the length to be expected by chance; LLL finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from exactlearn.errors import PrecisionTooLowError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.places.residues import SLACK_BITS


def read_elements(field: NumberField, root: fmpz, residues: Sequence[fmpz], modulus: fmpz) -> list[FieldElement]:
    """The elements sum c_i a^i that stand out as short behind residues, likely to share denominators.

    Args:
        field: K = Q(a), of degree n.
        root: The image of a modulo `modulus`.
        residues: Images of elements of K.
        modulus: A power of a prime.

    Returns:
        For each residue the element whose coefficients are so short that a number of their length agrees with the
        residue by chance once in 2^SLACK_BITS: as the prime has fewer bits, all but the last digit of the residue
        give the element, and it predicts that digit.

    Raises:
        PrecisionTooLowError: When no element stands out.
    """
    kernel = _kernel(field.degree, root, modulus)
    common, elements = fmpz(1), []
    for residue in residues:
        numerators = kernel.shortest(residue * common)
        if kernel.stands_out(numerators, common, field.degree):
            elements.append(_element(field, numerators, common))
            continue
        *numerators, denominator = kernel.with_denominator(residue)
        if not denominator or not kernel.stands_out([*numerators, denominator], fmpz(1), field.degree + 1):
            raise PrecisionTooLowError("no short element of the number field has this residue")
        elements.append(_element(field, numerators, denominator))
        common = common.lcm(denominator)
    return elements


class _Kernel:
    """The lattice of the (c_i) with sum c_i r^i = 0 mod m, reduced once for all residues."""

    def __init__(self, degree: int, root: fmpz, modulus: fmpz) -> None:
        rows = [[modulus, *[fmpz(0)] * (degree - 1)]]
        power = fmpz(1)
        for i in range(1, degree):
            power = power * root % modulus
            rows.append([-power, *(fmpz(int(i == j)) for j in range(1, degree))])
        self._modulus = modulus
        self._basis = fmpz_mat(rows).lll()
        # The first row of the inverse, times the modulus: (1, 0, ..., 0) in terms of the basis.
        unit = fmpq_mat(degree, 1, [int(i == 0) for i in range(degree)])
        solution = fmpq_mat(self._basis).transpose().solve(unit)
        self._coordinates = [(c * modulus).p for c in map(fmpq, solution.entries())]

    def shortest(self, residue: fmpz) -> list[fmpz]:
        """A short (c_i) with sum c_i r^i = residue mod m, by rounding in the reduced basis."""
        m = self._modulus
        residue %= m
        multiples = [-((2 * residue * c + m) // (2 * m)) for c in self._coordinates]
        vector = (fmpz_mat(1, len(multiples), multiples) * self._basis).entries()
        vector[0] += residue
        return vector

    def with_denominator(self, residue: fmpz) -> list[fmpz]:
        """The first vector (c_0, ..., c_(n-1), d) of the reduced lattice of dimension n + 1."""
        rows = [[*row, fmpz(0)] for row in self._basis.tolist()]
        rows.append([*self.shortest(residue), fmpz(1)])
        return fmpz_mat(rows).lll().tolist()[0]

    def stands_out(self, numbers: Sequence[fmpz], denominator: fmpz, dimension: int) -> bool:
        """Whether so short a vector is that rare."""
        size = 2 * max(abs(c) for c in numbers) + 1
        return bool((size**dimension * denominator) << SLACK_BITS < self._modulus)


@lru_cache(maxsize=16)
def _kernel(degree: int, root: fmpz, modulus: fmpz) -> _Kernel:
    return _Kernel(degree, root, modulus)


def _element(field: NumberField, numerators: Sequence[fmpz], denominator: fmpz) -> FieldElement:
    return field.element([fmpq(c, denominator) for c in numerators])
