"""Layers of published models' files: the formulas are BERT's own, and files that are not such a layer are refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpz_mat

from exactlearn.errors import UnusableInputError
from exactlearn.examples import LAYERS, layer_path
from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.engine import learn_layer
from exactlearn.full_size.layer import AffineHead, AffineLayer, canonical_layer, first_difference
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.full_size.schedules import LayerSchedule
from exactlearn.full_size.sources import find_layer, holds_layer, question_of

Arrays = dict[str, Any]


def small_file(path: Path, *, layers: int = 1, heads: int | None = 2, dim: int = 6) -> Arrays:
    """A file with BERT's names and random float32 entries; returns its arrays."""
    from safetensors.numpy import save_file

    generator = np.random.default_rng(4)
    arrays: Arrays = {}
    for layer in range(layers):
        for role in ("self.query", "self.key", "self.value", "output.dense"):
            name = f"encoder.layer.{layer}.attention.{role}"
            arrays[f"{name}.weight"] = generator.normal(size=(dim, dim)).astype(np.float32)
            arrays[f"{name}.bias"] = generator.normal(size=dim).astype(np.float32)
    save_file(arrays, path, None if heads is None else {"num_attention_heads": str(heads)})
    return arrays


def forward(arrays: Arrays, prefix: str, heads: int, tokens: Any) -> Any:
    """BERT's self-attention and its output projection at the last token, as its papers and code have them."""
    wide = {name.removeprefix(prefix + "."): array.astype(np.float64) for name, array in arrays.items()}

    def affine(role: str, x: Any) -> Any:
        return x @ wide[f"{role}.weight"].T + wide[f"{role}.bias"]

    names = ("self.query", "self.key", "self.value", "output.dense")
    if "self.query.weight" not in wide:
        names = ("query", "key", "value", "dense")
    query, key, value = (affine(role, tokens) for role in names[:3])
    size = query.shape[1] // heads
    context = []
    for h in range(heads):
        block = slice(h * size, (h + 1) * size)
        scores = key[:, block] @ query[-1, block] / math.sqrt(size)
        weights = np.exp(scores - scores.max())
        context.append(weights / weights.sum() @ value[:, block])
    return affine(names[3], np.concatenate(context))


def exact_forward(layer: AffineLayer, tokens: Any) -> Any:
    """The layer's own definition in floats."""

    def array(matrix: ScaledMatrix) -> Any:
        denominator = int(matrix.denominator)
        return np.array([int(e) / denominator for e in matrix.numerators.entries()]).reshape(matrix.shape)

    unit = math.sqrt(float(layer.unit.square.p) / float(layer.unit.square.q))
    out = array(layer.constant)[:, 0]
    for head in layer.heads:
        scores = unit * (tokens @ array(head.scores) @ np.append(tokens[-1], 1.0))
        weights = np.exp(scores - scores.max())
        out = out + array(head.values) @ (weights / weights.sum() @ tokens)
    return out


def test_a_small_file_is_bert_attention(tmp_path: Path) -> None:
    """The exact layer computes what the textbook formulas compute, biases included; other tokens, other outputs."""
    path = tmp_path / "model.safetensors"
    arrays = small_file(path)
    layer = find_layer(str(path)).layer()
    tokens = np.random.default_rng(5).normal(size=(4, 6))
    expected = forward(arrays, "encoder.layer.0.attention", 2, tokens)
    assert np.allclose(exact_forward(layer, tokens), expected, rtol=1e-12)
    assert not np.allclose(exact_forward(layer, tokens[::-1]), expected, rtol=1e-3)


def test_the_bundled_layer_is_bert_attention() -> None:
    """The published layer as well, at its full size of 8 heads and 256 dimensions."""
    from safetensors.numpy import load_file

    path = layer_path("rxnmapper")
    source = find_layer(path)
    assert (source.heads, source.prefix) == (8, "albert.encoder.albert_layer_groups.0.albert_layers.0")
    layer = source.layer()
    assert (layer.dim, layer.outputs, str(layer.unit)) == (256, 256, "sqrt(1/32)")
    tokens = np.random.default_rng(6).normal(size=(3, 256))
    expected = forward(load_file(path), source.prefix + ".attention", 8, tokens)
    assert np.allclose(exact_forward(layer, tokens), expected, rtol=1e-9, atol=1e-12)


def test_a_small_file_is_learned(tmp_path: Path) -> None:
    """From file to layer and back through queries, float32 entries to the last bit."""
    path = tmp_path / "model.safetensors"
    small_file(path)
    source = find_layer(str(path))
    truth = source.layer()
    result = learn_layer(source, question_of(truth), LayerSchedule(6, 2, 3), workers=1)
    assert first_difference(result.layer, canonical_layer(truth)) is None


