"""Tests of reading bytes: everything that can be wrong with a path is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactlearn.errors import UnusableInputError
from exactlearn.files.reading import place_of, read_bytes


def test_content(tmp_path: Path) -> None:
    """The bytes of a file come back whole, up to the limit and not beyond."""
    file = tmp_path / "a"
    file.write_bytes(b"\x00\xff\r\n")
    assert read_bytes(file) == b"\x00\xff\r\n"
    assert read_bytes(str(file), limit=4) == b"\x00\xff\r\n"
    with pytest.raises(UnusableInputError, match="the file is too long: at most 3 bytes"):
        read_bytes(file, limit=3)


def test_unusable_paths(tmp_path: Path) -> None:
    """A missing file, a directory, a file in the place of a directory and a broken path have their own line."""
    file = tmp_path / "a"
    file.touch()
    with pytest.raises(UnusableInputError, match=r"missing\.json: there is no such file$"):
        read_bytes(tmp_path / "missing.json")
    with pytest.raises(UnusableInputError, match=r"this is a directory, not a file$"):
        read_bytes(tmp_path)
    with pytest.raises(UnusableInputError, match=r"the file cannot be read: Not a directory$"):
        read_bytes(file / "b")
    with pytest.raises(UnusableInputError, match=r"this is not a path$"):
        read_bytes("a\0b")


def test_endless_files() -> None:
    """A file without an end is refused at the limit."""
    with pytest.raises(UnusableInputError, match="/dev/zero: the file is too long"):
        read_bytes("/dev/zero", limit=1000)


def test_places_print_on_one_line(tmp_path: Path) -> None:
    """A path with a line break or a lone surrogate is shown escaped."""
    assert place_of(tmp_path / "model.json") == str(tmp_path / "model.json")
    assert place_of("a\nb") == r"'a\nb'"
    assert place_of("a\udcff") == r"'a\udcff'"
