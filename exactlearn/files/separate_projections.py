"""Layers with one tensor each for query, key, value and output: BERT, ALBERT, ViT, DistilBERT, BART and their kin."""

from __future__ import annotations

from exactlearn.files.layer_format import FoundLayer, LayerFormat, two_extents
from exactlearn.files.projections import Projections


def _format(title: str, query: str, key: str, value: str, out: str) -> LayerFormat:
    def read(layer: FoundLayer) -> Projections:
        width, dim = two_extents(layer, f"{query}.weight")
        grouped = two_extents(layer, f"{key}.weight")[0]
        outputs = two_extents(layer, f"{out}.weight")[0]
        layer.bias(f"{key}.bias", grouped)  # it cancels in the softmax, but it has to be finite
        return Projections(
            query=layer.matrix(f"{query}.weight", width, dim),
            key=layer.matrix(f"{key}.weight", grouped, dim),
            value=layer.matrix(f"{value}.weight", grouped, dim),
            out=layer.matrix(f"{out}.weight", outputs, width),
            query_bias=layer.bias(f"{query}.bias", width),
            value_bias=layer.bias(f"{value}.bias", grouped),
            out_bias=layer.bias(f"{out}.bias", outputs),
        )

    required = tuple(f"{name}.weight" for name in (query, key, value, out))
    # Some models give their keys no bias, since it would cancel.
    return LayerFormat(title, required, (f"{query}.bias", f"{value}.bias", f"{out}.bias"), (f"{key}.bias",), read)


SEPARATE_FORMATS = (
    _format("BERT", "self.query", "self.key", "self.value", "output.dense"),
    _format("ALBERT", "query", "key", "value", "dense"),
    _format("ViT", "attention.query", "attention.key", "attention.value", "output.dense"),
    _format("DistilBERT", "q_lin", "k_lin", "v_lin", "out_lin"),
    _format("BART", "q_proj", "k_proj", "v_proj", "out_proj"),
)
