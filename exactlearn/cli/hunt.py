"""`exactlearn hunt my_claim.py`: a claim about exact models, and the smallest models found that break it."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from exactlearn.cli.output import AsJson, console, describe_model, facts_table, print_json
from exactlearn.counterexamples.claim_file import load_claim
from exactlearn.counterexamples.claims import NAMES
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_to_json, write_model
from exactlearn.model import MultiHeadAttention, WeightKind

UNUSABLE_CLAIM = 2


def hunt(
    claim: Annotated[
        str,
        typer.Argument(
            metavar="CLAIM.py",
            help="A Python file with a function claim(model) or claim(first, second) that returns a bool or a Verdict; "
            f"or the name of a bundled example: {', '.join(NAMES)}. The file is run.",
        ),
    ],
    heads: Annotated[int, typer.Option("--heads", help="At most so many raw heads.")] = 2,
    dim: Annotated[int, typer.Option("--dim", help="At most so many dimensions.")] = 2,
    weights: Annotated[str, typer.Option("--weights", help="rational, log-rational or both.")] = "both",
    examples: Annotated[int, typer.Option("--examples", help="At most so many models are drawn.")] = 2000,
    seconds: Annotated[float, typer.Option("--seconds", help="No further model is tried after this time.")] = 60.0,
    seed: Annotated[int, typer.Option("--seed", help="The search comes from it.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the model here; of a pair the second to FILE-second."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Search small exact models for one that breaks a claim; exit status 1 when one is found, 0 when none is."""
    from exactlearn.counterexamples.hunting import hunt as run_hunt  # noqa: PLC0415  # hypothesis is an extra

    if weights not in {"rational", "log-rational", "both"}:
        raise UnusableInputError("rational, log-rational or both is expected", "--weights")
    kind: WeightKind | None = "rational" if weights == "rational" else "log-rational"
    with redirect_stdout(sys.stderr):  # what the claim itself prints is no part of the result
        report = run_hunt(
            load_claim(claim),
            weights=None if weights == "both" else kind,
            max_heads=heads,
            max_dim=dim,
            max_examples=examples,
            seconds=seconds,
            seed=seed,
        )
    files = _write(report.models, output)
    if as_json:
        print_json(_report(report, claim, files))
    else:
        _print(report, files)
    if report.outcome == "raised":
        sys.stderr.write(f"exactlearn: {claim}: the claim could not be judged: {report.why}\n")
    return {"nothing-found": 0, "counterexample": 1, "raised": UNUSABLE_CLAIM}[report.outcome]


def _write(models: tuple[MultiHeadAttention, ...], output: Path | None) -> list[str]:
    if output is None:
        return []
    names = [output, output.with_stem(f"{output.stem}-second")][: len(models)]
    for path, model in zip(names, models, strict=True):
        write_model(model, path)
    return [str(path) for path in names]


def _report(report: Any, claim: str, files: list[str]) -> dict[str, Any]:
    return {
        "format": "exactlearn.hunt/1",
        "claim": claim,
        "outcome": report.outcome,
        "models": [model_to_json(model) for model in report.models],
        "why": report.why,
        "tried": report.total,
        "sizes": [
            {"dim": size.dim, "heads": list(size.heads), "weights": size.weights, "tried": count}
            for size, count in report.tried
        ],
        "undecided": report.undecided,
        "set_aside": report.set_aside,
        "out_of_time": report.out_of_time,
        "seed": report.seed,
        "seconds": round(report.seconds, 6),
        "files": files,
    }


def _print(report: Any, files: list[str]) -> None:
    out = console()
    what = "pairs of models" if report.tried and len(report.tried[0][0].heads) == 2 else "models"
    if report.outcome == "nothing-found":
        out.print(
            f"nothing found: none of the {report.total} different {what} tried breaks the claim; this is no proof"
        )
        out.print(facts_table({str(size): f"{count} tried" for size, count in report.tried}))
    else:
        said = "counterexample: the claim is false" if report.outcome == "counterexample" else "the claim RAISED"
        out.print(f"{said} for", markup=False)
        for model in report.models:
            out.print(f"  d = {model.dim}, {model.weights} weights", markup=False)
            for line in describe_model(model):
                out.print(f"    {line}", markup=False)
        if report.why:
            out.print(f"it says: {report.why}", markup=False)
        out.print(f"found after {report.total} different {what}, then made smaller")
    if report.undecided or report.set_aside:
        out.print(f"{report.undecided} were left undecided by the claim, {report.set_aside} set aside")
    if report.out_of_time:
        out.print("the time ended first (--seconds)")
    out.print(f"seed {report.seed}")
    for path in files:
        out.print(f"written: {path}", markup=False)
