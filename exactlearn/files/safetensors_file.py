"""Containers in the .safetensors format: tensors and metadata, with the package safetensors (extra "import")."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.reading import place_of, read_bytes
from exactlearn.files.strict_json import decode_utf8, parse_json
from exactlearn.files.tensors import RawTensor, TensorFile

MAX_HEADER_BYTES = 10_000_000
"""The header names the tensors and holds the metadata; a longer one is refused before it is parsed."""

DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


def read_safetensors(path: str | os.PathLike[str]) -> TensorFile:
    """The tensors and the metadata of a .safetensors file.

    Raises:
        MissingExtraError: When the package safetensors is not installed.
        UnusableInputError: When the file cannot be read or is corrupt, or a name stands in it twice.
    """
    safetensors = _import_safetensors()
    place = place_of(path)
    content = read_bytes(path)
    header_length = int.from_bytes(content[:8], "little")
    if header_length > MAX_HEADER_BYTES:
        raise UnusableInputError(f"not a safetensors file: its header would have {header_length} bytes", place)
    try:
        found = safetensors.deserialize(content)
    except safetensors.SafetensorError as error:
        raise UnusableInputError(f"not a safetensors file: {_one_line(error)}", place) from None
    # deserialize keeps the last of two equal names and does not return the metadata: the header is read again.
    header = parse_json(decode_utf8(content[8 : 8 + header_length], place), place)
    tensors = {
        name: RawTensor(DTYPES.get(info["dtype"], info["dtype"]), tuple(info["shape"]), bytes(info["data"]))
        for name, info in found
    }
    return TensorFile(tensors, metadata_of(header, place))


def _import_safetensors() -> ModuleType:
    try:
        import safetensors  # noqa: PLC0415  # an optional package
    except ImportError:
        raise MissingExtraError("safetensors", "import", "a .safetensors file") from None
    return safetensors


def metadata_of(header: Any, place: str) -> dict[str, str]:
    """The metadata in a parsed header.  Raises UnusableInputError when they are not texts."""
    metadata = header.get("__metadata__") or {}
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise UnusableInputError("not a safetensors file: the metadata are not texts", place)
    return metadata


def _one_line(error: Exception) -> str:
    """Upstream's sentence; it may quote names from the file."""
    return quote(str(error).removeprefix("Error while deserializing: "))
