"""The program `exactlearn`: its commands, and how every error becomes one line and an exit status.

Exit status 0: the claim holds.  1: it does not.  2: unusable input or usage.
`check` has a fourth, 3: out of its time or memory limit, which is no verdict.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from exactlearn import __version__
from exactlearn.cli.canonical import canonical
from exactlearn.cli.check import check
from exactlearn.cli.compare import compare
from exactlearn.cli.counterexample import counterexample
from exactlearn.cli.evaluate import evaluate
from exactlearn.cli.examples import examples
from exactlearn.cli.hunt import hunt
from exactlearn.cli.importing import import_file
from exactlearn.cli.learn import learn
from exactlearn.cli.prove import prove
from exactlearn.cli.report import report
from exactlearn.cli.sweep import sweep
from exactlearn.cli.verify import verify
from exactlearn.errors import ExactlearnError

UNUSABLE = 2
INTERRUPTED = 130

app = typer.Typer(
    name="exactlearn",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Exact symbolic verification of multi-head attention learned from value queries.",
)
app.command("learn")(learn)
app.command("verify")(verify)
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit status; no traceback reaches a user."""
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=None if arguments is None else list(arguments), standalone_mode=False)
        sys.stdout.flush()
    except ExactlearnError as error:
        return _complain(str(error))
    except BrokenPipeError:
        # The reader of our output has gone (`exactlearn ... | head`): nothing is wrong, and nothing can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except Exception as error:
        # The command line library's own usage errors, whichever class they have in its versions.
        if not hasattr(error, "format_message"):
            raise
        return _complain(f"{error.format_message()} (see exactlearn --help)")
    if status == INTERRUPTED:  # what the command line library makes of a KeyboardInterrupt, in some versions
        return _complain("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _complain(message: str, status: int = UNUSABLE) -> int:
    sys.stderr.write("exactlearn: " + " ".join(message.split()) + "\n")
    return status
