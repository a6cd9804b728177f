"""Verdicts: what claims and comparisons return, never a bare bool (DESIGN section 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True)
class Verdict:
    """Holds, fails or undecided; ask for `.holds`, since an undecided verdict has no truth value."""

    @property
    def holds(self) -> bool:
        """True for `Holds` alone; a verdict that is undecided does not hold and does not fail."""
        return isinstance(self, Holds)

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is not a bool: ask for .holds, or match Holds, Fails and Undecided")


@dataclass(frozen=True)
class Holds(Verdict):
    """The statement is true; `why` says how that was found."""

    why: str = ""


@dataclass(frozen=True)
class Fails(Verdict):
    """The statement is false; `witness` is what shows it."""

    witness: Any
    why: str = ""


@dataclass(frozen=True)
class Undecided(Verdict):
    """Neither was shown; `why` says what stood in the way."""

    why: str
