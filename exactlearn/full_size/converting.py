"""Between the layer of files and commands and the form that stays small at full size."""

from __future__ import annotations

from exactlearn.errors import UnusableInputError
from exactlearn.full_size.layer import AffineHead, AffineLayer
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.model import AttentionLayer, LayerHead


def affine_layer(layer: AttentionLayer) -> AffineLayer:
    """The layer with its entries over common denominators.

    Raises:
        UnusableInputError: For log-rational weights or weights in a number field.
    """
    if layer.weights != "rational" or layer.field is not None:
        raise UnusableInputError("full size is for rational weights (true e)")
    dim, outputs = layer.dim, layer.outputs
    heads = [
        AffineHead.of(
            ScaledMatrix.of(dim, dim, [entry for row in head.W for entry in row]),
            ScaledMatrix.of(dim, 1, head.p),
            ScaledMatrix.of(outputs, dim, [entry for row in head.V for entry in row]),
        )
        for head in layer.heads
    ]
    return AffineLayer(tuple(heads), ScaledMatrix.of(outputs, 1, layer.constant), dim, layer.unit)


def attention_layer(layer: AffineLayer) -> AttentionLayer:
    """The layer with an exact rational for every entry: for layers of moderate size."""
    heads = []
    for head in layer.heads:
        rows = head.scores.rows()
        heads.append(LayerHead([row[:-1] for row in rows], [row[-1] for row in rows], head.values.rows()))
    constant = layer.constant.entries()
    return AttentionLayer(heads, dim=layer.dim, outputs=layer.outputs, s=constant, unit=layer.unit)
