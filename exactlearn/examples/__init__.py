"""Bundled example models, by name."""

from __future__ import annotations

import difflib
import os
from importlib import resources

from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_any_model, is_importable
from exactlearn.files.numerals import quote
from exactlearn.files.reading import place_of
from exactlearn.files.transformer_file import AnyModel, any_model_from_text, read_any_model
from exactlearn.model import AttentionLayer, MultiHeadAttention, Transformer

_DESCRIPTIONS = {
    "two-heads": "two heads in two dimensions, log-rational with small primes: the one to start with",
    "one-dimensional": "d = 1: two heads, each one number T and one number v",
    "true-e": "two heads in two dimensions with small rational weights and true e",
    "sqrt-unit": "two heads in two dimensions with the irrational unit sqrt(1/2), as in a layer with head_dim 2",
    "equal-w": "two heads with equal W: one canonical head, their v add",
    "cancelling-pair": "two heads with equal W and opposite v, which cancel, beside one that stays",
    "shared-v": "two heads with one and the same v, told apart by W alone",
    "rank-one": "two heads whose W = log T have rank one",
    "empty": "no heads in two dimensions: the zero function",
    "conjugate-heads": "over Q(sqrt(2)): two heads whose W and v differ by the conjugation sqrt(2) -> -sqrt(2)",
    "golden-ratio": "over Q(sqrt(5)): log-rational heads with powers of the golden ratio in T",
    "cosines": "over Q(cos(2 pi/7)), of degree 3: the three cosines in W and v",
    "hidden-zero": "over Q(sqrt(2)): x^T W_1 x vanishes at (sqrt(2), 1) and at no rational token but 0",
    "meeting-poles": "over Q(cos(2 pi/7)), d = 3: poles meet at rational tokens only if x_1 y_1 = x_2 y_2 = x_3 y_3",
    "digits-h2": "a trained float32 layer, 2 heads, d = 8, exact: are the rows of a digit's image those of 5 to 9?",
    "transformer": "attention with two heads and three ReLU units, log-rational: a Transformer to start with",
    "transformer-true-e": "two heads and three ReLU units with small rational weights and true e",
    "parallel-units": "a Transformer that the learner refuses: on one token two of its units have parallel directions",
    "linear-part": "a Transformer two of whose units are opposite, ReLU(z) - ReLU(-z), and leave a linear part",
    "digits-transformer": "a trained float32 Transformer, 2 heads, 6 ReLU units, d = 8, exact; the digits' task",
    "digits-h4": "the same task with 4 heads, whose unit 1/sqrt(2) is irrational",
}


LAYERS = {
    "rxnmapper": "the attention layer of a published chemistry model: 8 heads, d = 256, float32 with all biases (MIT)",
}
"""Bundled layers at full size, which `learn` takes by name."""


def layer_path(name: str) -> str:
    """Where the file of a bundled layer lies."""
    return str(resources.files("exactlearn.examples").joinpath(f"{name}.safetensors"))


def names() -> tuple[str, ...]:
    """The names of the bundled models, the friendliest first."""
    return tuple(_DESCRIPTIONS)


def describe(name: str) -> str:
    """What the bundled model `name` shows, in one line.

    Raises:
        UnusableInputError: When there is none of this name; close names are listed.
    """
    _require(name)
    return _DESCRIPTIONS[name]


def load(name: str) -> MultiHeadAttention:
    """The bundled model `name`.

    Raises:
        UnusableInputError: When there is none of this name; close names are listed.
    """
    model = _load_any(name)
    if isinstance(model, Transformer):
        raise UnusableInputError(f"the example {name} is a Transformer: load_transformer(name) has it")
    if isinstance(model, AttentionLayer):
        raise UnusableInputError(f"the example {name} is a layer with biases: resolve_any(name) has it")
    return model


def load_transformer(name: str) -> Transformer:
    """The bundled Transformer `name`.

    Raises:
        UnusableInputError: When there is none of this name.
    """
    model = _load_any(name)
    if not isinstance(model, Transformer):
        raise UnusableInputError(f"the example {name} is an attention model: load(name) has it")
    return model


def resolve(name_or_path: str | os.PathLike[str]) -> MultiHeadAttention:
    """The model that an argument means: an existing file wins, else it is the name of a bundled model.

    A .safetensors or .npz file is imported, every other file is read as a model file.

    Raises:
        UnusableInputError: When it is neither, with close names; or when the file cannot be used.
    """
    model = resolve_any(name_or_path)
    if isinstance(model, Transformer):
        place = "" if os.fspath(name_or_path) in _DESCRIPTIONS else place_of(name_or_path)
        raise UnusableInputError("this command takes attention models, and this is a Transformer", place)
    if isinstance(model, AttentionLayer):
        place = "" if os.fspath(name_or_path) in _DESCRIPTIONS else place_of(name_or_path)
        raise UnusableInputError("this takes models without biases, with one output", place)
    return model


def resolve_any(name_or_path: str | os.PathLike[str]) -> AnyModel:
    """`resolve` for commands that take Transformers as well.

    Raises:
        UnusableInputError: As `resolve`.
    """
    text = os.fspath(name_or_path)
    # os.path answers False where pathlib raises: for paths that are too long or hold a null character.
    is_file = os.path.isfile(text)  # noqa: PTH113
    exists = os.path.exists(text)  # noqa: PTH110
    if not is_file and (text in _DESCRIPTIONS or not exists):
        return _load_any(text)
    return import_any_model(text) if is_importable(text) else read_any_model(text)


def _load_any(name: str) -> AnyModel:
    _require(name)
    file = resources.files("exactlearn.examples").joinpath(f"{name}.json")
    return any_model_from_text(file.read_text(encoding="utf-8"), f"{name}.json")


def _require(name: str) -> None:
    if name not in _DESCRIPTIONS:
        close = difflib.get_close_matches(name, _DESCRIPTIONS)
        hint = f"did you mean {' or '.join(close)}?" if close else f"the examples are {', '.join(_DESCRIPTIONS)}"
        raise UnusableInputError(f"there is no file and no example {quote(name)}; {hint}")
