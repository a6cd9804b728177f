"""Claim probability-one: a draw is good outside the zeros of finitely many non-zero polynomials (DESIGN section 5)."""

from __future__ import annotations

from exactlearn.claims.claim import Claim, always
from exactlearn.claims.context import Context
from exactlearn.failure_rates import observed_failures, schwartz_zippel_bound
from exactlearn.genericity import BadSet
from exactlearn.model import Head
from exactlearn.verdict import Fails, Holds, Verdict

SMALL_BOX = 2
LARGE_BOX = 1_000_000

MAX_COMPARISONS = 1_000_000
"""Bound on the work for the observed failures of one box, about a second."""


def check(context: Context) -> Verdict:
    """Every polynomial has a witness point; none vanishes at the learner's draw; bounds and observed failures."""
    identically_zero = context.bad_set.identically_zero()
    if identically_zero is not None:
        return Fails(identically_zero, f"{identically_zero} vanishes identically")
    vanishing = context.bad_set.vanishing(context.learned.result.draw)
    if vanishing:
        return Fails(vanishing[0], f"{vanishing[0]} vanishes at the draw that the learner accepted")
    counts = context.bad_set.counts()
    listing = ", ".join(f"{count} {family}" for family, count in counts.items() if count)
    rates = "; ".join(_rate(context, box) for box in (SMALL_BOX, LARGE_BOX))
    return Holds(
        f"{sum(counts.values())} polynomials ({listing}): non-zero at an explicit point (exact, one for each kind up "
        f"to renaming tokens), none zero at the learner's draw (exact); {rates}"
    )


def control(context: Context) -> Verdict:
    """The heads are not canonical: one W occurs twice."""
    heads = context.canonical.heads or (Head([[1] * context.dim] * context.dim, [1] * context.dim),)
    raw = context.canonical.with_heads([*heads, heads[0]])
    found = BadSet(raw).identically_zero()
    if found is None:
        return Holds("every polynomial of the raw heads has a witness point")
    return Fails(found, f"with a head twice {found} vanishes identically")


def _rate(context: Context, box: int) -> str:
    bound = schwartz_zippel_bound(context.model, box)
    observed = observed_failures(context.model, box, _affordable_draws(context), context.seed)
    meaning = " (says nothing)" if bound.total == 1 else ""
    return (
        f"tokens from [-{box}, {box}]: failure probability <= {bound.total}{meaning}, "
        f"observed {observed.failures} of {observed.draws} seeded draws (statistics, no proof)"
    )


def _affordable_draws(context: Context) -> int:
    """As many as were asked for, fewer for large models: one draw takes about H^2 d^2 comparisons."""
    return max(1, min(context.draws, MAX_COMPARISONS // max(1, context.heads**2 * context.dim**2)))


CLAIM = Claim(
    "probability-one",
    "the draws on which the learner can fail are zeros of finitely many polynomials, none of them the zero polynomial: "
    "a set of measure zero",
    "the same for raw heads, two of which have equal W",
    always,
    check,
    control,
)
