"""`exactlearn explain RUN_OR_MODEL -o page.html`: one page that explains a run and checks it in the browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from exactlearn.certificate.writer import certificate_to_text
from exactlearn.checker import Outcome, check_text
from exactlearn.cli.full_size import is_layer
from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.explain import MAX_CHARACTERS, build_page, certificate_of_model, read_run
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.reading import place_of, read_bytes

_FIRST_BYTES = 256


def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN_OR_MODEL", help="A certificate (verify -o, learn --certificate), a model file or an example."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write, one HTML file.")],
    seed: Annotated[int, typer.Option("--seed", help="The draw of a MODEL's run comes from it.")] = 0,
    as_json: AsJson = False,
) -> int:
    """Write one page, for any browser and without network: the run, its pictures, and a live check of every line."""
    certificate, outcome, name = _run_of(run, seed)
    write_text_atomically(output, build_page(certificate, name))
    holds = outcome.status == 0
    if as_json:
        report = {"format": "exactlearn.explain/1", "written": str(output), "holds": holds, "reason": outcome.reason}
        print_json(report)
    else:
        console().print(f"written: {output}, to be opened in a browser", markup=False)
        if not holds:
            console().print(f"the certificate does not hold, and the page shows where: {outcome.reason}", markup=False)
    return 0 if holds else 1


def _run_of(run: str, seed: int) -> tuple[dict[str, Any], Outcome, str]:
    name = Path(run).name
    if _calls_itself_certificate(run):
        try:
            return *read_run(_text(run)), name
        except UnusableInputError as error:
            raise error.within(place_of(run)) from None
    if is_layer(run):
        raise UnusableInputError("a page explains models without biases, with one output, and this is a layer", run)
    model = resolve_any(run)
    try:
        certificate = certificate_of_model(model, seed)
    except UnusableInputError as error:
        raise error.within(place_of(run)) from None
    return certificate, check_text(certificate_to_text(certificate)), name


def _calls_itself_certificate(path: str) -> bool:
    """By the first key of a file, which is `format`; everything else is left to those who read models."""
    if not os.path.isfile(path):  # noqa: PTH113  # answers False where pathlib raises
        return False
    with Path(path).open("rb") as file:
        return b"exactlearn.certificate/" in file.read(_FIRST_BYTES)


def _text(path: str) -> str:
    try:
        return read_bytes(path, 4 * MAX_CHARACTERS).decode()
    except UnicodeDecodeError:
        raise UnusableInputError("this is not UTF-8") from None
