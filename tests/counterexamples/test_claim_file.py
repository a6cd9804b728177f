"""Claims as files: what is loaded, and one clear line for what cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from exactlearn.counterexamples.claim_file import load_claim
from exactlearn.counterexamples.claims import NAMES, path
from exactlearn.errors import UnusableInputError
from exactlearn.examples import load


def test_a_file(tmp_path: Path) -> None:
    """The function `claim` of the file, which may import what it likes."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from exactlearn import canonical_form\n\ndef claim(model):\n    return canonical_form(model) == model\n"
    )
    assert load_claim(file)(load("two-heads")) in {True, False}


@pytest.mark.parametrize("name", NAMES)
def test_bundled_claims(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each is loaded by its name or its path; a file of that name wins."""
    assert load_claim(name).__doc__ == load_claim(path(name)).__doc__
    assert (load_claim(name).__doc__ or "").endswith(".")
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("def claim(model): return True")
    assert load_claim(name).__doc__ is None


def test_every_bundled_file_is_listed() -> None:
    """The list is the folder."""
    assert {file.stem for file in path(NAMES[0]).parent.glob("*.py")} - {"__init__"} == set(NAMES)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def claim(model) return True", "not Python: .*, line 1"),
        ("x = 1\n\nif", "not Python: .*, line 3"),
        ("raise ValueError('two\\nlines')", "raises when run: ValueError: two lines"),
        ("import no_such_module_here", "raises when run: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)", "raises when run: SystemExit: 3"),
        ("def claims(model): return True", "defines no function claim: write def claim"),
        ("claim = 3", "defines no function claim"),
        ("x = '\0'", "not Python"),
    ],
)
def test_unusable_files(tmp_path: Path, source: str, message: str) -> None:
    """One line that names the file."""
    file = tmp_path / "mine.py"
    file.write_text(source)
    with pytest.raises(UnusableInputError, match=f"^{re.escape(str(file))}: .*{message}") as caught:
        load_claim(file)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """A missing file, a folder, and bytes that are no text."""
    with pytest.raises(UnusableInputError, match="no such file"):
        load_claim(tmp_path / "none.py")
    with pytest.raises(UnusableInputError, match="directory"):
        load_claim(tmp_path)
    (tmp_path / "bytes.py").write_bytes(b"\xff")
    with pytest.raises(UnusableInputError, match="not UTF-8"):
        load_claim(tmp_path / "bytes.py")
