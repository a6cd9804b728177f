"""Tests of the commands on layers with biases and vector outputs, and of the option --schedule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exactlearn.cli.app import run

LAYER: dict[str, Any] = {
    "format": "exactlearn.model/1",
    "kind": "attention",
    "dim": 2,
    "weights": "rational",
    "unit": "sqrt(1/2)",
    "heads": [
        {"W": [["1", "0"], ["-1/2", "3"]], "p": ["1", "2/3"], "V": [["1", "0"], ["2", "1"]], "s": ["1", "0"]},
        {"W": [["1", "2"], ["0", "1"]], "V": [["1", "0"], ["2", "3"]]},
    ],
    "s": ["0", "1"],
}


@pytest.fixture
def layer(tmp_path: Path) -> str:
    """A layer's model file."""
    path = tmp_path / "layer.json"
    path.write_text(json.dumps(LAYER), encoding="utf-8")
    return str(path)


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = run([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("schedule", "queries"), [("paper", 45), ("lean", 25), ("adaptive", 45), ("lean+low-rank:2", 25)]
)
def test_learn_a_layer(layer: str, tmp_path: Path, schedule: str, queries: int, capsys: Any) -> None:
    """Exact counts beside the paper's, and a file of the recovered layer that compares equal."""
    out = str(tmp_path / "found.json")
    status, result = _json(capsys, "learn", layer, "--schedule", schedule, "-o", out)
    assert (status, result["recovered"]) == (0, True)
    assert result["queries"] == result["predicted_queries"] == queries
    assert result["paper_queries"] == 45
    assert result["schedule"] == schedule
    assert result["model"]["s"] == ["1", "1"]
    assert _json(capsys, "compare", layer, out) == (0, {"equal": True})


def test_a_false_rank_is_named(layer: str, capsys: Any) -> None:
    """Exit status 1 and the name of the condition."""
    status, result = _json(capsys, "learn", layer, "--schedule", "low-rank:1")
    assert (status, result["recovered"], result["error"]) == (1, False, "condition-fails")
    assert "rank of [W | p] is larger than 1" in result["reason"]


def test_eval_and_canonical(layer: str, capsys: Any) -> None:
    """A value is a list; V y + s on one token."""
    status, value = _json(capsys, "eval", layer, '{"tokens": [["1", "2"]]}')
    assert (status, value["exact"]) == (0, ["3", "13"])
    status, form = _json(capsys, "canonical", layer)
    assert (status, form["heads_found"], form["model"]["s"]) == (0, 2, ["1", "1"])


def test_compare_tells_a_changed_bias(layer: str, tmp_path: Path, capsys: Any) -> None:
    """A separating sequence with both values, lists of two."""
    other = {**LAYER, "heads": [LAYER["heads"][0], {**LAYER["heads"][1], "p": ["0", "1"]}]}
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other), encoding="utf-8")
    status, result = _json(capsys, "compare", layer, str(path))
    assert (status, result["equal"]) == (1, False)
    assert result["values"][0] != result["values"][1]


def test_verify_says_what_is_not_certified(layer: str, tmp_path: Path, capsys: Any) -> None:
    """Claims hold; a certificate is refused in one line."""
    status, result = _json(capsys, "verify", layer)
    assert status == 0
    assert all(claim["holds"] for claim in result["claims"])
    assert run(["verify", layer, "-o", str(tmp_path / "certificate.json")]) == 2
    assert "certificates do not reach layers" in capsys.readouterr().err


def test_lean_on_a_bundled_model(capsys: Any) -> None:
    """Ties are noticed, counted, and the model is recovered all the same."""
    status, result = _json(capsys, "learn", "shared-v", "--schedule", "lean")
    assert (status, result["recovered"], result["tied_rows"]) == (0, True, 2)
    assert result["queries"] == result["predicted_queries"] == 1 + 4 * 3 + 2 * 3 * 2
