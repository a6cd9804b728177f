"""Tests of the layer's layout: outputs against torch, the formulas on a random layer, and unusable layers."""

from __future__ import annotations

import json
import math
import random
import struct
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_model
from exactlearn.files.multihead_attention import model_from_layer
from exactlearn.files.tensors import RawTensor, TensorFile
from exactlearn.model import MultiHeadAttention, Unit

DATA = Path(__file__).parent / "data"
REFERENCE: dict[str, list[Any]] = json.loads((DATA / "torch_reference.json").read_text())["cases"]


def evaluate(model: MultiHeadAttention, tokens: list[list[Fraction]]) -> float:
    """The value f(X) in floating point, by the definition; only to be held against a reference in floating point."""
    unit = model.unit.sign * math.sqrt(Fraction(int(model.unit.square.p), int(model.unit.square.q)))
    total = 0.0
    for head in model.heads:
        W = [[Fraction(int(x.p), int(x.q)) for x in row] for row in head.W]
        v = [Fraction(int(x.p), int(x.q)) for x in head.v]
        key = [sum(w * y for w, y in zip(row, tokens[-1], strict=True)) for row in W]
        scores = [unit * float(sum(x * k for x, k in zip(token, key, strict=True))) for token in tokens]
        weights = [math.exp(score - max(scores)) for score in scores]
        values = [float(sum(x * a for x, a in zip(token, v, strict=True))) for token in tokens]
        total += sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)
    return total


def deviation(model: MultiHeadAttention, case: dict[str, Any]) -> float:
    """How far the model is from torch's output on one sequence."""
    tokens = [[Fraction(entry) for entry in token] for token in case["tokens"]]
    return abs(evaluate(model, tokens) - float(case["output"]))


@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("index", range(4))
def test_outputs_are_those_of_torch(name: str, index: int) -> None:
    """The imported model gives torch's float64 outputs on fixed sequences of length 1, 2, 5 and 8."""
    assert deviation(import_model(DATA / f"{name}.safetensors"), REFERENCE[name][index]) < 1e-11


def test_wrong_layouts_miss_the_reference() -> None:
    """Negative control: W transposed, another unit, or heads exchanged among the v are seen by the reference."""
    model, case = import_model(DATA / "digits_attention_h2.safetensors"), REFERENCE["digits_attention_h2"][3]
    transposed = [(tuple(zip(*head.W, strict=True)), head.v) for head in model.heads]
    exchanged = [(head.W, other.v) for head, other in zip(model.heads, model.heads[::-1], strict=True)]
    assert deviation(MultiHeadAttention(transposed, unit=model.unit), case) > 1e-3
    assert deviation(MultiHeadAttention(exchanged, unit=model.unit), case) > 1e-3
    assert deviation(MultiHeadAttention(model.heads, unit=1), case) > 1e-3


def layer(width: int, seed: int = 0) -> tuple[TensorFile, dict[str, list[list[Fraction]]]]:
    """A layer with small half-integer float64 weights, and the same weights as Fractions."""
    draw = random.Random(seed)
    shapes = {"m.in_proj_weight": (3 * width, width), "m.out_proj.weight": (width, width), "readout.weight": (1, width)}
    weights, tensors = {}, {}
    for name, (rows, columns) in shapes.items():
        weights[name] = [[Fraction(draw.randint(-6, 6), 2) for _ in range(columns)] for _ in range(rows)]
        flat = [float(entry) for row in weights[name] for entry in row]
        tensors[name] = RawTensor("float64", (rows, columns), struct.pack(f"<{len(flat)}d", *flat))
    return TensorFile(tensors), weights


@pytest.mark.parametrize(("width", "heads"), [(1, 1), (4, 1), (6, 2), (6, 3), (6, 6)])
def test_formulas(width: int, heads: int) -> None:
    """Scores k_i . q_n and read-out values, computed step by step as the layer does, are x^T W_h y and v_h . x."""
    file, weights = layer(width, seed=heads)
    model = model_from_layer(file, heads)
    size = width // heads
    assert model.unit == Unit.sqrt(fmpq(1, size))
    assert len(model.heads) == heads
    draw = random.Random(7)
    x, y = ([Fraction(draw.randint(-9, 9)) for _ in range(width)] for _ in range(2))

    def times(rows: list[list[Fraction]], vector: list[Fraction]) -> list[Fraction]:
        return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in rows]

    projections = weights["m.in_proj_weight"]
    query, key, value = (times(projections[part * width : (part + 1) * width], z) for part, z in enumerate((y, x, x)))
    for h, head in enumerate(model.heads):
        block = slice(h * size, (h + 1) * size)
        W = [[Fraction(int(e.p), int(e.q)) for e in row] for row in head.W]
        v = [Fraction(int(e.p), int(e.q)) for e in head.v]
        score = sum(a * b for a, b in zip(key[block], query[block], strict=True))
        assert times([x], times(W, y)) == [score]
        context = [value[i] if block.start <= i < block.stop else Fraction(0) for i in range(width)]
        assert times([v], x) == times(weights["readout.weight"], times(weights["m.out_proj.weight"], context))


