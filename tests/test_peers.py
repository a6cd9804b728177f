"""Tests of the benchmark of peers: every way that is installed finds the truth, and a wrong answer would be seen."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("peers")


def test_exact_ways_find_the_truth(peers: Any) -> None:
    """Each exact way gives exactly the pairs from which the samples were made."""
    for heads, bits in ((1, 8), (3, 20)):
        zero, samples, truth = peers.random_probe(heads, bits)
        for way in peers.WAYS.values():
            if way.is_exact and (way.package is None or importlib.util.find_spec(way.package)):
                assert sorted(way.prepare(zero, samples)()) == sorted(truth), way.title


def test_wrong_answers_and_errors_are_told(
    peers: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Negative control: a way that is wrong by one residue is called WRONG, a right one is not."""
    right = peers.WAYS["fractions"]

    def slip(zero: Any, samples: Any) -> Any:
        read = right.prepare(zero, samples)
        return lambda: [(t, c + (index == 0)) for index, (t, c) in enumerate(read())]

    notes = []
    for prepare in (slip, right.prepare):
        monkeypatch.setitem(peers.WAYS, "fractions", peers.WAYS["fractions"].__class__("here", prepare))
        peers.run_cell("fractions", 2, 8, 1, 10)
        notes.append(json.loads(capsys.readouterr().out)["note"])
    assert notes == ["WRONG", ""]


def test_growth(peers: Any) -> None:
    """The exponent of a power law is found; two points say nothing."""
    assert peers.growth([(2, 3 * 2**2.5), (4, 3 * 4**2.5), (8, 3 * 8**2.5)]) == "2.5"
    assert peers.growth([(2, 1), (4, 2)]) == "-"
