"""The command `hunt` as a user runs it: exit status 0, 1 and 2, and the words that keep them apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exactlearn.cli import main
from exactlearn.files.model_file import model_from_json, read_model

Run = Callable[..., tuple[Any, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `exactlearn hunt`; gives status, standard output and standard error."""

    def once(*arguments: str) -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["hunt", *arguments])
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return once


@pytest.fixture
def claim(tmp_path: Path) -> Callable[[str], str]:
    """Writes a claim file with this body."""

    def write(body: str) -> str:
        path = tmp_path / "my_claim.py"
        path.write_text(f"def claim(model):\n    {body}\n")
        return str(path)

    return write


def test_found(run: Run, tmp_path: Path) -> None:
    """Status 1, the smallest model for people and as a file to keep."""
    path = tmp_path / "kept.json"
    status, out, err = run("same_v_same_weights", "-o", str(path))
    assert (status, err) == (1, "")
    assert out.startswith("counterexample: the claim is false for")
    assert "seed 0" in out
    kept = read_model(path)
    assert (kept.dim, len(kept.heads)) == (1, 2)
    status, out, _ = run("same_v_same_weights", "--json")
    document = json.loads(out)
    assert status == 1
    assert document["format"] == "exactlearn.hunt/1"
    assert document["outcome"] == "counterexample"
    assert [model_from_json(model) for model in document["models"]] == [kept]


def test_found_pair(run: Run, tmp_path: Path) -> None:
    """Of a pair the second model gets a file of its own."""
    path = tmp_path / "pair.json"
    status, out, _ = run("agree_on_length_two", "--weights", "rational", "-o", str(path), "--json")
    assert status == 1
    assert json.loads(out)["files"] == [str(path), str(tmp_path / "pair-second.json")]
    assert read_model(path) != read_model(tmp_path / "pair-second.json")


def test_nothing_found(run: Run, claim: Callable[[str], str]) -> None:
    """Status 0, the number of models and their sizes, and the word that it is no proof."""
    status, out, err = run(claim("return True"), "--examples", "60", "--seed", "5")
    assert (status, err) == (0, "")
    assert "nothing found: none of the" in out
    assert "no proof" in out
    assert "d = 1, 1 head, rational" in out
    assert "seed 5" in out
    assert "holds" not in out
    document = json.loads(run(claim("return True"), "--examples", "60", "--json")[1])
    assert (document["outcome"], document["models"]) == ("nothing-found", [])
    assert sum(size["tried"] for size in document["sizes"]) == document["tried"] <= 60


def test_raised(run: Run, claim: Callable[[str], str]) -> None:
    """Status 2 and another word: the exception, and the model for which it was raised."""
    status, out, err = run(claim("return model.heads[0].v[5] == 0"))
    assert status == 2
    assert "the claim RAISED for" in out
    assert "counterexample" not in out
    assert "IndexError: tuple index out of range" in err
    assert err.count("\n") == 1
    assert json.loads(run(claim("return 1 / 0"), "--json")[1])["outcome"] == "raised"


def test_what_a_claim_prints_is_no_part_of_the_result(run: Run, claim: Callable[[str], str]) -> None:
    """One JSON object on standard output, nothing else."""
    _, out, err = run(claim("print('asked'); return True"), "--examples", "5", "--json")
    assert json.loads(out)["outcome"] == "nothing-found"
    assert "asked" in err


def test_options(run: Run, claim: Callable[[str], str]) -> None:
    """Bounds on sizes, the kind of weights, and time."""
    file = claim("return model.dim <= 3 and len(model.heads) <= 3 and model.weights == 'log-rational'")
    arguments = ("--heads", "3", "--dim", "3", "--weights", "log-rational", "--examples", "80", "--seconds", "30")
    assert run(file, *arguments)[0] == 0
    assert run(file, "--weights", "rational")[0] == 1


@pytest.mark.parametrize(
    ("body", "arguments", "message"),
    [
        ("return True", ("--weights", "log"), "--weights: rational, log-rational or both"),
        ("return True", ("--heads", "0"), "max_heads"),
        ("return True", ("--seconds", "0"), "seconds"),
        ("return", (), "could not be judged: it returned NoneType"),
        ("return (", (), "not Python"),
    ],
)
def test_unusable(run: Run, claim: Callable[[str], str], body: str, arguments: tuple[str, ...], message: str) -> None:
    """Exit status 2 and one line on standard error."""
    status, _, err = run(claim(body), *arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


def test_no_file(run: Run, tmp_path: Path) -> None:
    """A file that is not there, and one without a claim."""
    status, out, err = run(str(tmp_path / "none.py"))
    assert (status, out) == (2, "")
    assert "none.py: there is no such file" in err
    (tmp_path / "empty.py").write_text("")
    assert "defines no function claim" in run(str(tmp_path / "empty.py"))[2]
