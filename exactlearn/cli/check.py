"""`exactlearn check CERT`: the independent checker, a process of its own that loads nothing else of us."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import typer

from exactlearn.cli.output import AsJson
from exactlearn.errors import UnusableInputError

MOST_SECONDS = 1_000_000


def check(
    certificate: Annotated[str, typer.Argument(metavar="CERT", help="A certificate file.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="Your own model file, to which the claim is bound.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Computing time allowed; left out, it goes by the file's size.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Recompute every line of a certificate and trust none; exit status 3 when out of time or memory."""
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise UnusableInputError(f"a number above 0 and up to {MOST_SECONDS} is expected", "--seconds")
    command = [sys.executable, "-m", "exactlearn.checker"]
    command += ["--model", model] if model is not None else []
    command += ["--seconds", str(seconds)] if seconds is not None else []
    command += ["--json"] if as_json else []
    done = subprocess.run([*command, "--", certificate], capture_output=True, text=True, check=False)  # noqa: S603  # our own checker
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode
