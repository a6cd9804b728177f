"""Layers whose query, key and value projections lie in one tensor: torch.nn.MultiheadAttention, timm's ViT, GPT-2."""

from __future__ import annotations

from flint import fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.files.layer_format import FoundLayer, LayerFormat, two_extents
from exactlearn.files.projections import Projections, rows_of


def _in_rows(title: str, fused: str, out: str, fused_bias: str, out_bias: str) -> LayerFormat:
    """A format whose fused weight is 3E x E: query rows, key rows, value rows."""

    def read(layer: FoundLayer) -> Projections:
        rows, width = two_extents(layer, fused)
        if rows != 3 * width:
            raise UnusableInputError(f"shape [3 E, E] is expected, not {[rows, width]}", layer.name(fused))
        outputs = two_extents(layer, out)[0]
        return _split(
            layer.matrix(fused, rows, width), layer.bias(fused_bias, rows),
            layer.matrix(out, outputs, width), layer.bias(out_bias, outputs),
        )  # fmt: skip

    return LayerFormat(title, (fused, out), (fused_bias, out_bias), (), read)


def _gpt2(layer: FoundLayer) -> Projections:
    """c_attn is a Conv1D, which multiplies rows: its weight is E x 3E, transposed; and so is c_proj's."""
    width, columns = two_extents(layer, "c_attn.weight")
    if columns != 3 * width:
        raise UnusableInputError(f"shape [E, 3 E] is expected, not {[width, columns]}", layer.name("c_attn.weight"))
    outputs = two_extents(layer, "c_proj.weight")[1]
    return _split(
        layer.matrix("c_attn.weight", width, columns).transpose(),
        layer.bias("c_attn.bias", columns),
        layer.matrix("c_proj.weight", width, outputs).transpose(),
        layer.bias("c_proj.bias", outputs),
    )


def _split(fused: fmpq_mat, bias: fmpq_mat, out: fmpq_mat, out_bias: fmpq_mat) -> Projections:
    width = fused.nrows() // 3
    query, key, value = (rows_of(fused, part * width, width) for part in range(3))
    return Projections(query, key, value, out, rows_of(bias, 0, width), rows_of(bias, 2 * width, width), out_bias)


FUSED_FORMATS = (
    _in_rows("torch.nn.MultiheadAttention", "in_proj_weight", "out_proj.weight", "in_proj_bias", "out_proj.bias"),
    _in_rows("timm's ViT", "qkv.weight", "proj.weight", "qkv.bias", "proj.bias"),
    LayerFormat(
        "GPT-2",
        ("c_attn.weight", "c_proj.weight"),
        ("c_attn.bias", "c_proj.bias"),
        ("bias", "masked_bias"),  # the causal mask, in older files
        _gpt2,
        note="its causal mask hides nothing from the final token, where the value is read",
    ),
)
