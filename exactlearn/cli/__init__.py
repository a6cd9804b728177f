"""The command line: arguments in, one JSON object or a few lines out; one file per command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit status; no traceback reaches a user, not even while it starts."""
    try:
        from exactlearn.cli.app import run  # noqa: PLC0415  # so that an interrupt during the imports is caught too

        status = run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("exactlearn: interrupted\n")
        status = INTERRUPTED
    sys.exit(status)


__all__ = ["main"]
