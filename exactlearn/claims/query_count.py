"""Claim query-count: 4 H d^2 - 2 H + 1 value queries, none longer than 2 H + 1 tokens; with a bound H0 likewise."""

from __future__ import annotations

from collections.abc import Callable

from exactlearn.claims.claim import Claim, always
from exactlearn.claims.context import Context
from exactlearn.verdict import Fails, Holds, Verdict


def stated_queries(heads: int, dim: int) -> int:
    """4 H d^2 - 2 H + 1."""
    return 4 * heads * dim**2 - 2 * heads + 1


def check(context: Context) -> Verdict:
    """The counts of two runs, each held against a second counter at the black box."""
    return _compare(context, stated_queries)


def control(context: Context) -> Verdict:
    """2H - 1 values for each probe in place of 2H."""
    return _compare(context, lambda heads, dim: 1 + (2 * heads - 1) * (2 * dim**2 - 1))


def _compare(context: Context, stated: Callable[[int, int], int]) -> Verdict:
    parts = []
    for bound, is_exact in ((context.heads, True), (context.heads + 1, False)):
        run = context.run(bound, is_exact=is_exact)
        result, what = run.result, f"H = {bound}" if is_exact else f"H0 = {bound}"
        if result.queries != stated(bound, context.dim):
            return Fails(result.queries, f"{what}: {result.queries} queries, not {stated(bound, context.dim)}")
        if result.max_length != 2 * bound + 1 or run.counter.longest_probe != result.max_length:
            return Fails(result.max_length, f"{what}: the longest sequence has {result.max_length} tokens")
        extra = result.redraw_queries + result.audit_queries
        if not result.redraws and run.counter.queries != result.queries + extra:
            return Fails(run.counter.queries, f"{what}: {run.counter.queries} sequences reached the black box")
        apart = f", {result.redraw_queries} more for tokens drawn anew" if result.redraws else ""
        audit = f"{result.audit_queries} to audit the result"
        parts.append(f"{what}: {result.queries} queries, longest {result.max_length}{apart}, {audit}")
    return Holds("counted by the oracle and again at the black box; " + "; ".join(parts))


CLAIM = Claim(
    "query-count",
    "the learner asks 4 H d^2 - 2 H + 1 value queries, the longest of 2 H + 1 tokens; with an upper bound H0 the same "
    "in H0",
    "the learner asks 1 + (2 H - 1) (2 d^2 - 1) value queries",
    always,
    check,
    control,
)
