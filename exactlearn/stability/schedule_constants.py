"""The constants of all probes of the paper's schedule at one draw, with the errors of the computed F(0) (section 8).

F(0) at y_1 is asked for: its error is at most delta, nu = 1.  At the other y it is computed, V.y with X^T V = (sum_h
c_h(x_i))_i from column 1, so with sigma_i the row that moves sum_h c_h(x_i) (`inverse`) and lambda = X^-1 y its
first-order error is sum_i lambda_i (sigma_i[0] e_0 + sum_(k >= 1) sigma_i[k] e_k^(i,1)), at most nu delta with

    nu(y) = sum_i |lambda_i| sum_(k >= 1) |sigma_i[k]| + |sum_i lambda_i sigma_i[0]|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpq_mat

from exactlearn.draws import Draw
from exactlearn.model import MultiHeadAttention
from exactlearn.places.protocol import IntegerToken
from exactlearn.schedule import Probe
from exactlearn.stability.arithmetic import Real
from exactlearn.stability.model_values import ModelValues
from exactlearn.stability.probe import ProbeConstants, absolute_sum, total


@dataclass(frozen=True)
class ScheduleConstants:
    """All probes of one draw.

    Attributes:
        values: The canonical model's poles and residues, exact or balls.
        draw: The tokens.
    """

    values: ModelValues
    draw: Draw

    @property
    def model(self) -> MultiHeadAttention:
        """The canonical model."""
        return self.values.model

    @cached_property
    def x_inverse(self) -> list[list[fmpq]]:
        """X^-T, row a, column i: v[a] = sum_i x_inverse[a][i] c(x_i)."""
        return inverse_of_rows(self.draw.X)

    @cached_property
    def y_inverse(self) -> list[list[fmpq]]:
        """Y^-T, row b, column j: W[a][b] = sum_ij x_inverse[a][i] E[i][j] y_inverse[b][j]."""
        return inverse_of_rows(self.draw.Y)

    def coordinates(self, y: IntegerToken) -> list[fmpq]:
        """The lambda = X^-1 y: V.y = sum_i lambda_i V.x_i."""
        return [
            sum((fmpq(b) * row[i] for b, row in zip(y, self.x_inverse, strict=True)), fmpq(0))
            for i in range(self.model.dim)
        ]

    @cached_property
    def first_column(self) -> tuple[ProbeConstants, ...]:
        """P(1,1), ..., P(d,1)."""
        one = self.values.number(fmpq(1))
        return tuple(self._base(i, 0, one) for i in range(self.model.dim))

    @property
    def sum_rows(self) -> tuple[tuple[Real, ...], ...]:
        """sigma_i, 2H + 1 entries each."""
        return tuple(constants.inverse.of_sum for constants in self.first_column)

    @cached_property
    def other_columns(self) -> tuple[tuple[ProbeConstants, ...], ...]:
        """P(1,j), ..., P(d,j) for j = 2, ..., d."""
        d = self.model.dim
        return tuple(
            tuple(self._base(i, j, error) for i in range(d))
            for j in range(1, d)
            for error in [self.zero_error(self.draw.Y[j])]
        )

    @property
    def columns(self) -> tuple[tuple[ProbeConstants, ...], ...]:
        """All base probes, column by column."""
        return (self.first_column, *self.other_columns)

    @cached_property
    def sums_of_first_column(self) -> tuple[ProbeConstants, ...]:
        """S(2,1), ..., S(d,1)."""
        X, y, one = self.draw.X, self.draw.Y[0], self.values.number(fmpq(1))
        return tuple(
            self._constants(Probe(f"S({i + 1},1)", _sum(X[0], X[i]), y), (i, 0), one)
            for i in range(1, self.model.dim)
        )

    @cached_property
    def sums_of_other_columns(self) -> tuple[tuple[ProbeConstants, ...], ...]:
        """S(1,j), ..., S(d,j) for j = 2, ..., d."""
        X, Y, d = self.draw.X, self.draw.Y, self.model.dim
        columns = []
        for j in range(1, d):
            y = _sum(Y[0], Y[j])
            error = self.zero_error(y)
            probes = [Probe(f"S({i + 1},{j + 1})", X[i], y) for i in range(d)]
            columns.append(tuple(self._constants(probe, (i, j), error) for i, probe in enumerate(probes)))
        return tuple(columns)

    @property
    def probes(self) -> tuple[ProbeConstants, ...]:
        """All of them."""
        base = (constants for column in self.columns for constants in column)
        sums = (constants for column in self.sums_of_other_columns for constants in column)
        return (*base, *self.sums_of_first_column, *sums)

    def zero_error(self, y: IntegerToken) -> Real:
        """nu(y)."""
        coordinates = [self.values.number(entry) for entry in self.coordinates(y)]
        apart = [abs(a) * absolute_sum(row[1:]) for a, row in zip(coordinates, self.sum_rows, strict=True)]
        common = [a * row[0] for a, row in zip(coordinates, self.sum_rows, strict=True)]
        return total(apart) + abs(total(common))

    def _base(self, i: int, j: int, zero_error: Real) -> ProbeConstants:
        return self._constants(Probe(f"P({i + 1},{j + 1})", self.draw.X[i], self.draw.Y[j]), (i, j), zero_error)

    def _constants(self, probe: Probe, place: tuple[int, int], zero_error: Real) -> ProbeConstants:
        residues, poles = self.values.residues(probe.x), self.values.poles(probe.x, probe.y)
        return ProbeConstants(probe, *place, residues, poles, zero_error)


def inverse_of_rows(rows: Sequence[IntegerToken]) -> list[list[fmpq]]:
    """The inverse of the matrix with these rows."""
    inverse: list[list[fmpq]] = fmpq_mat([[fmpq(entry) for entry in row] for row in rows]).inv().tolist()
    return inverse


def _sum(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(left, right, strict=True))
