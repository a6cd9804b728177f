"""What `exactlearn stability` says, as a JSON-ready document: bounds rounded outwards, and what dominates them."""

from __future__ import annotations

import random
from typing import Any

from flint import arb, fmpq

from exactlearn.files.numerals import print_number
from exactlearn.stability.arithmetic import (
    Real,
    ball,
    decimal_above,
    decimal_below,
    greatest,
    position_of_greatest,
    rational_above,
    rational_below,
)
from exactlearn.stability.bounds import Stability
from exactlearn.stability.choosing import Candidate, Choice, row_norm
from exactlearn.stability.margins import Limit, log_lower_bound
from exactlearn.stability.perturbed_runs import PerturbedRuns
from exactlearn.stability.probe import FACTOR, ProbeConstants

FORMAT = "exactlearn.stability/1"

_SMALLEST_RUN = 4096
"""Runs are made at delta above 2^-4096."""

_OBSERVED = 6
"""Runs with random signs, at a delta that is asked about."""

_LONGEST_EXACT = 4000
"""Exact rationals of more bits are left out; the rounded ones say the same."""


def stability_to_json(found: Stability) -> dict[str, Any]:
    """The constants of a model and a draw.

    Numbers are strings.  Every bound is a rational rounded outwards to 64 bits, null when it is too long to be written,
    and once more as a decimal with exponent, rounded outwards too.
    """
    first = {group: found.first_order_constant(group) for group in ("W", "v")}
    return {
        "arithmetic": "rational" if found.is_exact else f"balls of {found.precision} bits",
        **_lower("delta_0", found.delta_0),
        **_upper("C", found.largest_constant),
        **_upper("C_W", found.constant("W")),
        **_upper("C_v", found.constant("v")),
        "first_order": {
            group: {
                **_upper("constant", value),
                "entry": str(found.first_order.worst(group)),
                "exact": _exact(found, value),
            }
            for group, value in first.items()
        },
        "slack": print_number(FACTOR),
        "exact": {"delta_0": _exact(found, found.delta_0), "C": _exact(found, found.largest_constant)},
        "conditions": {name: _limit(limit) for name, limit in found.conditions.items()},
        "dominant": dominant(found),
        "probes": [_probe(constants) for constants in found.schedule.probes],
    }


def dominant(found: Stability) -> dict[str, Any]:
    """What makes delta_0 small and C large."""
    probe, pair, gap = closest_poles(found)
    basis_name, norm = worst_basis(found)
    residue_probe, head, residue = smallest_residue(found)
    return {
        "limiting_condition": _limit(found.limiting),
        "heaviest_probe": {"probe": found.heaviest_probe.name, **_upper("beta", found.heaviest_probe.beta)},
        "closest_poles": None if pair is None else {"probe": probe, "heads": list(pair), **_lower("gap", gap)},
        "worst_conditioned_basis": {"basis": basis_name, **_upper("norm_of_inverse", norm)},
        "smallest_residue": {"probe": residue_probe, "head": head, **_lower("residue", residue)},
    }


def closest_poles(found: Stability) -> tuple[str, tuple[int, int] | None, Real]:
    """The probe and the two heads with the smallest gap |log t_g - log t_h|, by its bound 2 |r - 1| / (r + 1)."""
    gaps = [
        (constants.name, (g, h), log_lower_bound(t / constants.poles[g]))
        for constants in found.schedule.probes
        for h, t in enumerate(constants.poles)
        for g in range(h)
    ]
    if not gaps:
        return "", None, fmpq(0)
    return gaps[position_of_greatest([-gap for _, _, gap in gaps])]


def worst_basis(found: Stability) -> tuple[str, fmpq]:
    """X or Y, whichever has the inverse of the larger row norm, and that norm."""
    norms = {"X": row_norm(found.schedule.x_inverse), "Y": row_norm(found.schedule.y_inverse)}
    name = max(norms, key=lambda basis: norms[basis])
    return name, norms[name]


def smallest_residue(found: Stability) -> tuple[str, int, Real]:
    """The probe and the head with the smallest |v_h.x|."""
    residues = [
        (constants.name, h, abs(c)) for constants in found.schedule.probes for h, c in enumerate(constants.residues)
    ]
    return residues[position_of_greatest([-c for _, _, c in residues])]


