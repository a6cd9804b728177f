"""Importing a trained layer from a container file as an exact model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath

from exactlearn.errors import UnusableInputError
from exactlearn.files.multihead_attention import model_from_layer
from exactlearn.files.npz_file import read_npz
from exactlearn.files.reading import place_of
from exactlearn.files.safetensors_file import read_safetensors
from exactlearn.files.tensors import TensorFile
from exactlearn.files.transformer_layer import is_transformer, transformer_from_layer
from exactlearn.model import MultiHeadAttention, Transformer

_READERS: dict[str, Callable[[str | os.PathLike[str]], TensorFile]] = {
    ".safetensors": read_safetensors,
    ".npz": read_npz,
}


def is_importable(path: str | os.PathLike[str]) -> bool:
    """Whether the name of the file is that of a container that `import_model` reads."""
    return PurePath(path).suffix in _READERS


def import_model(path: str | os.PathLike[str], num_heads: int | None = None) -> MultiHeadAttention:
    """The exact model of a torch.nn.MultiheadAttention layer without biases, see `model_from_layer`.

    A Transformer is refused: `import_any_model` takes it.

    Raises:
        MissingExtraError, UnusableInputError: As `import_any_model`.
    """
    model = import_any_model(path, num_heads)
    if isinstance(model, Transformer):
        raise UnusableInputError(
            "a ReLU network follows: this is a Transformer, not a layer of attention", place_of(path)
        )
    return model


def import_any_model(path: str | os.PathLike[str], num_heads: int | None = None) -> MultiHeadAttention | Transformer:
    """The exact model of an attention layer with a readout or with a ReLU network, all without biases.

    Args:
        path: A .safetensors or .npz file.
        num_heads: The number of heads; it is needed when the file does not say it and must agree when it does.

    Raises:
        MissingExtraError: When the package that reads the container is not installed.
        UnusableInputError: When the file cannot be read, or does not hold such a layer.
    """
    place = place_of(path)
    read = _READERS.get(PurePath(path).suffix)
    if read is None:
        raise UnusableInputError(f"layers are imported from {' and '.join(_READERS)} files", place)
    file = read(path)
    try:
        return (transformer_from_layer if is_transformer(file) else model_from_layer)(file, num_heads)
    except UnusableInputError as error:
        raise error.within(place) from None
