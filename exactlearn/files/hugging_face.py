"""A local directory in the layout of Hugging Face: config.json and .safetensors files; the network is never asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.lazy_safetensors import LazyTensors
from exactlearn.files.numerals import quote
from exactlearn.files.other_models import check_config
from exactlearn.files.reading import place_of, read_bytes
from exactlearn.files.strict_json import decode_utf8
from exactlearn.files.tensors import RawTensor

SCHEME = "hf:"
CONFIG = "config.json"
_INDEX = "model.safetensors.index.json"
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt")


def read_config(path: Path) -> dict[str, Any]:
    """A model's configuration, refused when it tells of another model; its fractions mean nothing here and stay text.

    Raises:
        UnusableInputError: When it cannot be read, is no JSON object, or as `check_config`.
    """
    place = place_of(path)
    try:
        found = json.loads(decode_utf8(read_bytes(path), place), parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        raise UnusableInputError("this is not JSON", place) from None
    if not isinstance(found, dict):
        raise UnusableInputError("a JSON object is expected", place)
    try:
        check_config(found)
    except UnusableInputError as error:
        raise error.within(place) from None
    return found


def heads_in_config(config: Mapping[str, Any]) -> int | None:
    """The number of heads that a configuration says, if it does."""
    for key in _HEADS:
        value = config.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def open_directory(text: str) -> tuple[dict[str, Any], Mapping[str, RawTensor]]:
    """The configuration and the tensors of a local directory.

    Args:
        text: The directory, without ``hf:``.

    Raises:
        UnusableInputError: When there is no such directory, no configuration or no .safetensors file in it, or as
            `read_config` and `LazyTensors`.
    """
    folder = Path(text)
    place = SCHEME + place_of(text)
    if not os.path.isdir(text):  # noqa: PTH112  # answers False where pathlib raises
        raise UnusableInputError("there is no such directory here, and the network is never asked", place)
    if not (folder / CONFIG).is_file():
        raise UnusableInputError(f"there is no {CONFIG} in this directory", place)
    config = read_config(folder / CONFIG)
    files = sorted(folder.glob("*.safetensors"))
    if (folder / _INDEX).is_file():
        return config, _Shards(folder)
    whole = folder / "model.safetensors"
    if whole in files:
        return config, LazyTensors(whole)
    if len(files) == 1:
        return config, LazyTensors(files[0])
    if files:
        raise UnusableInputError(f"there are {len(files)} .safetensors files and no {_INDEX}", place)
    pickles = sorted(file.name for file in folder.iterdir() if file.suffix in _PICKLES)
    if pickles:
        reason = f"{quote(pickles[0])} is a pickle, which runs code when it is read: save it as model.safetensors"
        raise UnusableInputError(reason, place)
    raise UnusableInputError("there is no model.safetensors in this directory", place)


class _Shards(Mapping[str, RawTensor]):
    """Tensors that lie in several files, told by an index; a file is opened when a tensor in it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        place = place_of(folder / _INDEX)
        try:
            index = json.loads(decode_utf8(read_bytes(folder / _INDEX), place))
        except (ValueError, RecursionError):
            raise UnusableInputError("this is not JSON", place) from None
        table = index.get("weight_map") if isinstance(index, dict) else None
        if not isinstance(table, dict):
            raise UnusableInputError("there is no weight_map", place)
        for name, file in table.items():
            # A shard lies beside its index: no path leads out of the directory.
            if not isinstance(file, str) or Path(file).name != file or not file.endswith(".safetensors"):
                raise UnusableInputError(
                    f"{quote(str(file))} is no .safetensors file beside it", f"{place}: {quote(name)}"
                )
        self._files: dict[str, str] = table
        self._open: dict[str, LazyTensors] = {}

    def __getitem__(self, name: str) -> RawTensor:
        file = self._files[name]
        if file not in self._open:
            self._open[file] = LazyTensors(self._folder / file)
        if name not in self._open[file]:
            raise UnusableInputError(f"there is no tensor {quote(name)}", place_of(self._folder / file))
        return self._open[file][name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
