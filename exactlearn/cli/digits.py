"""`exactlearn digits`: how many digits of the parameters outlive rounded outputs, as a table and a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.cli.progress import progress_bar
from exactlearn.enclosures.digits import DigitsRow, measure_all, settings
from exactlearn.enclosures.figure import draw_digits
from exactlearn.enclosures.output_formats import output_format
from exactlearn.errors import DegenerateDrawError, UnusableInputError
from exactlearn.files.numerals import parse_number, print_number
from exactlearn.plotting import FORMATS

FORMAT = "exactlearn.digits/1"
MOST_HEADS = 12
MOST_DIM = 16
MOST_MODELS = 1000
MOST_BITS_OF_A_GAP = 200


def digits(
    outputs: Annotated[
        str, typer.Option("--outputs", metavar="FORMAT", help="float32, float64 or decimal:N.")
    ] = "float64",
    heads: Annotated[str, typer.Option("--heads", metavar="LIST", help="The H at d = 2, gap 1.")] = "1,2,3,4,5",
    dims: Annotated[str, typer.Option("--dims", metavar="LIST", help="The d at H = 2, gap 1.")] = "1,2,3,4,5",
    gaps: Annotated[
        str, typer.Option("--gaps", metavar="LIST", help="The gaps of the poles at H = 2, d = 2.")
    ] = "1,1/4,1/16,1/64,1/256,1/1024,1/4096",
    models: Annotated[int, typer.Option("--models", metavar="N", help="Models in each row; the median counts.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="Models and draws come from it.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="A picture: .svg, .png or .pdf (extra: plot).")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Digits of W and v that survive rounded outputs, against the heads H, the dimension d and the gap of the poles.

    Each row takes N random models; the exact learner finds every head of them from the exact outputs.
    """
    chosen = output_format(outputs)
    if plot is not None and plot.suffix not in FORMATS:
        raise UnusableInputError(f"a picture's file ends in one of {', '.join(FORMATS)}", str(plot))
    if not 1 <= models <= MOST_MODELS:
        raise UnusableInputError(f"a whole number from 1 to {MOST_MODELS} is expected", "--models")
    rows = settings(_whole(heads, MOST_HEADS, "--heads"), _whole(dims, MOST_DIM, "--dims"), _gaps(gaps))
    if not rows:
        raise UnusableInputError("all three lists are empty", "--heads")
    try:
        with progress_bar("rows") as progress:
            measured = measure_all(rows, chosen, seed=seed, models=models, progress=progress)
    except DegenerateDrawError as error:
        sys.stderr.write(f"exactlearn: no digits (degenerate-draw): {error}; try another --seed\n")
        return 1
    if plot is not None:
        draw_digits(measured, chosen, plot)
    if as_json:
        picture = {} if plot is None else {"plot": str(plot)}
        head = {"format": FORMAT, "outputs": chosen.name, "seed": seed, "models": models}
        print_json({**head, "rows": [_row_to_json(row) for row in measured], **picture})
    else:
        _print(measured, chosen.name, seed, models)
    return 0


def _print(rows: list[DigitsRow], outputs: str, seed: int, models: int) -> None:
    out = console()
    out.print(f"digits of W and v kept by outputs rounded to {outputs}; medians of {models} models, seed {seed}")
    table = Table(box=None, pad_edge=False)
    for name in ("H", "d", "gap", "proved W", "v", "enclosed", "estimate W", "v", "estimated", "exact"):
        table.add_column(name, justify="right")
    axis = rows[0].setting.axis
    for row in rows:
        if row.setting.axis != axis:
            table.add_section()
            table.add_row()
            axis = row.setting.axis
        setting = row.setting
        table.add_row(
            str(setting.heads),
            str(setting.dim),
            print_number(setting.gap),
            *(f"{kept:.1f}" for kept in row.proved),
            f"{row.enclosed}/{row.models}",
            *(f"{kept:.1f}" for kept in row.estimate),
            f"{row.estimated}/{row.models}",
            f"{row.exact}/{row.models}",
        )
    out.print(table)
    out.print("proved: by the radii of balls that contain the true parameters; 0 where outputs are too coarse for that")
    out.print("estimate: true digits of the plain estimate from the rounded outputs; 0 where no model fits them")
    out.print("exact: models whose heads were all recovered exactly from the exact outputs")


def _row_to_json(row: DigitsRow) -> dict[str, Any]:
    setting = row.setting
    return {
        "axis": setting.axis,
        "heads": setting.heads,
        "dim": setting.dim,
        "gap": print_number(setting.gap),
        "enclosed": row.enclosed,
        "estimated": row.estimated,
        "exact": row.exact,
        "proved": dict(zip("Wv", row.proved, strict=True)),
        "estimate": dict(zip("Wv", row.estimate, strict=True)),
    }


def _whole(text: str, most: int, option: str) -> list[int]:
    found = []
    for part in _parts(text):
        if not (part.isascii() and part.isdigit() and len(part) < 10 and 1 <= int(part) <= most):
            raise UnusableInputError(f"whole numbers from 1 to {most} are expected, as 1,2,3", option)
        found.append(int(part))
    return found


def _gaps(text: str) -> list[Any]:
    found = []
    for part in _parts(text):
        try:
            gap = parse_number(part)
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, "--gaps") from None
        if gap <= 0 or gap.height_bits() > MOST_BITS_OF_A_GAP:
            raise UnusableInputError(f"a gap is positive and has at most {MOST_BITS_OF_A_GAP} bits", "--gaps")
        found.append(gap)
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text.strip() else []
