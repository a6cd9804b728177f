"""One run of the program inside the test process, and what it came to."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from exactlearn.cli import main
from exactlearn.errors import UnusableInputError
from exactlearn.examples import load, names


class Run:
    """Exit status, standard output and standard error of one run."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        self.status = stopped.value.code
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        assert self.out.count("\n") == 1
        return found

    def assert_refused(self, message: str) -> None:
        """Exit status 2 and one line that matches, and nothing on standard output."""
        assert self.status == 2
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert re.search(message, self.err), self.err


def attention_examples() -> list[str]:
    """The bundled examples that are attention models of the first kind."""

    def is_attention(name: str) -> bool:
        try:
            load(name)
        except UnusableInputError:
            return False
        return True

    return [name for name in names() if is_attention(name)]
