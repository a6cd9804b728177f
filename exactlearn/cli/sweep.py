"""`exactlearn sweep SPEC -o FILE`: thousands of instances on all cores or a cluster, into one SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.cli.sweep_progress import sweep_progress
from exactlearn.errors import UnusableInputError
from exactlearn.sweeps.reporting import Failure, failures
from exactlearn.sweeps.running import Summary, run_sweep
from exactlearn.sweeps.specification import BUNDLED, Specification, resolve_specification

_SHOWN = 20


def sweep(
    specification: Annotated[
        str,
        typer.Argument(metavar="SPEC", help=f"A TOML file, or {' or '.join(BUNDLED)}."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The SQLite file; one that is there is continued.")
    ],
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Worker processes; left out, as many as cores.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option("--dask", metavar="ADDRESS", help="Use the workers of this Dask scheduler instead.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Do again what crashed, ran out of time or memory, or had an error.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check every instance of SPEC that has no result in FILE yet; exit status 1 if FILE holds a failure."""
    if workers is not None and not 1 <= workers <= 4096:
        raise UnusableInputError("a number from 1 to 4096 is expected", "--workers")
    if workers is not None and dask is not None:
        raise UnusableInputError("give --workers or --dask, not both", "--dask")
    spec = resolve_specification(specification)
    with sweep_progress() as progress:
        summary = run_sweep(spec, output, workers=workers, cluster=dask, retry=retry, progress=progress)
    found = failures(output)
    if as_json:
        print_json(_json(spec, summary, found, output))
    else:
        _print(spec, summary, found, output)
    return 1 if found else 0


def _json(spec: Specification, summary: Summary, found: list[Failure], output: Path) -> dict[str, object]:
    return {
        "format": "exactlearn.sweep-summary/1",
        "name": spec.name,
        "database": str(output),
        "failures": [failure.__dict__ for failure in found[:_SHOWN]],
        "failures_in_all": len(found),
        "instances": summary.instances,
        "done_before": summary.skipped,
        "recorded": summary.recorded,
        "verdicts": dict(summary.verdicts),
        "seeds": spec.seeds,
        "seconds": round(summary.seconds, 3),
    }


def _print(spec: Specification, summary: Summary, found: list[Failure], output: Path) -> None:
    out = console()
    for failure in found[:_SHOWN]:
        out.print(f"{failure.verdict.upper()} {failure.claim} on {failure.instance}: {failure.why}", markup=False)
        out.print(f"    again: {failure.command(str(output))}", markup=False, soft_wrap=True)
    if len(found) > _SHOWN:
        out.print(f"and {len(found) - _SHOWN} more: exactlearn report {output}", markup=False)
    if not found:
        out.print("no failures: every claim holds on every instance it applies to")
    rows = ", ".join(f"{count} {verdict}" for verdict, count in sorted(summary.verdicts.items())) or "nothing to do"
    out.print(
        f"{spec.name}: {summary.instances} instances, {summary.skipped} done before, {summary.recorded} now "
        f"in {summary.seconds:.1f} s ({rows}); seeds {spec.seeds}",
        markup=False,
    )
    out.print(f"tables: exactlearn report {output}", markup=False)
