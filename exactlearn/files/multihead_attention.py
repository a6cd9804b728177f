"""The layout of torch.nn.MultiheadAttention without biases, read out along one vector, as exact heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.projections import columns_of, rows_of
from exactlearn.files.scales import Scale, unit_of
from exactlearn.files.tensors import RawTensor, TensorFile, shown_name
from exactlearn.model import Head, MultiHeadAttention

IN_PROJECTION = "in_proj_weight"
OUT_PROJECTION = "out_proj.weight"
READOUT = "readout.weight"
NUM_HEADS = "num_heads"


def model_from_layer(file: TensorFile, num_heads: int | None = None, scale: Scale = "exact") -> MultiHeadAttention:
    """The model that the layer and its readout compute, exactly, with the unit 1/sqrt(head_dim).

    With E the width, d = E: the tensor ``in_proj_weight`` (3E x E) holds the rows of the query, the key and the value
    projection, in blocks of head_dim = E / num_heads rows a head; ``out_proj.weight`` is E x E; ``readout.weight`` is
    1 x E or E.  A name may have a dotted prefix.  Head h scores k_i . q_n / sqrt(head_dim), so

        W_h = Wk_h^T Wq_h,    v_h = Wv_h^T (readout Wo[:, block h])^T,    unit = 1/sqrt(head_dim).

    Args:
        file: The tensors; the metadata may say num_heads.
        num_heads: The number of heads; it is needed when the metadata do not say it.
        scale: Whether the unit is that number or the float32 number nearest to it.

    Raises:
        UnusableInputError: For missing and unexpected tensors, biases, wrong shapes, entries that are no floats or
            not finite, and a number of heads that is missing, contradictory or does not divide the width.
    """
    found = find_tensors(file.tensors, (IN_PROJECTION, OUT_PROJECTION, READOUT))
    layer = projections_of(found, number_of_heads(file.metadata, num_heads))
    readout = _readout(*found[READOUT], layer.width)
    heads = [
        Head((block.key.transpose() * block.query).tolist(), (readout * block.out * block.value).tolist()[0])
        for block in layer.blocks
    ]
    return MultiHeadAttention(heads, dim=layer.width, unit=unit_of(layer.head_size, scale))


@dataclass(frozen=True)
class HeadBlock:
    """One head's projections: query, key and value are head_dim x E, out is E x head_dim."""

    query: fmpq_mat
    key: fmpq_mat
    value: fmpq_mat
    out: fmpq_mat


@dataclass(frozen=True)
class LayerBlocks:
    """An attention layer of width E by its heads."""

    width: int
    head_size: int
    blocks: tuple[HeadBlock, ...]


def projections_of(found: dict[str, tuple[str, RawTensor]], heads: int) -> LayerBlocks:
    """The heads' projections from ``in_proj_weight`` and ``out_proj.weight``.

    Raises:
        UnusableInputError: For wrong shapes, entries that are no floats or not finite, and a wrong number of heads.
    """
    in_name, in_tensor = found[IN_PROJECTION]
    if len(in_tensor.shape) != 2 or in_tensor.shape[0] != 3 * in_tensor.shape[1] or not in_tensor.shape[1]:
        raise UnusableInputError(f"shape [3 E, E] is expected, not {list(in_tensor.shape)}", shown_name(in_name))
    width = in_tensor.shape[1]
    if width % heads:
        raise UnusableInputError(f"{heads} heads do not divide the width {width}", NUM_HEADS)
    size = width // heads
    projections = in_tensor.matrix(shown_name(in_name), 3 * width, width)
    out_name, out_tensor = found[OUT_PROJECTION]
    out = out_tensor.matrix(shown_name(out_name), width, width)
    blocks = []
    for h in range(heads):
        query, key, value = (rows_of(projections, part * width + h * size, size) for part in range(3))
        blocks.append(HeadBlock(query, key, value, columns_of(out, h, size)))
    return LayerBlocks(width, size, tuple(blocks))


def find_tensors(tensors: dict[str, RawTensor], roles: Sequence[str]) -> dict[str, tuple[str, RawTensor]]:
    """The tensors of these roles with their full names; every other tensor would change the function and is refused."""
    found: dict[str, tuple[str, RawTensor]] = {}
    for name, tensor in sorted(tensors.items()):
        role = next((r for r in roles if f".{name}".endswith(f".{r}")), None)
        if role is None and "bias" in name.rpartition(".")[2]:
            raise UnusableInputError("a layer with biases is not supported", shown_name(name))
        if role is None:
            raise UnusableInputError("unexpected tensor: the layer has none of this name", shown_name(name))
        if role in found:
            raise UnusableInputError(
                f"a second tensor for {role}, after {shown_name(found[role][0])}", shown_name(name)
            )
        found[role] = (name, tensor)
    for role in roles:
        if role not in found:
            raise UnusableInputError(f"there is no tensor {role}")
    return found


def number_of_heads(metadata: dict[str, str], argument: int | None) -> int:
    """The number of heads by the metadata or the argument, which must agree."""
    text = metadata.get(NUM_HEADS)
    if text is None and argument is None:
        raise UnusableInputError("the file does not say the number of heads: give it as an argument", NUM_HEADS)
    if text is not None and not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise UnusableInputError(f"{quote(text)} is not a number of heads", NUM_HEADS)
    if text is not None and argument is not None and int(text) != argument:
        raise UnusableInputError(f"the file says {int(text)} heads, the argument {argument}", NUM_HEADS)
    heads = argument if argument is not None else int(text or 0)
    if heads < 1:
        raise UnusableInputError(f"{heads} is not a number of heads", NUM_HEADS)
    return heads


def _readout(name: str, tensor: RawTensor, width: int) -> fmpq_mat:
    """The readout as a 1 x E matrix."""
    if tensor.shape not in ((width,), (1, width)):
        raise UnusableInputError(
            f"shape [1, {width}] or [{width}] is expected, not {list(tensor.shape)}", shown_name(name)
        )
    return fmpq_mat(1, width, tensor.entries(shown_name(name)))
