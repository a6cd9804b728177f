"""Tests of the proofs: each holds, each control fails, the ledger is in step, and files, names and package agree."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from exactlearn.errors import UnusableInputError
from exactlearn.proving import BY_COMPUTATION, IN_WORDS, Proof, Size, Theorem, main, proofs, prove, theorem
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "proofs"
LEDGER_ROW = re.compile(
    r"^\| (?P<name>[a-z-]+) \| \[(?P<label>[^]]+)\]\((?P<file>[^)]+)\) \| (?P<rest>.*) \|$", re.MULTILINE
)


def a_theorem(**changes: Any) -> Theorem:
    """A theorem about nothing that is proved, with these attributes changed."""
    text = f"Nothing.\n\n{IN_WORDS}:\nWords.\n\n{BY_COMPUTATION}:\nNumbers.\n"
    found = Theorem(
        "some_thing.py",
        text,
        check=lambda size: Holds(str(size)),
        control=lambda size: Fails(size, "no"),
        changed="all",
        sizes=(Size(1, 1), Size(2, 2)),
        largest=Size(3, 3),
    )
    return dataclasses.replace(found, **changes)


@pytest.mark.parametrize("name", proofs())
def test_default_sizes(name: str) -> None:
    """Every theorem is proved at its default sizes, and its control fails there."""
    proof = prove(name)
    assert proof.holds, str(proof)
    assert isinstance(proof.control, Fails)
    assert proof.sizes == theorem(name).sizes


@pytest.mark.parametrize("name", proofs())
@pytest.mark.parametrize(("heads", "dim"), [(1, 1), (1, 2), (2, 1), (3, 1), (1, 3)])
def test_edge_sizes(name: str, heads: int, dim: int) -> None:
    """One head and one dimension are sizes like others, and the control bites there too."""
    proof = prove(name, heads=heads, dim=dim)
    assert proof.holds, str(proof)
    (size,) = proof.sizes
    assert size.heads in {None, heads, theorem(name).least.heads}
    assert size.dim in {None, dim}


@pytest.mark.long
@pytest.mark.parametrize("name", proofs())
def test_largest_size(name: str) -> None:
    """Every theorem is proved at the largest size that the ledger names."""
    proof = prove(name, largest=True)
    assert proof.holds, str(proof)


@pytest.mark.parametrize("name", proofs())
def test_three_parts(name: str) -> None:
    """Every proof states the theorem, the argument in words and the computation, apart; every check has its words."""
    proof = prove(name, heads=1, dim=1)
    found = theorem(name)
    assert proof.name == found.name == name
    for part in (proof.statement, proof.in_words, proof.by_computation, proof.changed):
        assert len(part) > 4
        assert IN_WORDS not in part
        assert BY_COMPUTATION not in part
    assert isinstance(proof.verdict, Holds)
    assert proof.verdict.why
    assert isinstance(proof.control, Fails)
    assert proof.control.why


def test_ledger() -> None:
    """Every file has one row, every row a file, with its sizes and its control; the rows stand in one order."""
    rows = list(LEDGER_ROW.finditer((FOLDER / "README.md").read_text(encoding="utf-8")))
    assert sorted(row["name"] for row in rows) == list(proofs())
    assert sorted(row["file"] for row in rows) == sorted(
        path.name for path in FOLDER.glob("*.py") if path.name != "__init__.py"
    )
    for row in rows:
        found = theorem(row["name"])
        _, default, largest, control = row["rest"].split(" | ")
        assert row["label"] == row["file"] == f"{row['name'].replace('-', '_')}.py"
        assert default == "; ".join(map(str, found.sizes))
        assert largest == str(found.largest)
        assert control == found.changed


def test_packages_are_the_tree() -> None:
    """The list in pyproject names every package: nothing is missing from the wheel."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    inits = (ROOT / "exactlearn").rglob("__init__.py")
    folders = {".".join(path.parent.relative_to(ROOT).parts) for path in inits}
    assert folders | {"exactlearn.proofs"} == set(settings["packages"])
    assert settings["package-dir"] == {"exactlearn.proofs": "proofs"}


