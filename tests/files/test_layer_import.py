"""Tests of imports with biases and vector outputs: against numpy, format by format, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from exactlearn.errors import UnusableInputError
from exactlearn.examples import layer_path
from exactlearn.files.importing import import_any_model, import_from
from exactlearn.full_size.converting import affine_layer
from exactlearn.full_size.layer import first_difference
from exactlearn.full_size.sources import find_layer
from exactlearn.model import AttentionLayer, LayerHead

Arrays = dict[str, Any]
HEADS, WIDTH = 3, 12


def draw(seed: int, **shapes: tuple[int, ...]) -> Arrays:
    """Float32 arrays by name; __ in a name stands for a dot."""
    generator = np.random.default_rng(seed)
    return {name.replace("__", "."): generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def attend(query: Any, key: Any, value: Any, *, causal: bool = False) -> Any:
    """Scaled dot-product attention of n x H x s arrays in float64, as the papers write it: n x (H s)."""
    scores = np.einsum("qhs,khs->hqk", query, key) / np.sqrt(query.shape[2])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("hqk,khs->qhs", weights, value).reshape(len(query), -1)


def linear(arrays: Arrays, name: str, x: Any) -> Any:
    """A linear layer."""
    bias = arrays.get(f"{name}.bias")
    return x @ arrays[f"{name}.weight"].astype(float).T + (0 if bias is None else bias.astype(float))


def separate(names: tuple[str, str, str, str]) -> Callable[[Arrays, Any], Any]:
    """The reference of a layer with four linear maps; fewer key heads are repeated."""

    def output(arrays: Arrays, x: Any) -> Any:
        q, k, v = (linear(arrays, name, x) for name in names[:3])
        size = q.shape[1] // HEADS
        q, k, v = (z.reshape(len(x), -1, size) for z in (q, k, v))
        k, v = (np.repeat(z, HEADS // z.shape[1], axis=1) for z in (k, v))
        return linear(arrays, names[3], attend(q, k, v))[-1]

    return output


def torch_output(arrays: Arrays, x: Any) -> Any:
    """torch.nn.MultiheadAttention."""
    packed = x @ arrays["in_proj_weight"].astype(float).T + arrays["in_proj_bias"].astype(float)
    q, k, v = (z.reshape(len(x), HEADS, -1) for z in np.split(packed, 3, axis=1))
    return linear(arrays, "out_proj", attend(q, k, v))[-1]


def gpt2_output(arrays: Arrays, x: Any) -> Any:
    """GPT-2: Conv1D is x W + b, and a causal mask."""
    packed = x @ arrays["h.1.attn.c_attn.weight"].astype(float) + arrays["h.1.attn.c_attn.bias"].astype(float)
    q, k, v = (z.reshape(len(x), HEADS, -1) for z in np.split(packed, 3, axis=1))
    mixed = attend(q, k, v, causal=True)
    return (mixed @ arrays["h.1.attn.c_proj.weight"].astype(float) + arrays["h.1.attn.c_proj.bias"].astype(float))[-1]


def four(query: str, key: str, value: str, out: str, *, groups: int = HEADS, width: int = WIDTH) -> Arrays:
    """Arrays of a layer with four linear maps with biases; `width` is that of all heads together."""
    grouped = width // HEADS * groups
    sizes = {query: (width, WIDTH), key: (grouped, WIDTH), value: (grouped, WIDTH), out: (WIDTH, width)}
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in sizes.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in sizes.items()}
    return draw(len(query), **shapes)


def named(prefix: str, *tails: str) -> tuple[str, str, str, str]:
    """Four names behind a prefix."""
    q, k, v, o = (prefix + tail for tail in tails)
    return q, k, v, o


BERT = named("bert.encoder.layer.4.attention.", "self.query", "self.key", "self.value", "output.dense")
ALBERT = named("albert_layers.0.attention.", "query", "key", "value", "dense")
VIT = named("layer.0.attention.", "attention.query", "attention.key", "attention.value", "output.dense")
DISTIL = named("transformer.layer.2.attention.", "q_lin", "k_lin", "v_lin", "out_lin")
BART = named("encoder.layers.0.self_attn.", "q_proj", "k_proj", "v_proj", "out_proj")
BARE = named("", "query", "key", "value", "dense")
TORCH = draw(
    7,
    in_proj_weight=(3 * WIDTH, WIDTH),
    in_proj_bias=(3 * WIDTH,),
    out_proj__weight=(WIDTH, WIDTH),
    out_proj__bias=(WIDTH,),
)
GPT2 = draw(
    8,
    h__1__attn__c_attn__weight=(WIDTH, 3 * WIDTH),
    h__1__attn__c_attn__bias=(3 * WIDTH,),
    h__1__attn__c_proj__weight=(WIDTH, WIDTH),
    h__1__attn__c_proj__bias=(WIDTH,),
    h__1__attn__bias=(1, 1, 5, 5),
    h__1__mlp__c_proj__weight=(4 * WIDTH, WIDTH),
)
CASES: dict[str, tuple[Arrays, Callable[[Arrays, Any], Any]]] = {
    "BERT": (four(*BERT), separate(BERT)),
    "ALBERT": (four(*ALBERT), separate(ALBERT)),
    "ViT": (four(*VIT), separate(VIT)),
    "DistilBERT": (four(*DISTIL), separate(DISTIL)),
    "BART": (four(*BART), separate(BART)),
    "grouped": (four(*BART, groups=1), separate(BART)),
    "wide": (four(*BERT, width=15), separate(BERT)),
    "bare": (four(*BARE), separate(BARE)),
    "torch": (TORCH, torch_output),
    "GPT-2": (GPT2, gpt2_output),
}


def value(layer: AttentionLayer, x: Any) -> Any:
    """f(X) of an exact layer in floating point, by the definition, to be held against floating point only."""
    unit = math.sqrt(Fraction(int(layer.unit.square.p), int(layer.unit.square.q)))

    def array(rows: Any) -> Any:
        return np.array([[float(Fraction(int(e.p), int(e.q))) for e in row] for row in rows])

    total = array([layer.s])[0]
    for head in layer.heads:
        scores = unit * (x @ array(head.W) @ x[-1] + x @ array([head.p])[0])
        weights = np.exp(scores - scores.max())
        total = total + array(head.V) @ (weights @ x) / weights.sum() + array([head.s])[0]
    return total


def save(arrays: Arrays, path: Path) -> Path:
    """The arrays as a .safetensors file."""
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)
    return path


def layer_of(arrays: Arrays, path: Path, **options: Any) -> AttentionLayer:
    """The import of these arrays."""
    model = import_any_model(save(arrays, path / "m.safetensors"), **{"num_heads": HEADS, **options})
    assert isinstance(model, AttentionLayer)
    return model


@pytest.mark.parametrize("name", CASES)
def test_outputs_are_those_of_numpy(name: str, tmp_path: Path) -> None:
    """Every format gives the output at the final token that its published formulas give, on sequences of any length."""
    arrays, reference = CASES[name]
    layer = layer_of(arrays, tmp_path)
    assert (layer.dim, layer.outputs, len(layer.heads)) == (WIDTH, WIDTH, HEADS)
    for length in (1, 2, 5):
        x = np.random.default_rng(length).normal(size=(length, WIDTH)) / 2
        assert np.abs(value(layer, x) - reference(arrays, x)).max() < 1e-11


@pytest.mark.parametrize("name", ["BERT", "torch", "GPT-2"])
def test_wrong_layers_miss_the_reference(name: str, tmp_path: Path) -> None:
    """Negative control: W transposed, p or s forgotten, or the unit forgotten are seen by the reference."""
    arrays, reference = CASES[name]
    layer = layer_of(arrays, tmp_path)
    x = np.random.default_rng(0).normal(size=(5, WIDTH)) / 2
    transposed = [LayerHead(zip(*h.W, strict=True), h.p, h.V) for h in layer.heads]
    without_p = [LayerHead(h.W, [0] * WIDTH, h.V) for h in layer.heads]
    for wrong in (
        AttentionLayer(transposed, s=layer.constant, unit=layer.unit),
        AttentionLayer(without_p, s=layer.constant, unit=layer.unit),
        AttentionLayer(layer.heads, unit=layer.unit),
        AttentionLayer(layer.heads, s=layer.constant),
    ):
        assert np.abs(value(wrong, x) - reference(arrays, x)).max() > 1e-3


def test_without_biases_and_with_a_readout(tmp_path: Path) -> None:
    """Layers without biases have p = 0; a readout with its bias makes one output of the vector."""
    arrays = {name: array for name, array in TORCH.items() if "bias" not in name}
    layer = layer_of(arrays, tmp_path)
    assert not any(any(head.p) for head in layer.heads)
    assert not any(layer.constant)
    read = {**TORCH, **draw(1, readout__weight=(1, WIDTH), readout__bias=(1,))}
    x = np.random.default_rng(3).normal(size=(4, WIDTH)) / 2
    expected = linear(read, "readout", torch_output(TORCH, x))
    scalar = layer_of(read, tmp_path)
    assert scalar.outputs == 1
    assert np.abs(value(scalar, x) - expected).max() < 1e-11


def test_key_bias_cancels(tmp_path: Path) -> None:
    """Another key bias, or none, is the same layer to the last bit."""
    arrays = four(*BERT)
    layer = layer_of(arrays, tmp_path)
    assert layer_of({**arrays, f"{BERT[1]}.bias": 5 * arrays[f"{BERT[1]}.bias"]}, tmp_path) == layer
    del arrays[f"{BERT[1]}.bias"]
    assert layer_of(arrays, tmp_path) == layer


def test_layers_by_number_and_by_prefix(tmp_path: Path) -> None:
    """Among several layers one is named by its number or its prefix; without that both are listed."""
    first, second = named("e.layer.0.attention.", *TAILS), named("e.layer.1.attention.", *TAILS)
    arrays = four(*first) | {name: 2 * array for name, array in four(*second).items()}
    alone = layer_of({name: array for name, array in arrays.items() if ".1." in name}, tmp_path)
    assert layer_of(arrays, tmp_path, which="1") == alone == layer_of(arrays, tmp_path, which="e.layer.1")
    assert layer_of(arrays, tmp_path, which="0") != alone
    message = r"2 attention layers: say which with --layer: e\.layer\.0\.attention, e\.layer\.1\.attention$"
    with pytest.raises(UnusableInputError, match=message):
        layer_of(arrays, tmp_path)
    with pytest.raises(UnusableInputError, match=r"--layer: there is no attention layer '2', only e\.layer\.0"):
        layer_of(arrays, tmp_path, which="2")


TAILS = ("self.query", "self.key", "self.value", "output.dense")
SMALL = np.zeros(1, np.float32)
FOREIGN = [
    ("self.distance_embedding.weight", "this tensor belongs to relative positions"),
    ("self.rotary_emb.inv_freq", "this tensor belongs to rotary positions"),
    ("self.q_norm.weight", "this tensor belongs to a norm before the scores"),
    ("q_norm.weight", "this tensor belongs to a norm before the scores"),
    ("key_layernorm.weight", "this tensor belongs to a norm before the scores"),
    ("attn_mask", "this tensor belongs to a mask"),
    ("self.query.lora_A.weight", "this tensor belongs to an adapter"),
    ("head_scale", "unexpected tensor: the layer has none of this name, only self.query.weight, self.key.weight"),
]


@pytest.mark.parametrize(("tail", "message"), FOREIGN)
def test_other_models_are_refused(tail: str, message: str, tmp_path: Path) -> None:
    """Tensors of another model inside the layer are named, in one line."""
    prefix = BERT[0].removesuffix("self.query")
    with pytest.raises(UnusableInputError, match=f"m.safetensors: {prefix}{tail}: {message}"):
        layer_of({**four(*BERT), prefix + tail: SMALL}, tmp_path)


def test_what_follows_the_layer_is_left_out(tmp_path: Path) -> None:
    """The norm behind the layer, embeddings and the network are no part of it; their number is told."""
    prefix = BERT[0].removesuffix("self.query")
    more = {f"{prefix}output.LayerNorm.weight": SMALL, "embeddings.word.weight": SMALL, "pooler.dense.bias": SMALL}
    imported = import_from(save({**four(*BERT), **more}, tmp_path / "m.safetensors"), HEADS)
    assert imported.layer is not None
    assert imported.model == layer_of(four(*BERT), tmp_path)
    assert (imported.layer.left_out, imported.layer.format, imported.layer.prefix) == (3, "BERT", prefix.rstrip("."))


def without(arrays: Arrays, name: str) -> Arrays:
    """The arrays without one."""
    return {key: array for key, array in arrays.items() if key != name}


UNUSABLE: list[tuple[Arrays, dict[str, Any], str]] = [
    (TORCH, {"num_heads": None}, "num_heads: neither the file nor a config.json beside it says the number of heads"),
    (TORCH, {"num_heads": 5}, "num_heads: 5 heads do not divide the width 12$"),
    (without(TORCH, "in_proj_bias"), {}, "there is no tensor in_proj_bias, but out_proj.bias is there$"),
    (without(TORCH, "out_proj.weight"), {}, "there is no tensor out_proj.weight, which a layer of torch.nn"),
    (without(four(*BART), f"{BART[3]}.weight"), {}, f"there is no tensor {BART[3]}.weight, which a layer of BART has$"),
    ({**TORCH, "bias_k": SMALL}, {}, "bias_k: this tensor belongs to a further key and value that stand for no token$"),
    ({**TORCH, "in_proj_bias": SMALL}, {}, r"in_proj_bias: shape \[36\] is expected, not \[1\]$"),
    ({**TORCH, "in_proj_weight": SMALL}, {}, r"in_proj_weight: a matrix is expected, not shape \[1\]$"),
    ({**TORCH, "out_proj.bias": np.full(WIDTH, np.nan, np.float32)}, {}, r"out_proj.bias\[0\]: a NaN or an infinity"),
    ({"a.weight": SMALL, "b": SMALL}, {}, "no attention layer is recognised; the file holds a.weight, b; known are"),
    (four(*named("m.self_attn.", "q_proj", "k_proj", "v_proj", "o_proj")), {}, "family of models with rotary"),
    (four(*named("m.encoder_attn.", "q_proj", "k_proj", "v_proj", "out_proj")), {}, "cross-attention is another model"),
    ({**GPT2, "h.1.attn.c_attn.weight": np.zeros((36, 12), np.float32)}, {}, r"shape \[E, 3 E\] is expected"),
    (four(*BART, groups=2), {}, "keys with 8 rows do not serve 3 heads of size 4$"),
]  # fmt: skip


@pytest.mark.parametrize(("arrays", "options", "message"), UNUSABLE, ids=range(len(UNUSABLE)))
def test_unusable_layers(arrays: Arrays, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    """What cannot be used is refused in one line that says where."""
    with pytest.raises(UnusableInputError, match=message) as caught:
        layer_of(arrays, tmp_path, **options)
    assert "\n" not in str(caught.value)


def test_bundled_layer_agrees_with_full_size() -> None:
    """The bundled layer of a published model, imported here and read by the code of full size, is the same exactly."""
    imported = import_any_model(layer_path("rxnmapper"))
    assert isinstance(imported, AttentionLayer)
    whole = find_layer(layer_path("rxnmapper")).layer()
    assert first_difference(affine_layer(imported), whole) is None
    exchanged = AttentionLayer(imported.heads[1:], s=imported.constant, unit=imported.unit)
    assert first_difference(affine_layer(exchanged), whole) is not None
