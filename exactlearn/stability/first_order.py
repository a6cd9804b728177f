"""The first-order map from the errors of all outputs to the errors of the parameters, and its exact max-norm.

To first order dW_h = X^-T dE_h Y^-1 with dE_h[i,j] = sum_(k >= 0) A_ij[s_h, k] e_k^(i,j), e_0 the error of F(0) at
y_j: asked for at y_1, from column 1 at the others (`schedule_constants`); dv_h = X^-T (dc_h(x_i))_i from column 1.
 Sum probes have no part in it.  A parameter's constant is the sum of the absolute values of its coefficients over
all outputs: errors of at most delta make at most so many times delta to first order, and with the coefficients'
signs exactly so many.

In truth, with R the remainders of `probe`, every solved probe obeys the same linear equations with e - R for e; so
the whole error of a parameter is the first-order map of (e - R), and at most constant * (delta + M rho^2) <=
constant * rho. No nonlinear term comes on top: W and v are linear in log t and c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq

from exactlearn.stability.arithmetic import Real, position_of_greatest, sign
from exactlearn.stability.probe import absolute_sum, total
from exactlearn.stability.schedule_constants import ScheduleConstants

AT_Y1 = "F(0)"
"""The name of the query of length 1; the others are named by their probe."""

Signs = dict[str, tuple[int, ...]]
"""For each base probe the signs of its 2H errors, and one sign for the query of length 1."""


@dataclass(frozen=True)
class Parameter:
    """One entry of W_h (row and column) or of v_h (column None); heads and entries count from 0."""

    group: str
    head: int
    row: int
    column: int | None = None

    def __str__(self) -> str:
        entry = f"[{self.row}]" if self.column is None else f"[{self.row}][{self.column}]"
        return f"{self.group}{entry} of head {self.head}"


@dataclass(frozen=True)
class FirstOrderMap:
    """Coefficients and constants of all parameters at one draw."""

    schedule: ScheduleConstants

    @property
    def _heads(self) -> range:
        return range(len(self.schedule.model.heads))

    @property
    def _dim(self) -> range:
        return range(self.schedule.model.dim)

    def parameters(self, group: str) -> Iterator[Parameter]:
        """All entries of all W_h, or of all v_h."""
        for h in self._heads:
            for a in self._dim:
                if group == "v":
                    yield Parameter("v", h, a)
                else:
                    yield from (Parameter("W", h, a, b) for b in self._dim)

    @cached_property
    def constants(self) -> dict[Parameter, Real]:
        """The first-order constant of every parameter."""
        return {
            parameter: self._constant(parameter) for group in ("W", "v") for parameter in self.parameters(group)
        }

    def worst(self, group: str) -> Parameter:
        """The parameter of this group with the largest constant; there has to be a head."""
        members = list(self.parameters(group))
        return members[position_of_greatest([self.constants[member] for member in members])]

    def _constant(self, parameter: Parameter) -> Real:
        first, at_zero = self.first_column_coefficients(parameter)
        largest = total([absolute_sum(row) for row in first]) + abs(at_zero)
        for factors, column in zip(self._later_factors(parameter), self.schedule.other_columns, strict=True):
            largest += total(
                [
                    abs(factor) * self._log_row_sum(constants.column, constants.row, parameter.head)
                    for factor, constants in zip(factors, column, strict=True)
                ]
            )
        return largest

    @cached_property
    def _log_row_sums(self) -> list[list[list[Real]]]:
        """sum_(k >= 1) |A_ij[s_h, k]| for each column, row and head."""
        return [
            [[absolute_sum(row[1:]) for row in constants.inverse.of_log_poles] for constants in column]
            for column in self.schedule.columns
        ]

    def _log_row_sum(self, column: int, row: int, head: int) -> Real:
        return self._log_row_sums[column][row][head]

    @cached_property
    def _inverses(self) -> tuple[list[list[Real]], list[list[Real]]]:
        number = self.schedule.values.number
        X, Y = ([[number(entry) for entry in row] for row in m] for m in (self._exact_x, self._exact_y))
        return X, Y

    @property
    def _exact_x(self) -> list[list[fmpq]]:
        return self.schedule.x_inverse

    @property
    def _exact_y(self) -> list[list[fmpq]]:
        return self.schedule.y_inverse

    @cached_property
    def _coordinates(self) -> list[list[Real]]:
        """The lambda of y_2, ..., y_d."""
        number = self.schedule.values.number
        return [[number(entry) for entry in self.schedule.coordinates(y)] for y in self.schedule.draw.Y[1:]]

    def _later_factors(self, parameter: Parameter) -> list[list[Real]]:
        """For each column from the second on, the factor of each dE_h[i,j]; none for a v."""
        X, Y = self._inverses
        if parameter.column is None:
            return [[0 * X[0][0] for _ in self._dim] for _ in self._dim[1:]]
        a, b = parameter.row, parameter.column
        return [[X[a][i] * Y[b][j] for i in self._dim] for j in self._dim[1:]]

    def first_column_coefficients(self, parameter: Parameter) -> tuple[list[list[Real]], Real]:
        """The coefficients of the outputs of P(1,1), ..., P(d,1), 2H each, and of the query of length 1."""
        X, Y = self._inverses
        a, h = parameter.row, parameter.head
        inverses = [constants.inverse for constants in self.schedule.first_column]
        if parameter.column is None:
            rows = [[X[a][i] * entry for entry in inverse.of_residues[h]] for i, inverse in enumerate(inverses)]
        else:
            through = self._through_value_sum(parameter)  # column 1 reaches the later ones through F(0) = V.y_j
            rows = [
                [X[a][i] * Y[parameter.column][0] * own + through[i] * moved for own, moved in pairs]
                for i, inverse in enumerate(inverses)
                for pairs in [zip(inverse.of_log_poles[h], inverse.of_sum, strict=True)]
            ]
        return [row[1:] for row in rows], total([row[0] for row in rows])

    def _through_value_sum(self, parameter: Parameter) -> list[Real]:
        """For each i how much the parameter moves with V.x_i, through F(0) at y_2, ..., y_d."""
        through = [0 * entry for entry in self._inverses[0][0]]
        for j, factors in enumerate(self._later_factors(parameter), 1):
            column = self.schedule.columns[j]
            by_zero = [constants.inverse.of_log_poles[parameter.head][0] for constants in column]
            slope = total([factor * entry for factor, entry in zip(factors, by_zero, strict=True)])
            through = [old + slope * entry for old, entry in zip(through, self._coordinates[j - 1], strict=True)]
        return through

    def worst_signs(self, parameter: Parameter) -> Signs:
        """The signs of the coefficients: errors of delta with these signs move the parameter most, and upwards."""
        first, at_zero = self.first_column_coefficients(parameter)
        signs: Signs = {AT_Y1: (sign(at_zero),)}
        for constants, row in zip(self.schedule.first_column, first, strict=True):
            signs[constants.name] = tuple(sign(entry) for entry in row)
        for factors, column in zip(self._later_factors(parameter), self.schedule.other_columns, strict=True):
            for factor, constants in zip(factors, column, strict=True):
                moved = constants.inverse.of_log_poles[parameter.head][1:]
                signs[constants.name] = tuple(sign(factor * entry) for entry in moved)
        return signs
