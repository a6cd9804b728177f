"""`exactlearn counts`: how many value queries each schedule takes, as a table and a picture."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.query_counts import plot_query_counts, query_counts

MOST = 10_000


def counts(
    heads: Annotated[str, typer.Option("--heads", metavar="H,...", help="Numbers of heads.")] = "2,8",
    dim: Annotated[str, typer.Option("--dim", metavar="D,...", help="Dimensions.")] = "2,4,8,16,32,64",
    rank: Annotated[int, typer.Option("--rank", metavar="R", help="Of the schedule low-rank.")] = 4,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw them over d, as .svg, .png or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Compare the exact query counts of the schedules with the lower bound."""
    if not 1 <= rank <= MOST:
        raise UnusableInputError(f"a whole number from 1 to {MOST} is expected", "--rank")
    rows = [query_counts(H, d, rank) for H in _numbers(heads, "--heads") for d in _numbers(dim, "--dim")]
    if plot is not None:
        plot_query_counts(rows, plot)
    if as_json:
        more = {} if plot is None else {"plot": str(plot)}
        listed = [dataclasses.asdict(row) for row in rows]
        print_json({"format": "exactlearn.counts/1", "counts": listed, **more})
        return 0
    table = Table(title="value queries; low-rank and lean under their assumptions", title_justify="left")
    for heading in ("H", "d", "paper", "lean", "r", "low-rank:r", "lower bound"):
        table.add_column(heading, justify="right")
    for row in rows:
        numbers = (row.heads, row.dim, row.paper, row.lean, row.rank, row.low_rank, row.lower_bound)
        table.add_row(*map(str, numbers))
    console().print(table)
    if plot is not None:
        console().print(f"written: {plot}", markup=False)
    return 0


def _numbers(text: str, option: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 5 and 1 <= int(part) <= MOST for part in parts):
        raise UnusableInputError(f"whole numbers from 1 to {MOST}, separated by commas, are expected", option)
    return [int(part) for part in parts]