def test_readout_as_a_vector_and_half_floats() -> None:
    """The readout may have the shape E, and tensors may mix float types."""
    file, weights = layer(4)
    flat = [float(entry) for entry in weights["readout.weight"][0]]
    half = RawTensor("float16", (4,), struct.pack("<4e", *flat))
    changed = TensorFile({**file.tensors, "readout.weight": half})
    assert model_from_layer(changed, 2) == model_from_layer(file, 2)


def test_number_of_heads() -> None:
    """The number of heads comes from the metadata or the argument, and both must agree."""
    file, _ = layer(4)
    said = TensorFile(file.tensors, {"num_heads": "2"})
    assert model_from_layer(said) == model_from_layer(file, 2) == model_from_layer(said, 2)
    assert model_from_layer(file, 4) != model_from_layer(file, 2)
    for argument, metadata, message in [
        (None, {}, "num_heads: the file does not say the number of heads: give it as an argument$"),
        (4, {"num_heads": "2"}, "num_heads: the file says 2 heads, the argument 4$"),
        (None, {"num_heads": "two"}, "num_heads: 'two' is not a number of heads$"),
        (None, {"num_heads": "9" * 9999}, "num_heads: '9{40}'.* is not a number of heads$"),
        (None, {"num_heads": "\u0662"}, "is not a number of heads$"),
        (None, {"num_heads": "0"}, "num_heads: 0 is not a number of heads$"),
        (-1, {}, "num_heads: -1 is not a number of heads$"),
        (3, {}, "num_heads: 3 heads do not divide the width 4$"),
        (8, {}, "num_heads: 8 heads do not divide the width 4$"),
    ]:
        with pytest.raises(UnusableInputError, match=message):
            model_from_layer(TensorFile(file.tensors, metadata), argument)


EXTRA = RawTensor("float32", (1,), bytes(4))
UNUSABLE = [
    ({"m.in_proj_bias": EXTRA}, "^m.in_proj_bias: a layer with biases is not supported$"),
    ({"m.out_proj.bias": EXTRA}, "^m.out_proj.bias: a layer with biases is not supported$"),
    ({"readout.bias": EXTRA}, "^readout.bias: a layer with biases is not supported$"),
    ({"m.bias_k": EXTRA}, "^m.bias_k: a layer with biases is not supported$"),
    ({"fc1.weight": EXTRA}, "^fc1.weight: unexpected tensor: the layer has none of this name$"),
    ({"m.xin_proj_weight": EXTRA}, "^m.xin_proj_weight: unexpected tensor"),
    ({"x\ny": EXTRA}, r"^'x\\ny': unexpected tensor"),
    ({"n.in_proj_weight": EXTRA}, "^n.in_proj_weight: a second tensor for in_proj_weight, after m.in_proj_weight$"),
    ({"m.in_proj_weight": None}, "^there is no tensor in_proj_weight$"),
    ({"m.out_proj.weight": None}, "^there is no tensor out_proj.weight$"),
    ({"readout.weight": None}, "^there is no tensor readout.weight$"),
    ({"m.in_proj_weight": RawTensor("float32", (4, 4), bytes(64))}, r"^m.in_proj_weight: shape \[3 E, E\] is expected"),
    ({"m.in_proj_weight": RawTensor("float32", (12,), bytes(48))}, r"shape \[3 E, E\] is expected, not \[12\]$"),
    ({"m.in_proj_weight": RawTensor("float32", (0, 0), b"")}, r"shape \[3 E, E\] is expected, not \[0, 0\]$"),
    ({"m.out_proj.weight": RawTensor("float32", (4, 3), bytes(48))}, r"shape \[4, 4\] is expected, not \[4, 3\]$"),
    ({"readout.weight": RawTensor("float32", (2, 4), bytes(32))}, r"shape \[1, 4\] or \[4\] is expected"),
    ({"readout.weight": RawTensor("int32", (4,), bytes(16))}, "^readout.weight: entries of type int32 are not taken"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), UNUSABLE, ids=range(len(UNUSABLE)))
def test_unusable_layers(change: dict[str, RawTensor | None], message: str) -> None:
    """Each kind of unusable layer has one line that names the tensor."""
    tensors = {**layer(4)[0].tensors, **change}
    file = TensorFile({name: tensor for name, tensor in tensors.items() if tensor is not None})
    with pytest.raises(UnusableInputError, match=message):
        model_from_layer(file, 2)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_not_finite_weights(value: float) -> None:
    """A NaN or an infinity in a weight is named by its entry."""
    file, _ = layer(4)
    tensor = file.tensors["m.in_proj_weight"]
    data = bytearray(tensor.data)
    data[8 * 13 : 8 * 14] = struct.pack("<d", value)
    broken = TensorFile({**file.tensors, "m.in_proj_weight": replace(tensor, data=bytes(data))})
    with pytest.raises(UnusableInputError, match=r"^m.in_proj_weight\[3\]\[1\]: a NaN or an infinity"):
        model_from_layer(broken, 2)
