"""The command line: arguments in, one JSON object or a few lines out; one file per command."""

from exactlearn.cli.app import main

__all__ = ["main"]
