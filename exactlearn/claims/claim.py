"""What a claim is: a statement, where it applies, its exact check on an instance, and its negative control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from exactlearn.claims.context import Context
from exactlearn.verdict import Verdict


@dataclass(frozen=True)
class Claim:
    """One row of the table of claims (DESIGN section 6).

    Attributes:
        name: Its name in results.
        statement: What is claimed.
        altered: The statement of the control: one hypothesis dropped or one number changed.
        applies: Whether an instance meets the hypotheses of statement and control.
        check: The verdict on an instance; `why` says what was checked and what kind of evidence that is.
        control: The same check on the altered statement; it must come out `Fails`.
    """

    name: str
    statement: str
    altered: str
    applies: Callable[[Context], bool]
    check: Callable[[Context], Verdict]
    control: Callable[[Context], Verdict]


@dataclass(frozen=True)
class ClaimResult:
    """One claim on one instance.

    Attributes:
        name: The claim's name.
        statement: The statement that was checked; in a control the altered one.
        verdict: The verdict on it.
        checked: In words, what was checked and how.
        seconds: How long that took.
    """

    name: str
    statement: str
    verdict: Verdict
    checked: str
    seconds: float


def always(context: Context) -> bool:
    """Applies to every model."""
    del context
    return True


def has_heads(context: Context) -> bool:
    """Applies to models with at least one canonical head."""
    return context.heads >= 1
