"""How many value queries each schedule takes, beside the lower bound: exact counts for a range of sizes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactlearn.layers.schedules import Schedule
from exactlearn.plotting import save_picture


@dataclass(frozen=True)
class QueryCounts:
    """The counts for H heads in d dimensions, without biases.

    Attributes:
        paper: 4 H d^2 - 2 H + 1.
        lean: 1 + 2H (2d - 1) + (2H - 1) d (d - 1), when no two heads share v.
        low_rank: 1 + 2H (4dr - 2r^2 - 1) for heads of rank at most r.
        lower_bound: H d^2 + H d: with fewer no learner can tell all models apart.
    """

    heads: int
    dim: int
    rank: int
    paper: int
    lean: int
    low_rank: int
    lower_bound: int


def query_counts(heads: int, dim: int, rank: int) -> QueryCounts:
    """The counts for one size; a rank above d counts as d."""
    rank = min(rank, dim)
    paper, lean, low_rank = (
        Schedule(dim, heads, is_lean=is_lean, rank=r).predicted_queries(heads)
        for is_lean, r in ((False, None), (True, None), (False, rank))
    )
    return QueryCounts(heads, dim, rank, paper, lean, low_rank, heads * dim * (dim + 1))


def plot_query_counts(rows: Sequence[QueryCounts], path: str | os.PathLike[str]) -> None:
    """Write the counts over d, a curve for each schedule and number of heads, as a picture.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: When the file cannot be written.
    """

    def draw(axes: Any) -> None:
        styles = {"paper": "-", "lean": "--", "low_rank": "-.", "lower_bound": ":"}
        for color, heads in enumerate(sorted({row.heads for row in rows})):
            chosen = sorted((row for row in rows if row.heads == heads), key=lambda row: row.dim)
            for name, style in styles.items():
                counts = [getattr(row, name) for row in chosen]
                label = f"H = {heads}, {name.replace('_', ' ')}"
                axes.loglog([row.dim for row in chosen], counts, style, marker=".", color=f"C{color}", label=label)
        axes.set_xlabel("d")
        axes.set_ylabel("value queries")
        axes.set_title("queries by schedule, and the lower bound", fontsize="small")
        axes.grid(visible=True, which="both", alpha=0.3)
        axes.legend(fontsize="xx-small", ncols=2)

    save_picture(path, draw, size=(7, 5))
