"""Importing a trained layer from a container file, or a local directory of Hugging Face's layout, as an exact model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.hugging_face import CONFIG, SCHEME, open_directory, read_config
from exactlearn.files.layer_import import ImportedLayer, import_layer
from exactlearn.files.lazy_safetensors import LazyTensors
from exactlearn.files.multihead_attention import IN_PROJECTION, READOUT, model_from_layer
from exactlearn.files.npz_file import read_npz
from exactlearn.files.reading import place_of
from exactlearn.files.safetensors_file import read_safetensors
from exactlearn.files.scales import Scale
from exactlearn.files.tensors import RawTensor, TensorFile
from exactlearn.files.transformer_layer import is_transformer, transformer_from_layer
from exactlearn.model import AttentionLayer, MultiHeadAttention, Transformer

_READERS: dict[str, Callable[[str | os.PathLike[str]], TensorFile]] = {
    ".safetensors": read_safetensors,
    ".npz": read_npz,
}


@dataclass(frozen=True)
class Imported:
    """A model, and where it stood in the file when it is a layer with biases or vector outputs."""

    model: MultiHeadAttention | Transformer | AttentionLayer
    layer: ImportedLayer | None = None


def is_importable(path: str | os.PathLike[str]) -> bool:
    """Whether the name of the file is that of a container that `import_model` reads."""
    return PurePath(path).suffix in _READERS


def import_model(path: str | os.PathLike[str], num_heads: int | None = None) -> MultiHeadAttention:
    """The exact model of a torch.nn.MultiheadAttention layer without biases, see `model_from_layer`.

    A Transformer and a layer with biases or vector outputs are refused: `import_any_model` takes them.

    Raises:
        MissingExtraError, UnusableInputError: As `import_any_model`.
    """
    model = import_any_model(path, num_heads)
    if isinstance(model, Transformer):
        raise UnusableInputError(
            "a ReLU network follows: this is a Transformer, not a layer of attention", place_of(path)
        )
    if isinstance(model, AttentionLayer):
        raise UnusableInputError("this is a layer with biases or vector outputs", place_of(path))
    return model


def import_any_model(
    path: str | os.PathLike[str],
    num_heads: int | None = None,
    which: str | None = None,
    scale: Scale = "exact",
) -> MultiHeadAttention | Transformer | AttentionLayer:
    """The exact model in a file or directory, see `import_from`."""
    return import_from(path, num_heads, which, scale).model


def import_from(
    path: str | os.PathLike[str],
    num_heads: int | None = None,
    which: str | None = None,
    scale: Scale = "exact",
) -> Imported:
    """The exact model of a layer of attention.

    A torch.nn.MultiheadAttention layer and readout without biases is an attention model, with a ReLU network behind a
    Transformer; every other layer is an `AttentionLayer`, with vector outputs unless a readout follows.

    Args:
        path: A .safetensors or .npz file, or ``hf:DIR``, a local directory of Hugging Face's layout.
        num_heads: The number of heads; it is needed when the file does not say it and must agree when it does.
        which: The number of the layer, or what the names of its tensors begin with, when there are several.
        scale: "exact" for the factor 1/sqrt(head_dim) on the scores, "float32" for the float nearest to it.

    Raises:
        MissingExtraError: When the package that reads the container is not installed.
        UnusableInputError: When the file cannot be read, or does not hold such a layer.
    """
    text = os.fspath(path)
    place = place_of(path)
    options: dict[str, Any] = {"num_heads": num_heads, "which": which, "scale": scale}
    if text.startswith(SCHEME):
        config, tensors = open_directory(text.removeprefix(SCHEME))
        return _layer(tensors, place, config=config, metadata={}, **options)
    read = _READERS.get(PurePath(path).suffix)
    if read is None:
        raise UnusableInputError(f"layers are imported from {' and '.join(_READERS)} files", place)
    if read is read_npz:
        file = read(path)
        names: Iterable[str] = file.tensors
        if not _is_plain(names):
            return _layer(file.tensors, place, config={}, metadata=file.metadata, **options)
    else:
        lazy = LazyTensors(path)
        if not _is_plain(lazy):
            beside = Path(path).with_name(CONFIG)
            config = read_config(beside) if beside.is_file() else {}
            return _layer(lazy, place, config=config, metadata=lazy.metadata, **options)
        file = read(path)
    if which not in (None, "0"):
        raise UnusableInputError("the file holds one layer, number 0", "--layer")
    try:
        from_file = transformer_from_layer if is_transformer(file) else model_from_layer
        return Imported(from_file(file, num_heads, scale))
    except UnusableInputError as error:
        raise error.within(place) from None


def _layer(tensors: Mapping[str, RawTensor], place: str, **options: Any) -> Imported:
    try:
        imported = import_layer(tensors, **options)
    except UnusableInputError as error:
        is_placed = error.place.startswith((place, "--"))
        raise (error if is_placed else error.within(place)) from None
    return Imported(imported.layer, imported)


def _is_plain(names: Iterable[str]) -> bool:
    """Whether the tensors are those of one layer without biases that is read out along one vector, or of a Transformer.

    Such files are read strictly: every further tensor is refused.
    """
    listed = [f".{name}" for name in names]
    if is_transformer(TensorFile(dict.fromkeys((name[1:] for name in listed), RawTensor("", (), b"")))):
        return True
    has = {tail: any(name.endswith(f".{tail}") for name in listed) for tail in (IN_PROJECTION, READOUT)}
    return all(has.values()) and not any("bias" in name.rpartition(".")[2] for name in listed)
