"""Where layers come from, as black boxes for worker processes: published models' files, and model files.

A .safetensors file with BERT's names, its float bits taken exactly.  The score of x_i at the final token y is
(K x_i + k).(Q y + q)/sqrt(head size); what does not depend on i cancels:

    W_h = K_h^T Q_h,   p_h = K_h^T q_h,   V_h = O_h Vw_h,   s = sum_h O_h vb_h + o,   unit 1/sqrt(head size).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Protocol

from flint import fmpq, fmpz_mat

from exactlearn.errors import UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.files.numerals import quote
from exactlearn.files.reading import read_bytes
from exactlearn.files.safetensors_file import read_safetensors
from exactlearn.files.strict_json import decode_utf8
from exactlearn.files.tensors import RawTensor, TensorFile, shown_name
from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.converting import affine_layer
from exactlearn.full_size.engine import LayerQuestion
from exactlearn.full_size.layer import AffineHead, AffineLayer, canonical_layer
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.full_size.writing import layer_text
from exactlearn.model import AttentionLayer, Transformer, Unit

_ROLES = {
    "query": ("attention.self.query", "attention.query"),
    "key": ("attention.self.key", "attention.key"),
    "value": ("attention.self.value", "attention.value"),
    "dense": ("attention.output.dense", "attention.dense"),
}
_HEADS_KEY = "num_attention_heads"
"""In the metadata of the file, or in a config.json beside it."""


class LayerSource(Protocol):
    """What a run is told of where its black box comes from; it can be pickled."""

    def __call__(self) -> LayerBlackBox:
        """The black box, made in the process that calls."""

    def layer(self) -> AffineLayer:
        """The truth, for a comparison after the run; a learner never calls it."""

    @property
    def label(self) -> str:
        """Names the content, so that a state is not continued with another one."""


@dataclass(frozen=True)
class ModelSource:
    """A model file or the name of a bundled model, with rational weights, biases or none."""

    name: str

    def __call__(self) -> LayerBlackBox:
        """The black box."""
        return LayerBlackBox(self.layer())

    def layer(self) -> AffineLayer:
        """The exact layer, its heads merged: which ones they were cannot be seen.

        Raises:
            UnusableInputError: As `resolve_any`; and for Transformers, log-rational weights and number fields.
        """
        model = resolve_any(self.name)
        if isinstance(model, Transformer):
            raise UnusableInputError("full size is for attention, and this is a Transformer", self.name)
        layer = model if isinstance(model, AttentionLayer) else AttentionLayer.of(model)
        try:
            return canonical_layer(affine_layer(layer))
        except UnusableInputError as error:
            raise error.within(self.name) from None

    @property
    def label(self) -> str:
        """The layer's own text, in short."""
        digest = hashlib.sha256()
        for part in layer_text(self.layer()):
            digest.update(part.encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class LayerFile:
    """One attention layer of a .safetensors file; calling it makes the black box.

    Attributes:
        path: The file.
        prefix: What the names of the layer's tensors begin with, for example ``encoder.layer.0``.
        heads: The number of heads.
    """

    path: str
    prefix: str
    heads: int

    def __call__(self) -> LayerBlackBox:
        """The black box."""
        return LayerBlackBox(self.layer())

    def layer(self) -> AffineLayer:
        """The exact layer.

        Raises:
            UnusableInputError: When tensors are missing, of wrong shapes, or hold no finite floats.
        """
        file = read_safetensors(self.path)
        try:
            return _layer_of(file, self.prefix, self.heads)
        except UnusableInputError as error:
            raise error.within(self.path) from None

    @property
    def label(self) -> str:
        """Binds a state to the file's content."""
        return f"{hashlib.sha256(Path(self.path).read_bytes()).hexdigest()} {self.prefix} {self.heads}"


def find_layer(path: str, layer: int | None = None, heads: int | None = None) -> LayerFile:
    """The attention layer of a .safetensors file, found by its names.

    Args:
        path: The file.
        layer: Which one, as in the tensors' names ``...layer.N...``; may be left out when there is only one.
        heads: The number of heads; left out, from the file's metadata or a config.json beside it.

    Raises:
        UnusableInputError: When there is no such layer, or several, or the number of heads is not said.
    """
    file = read_safetensors(path)
    ends = tuple(f".{name}.weight" for name in _ROLES["query"])
    prefixes = sorted(
        {f".{name}"[: -len(end)].lstrip(".") for name in file.tensors for end in ends if f".{name}".endswith(end)}
    )
    if layer is not None:
        prefixes = [prefix for prefix in prefixes if f".{prefix}".endswith(f"layer.{layer}")]
    if not prefixes:
        which = "" if layer is None else f" with number {layer}"
        raise UnusableInputError(f"there is no attention layer with BERT's names{which} in this file", path)
    if len(prefixes) > 1:
        raise UnusableInputError(f"there are {len(prefixes)} attention layers: say which one with --layer N", path)
    if heads is None:
        heads = _number_of_heads(path, file)
    if heads < 1:
        raise UnusableInputError(f"{heads} is not a number of heads", path)
    return LayerFile(path, prefixes[0], heads)


def holds_layer(path: str) -> bool:
    """Whether this is a .safetensors file with BERT's names."""
    if PurePath(path).suffix != ".safetensors" or not Path(path).is_file():
        return False
    ends = tuple(f".{name}.weight" for name in _ROLES["query"])
    return any(f".{name}".endswith(ends) for name in read_safetensors(path).tensors)


def _number_of_heads(path: str, file: TensorFile) -> int:
    text: Any = file.metadata.get(_HEADS_KEY)
    beside = Path(path).with_name("config.json")
    if text is None and beside.is_file():
        text = str(_config(beside).get(_HEADS_KEY))
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text)):
        raise UnusableInputError("no metadata and no config.json say the number of heads: give --heads", path)
    return int(text)


