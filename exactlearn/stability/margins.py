"""Margins: up to which delta poles stay apart, residues keep their signs, and every head finds its right partner.

All errors of log-poles are at most w_s rho and those of residues at most w_c rho, rho = 4/3 delta (`probe`).  For
positive r != 1 the rational 2 |r - 1| / (r + 1) is a strict lower bound of |log r|, so that no logarithm is needed:

* shift: w_s rho <= 1/4, where the bounds of the second derivatives hold;
* residue: w_c rho <= |c| / 2, so none vanishes;
* poles: (w_g + w_h) rho <= 2 |r - 1| / (r + 1) with r = t_g / t_h, so no two of one probe meet;
* curvature: M rho <= 1/4, so that a solution exists.

Then the perturbed values of a probe are those of exactly one rational function of type (H-1, H) over k, with H simple
poles: two such functions that agree at 2H copy counts are one.  What interpolation finds is the solution of `probe`.

* matching: the partner of head h is the g for which s_h + s_g comes nearest to a log-pole of the sum probe.  The right
  one misses by at most (w_h + w'_h + w''_h) rho, a wrong g by at least |log r| - (w_h + w'_g + w''_l) rho for every l,
  r = t_h t'_g / t''_l.  So what is needed is (2 w_h + w'_g + w'_h + w''_l + w''_h) rho <= 2 |r - 1| / (r + 1)
  for all g != h and all l.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from exactlearn.stability.arithmetic import Real
from exactlearn.stability.probe import FACTOR, LARGEST_SHIFT, MOST_CURVATURE, ProbeConstants
from exactlearn.stability.schedule_constants import ScheduleConstants

CONDITIONS = ("curvature", "shift", "residue", "poles", "matching")
"""The names of the conditions."""


@dataclass(frozen=True)
class Limit:
    """One condition holds for every delta up to `delta`.

    Attributes:
        condition: One of `CONDITIONS`.
        probe: The probe where it is needed; of a matching the sum probe.
        heads: The heads it is about, counted from 0; empty for the curvature, which is about all.
        delta: Up to which delta it holds.
    """

    condition: str
    probe: str
    heads: tuple[int, ...]
    delta: Real


def limits(schedule: ScheduleConstants) -> Iterator[Limit]:
    """Every condition at every probe."""
    for constants in schedule.probes:
        yield from _limits_of_probe(constants)
    first, sums = schedule.first_column, schedule.sums_of_first_column
    for right, both in zip(first[1:], sums, strict=True):
        yield from _limits_of_matching(first[0], right, both)
    for column, sums in zip(schedule.other_columns, schedule.sums_of_other_columns, strict=True):
        for left, right, both in zip(first, column, sums, strict=True):
            yield from _limits_of_matching(left, right, both)


def log_lower_bound(ratio: Real) -> Real:
    """2 |r - 1| / (r + 1), below |log r| unless r = 1."""
    return 2 * abs(ratio - 1) / (ratio + 1)


def _limits_of_probe(constants: ProbeConstants) -> Iterator[Limit]:
    name, w_s, w_c = constants.name, constants.log_pole_weights, constants.residue_weights
    yield Limit("curvature", name, (), MOST_CURVATURE / constants.curvature)
    for h, (w, u, c) in enumerate(zip(w_s, w_c, constants.residues, strict=True)):
        yield Limit("shift", name, (h,), LARGEST_SHIFT / FACTOR / w)
        yield Limit("residue", name, (h,), abs(c) / (2 * FACTOR * u))
    for g, h in itertools.combinations(range(len(w_s)), 2):
        gap = log_lower_bound(constants.poles[g] / constants.poles[h])
        yield Limit("poles", name, (g, h), gap / (FACTOR * (w_s[g] + w_s[h])))


def _limits_of_matching(left: ProbeConstants, right: ProbeConstants, both: ProbeConstants) -> Iterator[Limit]:
    w, v, u = left.log_pole_weights, right.log_pole_weights, both.log_pole_weights
    heads = range(len(w))
    for h, g in itertools.permutations(heads, 2):
        for m in heads:
            gap = log_lower_bound(left.poles[h] * right.poles[g] / both.poles[m])
            reach = 2 * w[h] + v[g] + v[h] + u[m] + u[h]
            yield Limit("matching", both.name, (h, g, m), gap / (FACTOR * reach))


def is_sound(limit: Limit) -> bool:
    """Whether the limit is certainly positive: a ball may be too wide, or the draw may be degenerate."""
    return bool(limit.delta > fmpq(0))
