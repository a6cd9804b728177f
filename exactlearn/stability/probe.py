"""The constants of one probe: how far its residues and log-poles move when every output is wrong by at most delta.

Let D~(k) = D(k) + e_k - e_0, with |e_k| <= delta the errors of F(k) and e_0 the error of F(0), and (c + dc, s + ds)
be parameters with exactly these D~ (s_h = log t_h).  D is linear in c, so by Taylor's theorem, with L(u) = 1/(1 +
e^-u) and D(k) = sum_h c_h L(s_h + log k),

    J (dc, ds) = e - e_0 1 - R,     |R_k| <= sum_h m_hk |dc_h| |ds_h| + n_hk |c_h| ds_h^2 / 2

with m_hk, n_hk bounds of L' and |L''| between s_h + log k and s_h + ds_h + log k.  L' <= 1/4, |L''| < 1/10 and
|L''| <= L', hence L'(u + z) <= e^|z| L'(u); and e^(1/4) < 9/7.  So for |ds_h| <= 1/4

    m_hk = min(1/4, 9/7 q_hk),     n_hk = min(1/10, 9/7 q_hk),     q_hk = k t_h / (1 + k t_h)^2.

Weights: when |e_0| <= nu delta, the first-order error of the i-th parameter is at most w_i delta, and can be that,
with w_i = sum_(j >= 1) |A[i,j]| + nu |A[i,0]|, A = J^-1 with the column A[., 0] = -A 1 (`inverse`).  With

    M = max_k sum_h (m_hk w_(c_h) w_(s_h) + n_hk |c_h| w_(s_h)^2 / 2)

every box |dz_i| <= w_i rho has |R| <= M rho^2.  When delta + M rho^2 <= rho and |e_0| <= nu rho (for computed F(0) the
remainders of column 1 count too) the map dz -> A (e - e_0 1 - R(dz)) takes the box into itself, and it is continuous:
by Brouwer's theorem there is a solution in it.  M delta <= 3/16 is taken, so that rho = 4/3 delta will do.

This is Kantorovich's condition in a norm that measures each parameter by its own weight.  In the maximum norm, with
K = max_k sum_h (2 m_hk + n_hk |c_h|), so that |R_k| <= K/2 max |dz_i|^2, and w = max w_i (w = beta = ||J^-1||_inf
where F(0) is exact), M <= w^2 K / 2; Kantorovich allows w^2 K delta <= 1/2 with rho = 2 delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq

from exactlearn.schedule import Probe
from exactlearn.stability.arithmetic import Real, greatest, smallest
from exactlearn.stability.inverse import ProbeInverse, probe_inverse

FACTOR = fmpq(4, 3)
"""rho / delta."""

MOST_CURVATURE = fmpq(3, 16)
"""Of M delta: 1 + 16/9 M delta <= 4/3 says the same."""

LARGEST_SHIFT = fmpq(1, 4)
"""Of a log-pole, within which the bounds of the second derivatives hold."""


@dataclass(frozen=True)
class ProbeConstants:
    """One probe at the model's own poles and residues.

    Attributes:
        probe: Its name and tokens.
        row: The index i of x_i, from 0.
        column: The index j of y_j, from 0.
        residues: c_h, in the order of the heads.
        poles: t_h.
        zero_error: nu: the error of F(0), to first order, is at most nu delta.
    """

    probe: Probe
    row: int
    column: int
    residues: tuple[Real, ...]
    poles: tuple[Real, ...]
    zero_error: Real

    @property
    def name(self) -> str:
        """P(i,j) or S(i,j)."""
        return self.probe.name

    @property
    def is_base(self) -> bool:
        """Whether it is a base probe."""
        return self.name.startswith("P")

    @cached_property
    def inverse(self) -> ProbeInverse:
        """A = J^-1."""
        return probe_inverse(self.residues, self.poles)

    @cached_property
    def residue_weights(self) -> tuple[Real, ...]:
        """The w of each c_h."""
        return tuple(self._weight(row) for row in self.inverse.of_residues)

    @cached_property
    def log_pole_weights(self) -> tuple[Real, ...]:
        """The w of each s_h = log t_h."""
        return tuple(self._weight(row) for row in self.inverse.of_log_poles)

    @cached_property
    def beta(self) -> Real:
        """||J^-1||_inf, for the rows D(1), ..., D(2H)."""
        sums = [absolute_sum(row[1:]) for row in self.inverse.of_residues + self.inverse.of_log_poles]
        return greatest(sums[1:], sums[0])

    @cached_property
    def second_derivatives(self) -> Real:
        """K = max_k sum_h (2 m_hk + n_hk |c_h|), the bound of second derivatives: |R_k| <= K/2 max |dz_i|^2."""
        sums = [
            sum((2 * m + n * abs(c) for (m, n), c in zip(bounds, self.residues, strict=True)), 0 * self.poles[0])
            for bounds in self._derivative_bounds
        ]
        return greatest(sums[1:], sums[0])

    @cached_property
    def curvature(self) -> Real:
        """M."""
        sums = [
            sum(
                (
                    m * w_c * w_s + n * abs(c) * w_s * w_s / 2
                    for (m, n), c, w_c, w_s in zip(
                        bounds, self.residues, self.residue_weights, self.log_pole_weights, strict=True
                    )
                ),
                0 * self.poles[0],
            )
            for bounds in self._derivative_bounds
        ]
        return greatest(sums[1:], sums[0])

    @property
    def _derivative_bounds(self) -> list[list[tuple[Real, Real]]]:
        """(m_hk, n_hk) for each k, then each h."""
        table = []
        for k in range(1, 2 * len(self.poles) + 1):
            slopes = [fmpq(9, 7) * (k * t) / ((1 + k * t) * (1 + k * t)) for t in self.poles]
            table.append([(capped(slope, fmpq(1, 4)), capped(slope, fmpq(1, 10))) for slope in slopes])
        return table

    def _weight(self, row: Sequence[Real]) -> Real:
        return absolute_sum(row[1:]) + self.zero_error * abs(row[0])


def capped(value: Real, cap: fmpq) -> Real:
    """The smaller of the two, in the kind of `value`."""
    return smallest([value], 0 * value + cap)


def total(values: Sequence[Real]) -> Real:
    """The sum of values, at least one."""
    return sum(values[1:], values[0])


def absolute_sum(values: Sequence[Real]) -> Real:
    """The sum of absolute values, at least one."""
    return total([abs(value) for value in values])
