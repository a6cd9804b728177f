"""Every example on the README is run: Python blocks, console lines, and the two set-up commands' form."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def console_lines() -> list[tuple[str, int]]:
    """The commands behind a dollar sign, each with the exit status that its comment announces."""
    lines = re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE)
    found = []
    for line in lines:
        command, _, comment = line.partition("#")
        status = re.search(r"exit status (\d)", comment)
        found.append((command.strip(), int(status[1]) if status else 0))
    return found


def test_python_blocks_run() -> None:
    """The Python on the README runs as one session."""
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    exec(compile("\n".join(blocks), str(README), "exec"), {})  # noqa: S102  # our own README


def test_console_lines_run(tmp_path: Path) -> None:
    """The commands of the tour run in their order, each with the exit status it announces."""
    assert len(console_lines()) >= 8
    for command, status in console_lines():
        program = command.replace("exactlearn", f"{shlex.quote(sys.executable)} -m exactlearn", 1)
        done = subprocess.run(program, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S602  # our own README
        assert done.returncode == status, (command, done.stderr)


def test_the_set_up_is_two_commands() -> None:
    """The first screen holds two commands between the marks that the CI script reads."""
    first_screen = "\n".join(TEXT.splitlines()[:40])
    block = re.search(r"<!-- set-up -->\n(.*?)<!-- end of set-up -->", first_screen, re.DOTALL)
    assert block is not None
    assert len(block[1].splitlines()) == 2


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:exactlearn|benchmarks|proofs)/[\w./]*)`", TEXT))))
def test_paths_exist(path: str) -> None:
    """Every path that the README names is there."""
    assert (README.parent / path).exists()