def _config(path: Path) -> dict[str, Any]:
    """A configuration beside a model; its fractions mean nothing here and stay text."""
    try:
        found = json.loads(decode_utf8(read_bytes(path), str(path)), parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        raise UnusableInputError("this is not JSON", str(path)) from None
    if not isinstance(found, dict):
        raise UnusableInputError("a JSON object is expected", str(path))
    positions = found.get("position_embedding_type", "absolute")
    if positions != "absolute":
        raise UnusableInputError(f"scores with {quote(str(positions))} positions are another model", str(path))
    return found


def question_of(layer: AffineLayer) -> LayerQuestion:
    """What a learner of this layer is told: its shape, its number of heads and its unit."""
    return LayerQuestion(layer.dim, layer.outputs, len(layer.heads), layer.unit)


def _layer_of(file: TensorFile, prefix: str, heads: int) -> AffineLayer:
    key = _tensor(file, prefix, "key", "weight")
    if len(key.shape) != 2 or key.shape[0] % heads:
        raise UnusableInputError(f"{heads} heads do not divide the {key.shape[0]} rows of the keys", prefix)
    width, dim = key.shape
    out = _tensor(file, prefix, "dense", "weight")
    outputs = out.shape[0]
    size = width // heads
    q_matrix, k_matrix, v_matrix = (_matrix(file, prefix, r, width, dim) for r in ("query", "key", "value"))
    o_matrix = _matrix(file, prefix, "dense", outputs, width)
    q_bias, v_bias = (_bias(file, prefix, r, width) for r in ("query", "value"))
    _bias(file, prefix, "key", width)  # it cancels in the softmax, but it has to be finite
    made = []
    for h in range(heads):
        block = range(h * size, (h + 1) * size)
        keys = _rows(k_matrix, block).transpose()
        W, p = keys @ _rows(q_matrix, block), keys @ _rows(q_bias, block)
        made.append(AffineHead.of(W, p, _rows(o_matrix.transpose(), block).transpose() @ _rows(v_matrix, block)))
    constant = o_matrix @ v_bias + _bias(file, prefix, "dense", outputs)
    return AffineLayer(tuple(made), constant, dim, Unit.sqrt(fmpq(1, size)))


def _tensor(file: TensorFile, prefix: str, role: str, kind: str) -> RawTensor:
    for name in _ROLES[role]:
        found = file.tensors.get(f"{prefix}.{name}.{kind}" if prefix else f"{name}.{kind}")
        if found is not None:
            return found
    raise UnusableInputError(f"there is no tensor {shown_name(f'{prefix}.{_ROLES[role][0]}.{kind}')}")


def _matrix(file: TensorFile, prefix: str, role: str, rows: int, columns: int) -> ScaledMatrix:
    tensor = _tensor(file, prefix, role, "weight")
    if tensor.shape != (rows, columns):
        raise UnusableInputError(f"shape [{rows}, {columns}] is expected, not {list(tensor.shape)}", f"{prefix} {role}")
    return ScaledMatrix.of(rows, columns, tensor.entries(f"{prefix} {role}.weight"))


def _bias(file: TensorFile, prefix: str, role: str, length: int) -> ScaledMatrix:
    tensor = _tensor(file, prefix, role, "bias")
    if tensor.shape != (length,):
        raise UnusableInputError(f"shape [{length}] is expected, not {list(tensor.shape)}", f"{prefix} {role}")
    return ScaledMatrix.of(length, 1, tensor.entries(f"{prefix} {role}.bias"))


def _rows(matrix: ScaledMatrix, block: range) -> ScaledMatrix:
    rows = matrix.numerators.tolist()
    return ScaledMatrix(fmpz_mat([rows[a] for a in block]), matrix.denominator)
