"""The inverse Jacobian of one probe in closed form: how errors of F(0), ..., F(2H) move the residues and the log-poles.

With s_h = log t_h and D(k) = F(k) - F(0) = sum_h c_h k t_h / (1 + k t_h), let J be the Jacobian of (c, s) -> (D(1),
..., D(2H)), A = J^-1, and let column 0, -A 1, be the effect of an error of F(0), which lowers every D(k). For j = 0,
..., 2H

    A[s_h, j] = (-1)^(j+1) prod_g (1 + j t_g)^2 prod_(i != j) (1 + i t_h)
                / (j! (2H-j)! c_h t_h^2 prod_(g != h) (t_h - t_g)^2)
    A[c_h, j] = -A[s_h, j] c_h (sum_i 1 / (1 + i t_h) - 1 / (1 + j t_h) + 2 sum_(g != h) t_g / (t_h - t_g))
    sum_h A[c_h, j] = (-1)^j prod_g (1 + j t_g)^2 / (j! (2H-j)! prod_g t_g^2), less 1 for j = 0

with i in 1..2H (theorem stability of the folder proofs/).  D is the G of DESIGN section 8 with row k multiplied by
k, since all F(k) have errors of the same size.  Balls stay narrow however large or small the t are: only t_h - t_g
cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exactlearn.stability.arithmetic import Real


@dataclass(frozen=True)
class ProbeInverse:
    """A of one probe: rows of 2H + 1 entries, for the errors of F(0), ..., F(2H); each row sums to zero.

    Attributes:
        of_residues: Row h moves c_h.
        of_log_poles: Row h moves s_h = log t_h.
        of_sum: The row that moves sum_h c_h.
    """

    of_residues: tuple[tuple[Real, ...], ...]
    of_log_poles: tuple[tuple[Real, ...], ...]
    of_sum: tuple[Real, ...]


def probe_inverse(residues: Sequence[Real], poles: Sequence[Real]) -> ProbeInverse:
    """A at distinct poles t_h > 0 and residues c_h, none zero; H >= 1 of each, in one order."""
    copies = range(2 * len(poles) + 1)
    signed = [(-1) ** j * math.factorial(j) * math.factorial(copies[-1] - j) for j in copies]
    squares = [product((1 + j * t) ** 2 for t in poles) for j in copies]
    whole = product(t * t for t in poles)
    of_sum = [square / (weight * whole) for square, weight in zip(squares, signed, strict=True)]
    log_rows, residue_rows = [], []
    for h, (c, t) in enumerate(zip(residues, poles, strict=True)):
        others = [s for g, s in enumerate(poles) if g != h]
        scale = -c * t * t * product((t - s) ** 2 for s in others)
        drift = 2 * sum((s / (t - s) for s in others), 0 * t)
        log_row = [
            squares[j] * product(1 + i * t for i in copies[1:] if i != j) / (signed[j] * scale) for j in copies
        ]
        slopes = [sum((1 / (1 + i * t) for i in copies[1:] if i != j), drift) for j in copies]
        slopes[0] -= 1
        log_rows.append(tuple(log_row))
        residue_rows.append(tuple(-entry * c * slope for entry, slope in zip(log_row, slopes, strict=True)))
    return ProbeInverse(tuple(residue_rows), tuple(log_rows), (of_sum[0] - 1, *of_sum[1:]))


def product(factors: Iterable[Real]) -> Real:
    """The product of the factors, 1 when there is none."""
    total: Real = 1
    for factor in factors:
        total = total * factor
    return total
