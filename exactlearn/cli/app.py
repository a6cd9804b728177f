"""The program `exactlearn`: its commands, and how every error becomes one line and an exit status.

Exit status 0: the claim holds.  1: it does not.  2: unusable input or usage.
`check` has a fourth, 3: out of its time or memory limit, which is no verdict.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from exactlearn import __version__
from exactlearn.cli import INTERRUPTED
from exactlearn.cli.canonical import canonical
from exactlearn.cli.check import check
from exactlearn.cli.compare import compare
from exactlearn.cli.counterexample import counterexample
from exactlearn.cli.counts import counts
from exactlearn.cli.demo import demo
from exactlearn.cli.digits import digits
from exactlearn.cli.evaluate import evaluate
from exactlearn.cli.examples import examples
from exactlearn.cli.explain import explain
from exactlearn.cli.hunt import hunt
from exactlearn.cli.importing import import_file
from exactlearn.cli.learn import learn
from exactlearn.cli.prove import prove
from exactlearn.cli.report import report
from exactlearn.cli.stability import stability
from exactlearn.cli.sweep import sweep
from exactlearn.cli.verify import verify
from exactlearn.errors import ExactlearnError

UNUSABLE = 2

app = typer.Typer(
    name="exactlearn",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Exact symbolic verification of multi-head attention learned from value queries.",
)
app.command("learn")(learn)
app.command("verify")(verify)
app.command("stability")(stability)
app.command("digits")(digits)
app.command("counts")(counts)
app.command("demo")(demo)
app.command("check")(check)
app.command("prove")(prove)
app.command("counterexample")(counterexample)
app.command("hunt")(hunt)
app.command("sweep")(sweep)
app.command("report")(report)
app.command("canonical")(canonical)
app.command("compare")(compare)
app.command("eval")(evaluate)
app.command("import")(import_file)
app.command("explain")(explain)
app.command("examples")(examples)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        sys.stdout.write(__version__ + "\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever started us (>&-)
            setattr(sys, stream, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # kept for good
    try:
        status = _run_command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone (`exactlearn ... | head`): nothing is wrong, and nothing can be said.
        _drop_standard_output()
        return 0
    except OSError as error:
        _drop_standard_output()
        return complain(f"standard output: cannot be written: {error.strerror or error}")
    return status


def _run_command(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except OSError:
        raise
    except Exception as error:
        if os.environ.get("EXACTLEARN_TRACEBACK"):
            raise
        return complain(_in_one_line(error))
    if status == INTERRUPTED:  # also what the command line library makes of a KeyboardInterrupt, in some versions
        return complain("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _in_one_line(error: Exception) -> str:
    if isinstance(error, ExactlearnError):
        return str(error)
    if hasattr(error, "format_message"):  # the command line library's own usage errors, whichever class they have
        return f"{error.format_message()} (see exactlearn --help)"
    if isinstance(error, MemoryError | OverflowError | RecursionError):
        return f"too large for this machine ({type(error).__name__}): try a smaller size"
    fault = f"{type(error).__name__}: {error}"
    return f"a fault of the program, please report it ({fault}); EXACTLEARN_TRACEBACK=1 shows where"


def _drop_standard_output() -> None:
    """What could not be written is not tried again when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str, status: int = UNUSABLE) -> int:
    """One line on standard error, as far as it can be written; returns the exit status."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write("exactlearn: " + " ".join(message.split()) + "\n")
        sys.stderr.flush()
    return status