def delta_to_json(found: Stability, delta: fmpq) -> dict[str, Any]:
    """Whether the bound holds at this delta, and what it then is."""
    holds = bool(delta <= found.delta_0)
    report: dict[str, Any] = {"delta": print_number(delta), "holds": holds}
    for group in ("W", "v"):
        report |= (
            _upper(f"error_{group}", found.error_bound(group, delta))
            if holds
            else {f"error_{group}": None, f"error_{group}_decimal": None}
        )
    return report


def observed_to_json(found: Stability, delta: fmpq, seed: int) -> dict[str, Any] | None:
    """What happens to the learner at this delta: runs with the worst signs of a W and of a v, and with random signs.

    Returns:
        The first failure, whether C delta was broken, and the largest errors.  None where delta is zero or
        too small to be run.
    """
    if not fmpq(1, 1 << _SMALLEST_RUN) < delta:
        return None
    runs, generator = PerturbedRuns(found), random.Random(f"observed {seed}")
    patterns = [runs.worst_signs(found.first_order.worst(group)) for group in ("W", "v")]
    patterns += [runs.random_signs(generator) for _ in range(_OBSERVED)]
    outcomes = [runs.run(delta, signs) for signs in patterns]
    failed = sum(outcome.failure is not None for outcome in outcomes)
    report: dict[str, Any] = {"runs": len(outcomes), "failed": failed, "failure": None, "bound_broken": False}
    for outcome in outcomes:
        if outcome.failure is not None:
            report["failure"] = report["failure"] or str(outcome.failure)
        for group, error in outcome.errors.items():
            largest = greatest([error], report.get(group, error))
            report |= {group: largest}
            report["bound_broken"] |= bool(error > ball(found.constant(group) * delta))
    return {key: decimal_above(value) if isinstance(value, arb) else value for key, value in report.items()}


def choice_to_json(choice: Choice) -> dict[str, Any]:
    """How much choosing among draws helps."""
    named = {
        "first": choice.candidates[0],
        "median": choice.median,
        "by_condition_number": choice.conditioned,
        "by_queries": choice.by_queries,
        "adaptive": choice.adaptive,
        "best_in_hindsight": choice.best,
    }
    return {
        "count": len(choice.candidates),
        "extra_queries_of_adaptive": choice.extra_queries,
        **{name: _candidate(candidate) for name, candidate in named.items()},
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    constant = candidate.constant
    nothing = {"C": None, "C_decimal": None}
    X, Y = ([list(token) for token in basis] for basis in (candidate.draw.X, candidate.draw.Y))
    return {"seed": candidate.seed, **(nothing if constant is None else _upper("C", constant)), "X": X, "Y": Y}


def _probe(constants: ProbeConstants) -> dict[str, Any]:
    weights = constants.residue_weights + constants.log_pole_weights
    return {
        "name": constants.name,
        "x": list(constants.probe.x),
        "y": list(constants.probe.y),
        **_upper("beta", constants.beta),
        **_upper("K", constants.second_derivatives),
        **_upper("curvature", constants.curvature),
        **_upper("error_of_F0", constants.zero_error),
        **_upper("largest_weight", weights[position_of_greatest(weights)]),
    }


def _limit(limit: Limit) -> dict[str, Any]:
    return {"condition": limit.condition, "probe": limit.probe, "heads": list(limit.heads)} | _lower(
        "delta", limit.delta
    )


def _upper(name: str, value: Real) -> dict[str, Any]:
    rational = rational_above(value)
    return {name: None if rational is None else print_number(rational), f"{name}_decimal": decimal_above(value)}


def _lower(name: str, value: Real) -> dict[str, Any]:
    rational = rational_below(value)
    return {name: None if rational is None else print_number(rational), f"{name}_decimal": decimal_below(value)}


def _exact(found: Stability, value: Real) -> str | None:
    if not found.is_exact or value.p.bit_length() + value.q.bit_length() > _LONGEST_EXACT:
        return None
    return print_number(value)