def test_layers_are_found_by_number(tmp_path: Path) -> None:
    """Several layers: the number is needed; another layer is another layer; a missing one is said to be missing."""
    path = str(tmp_path / "model.safetensors")
    small_file(Path(path), layers=2)
    assert first_difference(find_layer(path, 0).layer(), find_layer(path, 1).layer()) is not None
    assert find_layer(path, 0).label != find_layer(path, 1).label
    with pytest.raises(UnusableInputError, match="2 attention layers"):
        find_layer(path)
    with pytest.raises(UnusableInputError, match="number 7"):
        find_layer(path, 7)


def test_the_number_of_heads(tmp_path: Path) -> None:
    """From the metadata, else from a config.json beside the file, else from the user; it has to divide."""
    path = tmp_path / "model.safetensors"
    small_file(path, heads=None)
    with pytest.raises(UnusableInputError, match="number of heads"):
        find_layer(str(path))
    assert find_layer(str(path), heads=3).heads == 3
    (tmp_path / "config.json").write_text(json.dumps({"num_attention_heads": 6, "dropout": 0.1}), encoding="utf-8")
    assert find_layer(str(path)).heads == 6
    relative = '{"position_embedding_type": "relative_key"}'
    for text, message in (("[", "not JSON"), ("[]", "object"), (relative, "positions")):
        (tmp_path / "config.json").write_text(text, encoding="utf-8")
        with pytest.raises(UnusableInputError, match=message):
            find_layer(str(path))
    with pytest.raises(UnusableInputError, match="4 heads do not divide"):
        find_layer(str(path), heads=4).layer()


@pytest.mark.parametrize(
    ("change", "message"),
    [("missing", "there is no tensor"), ("shape", "shape .* is expected"), ("nan", "NaN or an infinity")],
)
def test_files_that_are_no_such_layer(tmp_path: Path, change: str, message: str) -> None:
    """A missing bias, a wrong shape, a NaN: one line that says so."""
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    arrays = small_file(path)
    name = "encoder.layer.0.attention.self.value.bias"
    if change == "missing":
        del arrays[name]
    else:
        arrays[name] = np.zeros(5, np.float32) if change == "shape" else np.full(6, np.nan, np.float32)
    save_file(arrays, path, {"num_attention_heads": "2"})
    with pytest.raises(UnusableInputError, match=message):
        find_layer(str(path)).layer()


def test_other_files_hold_no_layer(tmp_path: Path) -> None:
    """What is no .safetensors file, or has no such names."""
    from safetensors.numpy import save_file

    path = tmp_path / "other.safetensors"
    save_file({"readout.weight": np.zeros(3, np.float32)}, path)
    assert not holds_layer(str(path))
    assert not holds_layer(str(tmp_path / "missing.safetensors"))
    assert not holds_layer("two-heads")
    with pytest.raises(UnusableInputError, match="BERT's names"):
        find_layer(str(path))
    assert all(holds_layer(layer_path(name)) for name in LAYERS)


class Slice:
    """Two heads of the bundled layer in its first dimensions: real float32 numbers, small enough for every run."""

    def __init__(self, dim: int) -> None:
        whole = find_layer(layer_path("rxnmapper")).layer()
        heads = []
        for head in whole.heads[:2]:
            scores = [[*row[:dim], row[-1]] for row in head.scores.numerators.tolist()[:dim]]
            values = [row[:dim] for row in head.values.numerators.tolist()[:dim]]
            heads.append(
                AffineHead(
                    ScaledMatrix(fmpz_mat(scores), head.scores.denominator),
                    ScaledMatrix(fmpz_mat(values), head.values.denominator),
                )
            )
        constant = ScaledMatrix(fmpz_mat(whole.constant.numerators.tolist()[:dim]), whole.constant.denominator)
        self.layer = AffineLayer(tuple(heads), constant, dim, whole.unit)

    def __call__(self) -> LayerBlackBox:
        """The black box."""
        return LayerBlackBox(self.layer)


def test_a_slice_of_the_bundled_layer_is_learned() -> None:
    """Trained float32 parameters with biases, to the last bit; the numbers are as long as they are at full size."""
    part = Slice(16)
    result = learn_layer(part, question_of(part.layer), LayerSchedule(16, 2), workers=1)
    assert first_difference(result.layer, part.layer) is None
    assert result.queries == 1 + 4 * (2 * 16**2 + 2 * 16 - 1)
    assert max(head.scores.bits for head in result.layer.heads) > 130


@pytest.mark.long
@pytest.mark.parametrize("schedule", [LayerSchedule(256, 8, 32), LayerSchedule(256, 8, 32, single_query=True)])
def test_the_bundled_layer_is_learned_at_full_size(schedule: LayerSchedule) -> None:
    """All of it: 8 heads, 256 dimensions, all biases, from 492,529 value queries, or from 23,313."""
    source = find_layer(layer_path("rxnmapper"))
    truth = source.layer()
    result = learn_layer(source, question_of(truth), schedule)
    assert first_difference(result.layer, canonical_layer(truth)) is None
    assert result.queries == result.predicted_queries
    assert result.queries == (23_313 if schedule.single_query else 492_529)
