"""The even part inside cells: there it is an attention model with known poles, so that its residues are linear.

Along the line of the kinks the cells 0, 1, ..., m lie in a row, and unit i is the one whose sign changes between cell i
and cell i + 1.  In cell i, on k copies of x + y followed by a large y, E(X) = sum_j s_j sigma_ij z_j(X) is
E(y) + sum_h c_ih(x) k t_h / (1 + k t_h) with c_ih(x) = sum_j s_j sigma_ij w_hj . x.  The poles t_h are those of the odd
part's heads.  c_(i+1)h - c_ih = 2 s_i w_hi . x, and cell m is cell 0 negated: c_mh = -c_0h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.errors import ConditionFailsError, PrecisionTooLowError, UnluckyPrimeError
from exactlearn.model import MultiHeadAttention, Vector
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.residues import ResidueRing, multiply_mod
from exactlearn.transformers.oracle import TransformerOracle, negated

CELLS = "cells"
SEARCH = "search"

HIDDEN = (
    "inside a cell the even part is no attention model with the heads of the odd part: a head whose odd part is zero, "
    "or a unit with z_j not zero but m_j zero"
)
"""What the conditions of the method are called when they fail here."""


class HiddenHeadError(ConditionFailsError):
    """In this cell the even part has heads that are not among those known."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        super().__init__(HIDDEN)


@dataclass(frozen=True)
class Cell:
    """A cell of the arrangement, by a whole token inside it and the even part's gradient there."""

    inside: IntegerToken
    gradient: Vector


class CellReader:
    """Reads the residues of the even part in cells.

    Args:
        oracle: The black box.
        odd: The odd part, recovered.
        X: The tokens x_1..x_d, linearly independent and small.
        scales: How far out final tokens are tried, smallest first.
    """

    def __init__(
        self, oracle: TransformerOracle, odd: MultiHeadAttention, X: Sequence[IntegerToken], scales: Sequence[int]
    ) -> None:
        self._oracle = oracle
        self._heads = len(odd.heads)
        self._box: Any = oracle.place.black_box(odd)
        self._X = X
        self._scales = scales

    def values(self, cell: Cell, ring: ResidueRing) -> fmpz_mat:
        """For every head h (row) the images of sum_j s_j sigma_j w_hj (d columns) in this cell.

        Raises:
            HiddenHeadError: When the data of no scale fit.
            PrecisionTooLowError: Never for enough digits.
        """
        for scale in self._scales:
            final = tuple(scale * entry for entry in cell.inside)
            columns = []
            for x in self._X:
                residues = self._residues(cell, x, final, ring)
                if residues is None:
                    break
                columns.append(residues)
            if len(columns) == len(self._X):
                table = fmpz_mat([[column[h] for column in columns] for h in range(self._heads)])
                inverse = ring.inverse_matrix(fmpz_mat([list(x) for x in self._X]))
                return multiply_mod(table, inverse.transpose(), ring.modulus)
            self._oracle.recount(CELLS, SEARCH)
        raise HiddenHeadError(cell)

    def _residues(self, cell: Cell, x: IntegerToken, final: IntegerToken, ring: ResidueRing) -> list[fmpz] | None:
        """c_h(x) from k = 1..H, or None when k = H + 1 does not fit."""
        counts = range(1, self._heads + 2)
        even = self._even(x, final, counts, ring)
        inside = ring.reduce(sum((g * a for g, a in zip(cell.gradient, final, strict=True)), fmpq(0)))
        poles = self._poles(x, final, ring)
        if len({int(t % ring.prime) for t in poles}) < len(poles):
            return None
        bottoms = ring.inverses([1 + k * t for k in counts for t in poles])
        terms = [
            k * t * b % ring.modulus for (k, t), b in zip(((k, t) for k in counts for t in poles), bottoms, strict=True)
        ]
        rows = [terms[self._heads * n : self._heads * (n + 1)] for n in range(len(counts))]
        right = [(value - inside) % ring.modulus for value in even]
        square = ring.inverse_matrix(fmpz_mat(rows[:-1]))
        found = multiply_mod(square, fmpz_mat([[entry] for entry in right[:-1]]), ring.modulus).entries()
        last = sum((a * c for a, c in zip(rows[-1], found, strict=True)), fmpz(0))
        return found if (last - right[-1]) % ring.modulus == 0 else None

    def _even(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[fmpz]:
        """The images of f(X) + f(-X)."""
        place = self._oracle.place
        positive = place.see(self._oracle.copies(x, y, counts, ring, CELLS), ring)
        negative = place.see(self._oracle.copies(negated(x), negated(y), counts, ring, CELLS), ring)
        return [a + b for a, b in zip(positive, negative, strict=True)]

    def _poles(self, x: IntegerToken, y: IntegerToken, ring: ResidueRing) -> list[fmpz]:
        """t_h(x, y) of the odd part's heads."""
        if isinstance(self._box, RationalBlackBox):
            return ring.reduce_all(self._box._poles(x, y))  # noqa: SLF001  # one kernel
        poles: list[fmpz] = self._box._poles(x, y, ring)  # noqa: SLF001  # one kernel
        return poles


def unit_values(
    reader: CellReader, cells: Sequence[Cell], signs: Sequence[int], ring: ResidueRing, most_digits: int
) -> list[list[Vector]]:
    """w_hi for every unit i and head h, in the orientation in which z_i is positive after its kink.

    Args:
        reader: Reads the even part inside a cell.
        cells: The cells 0, ..., m - 1.
        signs: s_0, ..., s_(m-1).
        ring: The first ring; digits are added until every number stands out.
        most_digits: Where that ends.

    Raises:
        ConditionFailsError: As `CellReader.values`, or when no rationals stand out.
    """
    while True:
        try:
            tables = [reader.values(cell, ring) for cell in cells]
            following = [*tables[1:], -tables[0]]
            half = ring.inverse(fmpz(2))
            return [
                _rows((after - before) * (sign * half), ring)
                for before, after, sign in zip(tables, following, signs, strict=True)
            ]
        except PrecisionTooLowError:
            if 2 * ring.digits > most_digits:
                raise ConditionFailsError(
                    "the values of the units are no rational numbers of reasonable length"
                ) from None
            ring = ring.finer()
        except UnluckyPrimeError:
            ring = ring.with_next_prime()


def _rows(table: fmpz_mat, ring: ResidueRing) -> list[Vector]:
    numbers = ring.read_numbers([entry % ring.modulus for entry in table.entries()], ring.modulus)
    width = table.ncols()
    return [tuple(numbers[width * h : width * (h + 1)]) for h in range(table.nrows())]
