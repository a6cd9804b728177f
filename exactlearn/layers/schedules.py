"""Schedules beyond the paper's, for models with and without biases: which probes, and exactly how many queries.

Base probes P(i, j) are asked in the rows i = 1..d and columns j, d of them, or d + 1 with biases (DESIGN section 10).
Column one has sum probes along it, which match its rows.  A later base probe has its own sum probe, or is read with the
help of what column one told.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactlearn.errors import UnusableInputError


@dataclass(frozen=True)
class Schedule:
    """One schedule for one size.

    Attributes:
        dim: d.
        bound: H, or the upper bound H0.
        has_biases: Whether the score may have a term p.x, which makes one more column.
        is_lean: Whether F(infinity) is computed, and heads are told apart by their residues, from column two on.
        rank: r, when every head's W (with p as one more column) is assumed to have rank at most r.
        is_adaptive: Whether everything after the first probe is asked with the number of heads that it shows.
    """

    dim: int
    bound: int
    has_biases: bool = False
    is_lean: bool = False
    rank: int | None = None
    is_adaptive: bool = False

    @property
    def name(self) -> str:
        """As a user writes it."""
        parts = ["adaptive"] * self.is_adaptive + ["lean"] * self.is_lean
        if self.rank is not None:
            parts.append(f"low-rank:{self.rank}")
        return "+".join(parts) or "paper"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed beyond a good draw, and what happens when it is false."""
        found = []
        if self.is_adaptive:
            found.append("the first probe shows every head: when one shows later only, the whole draw is made anew")
        if self.is_lean:
            found.append("no two heads have the same values v: sum probes are asked for rows with a tie, and counted")
        if self.rank is not None:
            what = "[W | p]" if self.has_biases else "W"
            tested = "tested by one further probe, counted apart"
            found.append(f"{what} of every head has rank at most {self.rank}: {tested}")
        return tuple(found)

    @property
    def columns(self) -> int:
        """The number of y_j: d, or d + 1 with biases."""
        return self.dim + self.has_biases

    def rows_of(self, column: int) -> int:
        """In how many rows the column is asked, the first ones; columns count from 0."""
        return self.dim if self.rank is None or column < self.rank else self.rank

    @property
    def base_probes(self) -> int:
        """How many base probes: d times the columns, or r (d + columns - r)."""
        return sum(self.rows_of(column) for column in range(self.columns))

    @property
    def probes(self) -> int:
        """Base and sum probes when there are no ties, for a bar of progress."""
        later = self.base_probes - self.dim
        return 2 * self.dim - 1 + (later if self.is_lean else 2 * later)

    def predicted_queries(self, heads_seen: int, tied_probes: int = 0) -> int:
        """The count of value queries.

        Args:
            heads_seen: H as the first probe shows it, which matters to the adaptive schedule alone.
            tied_probes: How many base probes after column one lie in rows where two residues are equal, which
                matters to the lean schedule alone.

        Returns:
            1 + 2 B + 2 h (2d - 2) + (base - d) 4 h, B the bound and h = B or, adaptive, the heads seen; lean
            (2h - 1) instead of 4 h, and once more for each tied probe.
        """
        heads = heads_seen if self.is_adaptive else self.bound
        later = self.base_probes - self.dim
        rest = max(2 * heads - 1, 0) * (later + tied_probes) if self.is_lean else 4 * heads * later
        return 1 + 2 * self.bound + 2 * heads * (2 * self.dim - 2) + rest

    @property
    def paper_queries(self) -> int:
        """What the paper's schedule asks with the same bound: 1 + 2B (2d^2 - 1), with biases 1 + 2B (2d^2 + 2d - 1)."""
        return 1 + 2 * self.bound * (2 * self.dim * self.columns - 1)

    @property
    def predicted_max_length(self) -> int:
        """2B + 1 tokens."""
        return 2 * self.bound + 1


def parse_schedule(text: str, dim: int, bound: int, *, has_biases: bool) -> Schedule:
    """The schedule of this name: paper, or one or more of adaptive, lean and low-rank:R joined by "+".

    Raises:
        UnusableInputError: For other names, repetitions, or a rank that is no whole number from 1 to d.
    """
    is_lean = is_adaptive = False
    rank: int | None = None
    parts = [] if text == "paper" else text.split("+")
    if len({part.partition(":")[0] for part in parts}) < len(parts):
        raise UnusableInputError("a part of the schedule is named twice", "--schedule")
    for part in parts:
        name, colon, number = part.partition(":")
        if name == "low-rank" and colon:
            if not (number.isascii() and number.isdigit() and len(number) <= 6 and 1 <= int(number) <= dim):
                raise UnusableInputError(f"low-rank:R takes a rank from 1 to {dim}, not {number[:20]!r}", "--schedule")
            rank = int(number)
        elif part == "lean":
            is_lean = True
        elif part == "adaptive":
            is_adaptive = True
        else:
            known = "paper, lean, adaptive, low-rank:R, or several joined by +"
            raise UnusableInputError(f"there is no schedule {text[:60]!r}; there are {known}", "--schedule")
    return Schedule(dim, bound, has_biases, is_lean, rank, is_adaptive)
