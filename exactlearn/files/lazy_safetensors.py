"""Some tensors of a .safetensors file: the header is read first, then only the bytes that are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.reading import MAX_FILE_BYTES, place_of
from exactlearn.files.safetensors_file import DTYPES, MAX_HEADER_BYTES, metadata_of
from exactlearn.files.strict_json import decode_utf8, parse_json
from exactlearn.files.tensors import RawTensor, shown_name


@dataclass(frozen=True)
class _Entry:
    """Where one tensor lies: its type, its extents, and its bytes' place in the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class LazyTensors(Mapping[str, RawTensor]):
    """The tensors of a file by name, each read when it is asked for; metadata and names are there at once.

    Args:
        path: A .safetensors file of any length.

    Raises:
        UnusableInputError: When the file cannot be read, or its header is not one; a tensor's own faults come later.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._place = place_of(path)
        start = self._bytes(0, 8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > MAX_HEADER_BYTES:
            raise UnusableInputError("not a safetensors file", self._place)
        text = self._bytes(8, length)
        if len(text) < length:
            raise UnusableInputError("not a safetensors file: its header is cut off", self._place)
        header = parse_json(decode_utf8(text, self._place), self._place)
        if not isinstance(header, dict):
            raise UnusableInputError("not a safetensors file: its header is no object", self._place)
        self.metadata = metadata_of(header, self._place)
        self._entries = {
            name: self._entry(name, entry, 8 + length) for name, entry in header.items() if name != "__metadata__"
        }

    def __getitem__(self, name: str) -> RawTensor:
        entry = self._entries[name]
        if entry.end - entry.begin > MAX_FILE_BYTES:
            raise UnusableInputError(f"the tensor is too long: at most {MAX_FILE_BYTES} bytes are read", self._in(name))
        data = self._bytes(entry.begin, entry.end - entry.begin)
        if len(data) < entry.end - entry.begin:
            raise UnusableInputError("the file is cut off in this tensor", self._in(name))
        return RawTensor(entry.dtype, entry.shape, data)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _entry(self, name: str, entry: Any, start: int) -> _Entry:
        keys = {"dtype": str, "shape": list, "data_offsets": list}
        if not isinstance(entry, dict) or any(not isinstance(entry.get(key), kind) for key, kind in keys.items()):
            raise UnusableInputError("not a safetensors file: this entry of its header is wrong", self._in(name))
        shape, offsets = entry["shape"], entry["data_offsets"]
        numbers = [*shape, *offsets]
        if len(offsets) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in numbers):
            raise UnusableInputError("not a safetensors file: this entry of its header is wrong", self._in(name))
        if offsets[0] > offsets[1]:
            raise UnusableInputError("not a safetensors file: the tensor ends before it begins", self._in(name))
        name_of_type = str(entry["dtype"])
        dtype = DTYPES.get(name_of_type) or quote(name_of_type)
        return _Entry(dtype, tuple(shape), start + offsets[0], start + offsets[1])

    def _in(self, name: str) -> str:
        return f"{self._place}: {shown_name(name)}"

    def _bytes(self, begin: int, count: int) -> bytes:
        try:
            with self._path.open("rb") as file:
                file.seek(begin)
                return file.read(count)
        except FileNotFoundError:
            raise UnusableInputError("there is no such file", self._place) from None
        except IsADirectoryError:
            raise UnusableInputError("this is a directory, not a file", self._place) from None
        except OSError as error:
            reason = f"the file cannot be read: {error.strerror or 'input/output error'}"
            raise UnusableInputError(reason, self._place) from None
        except ValueError:  # a null character in the path
            raise UnusableInputError("this is not a path", self._place) from None
