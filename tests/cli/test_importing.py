"""Tests of `exactlearn import` on layers with biases: what is written is learned, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_run import Run
from safetensors.numpy import save_file

from exactlearn.files.importing import import_any_model
from exactlearn.files.transformer_file import read_any_model

WIDTH = 4


def bert_directory(path: Path) -> Path:
    """A local directory with a BERT of two layers, two heads each."""
    generator = np.random.default_rng(5)
    shapes = {"weight": (WIDTH, WIDTH), "bias": (WIDTH,)}
    arrays = {
        f"encoder.layer.{n}.attention.{name}.{kind}": generator.normal(size=shape).astype(np.float32)
        for n in range(2)
        for name in ("self.query", "self.key", "self.value", "output.dense")
        for kind, shape in shapes.items()
    }
    path.mkdir()
    save_file(arrays, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps({"num_attention_heads": 2, "position_embedding_type": "absolute"}))
    return path


def test_import_a_directory_then_learn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is written is the layer, which the learner then recovers to the last bit."""
    source, target = f"hf:{bert_directory(tmp_path / 'm')}", tmp_path / "layer.json"
    said = Run(capsys, "import", source, "--layer", "1", "-o", str(target), "--json").json
    assert (said["dim"], said["outputs"], said["heads"], said["unit"]) == (WIDTH, WIDTH, 2, "sqrt(1/2)")
    assert (said["layout"], said["layer"]) == ("BERT", "encoder.layer.1.attention")
    assert (said["tensors_left_out"], said["scale"]) == (8, "exact")
    written, imported = read_any_model(target), import_any_model(source, which="1")
    assert written == imported
    assert Run(capsys, "learn", str(target), "--json").json["recovered"] is True


def test_scale_is_recorded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The choice is said, for people and in JSON, and stands in the file as its unit."""
    source, target = f"hf:{bert_directory(tmp_path / 'm')}", str(tmp_path / "layer.json")
    options = ("import", source, "--layer", "0", "-o", target, "--scale", "float32")
    said = Run(capsys, *options, "--json").json
    assert (said["scale"], said["unit"]) == ("float32", "11863283/16777216")
    assert json.loads(Path(target).read_text())["unit"] == said["unit"]
    assert "the float32 number nearest to 1/sqrt(head_dim)" in " ".join(Run(capsys, *options).out.split())


def test_refusals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each in one line, status 2, and no file is written."""
    folder, target = bert_directory(tmp_path / "m"), tmp_path / "layer.json"
    source, output = f"hf:{folder}", ("-o", str(target))
    Run(capsys, "import", source, *output).assert_refused("there are 2 attention layers: say which with --layer")
    Run(capsys, "import", source, "--layer", "9", *output).assert_refused("there is no attention layer '9'")
    Run(capsys, "import", source, "--layer", "0", "--scale", "x", *output).assert_refused("--scale: exact or float32")
    Run(capsys, "import", source, "--layer", "0", "--num-heads", "4", *output).assert_refused("says 2 heads")
    Run(capsys, "import", "hf:bert-base-uncased", *output).assert_refused("the network is never asked")
    (folder / "config.json").write_text(json.dumps({"num_attention_heads": 2, "rope_theta": 10000}))
    Run(capsys, "import", source, "--layer", "0", *output).assert_refused(r"config\.json: rope_theta: rotary positions")
    assert not target.exists()
