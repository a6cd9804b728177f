"""Claim stability: outputs within delta <= delta_0 give every parameter within C delta (DESIGN section 8)."""

from __future__ import annotations

import random
from functools import lru_cache

from flint import fmpq

from exactlearn.claims.claim import Claim
from exactlearn.claims.context import Context
from exactlearn.errors import DegenerateDrawError, UndecidedError
from exactlearn.stability.arithmetic import ball, decimal_above, decimal_below, rational_below
from exactlearn.stability.bounds import Stability, stability
from exactlearn.stability.choosing import seeded_draw
from exactlearn.stability.perturbed_runs import PerturbedRuns
from exactlearn.verdict import Fails, Holds, Verdict

RANDOM_RUNS = 4
"""Runs with random signs, at delta_0 and at delta_0/2 each."""

MOST_WORK = 5_000
"""d^2 H^3 up to which the claim is checked, in a few seconds."""

_MUCH_WORK = 500
"""d^2 H^3 from which on there is one run alone, with the worst signs of a W."""

_BOXES = range(1, 9)
_MOST_BITS = 4_000


def applies(context: Context) -> bool:
    """Applies to models with a head, up to `MOST_WORK`, when a draw of small tokens has a delta_0 that can be run."""
    return context.heads >= 1 and _work(context) <= MOST_WORK and _constants(context) is not None


def check(context: Context) -> Verdict:
    """Perturbed runs of the learner: random signs, and the worst signs of a W and of a v."""
    return _within(context, fmpq(1))


def control(context: Context) -> Verdict:
    """C halved: below the first-order constant, so the worst signs break it."""
    return _within(context, fmpq(1, 2))


def _within(context: Context, part: fmpq) -> Verdict:
    constants = _constants(context)
    if constants is None:
        raise UndecidedError("no draw of small tokens is good and has a delta_0 that can be run")
    box, found, delta_0 = constants
    runs, generator, worst = PerturbedRuns(found), random.Random(f"stability {context.seed}"), fmpq(0)
    patterns = [runs.worst_signs(found.first_order.worst(group)) for group in ("W", "v")]
    patterns += [runs.random_signs(generator) for _ in range(RANDOM_RUNS)]
    deltas = [delta_0, delta_0 / 2]
    if _work(context) >= _MUCH_WORK:
        patterns, deltas = patterns[:1], deltas[:1]
    for delta in deltas:
        for signs in patterns:
            outcome = runs.run(delta, signs)
            if outcome.failure is not None:
                return Fails(delta, f"at delta = {decimal_below(delta)} the learner failed: {outcome.failure}")
            for group, error in outcome.errors.items():
                if not error <= ball(part * found.constant(group) * delta):
                    told = f"{group} is wrong by {decimal_above(error / ball(delta))} delta"
                    return Fails(signs, f"at delta = {decimal_below(delta)} an entry of {told}")
                share = error / ball(delta * found.first_order_constant(group))
                worst = max(worst, fmpq(int((share * 1000).mid().floor().unique_fmpz() or 0), 1000))
    numbers = f"delta_0 = {decimal_below(found.delta_0)}, " + ", ".join(
        f"C_{group} = {decimal_above(found.constant(group))}" for group in ("W", "v")
    )
    kind = "exact rationals" if found.is_exact else "rigorous balls"
    where = " and delta_0/2" if len(deltas) > 1 else ""
    count = len(deltas) * len(patterns)
    return Holds(
        f"tokens from [-{box}, {box}]: {numbers}, {kind}; "
        f"{count} perturbed runs at delta_0{where} stay within these, the "
        f"worst at {decimal_above(worst)} of the first-order constant (C is 4/3 of it)"
    )


def _work(context: Context) -> int:
    return context.dim**2 * context.heads**3


@lru_cache(maxsize=2)  # applies, check and control look at one and the same instance
def _constants(context: Context) -> tuple[int, Stability, fmpq] | None:
    """The smallest box whose draw is good and can be run, the constants there, and delta_0 rounded down."""
    for box in _BOXES:
        try:
            found = stability(context.canonical, seeded_draw(context.canonical, context.seed, box))
        except (DegenerateDrawError, UndecidedError):
            continue
        delta_0 = rational_below(found.delta_0)
        if delta_0 is not None and delta_0.q.bit_length() <= _MOST_BITS:
            return box, found, delta_0
    return None


CLAIM = Claim(
    "stability",
    "outputs within delta <= delta_0 give every entry of every W within C_W delta and of every v within C_v delta",
    "the same with C_W / 2 and C_v / 2",
    applies,
    check,
    control,
)
