"""The table of claims, and the runner: every claim that applies to a model, checked on it (DESIGN section 6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from exactlearn.claims import (
    canonical,
    determination,
    jacobian,
    lower_bound,
    matching,
    merging,
    orthogonal,
    probability_one,
    query_count,
    rational_form,
    recovery,
    single_head,
    stability,
)
from exactlearn.claims.claim import Claim, ClaimResult
from exactlearn.claims.context import Context
from exactlearn.errors import (
    DegenerateDrawError,
    NotAttentionError,
    OverBudgetError,
    PrecisionTooLowError,
    UndecidedError,
    UnluckyPrimeError,
)
from exactlearn.model import MultiHeadAttention
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

CLAIMS: tuple[Claim, ...] = (
    rational_form.CLAIM,
    determination.CLAIM,
    jacobian.CLAIM,
    canonical.CLAIM,
    merging.CLAIM,
    matching.CLAIM,
    recovery.CLAIM,
    probability_one.CLAIM,
    query_count.CLAIM,
    single_head.CLAIM,
    orthogonal.CLAIM,
    lower_bound.CLAIM,
    stability.CLAIM,
)
"""All claims, in the order in which they are shown."""

_UNDECIDED = (
    DegenerateDrawError,
    NotAttentionError,
    OverBudgetError,
    PrecisionTooLowError,
    UndecidedError,
    UnluckyPrimeError,
)


def verify(
    model: MultiHeadAttention, *, seed: int = 0, draws: int = 100, progress: Callable[[str], None] | None = None
) -> tuple[ClaimResult, ...]:
    """Check every claim that applies to `model`; one run of the learner is shared by all.

    Args:
        model: Any exact model; raw heads are allowed.
        seed: Every random choice comes from it.
        draws: Seeded draws observed for each box by the claim probability-one.
        progress: Called with a claim's name before it is checked.
    """
    return tuple(_results(Context(model, seed, draws), progress, is_control=False))


def verify_controls(
    model: MultiHeadAttention, *, seed: int = 0, draws: int = 100, progress: Callable[[str], None] | None = None
) -> tuple[ClaimResult, ...]:
    """Run the negative control of every claim that applies; each verdict must be `Fails`."""
    return tuple(_results(Context(model, seed, draws), progress, is_control=True))


def _results(context: Context, progress: Callable[[str], None] | None, *, is_control: bool) -> Iterator[ClaimResult]:
    for claim in CLAIMS:
        if not claim.applies(context):
            continue
        if progress:
            progress(claim.name)
        yield check_claim(claim, context, is_control=is_control)


def check_claim(claim: Claim, context: Context, *, is_control: bool = False) -> ClaimResult:
    """One claim, or its negative control, on an instance to which it applies."""
    started = time.perf_counter()
    verdict = _decided(claim.control if is_control else claim.check, context)
    seconds = time.perf_counter() - started
    statement = claim.altered if is_control else claim.statement
    return ClaimResult(claim.name, statement, verdict, _words(verdict), seconds)


def _decided(check: Callable[[Context], Verdict], context: Context) -> Verdict:
    """What stands in a check's way makes its claim undecided, never failed."""
    try:
        return check(context)
    except _UNDECIDED as error:
        return Undecided(str(error))


def _words(verdict: Verdict) -> str:
    return verdict.why if isinstance(verdict, Holds | Fails | Undecided) else ""


__all__ = ["CLAIMS", "Claim", "ClaimResult", "Context", "check_claim", "verify", "verify_controls"]
