"""The layout of torch.nn.MultiheadAttention followed by two linear layers with a ReLU between, all without biases."""

from __future__ import annotations

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.files.multihead_attention import (
    IN_PROJECTION,
    OUT_PROJECTION,
    find_tensors,
    number_of_heads,
    projections_of,
)
from exactlearn.files.scales import Scale, unit_of
from exactlearn.files.tensors import TensorFile, shown_name
from exactlearn.model import Transformer, TransformerHead

FIRST_LAYER = "fc1.weight"
SECOND_LAYER = "fc2.weight"


def is_transformer(file: TensorFile) -> bool:
    """Whether the file holds a ReLU network behind the attention layer."""
    return any(f".{name}".endswith(f".{FIRST_LAYER}") for name in file.tensors)


def transformer_from_layer(file: TensorFile, num_heads: int | None = None, scale: Scale = "exact") -> Transformer:
    """The Transformer that attention, ``fc1.weight`` (m x E) and ``fc2.weight`` (1 x m) compute, exactly.

    With E the width, d = D = E:  W_h = Wk_h^T Wq_h,  V_h = Wo[:, block h] Wv_h,  B = fc1,  u = fc2, and the unit is
    1/sqrt(head_dim).

    Args:
        file: The tensors; the metadata may say num_heads.
        num_heads: The number of heads; it is needed when the metadata do not say it.
        scale: Whether the unit is that number or the float32 number nearest to it.

    Raises:
        UnusableInputError: As `model_from_layer`.
    """
    found = find_tensors(file.tensors, (IN_PROJECTION, OUT_PROJECTION, FIRST_LAYER, SECOND_LAYER))
    layer = projections_of(found, number_of_heads(file.metadata, num_heads))
    first_name, first = found[FIRST_LAYER]
    units = first.shape[0] if len(first.shape) == 2 else 0
    B = first.matrix(shown_name(first_name), units, layer.width)
    second_name, second = found[SECOND_LAYER]
    if second.shape not in ((units,), (1, units)):
        reason = f"shape [1, {units}] or [{units}] is expected, not {list(second.shape)}"
        raise UnusableInputError(reason, shown_name(second_name))
    heads = [
        TransformerHead((block.key.transpose() * block.query).tolist(), (block.out * block.value).tolist())
        for block in layer.blocks
    ]
    u = [fmpq(entry) for entry in second.entries(shown_name(second_name))]
    return Transformer(heads, B.tolist(), u, dim=layer.width, unit=unit_of(layer.head_size, scale))
