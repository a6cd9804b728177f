"""The state of a run on disk: one file for each finished block, so that a run killed at any moment goes on.

A file is written beside its place, synced and renamed, and carries a digest of its content: it is there whole or not
at all, and a damaged one is made anew.  The manifest binds the folder to one run; a lock keeps a second one out.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint import fmpz

from exactlearn.errors import UnusableInputError

FORMAT = "exactlearn.full-size-state/1"
_DIGEST_BYTES = 32


@dataclass(frozen=True)
class StateFolder:
    """A folder that holds the blocks of one run in one ring.

    Attributes:
        path: The folder.
    """

    path: Path

    @contextlib.contextmanager
    def opened(self, manifest: Mapping[str, Any]) -> Iterator[None]:
        """Hold the folder for this run.

        Raises:
            UnusableInputError: When it holds another run, another process uses it, or it cannot be written.
        """
        content = {"format": FORMAT, **manifest}
        place = str(self.path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with (self.path / "lock").open("w", encoding="utf-8") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise UnusableInputError("another run is using this folder", place) from None
                self._bind(content, place)
                yield
        except OSError as error:
            raise UnusableInputError(f"cannot be used: {error.strerror or 'input/output error'}", place) from None

    def has(self, name: str) -> bool:
        """Whether this block is finished and undamaged."""
        return self._content(name) is not None

    def read(self, name: str) -> bytes:
        """The content of a finished block.

        Raises:
            UnusableInputError: When it is missing or damaged.
        """
        content = self._content(name)
        if content is None:
            raise UnusableInputError("a block is missing or damaged: run again to make it anew", str(self.path / name))
        return content

    def write(self, name: str, content: bytes) -> None:
        """Put a finished block in its place."""
        temporary = self.path / f".{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("wb") as file:
                file.write(hashlib.sha256(content).digest())
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path / name)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    def _content(self, name: str) -> bytes | None:
        try:
            data = (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        content = data[_DIGEST_BYTES:]
        return content if hashlib.sha256(content).digest() == data[:_DIGEST_BYTES] else None

    def _bind(self, manifest: Mapping[str, Any], place: str) -> None:
        text = json.dumps(manifest, sort_keys=True).encode()
        found = self._content("manifest")
        if found is not None and found != text:
            raise UnusableInputError("this folder holds the state of another run: choose another one", place)
        if found is None:
            strangers = [entry.name for entry in self.path.iterdir() if entry.name not in {"lock", "manifest"}]
            if any(not name.endswith(".tmp") for name in strangers):
                raise UnusableInputError("this folder is not empty and holds no state of a run", place)
            self.write("manifest", text)
        for left_over in self.path.glob(".*.tmp"):
            left_over.unlink(missing_ok=True)


def pack(residues: Sequence[fmpz], modulus: fmpz) -> bytes:
    """Residues modulo `modulus` as equally long little-endian numbers."""
    width = byte_width(modulus)
    return b"".join([int(residue).to_bytes(width, "little") for residue in residues])


def unpack(content: bytes, modulus: fmpz) -> list[fmpz]:
    """What `pack` was given."""
    width = byte_width(modulus)
    return [fmpz(int.from_bytes(content[at : at + width], "little")) for at in range(0, len(content), width)]


def byte_width(modulus: fmpz) -> int:
    """Bytes that one residue takes."""
    return (int(modulus).bit_length() + 7) // 8
