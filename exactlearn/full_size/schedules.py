"""Which probes are asked of a layer at full size, in which blocks, and how many queries that makes (DESIGN section 10).

The probes are P(i, j) = (x_i, y_j), i = 0..d-1, j = 0..d.  Column 0 comes first: its sum probes (x_0 + x_i, y_0)
match its rows.  Every later base probe has its sum probe (x_i, 2 y_j - y_0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from exactlearn.errors import UnusableInputError

PROBES_A_BLOCK = 3072
"""Base probes in one block of work, about: a few seconds; what is lost at most, for each worker, when it is killed."""


ZERO, X_INVERSE, Y_INVERSE, BRIDGE, RANK_PROBE = "zero", "x-inverse", "y-inverse", "bridge", "rank-probe"
"""Pieces of work that are done once: f of the sequence y_0, two inverses, what column 0 leaves, a test of the rank."""


@dataclass(frozen=True)
class Block:
    """Base probes of the columns first..last-1, rows 0..rows-1; in phase 0 the rows first..last-1 of column 0."""

    phase: int
    first: int
    last: int
    rows: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{'rows' if self.phase == 0 else 'columns'}-{self.first:04d}-{self.last:04d}"


@dataclass(frozen=True)
class LayerSchedule:
    """The paper's schedule with biases, or that of heads of rank at most r.

    Attributes:
        dim: d.
        heads: H.
        rank: r, when every [W_h | p_h] is assumed to have rank at most r; None without an assumption.
        single_query: Whether probes after column 0 are one query each (k = 1), which the outputs of H independent
            functionals answer at once, and need no sum probe: the heads are told apart by V_h x_i.
    """

    dim: int
    heads: int
    rank: int | None = None
    single_query: bool = False

    @property
    def name(self) -> str:
        """As the user says it."""
        if self.single_query:
            return "vector" if self.rank is None else f"vector:{self.rank}"
        return "paper" if self.rank is None else f"low-rank:{self.rank}"

    @property
    def full_columns(self) -> int:
        """How many columns are asked in all rows; the others in the first `rank` rows."""
        return self.dim + 1 if self.rank is None else self.rank

    @property
    def base_probes(self) -> int:
        """The number d (d + 1), or 2 d r + r - r^2."""
        narrow = 0 if self.rank is None else self.rank * (self.dim + 1 - self.rank)
        return self.dim * self.full_columns + narrow

    @property
    def predicted_queries(self) -> int:
        """1 + 2H (2d^2 + 2d - 1), or 1 + 2H (4dr + 2r - 2r^2 - 1); with single queries 1 + 2H (2d - 1) + base - d."""
        if self.single_query:
            return 1 + 2 * self.heads * (2 * self.dim - 1) + self.base_probes - self.dim
        return 1 + 2 * self.heads * (2 * self.base_probes - 1)

    @property
    def predicted_max_length(self) -> int:
        """2H + 1 tokens."""
        return 2 * self.heads + 1

    def queries_of(self, block: Block) -> int:
        """How many queries the probes of one block are."""
        probes = (block.last - block.first) * block.rows
        if block.phase == 0:
            return 2 * self.heads * (2 * probes - (block.first == 0))
        return probes if self.single_query else 4 * self.heads * probes

    def blocks_of_column_zero(self) -> list[Block]:
        """Row 0 alone, to which the others are matched, then the others."""
        step = max(1, min(16, self.dim // 4))
        return [
            Block(0, 0, 1, 1),
            *(Block(0, first, min(first + step, self.dim), 1) for first in range(1, self.dim, step)),
        ]

    def blocks_of_columns(self) -> list[Block]:
        """All later columns."""
        full = self.full_columns
        return [*self._columns(1, full, self.dim), *self._columns(full, self.dim + 1, self.rank or 0)]

    def _columns(self, start: int, stop: int, rows: int) -> Iterator[Block]:
        step = max(1, min(PROBES_A_BLOCK // max(rows, 1), -(-(stop - start) // 4)))
        for first in range(start, stop, step):
            yield Block(1, first, min(first + step, stop), rows)


def parse_schedule(text: str, dim: int, heads: int) -> LayerSchedule:
    """The schedule of this name: paper, low-rank:R, vector or vector:R.

    Raises:
        UnusableInputError: For another name or a rank that is no whole number from 1 to d.
    """
    name, colon, number = text.partition(":")
    if name in {"paper", "vector"} and not colon:
        return LayerSchedule(dim, heads, None, single_query=name == "vector")
    if name not in {"low-rank", "vector"} or not colon:
        raise UnusableInputError(f"there is no schedule {text!r} at full size: paper, low-rank:R, vector, vector:R")
    if not (number.isascii() and number.isdigit() and len(number) <= 6 and 1 <= int(number) <= dim):
        raise UnusableInputError(f"a rank from 1 to {dim} is expected, not {number!r}")
    return LayerSchedule(dim, heads, int(number), single_query=name == "vector")
