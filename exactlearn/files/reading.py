"""Bytes of a file, bounded, with one line for everything that can go wrong on the way."""

from __future__ import annotations

import os
from pathlib import Path

from exactlearn.errors import UnusableInputError

MAX_FILE_BYTES = 1 << 28
"""Larger files are refused; a float32-sized model with d = 256 and 16 heads is well below."""


def place_of(path: str | os.PathLike[str]) -> str:
    """How errors call a file: its path, escaped when it would not print on one line."""
    text = os.fspath(path)
    return text if text.isprintable() else ascii(text)


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES) -> bytes:
    """The whole content of a file of at most `limit` bytes.

    Raises:
        UnusableInputError: When the file is missing, a directory, unreadable or longer than `limit`.
    """
    place = place_of(path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(limit + 1)
    except FileNotFoundError:
        raise UnusableInputError("there is no such file", place) from None
    except IsADirectoryError:
        raise UnusableInputError("this is a directory, not a file", place) from None
    except OSError as error:
        raise UnusableInputError(f"the file cannot be read: {error.strerror or 'input/output error'}", place) from None
    except ValueError:  # a null character in the path
        raise UnusableInputError("this is not a path", place) from None
    if len(content) > limit:
        raise UnusableInputError(f"the file is too long: at most {limit} bytes are read", place)
    return content