def test_script_prints_the_proof() -> None:
    """A proof file runs by itself."""
    command = [sys.executable, str(FOLDER / "jacobian.py"), "--heads", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own file
    assert done.returncode == 0
    assert done.stdout.startswith("jacobian: proved\n")
    assert "(H = 2;" in done.stdout
    assert "as it should" in done.stdout
    assert not done.stderr


@pytest.mark.parametrize("name", proofs())
def test_main_of_every_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every file can be run, at a size asked for."""
    assert (FOLDER / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8").endswith(
        '\nif __name__ == "__main__":\n    raise SystemExit(main(THEOREM))\n'
    )
    assert main(theorem(name), ["--heads", "2", "--dim", "2"]) == 0
    assert capsys.readouterr().out.startswith(f"{name}: proved\n")


@pytest.mark.parametrize("wrong", ["0", "-1", "1.5", "x", "", "99999"])
def test_script_refuses(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes that are no whole numbers from 1 on end a script with status 2 and a line that says so."""
    with pytest.raises(SystemExit) as stop:
        main(a_theorem(), [f"--heads={wrong}"])
    assert stop.value.code == 2
    assert "a whole number from 1 on is expected" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2"])
def test_prove_refuses_sizes(wrong: Any) -> None:
    """The same in Python, with the place."""
    with pytest.raises(UnusableInputError, match="heads: a whole number from 1 on is expected"):
        prove("jacobian", heads=wrong)
    with pytest.raises(UnusableInputError, match="dim: a whole number from 1 on is expected"):
        prove("matching", dim=wrong)


@pytest.mark.parametrize("wrong", ["", "nothing", "__init__", "../proving", "os", "Jacobian"])
def test_unknown_theorem(wrong: str) -> None:
    """A name that is none is refused, with those that are."""
    with pytest.raises(UnusableInputError, match=r"no theorem is called .*; there are canonical, "):
        prove(wrong)


def test_underscores_name_it_too() -> None:
    """A theorem answers to its file's name."""
    assert theorem("pole_separation") is theorem("pole-separation")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"check": lambda size: Fails(size, "wrong")}, "fails: wrong"),
        ({"check": lambda size: Holds() if size.heads == 1 else Fails(size, "wrong")}, "fails: wrong"),
        ({"check": lambda size: Undecided("unclear") if size.heads == 1 else Holds()}, "undecided: unclear"),
        ({"control": lambda _size: Holds("true as well")}, "IT SHOULD HAVE FAILED"),
        ({"control": lambda _size: Undecided("unclear")}, "IT SHOULD HAVE FAILED"),
    ],
)
def test_proof_fails(changes: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A check that fails at one size, or a control that does not fail, is no proof: status 1, and it is said."""
    found = a_theorem(**changes)
    proof = found.prove(found.sizes)
    assert not proof.holds
    assert main(found, []) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("some-thing: NOT PROVED\n")
    assert said in printed


def test_sizes_asked_for() -> None:
    """One number asked for leaves the other at its default; a number without meaning is ignored; least sizes hold."""
    found = a_theorem()
    assert found.size(5, None) == Size(5, 2)
    assert found.size(None, 4) == Size(2, 4)
    assert dataclasses.replace(found, sizes=(Size(dim=2),)).size(5, None) == Size(dim=2)
    assert dataclasses.replace(found, least=Size(2, 1)).size(1, 1) == Size(2, 1)
    assert main(found, ["--largest"]) == 0


def test_proof_is_a_value() -> None:
    """A proof is frozen, has its parts, and knows how long it took."""
    proof = a_theorem().prove([Size(2, 3)])
    assert (proof.statement, proof.in_words, proof.by_computation) == ("Nothing.", "Words.", "Numbers.")
    assert proof.sizes == (Size(2, 3),)
    assert proof.seconds >= 0
    assert str(proof.sizes[0]) == "H = 2, d = 3"
    with pytest.raises(dataclasses.FrozenInstanceError):
        proof.name = "other"  # type: ignore[misc]
    assert isinstance(proof, Proof)
    verdict: Verdict = proof.verdict
    assert verdict.holds
