"""The demos: they run, fit a terminal of 80 columns, and are the same story as notebooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flint import fmpq

from exactlearn.cli import main
from exactlearn.demos import STORIES, story
from exactlearn.demos.notebook import notebook_of, write_notebook
from exactlearn.demos.picture import Picture, curve
from exactlearn.demos.story import Run, Say, Story, tell, terminal_lines
from exactlearn.errors import UnusableInputError

NAMES = [one.name for one in STORIES]
FACTS = {
    "one-head": "c = 3   t = 2",
    "copy-count": "t = 1/3 2    c = -2 3",
    "two-h-plus-one": "3 tokens: 4/3 3/2",
    "merging": "from 29 queries",
    "cancelling": "poles: 2 5   residues: 3 1/100",
    "recombination": "and differ at a sum probe: 69/10 7",
    "bad-draw": "more for the redraw",
    "floating-point": "exact values, H = 8: t = 1 2 3 4 5 6 7 8",
    "kinks": "the canonical forms agree: odd parts, and units up to sign",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_story_is_told_in_80_columns(name: str) -> None:
    """Every line fits, and the exact result of the story is among them."""
    lines = [line for told in tell(story(name)) for line in terminal_lines(told)]
    assert max(map(len, lines)) <= 80
    assert any(FACTS[name] in line for line in lines)
    assert all(line.isascii() for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_valid_and_runs(name: str, tmp_path: Path) -> None:
    """As nbformat says, executed by a kernel without an error, with the story's result in its output."""
    nbformat = pytest.importorskip("nbformat", reason="the extra notebook is not installed")
    nbclient = pytest.importorskip("nbclient", reason="the extra notebook is not installed")
    pytest.importorskip("ipykernel", reason="the extra notebook is not installed")
    path = tmp_path / f"{name}.ipynb"
    write_notebook(story(name), path)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    texts = [output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in outputs]
    assert FACTS[name] in "\n".join(texts)
    assert not any(output.output_type == "error" for output in outputs)


def test_notebooks_render_formulas_by_the_objects_own_latex() -> None:
    """A model and a copy-count function are values of cells, with a LaTeX representation."""
    values = [told.value for name in ("one-head", "copy-count") for told in tell(story(name))]
    assert sum(hasattr(value, "_repr_latex_") for value in values) == 2


def test_an_error_in_a_story_is_an_error() -> None:
    """A control: code that fails does not pass for told."""
    with pytest.raises(ZeroDivisionError):
        list(tell(Story("x", "X", (Say("Now:"), Run("1 / 0")))))


def test_the_same_notebook_every_time() -> None:
    """No clock and no chance in it."""
    assert notebook_of(story("kinks")) == notebook_of(story("kinks"))


def test_a_picture_in_characters() -> None:
    """A straight line goes from corner to corner; a mark is a column of colons."""
    picture = Picture("line", "x", (("*", curve(lambda x: x, 0, 1)),), (fmpq(1, 2),))
    rows = str(picture).splitlines()[1:15]
    assert rows[0].endswith("*")
    assert rows[-1].split("|")[1].startswith("*")
    assert sum(":" in row for row in rows) >= 12


def test_commands(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The list, a story as JSON, a picture, a notebook, and refusals in one line."""

    def status(*arguments: str) -> int:
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        return int(stopped.value.code or 0)

    assert status("demo", "--json") == 0
    assert [one["name"] for one in json.loads(capfd.readouterr().out)["demos"]] == NAMES
    assert status("demo", "merging", "--json") == 0
    assert "text" in json.loads(capfd.readouterr().out)["steps"][0]
    picture, notebook = tmp_path / "p.svg", tmp_path / "n.ipynb"
    assert status("demo", "copy-count", "-o", str(picture)) == 0
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    assert status("demo", "--notebook", "kinks", "-o", str(notebook)) == 0
    assert json.loads(notebook.read_text(encoding="utf-8"))["nbformat"] == 4
    capfd.readouterr()
    refused = (("nothing",), ("merging", "-o", str(picture)), ("--notebook", "kinks"), ("copy-count", "-o", "x.gif"))
    for wrong in refused:
        assert status("demo", *wrong) == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        assert "Traceback" not in error


def test_unknown_demos_have_close_names() -> None:
    """A slip of the pen gets a hint."""
    with pytest.raises(UnusableInputError, match="did you mean kinks"):
        story("kink")
