"""`exactlearn report FILE`: the tables of a sweep's results, failures first; as HTML, CSV or Parquet too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.cli.verify import verify
from exactlearn.errors import UnusableInputError
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.model_file import model_to_text
from exactlearn.sweeps.building import build_model
from exactlearn.sweeps.exhaustive_parts import check_part
from exactlearn.sweeps.export import export_csv, export_parquet
from exactlearn.sweeps.instance import ExhaustivePart, ModelInstance, instance_from_text
from exactlearn.sweeps.page import report_page
from exactlearn.sweeps.reporting import Report, stored_instance
from exactlearn.sweeps.reporting import report as make_report

_SHOWN = 50


def report(
    database: Annotated[Path, typer.Argument(metavar="FILE", help="The SQLite file of a sweep.")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="PAGE", help="Write one self-contained page with plots.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="DIR", help="Write every table as CSV.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="DIR", help="Write every table as Parquet.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="ID", help="Print the model file of one instance instead.")
    ] = None,
    again: Annotated[
        str | None, typer.Option("--again", metavar="ID", help="Check the claims on one instance again, right here.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print what a sweep found, failures first; exit status 1 if there is one."""
    if model is not None:
        sys.stdout.write(_model_text(database, model))
        return 0
    if again is not None:
        return _again(database, again, as_json=as_json)
    found = make_report(database)
    if html is not None:
        write_text_atomically(html, report_page(found, str(database)))
    if csv is not None:
        export_csv(database, csv)
    if parquet is not None:
        export_parquet(database, parquet)
    if as_json:
        print_json(_json(found))
    else:
        _print(found, database)
    return 1 if found.failures else 0


def _model_text(database: Path, name: str) -> str:
    """The model file as it was kept, else built anew from the parameters."""
    _, parameters, kept = stored_instance(database, name)
    if kept is not None:
        return kept
    instance = instance_from_text(parameters)
    if not isinstance(instance, ModelInstance):
        raise UnusableInputError("this is a part of a finite family, not one model", "--model")
    return model_to_text(build_model(instance))


def _again(database: Path, name: str, *, as_json: bool) -> int:
    """`exactlearn verify` on the model, with the seed and the draws of the sweep; and the file, to be kept."""
    identity, parameters, _ = stored_instance(database, name)
    instance = instance_from_text(parameters)
    if not isinstance(instance, ModelInstance):
        return _part_again(instance, as_json=as_json)
    text = _model_text(database, name)
    file = f"{identity}.model.json"
    write_text_atomically(file, text)
    sys.stderr.write(f"exactlearn verify {file} --seed {instance.seed} --draws {instance.draws}\n")
    return verify(file, seed=instance.seed, draws=instance.draws, as_json=as_json)


def _part_again(part: ExhaustivePart, *, as_json: bool) -> int:
    found = check_part(part)
    if as_json:
        holds = found.failure is None
        print_json({"format": "exactlearn.exhaustive-part/1", "holds": holds, "seed": part.seed, **found.counts})
    else:
        console().print(found.failure or f"holds: {found.why}", markup=False)
    return 1 if found.failure else 0


def _json(found: Report) -> dict[str, object]:
    return {
        "format": "exactlearn.sweep-report/1",
        "failures": [failure.__dict__ for failure in found.failures],
        "tables": {
            table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for table in found.tables
        },
    }


def _print(found: Report, database: Path) -> None:
    out = console()
    out.print(f"{len(found.failures)} failures" if found.failures else "no failures")
    for failure in found.failures[:_SHOWN]:
        out.print(f"{failure.verdict.upper()} {failure.claim} on {failure.instance}: {failure.why}", markup=False)
        out.print(f"    again: {failure.command(str(database))}", markup=False, soft_wrap=True)
    if len(found.failures) > _SHOWN:
        out.print(f"and {len(found.failures) - _SHOWN} more (--json has them all)")
    for table in found.tables:
        shown = Table(title=table.title, title_justify="left")
        for column in table.columns:
            shown.add_column(column)
        for row in table.rows:
            shown.add_row(*(str(cell) for cell in row))
        out.print(shown, markup=False)
