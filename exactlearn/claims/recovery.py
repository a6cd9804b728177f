"""Claim recovery: the learner returns exactly the canonical heads (DESIGN section 4)."""

from __future__ import annotations

from exactlearn.claims.claim import Claim, always
from exactlearn.claims.context import Context
from exactlearn.errors import DegenerateDrawError, NotAttentionError
from exactlearn.learner import learn
from exactlearn.model import Head
from exactlearn.oracle import oracle_of
from exactlearn.verdict import Fails, Holds, Verdict


def check(context: Context) -> Verdict:
    """Runs on the raw model, told H and told H + 1 as a bound; the recovered heads against the canonical form."""
    try:
        result = context.learned.result
        bounded = context.run(context.heads + 1, is_exact=False).result
    except (NotAttentionError, DegenerateDrawError) as error:
        return Fails(None, str(error))
    for found in (result.model, bounded.model):
        if found != context.canonical:
            return Fails(found, "the recovered heads are not the canonical ones")
    again = f", {result.redraws} bad tokens drawn anew" if result.redraws else ""
    return Holds(
        f"one run told H, from {result.queries} value queries at the {result.place} place (seed {result.seed}{again}), "
        f"and one told the bound H + 1, from {bounded.queries}: {context.heads} heads both times, every number of W "
        "and v equal to the canonical form's exactly"
    )


def control(context: Context) -> Verdict:
    """The black box has one head more than the learner is told."""
    canonical = context.canonical
    used = {head.W for head in canonical.heads}
    number = next(n for n in range(1, len(used) + 2) if _constant(n, context.dim).W not in used)
    larger = canonical.with_heads([*canonical.heads, _constant(number, context.dim)])
    try:
        result = learn(oracle_of(larger), heads=context.heads, seed=context.seed)
    except (NotAttentionError, DegenerateDrawError) as error:
        return Fails(larger, f"the learner refuses: {error}")
    if len(result.model.heads) == len(larger.heads):
        return Holds("one head more was recovered")
    return Fails(larger, f"the learner returns {result.heads_found} of {len(larger.heads)} heads")


def _constant(number: int, dim: int) -> Head:
    """A head with all entries of W equal and v = (1, ..., 1)."""
    return Head([[number] * dim] * dim, [1] * dim)


CLAIM = Claim(
    "recovery",
    "told the number of canonical heads, or an upper bound on it, the learner returns exactly the canonical heads",
    "told one less than the number of canonical heads, the learner returns exactly the canonical heads",
    always,
    check,
    control,
)
