"""An attention layer with biases and vector outputs, out of named tensors and a configuration (DESIGN section 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.files.finding_layers import Candidate, candidates_of, find_layer, readout_tail
from exactlearn.files.hugging_face import heads_in_config
from exactlearn.files.projections import Projections
from exactlearn.files.scales import Scale, unit_of
from exactlearn.files.tensors import RawTensor, shown_name
from exactlearn.model import AttentionLayer, Unit

_METADATA_HEADS = ("num_heads", "num_attention_heads")


@dataclass(frozen=True)
class ImportedLayer:
    """A layer, and what a user should know of it.

    Attributes:
        layer: The exact layer.
        format: The name of the import format.
        prefix: What the names of its tensors begin with.
        left_out: How many tensors of the file are no part of it.
        note: What the format says of the model behind it; may be empty.
    """

    layer: AttentionLayer
    format: str
    prefix: str
    left_out: int
    note: str


def import_layer(
    tensors: Mapping[str, RawTensor],
    *,
    config: Mapping[str, Any],
    metadata: Mapping[str, str],
    num_heads: int | None = None,
    which: str | None = None,
    scale: Scale = "exact",
) -> ImportedLayer:
    """The attention layer that is meant, exactly: attention alone, without the sum and the norm that may follow.

    Args:
        tensors: All tensors of a file.
        config: The model's configuration, empty when there is none.
        metadata: The file's metadata.
        num_heads: The number of heads, which must agree with what the file says.
        which: The layer's number or prefix.
        scale: Which factor stands on the scores.

    Raises:
        UnusableInputError: When there is no such layer, when it is of another model, or its tensors cannot be used.
    """
    candidate, found = find_layer(tensors, which)
    heads = _number_of_heads(config, metadata, num_heads)
    projections = candidate.format.read(found)
    projections = _with_readout(tensors, projections, alone=len(candidates_of(tensors)) == 1)
    unit = _unit(config, projections.head_size(heads), candidate, scale)
    form = candidate.format
    own = {candidate.prefix + tail for tail in (*form.required, *form.biases, *form.optional)}
    left_out = sum(name not in own and not readout_tail(name) for name in tensors)
    layer = projections.layer(heads, unit)
    return ImportedLayer(layer, form.title, candidate.prefix.rstrip("."), left_out, form.note)


def _number_of_heads(config: Mapping[str, Any], metadata: Mapping[str, str], argument: int | None) -> int:
    said = heads_in_config(config)
    for key in _METADATA_HEADS:
        text = metadata.get(key, "")
        if text.isascii() and text.isdigit() and len(text) <= 6:
            said = int(text)
    if said is None and argument is None:
        reason = "neither the file nor a config.json beside it says the number of heads: give --num-heads"
        raise UnusableInputError(reason, "num_heads")
    if said is not None and argument is not None and said != argument:
        raise UnusableInputError(f"the file says {said} heads, the argument {argument}", "num_heads")
    heads = argument if argument is not None else said or 0
    if heads < 1:
        raise UnusableInputError(f"{heads} is not a number of heads", "num_heads")
    return heads


def _unit(config: Mapping[str, Any], head_size: int, candidate: Candidate, scale: Scale) -> Unit:
    """1/sqrt(head size), but for GPT-2's two switches."""
    square = head_size if config.get("scale_attn_weights", True) is not False else 1
    if config.get("scale_attn_by_inverse_layer_idx") is True:
        square *= ((candidate.number or 0) + 1) ** 2
    return unit_of(square, scale)


def _with_readout(tensors: Mapping[str, RawTensor], projections: Projections, *, alone: bool) -> Projections:
    """Followed by the linear map in the file, when there is one and it is this layer's."""
    named = {tail: name for name in tensors if (tail := readout_tail(name))}
    if not named:
        return projections
    count = sum(readout_tail(name) is not None for name in tensors)
    if count > len(named) or "readout.weight" not in named or not alone:
        reason = "this readout is not told to belong to one layer"
        raise UnusableInputError(reason, shown_name(next(iter(named.values()))))
    name = shown_name(named["readout.weight"])
    tensor = tensors[named["readout.weight"]]
    width = projections.out.nrows()
    rows = 1 if tensor.shape == (width,) else tensor.shape[0] if len(tensor.shape) == 2 else 0
    if tensor.shape not in ((width,), (rows, width)) or not rows:
        reason = f"shape [m, {width}] or [{width}] is expected, not {list(tensor.shape)}"
        raise UnusableInputError(reason, name)
    readout = fmpq_mat(rows, width, tensor.entries(name))
    bias = fmpq_mat(rows, 1)
    if "readout.bias" in named:
        shift = tensors[named["readout.bias"]]
        if shift.shape != (rows,):
            raise UnusableInputError(
                f"shape [{rows}] is expected, not {list(shift.shape)}", shown_name(named["readout.bias"])
            )
        bias = fmpq_mat(rows, 1, [fmpq(entry) for entry in shift.entries(shown_name(named["readout.bias"]))])
    return projections.read_out(readout, bias)
