"""From the poles and residues of one draw to the numbers of every head, under any schedule (DESIGN section 10)."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpz, fmpz_mat

from exactlearn.layers.probing import completed
from exactlearn.layers.schedules import Schedule
from exactlearn.model import Matrix
from exactlearn.places.padic import logarithms, weights_from_logarithms
from exactlearn.places.protocol import Place, TokenBasis
from exactlearn.places.residues import multiply_mod


@dataclass(frozen=True)
class HeadNumbers:
    """The numbers of one head as they were read: W (homogeneous with biases) and the rows of V."""

    W: Matrix
    V: Matrix


@dataclass(frozen=True)
class Assembly:
    """W_h = X^-T E_h Y^-1 and X^T V_h^T = the values, for every head.

    Attributes:
        place: Takes poles back to weights.
        basis: The drawn tokens.
        schedule: Says which probes were asked.
        poles: t_h(x_i, y_j) as ``poles[j][i][h]``.
        values: V_h x_i as ``values[i][h][a]``.
    """

    place: Place
    basis: TokenBasis
    schedule: Schedule
    poles: list[list[list[fmpz]]]
    values: list[list[list[fmpz]]]

    @property
    def is_incomplete(self) -> bool:
        """Whether the schedule leaves probes out, whose poles follow from the rank."""
        return self.schedule.rank is not None and self.schedule.rank < self.schedule.dim

    def completed_exponents(self) -> list[fmpz_mat] | None:
        """Every head's log t_h(x_i, y_j), with what was not asked filled in; None at a draw that is bad for it."""
        found = []
        for h in range(self._heads):
            known = logarithms(self.basis.ring, self._pole_matrix(h)[: self.schedule.dim])
            whole = completed(self.basis.ring, known, self.schedule.rank or 0)
            if whole is None:
                return None
            found.append(whole)
        return found

    def heads(self, exponents: list[fmpz_mat] | None) -> list[HeadNumbers]:
        """The numbers of all heads; `exponents` when they had to be completed.

        Raises:
            PrecisionTooLowError: When more digits are needed.
        """
        return [HeadNumbers(self._weights(h, exponents), self._V(h)) for h in range(self._heads)]

    @property
    def _heads(self) -> int:
        return len(self.values[0])

    @property
    def _extra_rows(self) -> int:
        """One with biases: that of the unit vector e_(d+1), where scores and values are zero."""
        return self.schedule.columns - self.schedule.dim

    def _weights(self, h: int, exponents: list[fmpz_mat] | None) -> Matrix:
        if exponents is None:
            return self.place.weights_from_poles(self.basis, self._pole_matrix(h))
        below = [[fmpz(0)] * self.schedule.columns] * self._extra_rows
        return weights_from_logarithms(self.basis, fmpz_mat(exponents[h].tolist() + below))

    def _pole_matrix(self, h: int) -> list[list[fmpz]]:
        """t_h(x_i, y_j), row by row; 1 in the extra row, and where nothing was asked."""
        one = fmpz(1)
        return [
            [column[i][h] if i < len(column) else one for column in self.poles] for i in range(self.schedule.columns)
        ]

    def _V(self, h: int) -> Matrix:  # noqa: N802  # the matrix V
        ring, width = self.basis.ring, self.schedule.columns
        rows = [row[h] for row in self.values]
        outputs = len(rows[0])
        seen = fmpz_mat(rows + [[fmpz(0)] * outputs] * self._extra_rows)
        values = multiply_mod(self.basis.x_inverse, seen, ring.modulus).transpose()
        numbers = ring.read_numbers(values.entries(), ring.modulus)
        return tuple(tuple(numbers[width * a : width * a + self.schedule.dim]) for a in range(outputs))
