"""Tests of atomic writing: all or nothing, and nothing left behind."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from exactlearn.errors import UnusableInputError
from exactlearn.files.atomic import write_text_atomically


def test_new_and_replaced(tmp_path: Path) -> None:
    """A new file appears, an old one is replaced, and no other file stays in the directory."""
    file = tmp_path / "a.json"
    write_text_atomically(file, "one\n")
    assert file.read_bytes() == b"one\n"
    write_text_atomically(file, "two é\n")
    assert file.read_bytes() == "two é\n".encode()
    assert list(tmp_path.iterdir()) == [file]


def test_permissions(tmp_path: Path) -> None:
    """A new file heeds the umask, a replaced one keeps its permissions."""
    file = tmp_path / "a"
    old = os.umask(0o027)
    try:
        write_text_atomically(file, "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    file.chmod(0o604)
    write_text_atomically(file, "y")
    assert stat.S_IMODE(file.stat().st_mode) == 0o604


def test_links_stay(tmp_path: Path) -> None:
    """A symbolic link is written through."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_failure_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails at the last moment, the old file is whole and the temporary one is gone."""
    file = tmp_path / "a"
    file.write_text("old")

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UnusableInputError, match=r"a: cannot be written: No space left on device$"):
        write_text_atomically(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_interrupt_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A keyboard interrupt is passed on, and the temporary file is gone."""

    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text_atomically(tmp_path / "a", "new")
    assert list(tmp_path.iterdir()) == []


def test_unusable_targets(tmp_path: Path) -> None:
    """A directory, a device, a missing directory and a broken path are refused in one line."""
    with pytest.raises(UnusableInputError, match=r"this is not a regular file$"):
        write_text_atomically(tmp_path, "x")
    with pytest.raises(UnusableInputError, match=r"/dev/null: cannot be written: this is not a regular file$"):
        write_text_atomically("/dev/null", "x")
    with pytest.raises(UnusableInputError, match=r"cannot be written: No such file or directory$"):
        write_text_atomically(tmp_path / "missing" / "a", "x")
    with pytest.raises(UnusableInputError, match=r"this is not a path$"):
        write_text_atomically("a\0b", "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_unwritable_directory(tmp_path: Path) -> None:
    """A directory without the permission to write is refused in one line."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UnusableInputError, match=r"cannot be written: Permission denied$"):
            write_text_atomically(tmp_path / "a", "x")
    finally:
        tmp_path.chmod(0o700)


def test_refused_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory in which no file can be opened is one line, for root too."""

    def refuse(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UnusableInputError, match=r"cannot be written: Permission denied$"):
        write_text_atomically(tmp_path / "a", "x")
