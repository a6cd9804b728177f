"""Tests of local directories in Hugging Face's layout: what is read, what is refused, and shards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_any_model
from exactlearn.files.scales import unit_of

WIDTH, HEADS = 6, 2
CONFIG = {"model_type": "bert", "num_attention_heads": HEADS, "layer_norm_eps": 1e-12, "rope_scaling": None}


def bert(layers: int = 2) -> dict[str, Any]:
    """The attention tensors of a small BERT."""
    generator = np.random.default_rng(1)
    shapes = {"weight": (WIDTH, WIDTH), "bias": (WIDTH,)}
    return {
        f"encoder.layer.{n}.attention.{name}.{kind}": generator.normal(size=shape).astype(np.float32)
        for n in range(layers)
        for name in ("self.query", "self.key", "self.value", "output.dense")
        for kind, shape in shapes.items()
    }


def gpt2() -> dict[str, Any]:
    """The second layer of a small GPT-2."""
    shapes = {"c_attn.weight": (6, 18), "c_attn.bias": (18,), "c_proj.weight": (6, 6), "c_proj.bias": (6,)}
    return {f"h.1.attn.{name}": np.ones(shape, np.float32) for name, shape in shapes.items()}


def directory(path: Path, arrays: dict[str, Any] | None = None, **config: Any) -> str:
    """A directory as `hf:DIR`."""
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(CONFIG | config))
    if arrays is not None:
        save_file(arrays, path / "model.safetensors")
    return f"hf:{path}"


def test_directory_and_file_agree(tmp_path: Path) -> None:
    """A directory gives what its file gives, heads and all; layers differ."""
    source = directory(tmp_path / "m", bert())
    layer = import_any_model(source, which="1")
    assert layer == import_any_model(tmp_path / "m" / "model.safetensors", HEADS, "1")
    assert layer != import_any_model(source, which="0")
    assert (layer.dim, len(layer.heads), layer.unit) == (WIDTH, HEADS, unit_of(WIDTH // HEADS))
    with pytest.raises(UnusableInputError, match=r"m: num_heads: the file says 2 heads, the argument 3$"):
        import_any_model(source, 3, "0")


def test_shards(tmp_path: Path) -> None:
    """Tensors spread over several files by an index are the same layer; only files beside the index are opened."""
    arrays = bert()
    whole = import_any_model(directory(tmp_path / "whole", arrays), which="0")
    source = directory(tmp_path / "parts")
    names = [f"model-{number}.safetensors" for number in (1, 2)]
    table = {name: names[index % 2] for index, name in enumerate(arrays)}
    for file in names:
        save_file({name: arrays[name] for name in arrays if table[name] == file}, tmp_path / "parts" / file)
    index = tmp_path / "parts" / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": table}))
    assert import_any_model(source, which="0") == whole
    query = next(iter(arrays))
    index.write_text(json.dumps({"weight_map": table | {query: "../whole/model.safetensors"}}))
    with pytest.raises(
        UnusableInputError, match=r"'\.\./whole/model\.safetensors' is no \.safetensors file beside it$"
    ):
        import_any_model(source, which="0")
    index.write_text(json.dumps({"weight_map": table | {query: names[1]}}))
    with pytest.raises(UnusableInputError, match=r"model-2\.safetensors: there is no tensor 'encoder"):
        import_any_model(source, which="0")


def test_unusable_directories(tmp_path: Path) -> None:
    """No directory, no configuration, no tensors, a pickle alone: one line each; nothing is fetched or unpickled."""
    with pytest.raises(UnusableInputError, match=r"^hf:bert-base: there is no such directory here, and the network"):
        import_any_model("hf:bert-base")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnusableInputError, match=r"empty: there is no config\.json in this directory$"):
        import_any_model(f"hf:{tmp_path / 'empty'}")
    source = directory(tmp_path / "m")
    with pytest.raises(UnusableInputError, match=r"m: there is no model\.safetensors in this directory$"):
        import_any_model(source)
    (tmp_path / "m" / "pytorch_model.bin").write_bytes(b"\x80\x02}.")
    with pytest.raises(UnusableInputError, match=r"'pytorch_model\.bin' is a pickle, which runs code when it is read"):
        import_any_model(source)
    (tmp_path / "m" / "config.json").write_text("{")
    with pytest.raises(UnusableInputError, match=r"config\.json: this is not JSON$"):
        import_any_model(source)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"position_embedding_type": "relative_key"}, "positions of type 'relative_key' enter the scores"),
        ({"position_embedding_type": "rotary"}, "positions of type 'rotary'"),
        ({"rope_theta": 10000.0}, "rope_theta: rotary positions: another model$"),
        ({"rotary_pct": 0.25}, "rotary_pct: rotary positions"),
        ({"relative_attention_num_buckets": 32}, "relative_attention_num_buckets: relative positions"),
        ({"alibi": True}, "alibi: relative positions"),
        ({"qk_layernorm": True}, "qk_layernorm: a norm before the scores"),
        ({"attn_logit_softcapping": 50.0}, "attn_logit_softcapping: the scores are capped"),
        ({"sliding_window": 4096}, "sliding_window: the final token does not see all tokens"),
        ({"attention_types": [[["global", "local"], 12]]}, "attention_types: the final token does not see all"),
        ({"query_pre_attn_scalar": 256}, "query_pre_attn_scalar: the scores have a factor of their own"),
    ],
)  # fmt: skip
def test_configurations_of_other_models(config: dict[str, Any], message: str, tmp_path: Path) -> None:
    """A configuration that tells of other scores is refused by its key, though the tensors look right."""
    with pytest.raises(UnusableInputError, match=rf"config\.json: .*{message}"):
        import_any_model(directory(tmp_path / "m", bert(), **config), which="0")


def test_harmless_configurations(tmp_path: Path) -> None:
    """The same keys switched off, and keys that mean nothing here, change nothing."""
    layer = import_any_model(directory(tmp_path / "a", bert()), which="0")
    off = {"position_embedding_type": "absolute", "alibi": False, "qk_layernorm": False, "sliding_window": None}
    assert import_any_model(directory(tmp_path / "b", bert(), **off, hidden_dropout_prob=0.1), which="0") == layer


def test_switches_of_gpt2(tmp_path: Path) -> None:
    """Unscaled scores have the unit 1; scaling by the layer's number divides by it too."""
    plain = {"n_head": HEADS, "num_attention_heads": None}
    units = [
        import_any_model(directory(tmp_path / str(n), gpt2(), **plain, **more), which="1").unit
        for n, more in enumerate(({}, {"scale_attn_weights": False}, {"scale_attn_by_inverse_layer_idx": True}))
    ]
    assert units == [unit_of(3), unit_of(1), unit_of(3 * 4)]


def test_broken_files(tmp_path: Path) -> None:
    """Cut-off files and headers that lie are refused with the tensor or the file named."""
    source = directory(tmp_path / "m", bert(1))
    path = tmp_path / "m" / "model.safetensors"
    content = path.read_bytes()
    for broken, message in [
        (content[:4], "not a safetensors file$"),
        (content[:40], "its header is cut off$"),
        (content[:-1], "the file is cut off in this tensor$"),
        (content.replace(b'"shape"', b'"shade"', 1), "this entry of its header is wrong$"),
        (content.replace(b"[6,6]", b"[9,4]", 4), r"self\.key\.bias: shape \[9\] is expected, not \[6\]$"),
        ((2).to_bytes(8, "little") + b"[]", "its header is no object$"),
    ]:
        path.write_bytes(broken)
        with pytest.raises(UnusableInputError, match=message):
            import_any_model(source, which="0")
