"""Atomic writing: a file holds its old content or all of the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from exactlearn.errors import UnusableInputError
from exactlearn.files.reading import place_of


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 to a temporary file in the same directory, sync it, and put it in the place of `path`.

    An existing file keeps its permissions; a symbolic link stays, and what it points to is replaced.

    Raises:
        UnusableInputError: When `path` is no regular file or its directory cannot be written; nothing is left behind.
    """
    place = place_of(path)
    content = text.encode()
    try:
        target = Path(os.path.realpath(path))
        mode = _mode_of_existing(target, place)
        temporary = target.parent / f".exactlearn-{secrets.token_hex(8)}.tmp"
        try:
            _write_and_sync(temporary, content, mode)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise UnusableInputError(f"cannot be written: {error.strerror or 'input/output error'}", place) from None
    except ValueError:  # a null character in the path
        raise UnusableInputError("this is not a path", place) from None


def _mode_of_existing(target: Path, place: str) -> int | None:
    """The permissions of the file that is replaced, None when there is none yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise UnusableInputError("cannot be written: this is not a regular file", place)
    return stat.S_IMODE(mode)


def _write_and_sync(temporary: Path, content: bytes, mode: int | None) -> None:
    # os.open with 0o666 heeds the user's umask, which tempfile's private 0o600 would not.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None:
            temporary.chmod(mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
