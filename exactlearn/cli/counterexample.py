"""`exactlearn counterexample KIND`: a hypothesis dropped, and exact models that show why it is needed."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as RichTable

from exactlearn.certificate.writer import write_certificate
from exactlearn.cli.output import (
    AsJson,
    console,
    describe_any,
    facts_table,
    print_json,
    refuse_uncertifiable,
    show_number,
)
from exactlearn.counterexamples import KINDS, Counterexample, kind, request_for
from exactlearn.counterexamples.counterexample import Table
from exactlearn.counterexamples.error_growth import KIND as ERROR_GROWTH
from exactlearn.counterexamples.error_growth import error_growth
from exactlearn.counterexamples.plotting import plot_error_growth
from exactlearn.counterexamples.probe_file import read_probes
from exactlearn.errors import UnusableInputError
from exactlearn.files.transformer_file import write_any_model
from exactlearn.model import TokenSequence, abbreviate

_LINES = 12
"""So many of the queries that the models agree on are shown to people; --json has all of them."""


def counterexample(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[KIND]", help="Which hypothesis is dropped; left out, all kinds are listed."),
    ] = None,
    heads: Annotated[int | None, typer.Option("--heads", metavar="H", help="Number of heads.")] = None,
    dim: Annotated[int | None, typer.Option("--dim", metavar="D", help="Dimension.")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Another instance; left out, the one with the smallest integers.")
    ] = None,
    case: Annotated[str | None, typer.Option("--case", help="One of the kind's cases; the list names them.")] = None,
    probes: Annotated[
        Path | None,
        typer.Option(
            "--probes",
            metavar="FILE",
            help='For fixed-probes, your own list: {"probes": [{"x": ["1", "0"], "y": ["0", "1"]}, ...]}, whole.',
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="For error-growth: a picture (extra: plot).")
    ] = None,
    models: Annotated[
        Path | None, typer.Option("--models", metavar="FOLDER", help="Write the models here, one model file each.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="CERT", help="Write a certificate for `exactlearn check`."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what goes wrong without one hypothesis of the theory: exact models, the sequences, both outputs, and why."""
    if name is None:
        return _list_kinds(as_json=as_json)
    chosen = kind(name)
    listed = None if probes is None else read_probes(probes)
    request = request_for(name, heads=heads, dim=dim, seed=seed, case=case, probes=listed)
    if plot is not None and name != ERROR_GROWTH.name:
        raise UnusableInputError(f"only {ERROR_GROWTH.name} has a plot", "--plot")
    found = chosen.build(request)
    if plot is not None:
        plot_error_growth(error_growth(request), plot)
    files = [] if models is None else _write_models(found, models)
    if output is not None:
        refuse_uncertifiable(found.models[0], "-o")
        write_certificate(found.certificate(), output)
    if as_json:
        more: dict[str, object] = {"files": files} if files else {}
        more |= {} if output is None else {"certificate": str(output), "certified": certified(found)}
        print_json({**found.to_json(), "seed": seed, **more})
    else:
        _print(found, files, certificate=output)
    return 0


def certified(found: Counterexample) -> str:
    """What the certificate covers, in words."""
    if found.kind == ERROR_GROWTH.name:
        return "it covers the first and the last model and their values, not beta"
    return "it covers the models and their values"


def _list_kinds(*, as_json: bool) -> int:
    if as_json:
        listed = [{"kind": one.name, "dropped": one.dropped, "cases": list(one.cases)} for one in KINDS]
        print_json({"format": "exactlearn.counterexamples/1", "kinds": listed})
        return 0
    rows = {one.name: one.dropped + (f" [{', '.join(one.cases)}]" if one.cases else "") for one in KINDS}
    table = facts_table({})
    for label, dropped in rows.items():
        table.add_row(label, dropped.replace("[", r"\["))
    console().print("What each kind drops:")
    console().print(table)
    return 0


def _write_models(found: Counterexample, folder: Path) -> list[str]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableInputError(f"this folder cannot be made: {error.strerror}", str(folder)) from None
    paths = []
    for index, model in enumerate(found.models):
        path = folder / f"{found.kind}-{index}.json"
        write_any_model(model, path)
        paths.append(str(path))
    return paths


def _print(found: Counterexample, files: list[str], *, certificate: Path | None) -> None:
    out = console()
    out.print(f"{found.kind}{f' ({found.case})' if found.case else ''}", markup=False, style="bold")
    out.print(f"dropped: {found.dropped}", markup=False)
    _print_models(found)
    if found.agree_on:
        _print_agreement(found)
    if found.differ_on is not None:
        out.print(f"\nthey differ on  {_sequence(found.differ_on)}", markup=False)
        for index, value in enumerate(found.values):
            out.print(f"  model {index}: {abbreviate(str(value), 200)}", markup=False)
    elif len(found.models) == 2:
        out.print("\nthey differ nowhere: the canonical forms are equal", markup=False)
    for table in found.tables:
        out.print(f"\n{table.title}", markup=False)
        out.print(_rich(table))
    out.print(f"\nwhy: {found.why}.", markup=False)
    if certificate is not None:
        out.print(f"certificate: {certificate}; {certified(found)}", markup=False)
    for path in files:
        out.print(f"written: {path}", markup=False)


def _print_models(found: Counterexample) -> None:
    out = console()
    if len(found.models) <= 2:
        for index, model in enumerate(found.models):
            out.print(f"\nmodel {index}", markup=False)
            for line in describe_any(model):
                out.print(f"  {line}", markup=False)
    else:
        first, last = found.models[0], found.models[-1]
        out.print(f"\n{len(found.models)} models; the first and the last:", markup=False)
        for line in (*describe_any(first), *describe_any(last)):
            out.print(f"  {line}", markup=False)


def _print_agreement(found: Counterexample) -> None:
    out, count = console(), len(found.agree_on)
    out.print(f"\nthey agree on {'this query' if count == 1 else f'these {count} queries'}", markup=False)
    for tokens, values in itertools.islice(zip(found.agree_on, found.agreeing_values, strict=True), _LINES):
        out.print(f"  {_sequence(tokens)}  ->  {abbreviate(str(values[0]), 60)}", markup=False)
    if count > _LINES:
        out.print(f"  ... and {count - _LINES} more (--json has all of them)", markup=False)


def _sequence(tokens: TokenSequence) -> str:
    """Equal neighbours are written once: 3 x (1, 1), (0, 1)."""
    parts = []
    for token, run in itertools.groupby(tokens):
        count = len(list(run))
        parts.append((f"{count} x " if count > 1 else "") + f"({', '.join(map(show_number, token))})")
    return ", ".join(parts)


def _rich(table: Table) -> RichTable:
    shown = RichTable()
    for column in table.columns:
        shown.add_column(column, overflow="fold")
    for row in table.rows:
        shown.add_row(*(cell.replace("[", r"\[") for cell in row))
    return shown
