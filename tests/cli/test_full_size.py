"""`exactlearn learn` at full size: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_run import Run


def layer_file(path: Path, layers: int = 1) -> str:
    """A small file with BERT's names."""
    from safetensors.numpy import save_file

    generator = np.random.default_rng(1)
    arrays = {}
    for layer in range(layers):
        for role in ("self.query", "self.key", "self.value", "output.dense"):
            name = f"bert.encoder.layer.{layer}.attention.{role}"
            arrays[f"{name}.weight"] = generator.normal(size=(4, 4)).astype(np.float32)
            arrays[f"{name}.bias"] = generator.normal(size=4).astype(np.float32)
    save_file(arrays, path, {"num_attention_heads": "2"})
    return str(path)


@pytest.mark.parametrize(("schedule", "queries"), [("paper", 157), ("low-rank:2", 109), ("vector:2", 39)])
def test_a_layers_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, schedule: str, queries: int) -> None:
    """The file of a layer is learned at full size without being asked to; counts in the JSON."""
    path = layer_file(tmp_path / "m.safetensors")
    run = Run(capsys, "learn", path, "--schedule", schedule, "--workers", "1", "--json")
    assert run.status == 0
    assert run.json["recovered"] is True
    assert run.json["queries"] == run.json["predicted_queries"] == queries
    assert (run.json["heads_found"], run.json["dim"], run.json["schedule"]) == (2, 4, schedule)
    assert run.err == ""


def test_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The table, the written model, and a second run that finds everything in the state."""
    path = layer_file(tmp_path / "m.safetensors", layers=2)
    state, out = str(tmp_path / "state"), tmp_path / "out.json"
    arguments = ("learn", path, "--layer", "1", "--workers", "1", "--state", state, "-o", str(out))
    first, second = Run(capsys, *arguments), Run(capsys, *arguments)
    assert (first.status, second.status) == (0, 0)
    assert "to the last bit" in first.out
    assert "were there already" not in first.out
    assert "were there already" in second.out
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["dim"], len(written["heads"]), len(written["s"])) == (4, 2, 4)


def test_a_model_at_full_size(capsys: pytest.CaptureFixture[str]) -> None:
    """Any model with rational weights can be asked for, one output and no biases."""
    run = Run(capsys, "learn", "sqrt-unit", "--full-size", "--workers", "1", "--json")
    assert run.status == 0
    assert run.json["recovered"] is True


def test_not_recovered(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A rank assumed too small: status 1, a named error, one line."""
    path = layer_file(tmp_path / "m.safetensors")
    run = Run(capsys, "learn", path, "--schedule", "low-rank:1", "--workers", "1", "--json")
    assert run.status == 1
    assert run.json["recovered"] is False
    assert run.json["error"] == "not-attention"
    assert "rank larger than 1" in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rxnmapper", "--box", "3"), "--box: not taken at full size"),
        (("rxnmapper", "--max-heads", "9"), "--max-heads: not taken at full size"),
        (("two-heads", "--workers", "2"), "--workers: taken at full size only"),
        (("two-heads", "--state", "x"), "--state: taken at full size only"),
        (("two-heads", "--full-size"), "rational weights"),
        (("rxnmapper", "--schedule", "lean"), "no schedule 'lean' at full size"),
        (("rxnmapper", "--layer", "3"), "number 3"),
        (("rxnmapper", "--heads", "0"), "0 is not a number of heads"),
        (("rxnmapper", "--heads", "7"), "7 heads do not divide"),
        (("rxnmapper", "--workers", "0"), "at least one worker"),
        (("true-e", "--full-size", "--heads", "2"), "--heads: a model tells"),
    ],
)
def test_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    """Options that mean nothing in a run, and what cannot be learned, in one line."""
    Run(capsys, "learn", *arguments).assert_refused(message)


def test_the_layer_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Among the examples."""
    assert "rxnmapper" in Run(capsys, "examples").out
