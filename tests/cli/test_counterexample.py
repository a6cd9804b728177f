"""The command `counterexample` as a user runs it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exactlearn.cli import main
from exactlearn.counterexamples import KINDS, counterexample
from exactlearn.files.model_file import model_from_json, read_model

Run = Callable[..., tuple[Any, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program; gives status, standard output and standard error."""

    def once(*arguments: str) -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return once


def test_the_list(run: Run) -> None:
    """One line a kind with the hypothesis that is dropped; with its cases, where it has some."""
    status, out, err = run("counterexample")
    assert (status, err) == (0, "")
    lines = out.splitlines()[1:]
    assert len(lines) == len(KINDS)
    for kind, line in zip(KINDS, lines, strict=True):
        assert line.startswith(kind.name)
        assert kind.dropped in line
        assert all(case in line for case in kind.cases)
    document = json.loads(run("counterexample", "--json")[1])
    assert [one["kind"] for one in document["kinds"]] == [kind.name for kind in KINDS]


@pytest.mark.parametrize("name", [kind.name for kind in KINDS])
def test_every_kind(run: Run, name: str) -> None:
    """For people: the models, both outputs and why; --json: the one object that the library gives."""
    status, out, err = run("counterexample", name)
    assert (status, err) == (0, "")
    found = counterexample(name)
    assert found.dropped in out
    assert "why: " in out
    assert all(str(value) in out for value in found.values)
    status, out, err = run("counterexample", name, "--json")
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out) == {**found.to_json(), "seed": None}


def test_options(run: Run, tmp_path: Path) -> None:
    """Sizes, a seed, a case, and the models as files."""
    folder = tmp_path / "models"
    arguments = ("--heads", "3", "--dim", "2", "--seed", "4", "--case", "poles-meet", "--models", str(folder))
    status, out, _ = run("counterexample", "bad-draw", *arguments, "--json")
    document = json.loads(out)
    assert status == 0
    assert (document["case"], document["seed"]) == ("poles-meet", 4)
    models = [model_from_json(model) for model in document["models"]]
    assert [(model.dim, len(model.heads)) for model in models] == [(2, 3)] * 2
    assert [read_model(path) for path in document["files"]] == models
    status, out, _ = run("compare", *document["files"])
    assert status == 1
    assert "written: " in run("counterexample", "too-few-copies", "--models", str(folder))[1]


def test_my_probes(run: Run, tmp_path: Path) -> None:
    """The user's own list is what the two models agree on."""
    path = tmp_path / "probes.json"
    path.write_text('{"probes": [{"x": ["2", "1"], "y": ["1", "1"]}]}')
    document = json.loads(run("counterexample", "fixed-probes", "--probes", str(path), "--json")[1])
    assert document["agree_on"][:2] == [[["1", "1"]], [["3", "2"], ["1", "1"]]]
    path.write_text("{}")
    status, out, err = run("counterexample", "fixed-probes", "--probes", str(path))
    assert (status, out) == (2, "")
    assert re.fullmatch(r'exactlearn: .*probes\.json: .*"probes".*\n', err)


def test_plot(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture beside the table; without the extra one line says what to install."""
    picture = tmp_path / "growth.svg"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run("counterexample", "error-growth", "--plot", str(picture))
    assert (status, out) == (2, "")
    assert re.fullmatch(r"exactlearn: a plot needs the package matplotlib: .*\[plot\]'\n", err)
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    assert run("counterexample", "error-growth", "--plot", str(picture))[0] == 0
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("too-few-copys",), "did you mean too-few-copies"),
        (("too-few-copies", "--dim", "1"), "dim: .*in one dimension"),
        (("too-few-copies", "--heads", "0"), "heads: a whole number from 1"),
        (("too-few-copies", "--case", "merge"), "case: too-few-copies has no case"),
        (("too-few-copies", "--plot", "x.svg"), "--plot: only error-growth"),
        (("error-growth", "--plot", "x.txt"), "ends in one of"),
        (("fixed-probes", "--probes", "no.json"), "no.json: there is no such file"),
        (("too-few-copies", "--models", "/dev/null/x"), "this folder cannot be made"),
    ],
)
def test_bad_input_gets_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    """Exit status 2, one line on standard error, nothing on standard output."""
    status, out, err = run("counterexample", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(message, err), err
