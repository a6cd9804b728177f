"""The commands as a user runs them: JSON of DESIGN section 12, exit statuses, one-line errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_run import Run, attention_examples
from flint import arb

from exactlearn.canonical import same_function
from exactlearn.examples import load, names
from exactlearn.files.model_file import model_from_json, read_model, write_model
from exactlearn.model import MultiHeadAttention

DATA = Path(__file__).parents[1] / "files" / "data"


@pytest.mark.parametrize("name", attention_examples())
def test_learn_recovers_every_example(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """`learn --json` has the keys of DESIGN section 12, the stated counts, and the canonical model."""
    run = Run(capsys, "learn", name, "--json")
    result, model = run.json, load(name)
    assert (run.status, run.err) == (0, "")
    heads, dim = result["heads_found"], model.dim
    assert result["format"] == "exactlearn.result/1"
    assert result["recovered"] is True
    assert result["queries"] == result["predicted_queries"] == 4 * heads * dim**2 - 2 * heads + 1
    assert result["max_length"] == result["predicted_max_length"] == 2 * heads + 1
    assert result["place"] == ("rational" if model.weights == "log-rational" else "padic")
    assert result["schedule"] == "paper"
    assert set(result["seconds"]) == {"oracle", "learner"}
    assert len(result["redraw_reasons"]) == result["redraws"]
    assert same_function(model_from_json(result["model"]), model).holds


def test_learn_with_an_upper_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """With --max-heads the bound stands in the formula for H."""
    result = Run(capsys, "learn", "two-heads", "--max-heads", "4", "--json").json
    assert (result["recovered"], result["heads_found"]) == (True, 2)
    assert result["queries"] == 4 * 4 * 4 - 8 + 1
    assert result["max_length"] == 9


def test_learn_repeats_itself_from_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    """The same seed gives the same result to the letter, except for the time it took."""
    results = [Run(capsys, "learn", "two-heads", "--seed", "5", "--box", "7", "--json").json for _ in range(2)]
    for result in results:
        del result["seconds"]
    assert results[0] == results[1]
    assert (results[0]["seed"], results[0]["box"]) == (5, 7)


@pytest.mark.parametrize("name", ["two-heads", "true-e"])
def test_learn_with_too_few_heads_says_so(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Exit status 1, recovered false with a reason, and a line on standard error; no model."""
    run = Run(capsys, "learn", name, "--heads", "1", "--json")
    assert run.status == 1
    assert run.json["recovered"] is False
    assert run.json["error"] == "not-attention"
    assert "model" not in run.json
    assert run.err.startswith("exactlearn: not recovered")


def test_learn_with_too_many_heads_suggests_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """An exact number of heads that is too large ends in a degenerate draw that names the way out."""
    run = Run(capsys, "learn", "two-heads", "--heads", "3", "--json")
    assert run.status == 1
    assert run.json["error"] == "degenerate-draw"
    assert "upper bound" in run.json["reason"]


def test_learn_writes_the_recovered_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """-o keeps the recovered model as a model file."""
    target = tmp_path / "found.json"
    assert Run(capsys, "learn", "digits-h2", "-o", str(target)).status == 0
    assert same_function(read_model(target), load("digits-h2")).holds


def test_learn_prints_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json: the verdict, the counts against the formula, and the heads."""
    out = Run(capsys, "learn", "two-heads").out
    assert "yes: exactly the canonical form of the model" in out
    assert "29 (the schedule 'paper' predicts 29)" in out
    assert "T = [2, 3; 5, 7]" in out


def test_canonical_explains(capsys: pytest.CaptureFixture[str]) -> None:
    """Merges and drops by the indices of the given heads, for people and in JSON."""
    dropped = Run(capsys, "canonical", "cancelling-pair", "--json").json
    assert (dropped["heads_given"], dropped["heads_found"]) == (3, 1)
    assert (dropped["merged"], dropped["dropped"]) == ([], [[0, 1]])
    assert "heads 0 and 1 have equal W: merged" in Run(capsys, "canonical", "equal-w").out


def test_compare_equal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A model and the same with its heads exchanged are equal; exit status 0."""
    model = load("two-heads")
    write_model(model.with_heads(model.heads[::-1]), tmp_path / "exchanged.json")
    run = Run(capsys, "compare", "two-heads", str(tmp_path / "exchanged.json"), "--json")
    assert (run.status, run.json) == (0, {"equal": True})


@pytest.mark.parametrize(("left", "right"), [("two-heads", "shared-v"), ("true-e", "sqrt-unit"), ("true-e", "equal-w")])
def test_compare_different(capsys: pytest.CaptureFixture[str], left: str, right: str) -> None:
    """Exit status 1, and the separating sequence evaluates to the two values that are shown."""
    run = Run(capsys, "compare", left, right, "--json")
    assert (run.status, run.json["equal"]) == (1, False)
    values = [
        Run(capsys, "eval", name, json.dumps({"tokens": run.json["tokens"]}), "--json").json["exact"]
        for name in (left, right)
    ]
    assert values == run.json["values"]
    assert values[0] != values[1]


def test_compare_different_dimensions_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """No sequence fits both models."""
    Run(capsys, "compare", "two-heads", "one-dimensional").assert_refused("different dimensions, 2 and 1")


def test_eval_gives_the_exact_value_and_an_enclosure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One head in one dimension by hand: f(1, 2) = v (T^2 1 + T^4 2) / (T^2 + T^4)."""
    model = MultiHeadAttention([([[3]], [5])], weights="log-rational")
    write_model(model, tmp_path / "m.json")
    (tmp_path / "t.json").write_text('{"tokens": [["1"], ["2"]]}')
    found = Run(capsys, "eval", str(tmp_path / "m.json"), str(tmp_path / "t.json"), "--json").json
    assert found["exact"] == "19/2"
    assert arb(found["decimal"]).contains(arb(19) / 2)


def test_huge_integers_print_whole_in_json_and_short_for_people(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A value of more than 4,300 digits is whole in JSON and abbreviated for people."""
    model = MultiHeadAttention([([[1]], [10**5000 + 1])], weights="log-rational")
    write_model(model, tmp_path / "m.json")
    arguments = ("eval", str(tmp_path / "m.json"), '{"tokens": [["1"]]}')
    assert Run(capsys, *arguments, "--json").json["exact"] == "1" + "0" * 4999 + "1"
    assert "(5001 characters)" in Run(capsys, *arguments).out
    assert Run(capsys, "learn", str(tmp_path / "m.json"), "--json").json["recovered"] is True
    assert Run(capsys, "learn", str(tmp_path / "m.json")).status == 0


def test_import_then_learn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A trained file becomes a model file with the exact unit, which is the bundled example."""
    target = tmp_path / "layer.json"
    source = DATA / "digits_attention_h4.safetensors"
    assert Run(capsys, "import", str(source), "-o", str(target), "--json").json["unit"] == "sqrt(1/2)"
    assert read_model(target) == load("digits-h4")
    Run(capsys, "import", str(source), "-o", str(target), "--num-heads", "3").assert_refused("heads")


def test_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """All names are listed, and a name prints that model's file."""
    listed = Run(capsys, "examples", "--json").json["examples"]
    assert [example["name"] for example in listed] == list(names())
    assert model_from_json(Run(capsys, "examples", "two-heads").json) == load("two-heads")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "no-such-model"), "no file and no example"),
        (("learn", "two-heads", "--heads", "1", "--max-heads", "2"), "not both"),
        (("learn", "two-heads", "--heads", "-1"), "heads: a whole number from 0 on"),
        (("learn", "two-heads", "--box", "0"), "box: a whole number from 1 on"),
        (("learn", "two-heads", "--schedule", "fast"), "no schedule 'fast'"),
        (("learn", "two-heads", "--heads", "two"), "integer"),
        (("learn",), "(?i)missing argument"),
        (("lern",), "No such command"),
        (("learn", "two-heads", "--fast"), "No such option"),
        (("eval", "two-heads", '{"tokens": [["1"]]}'), r"tokens\[0\]"),
        (("eval", "two-heads", '{"tokens": []}'), "token"),
        (("eval", "two-heads", '{"tokens": [[1.5, "2"]]}'), "float|string"),
        (("eval", "two-heads", "{"), "TOKENS"),
        (("eval", "two-heads", '{"tokens": [["1", "1"]]}', "--digits", "0"), "--digits"),
        (("examples", "three-heads"), "did you mean two-heads"),
        (("import", "no.safetensors", "-o", "out.json"), "no.safetensors"),
    ],
)
def test_bad_input_gets_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """Exit status 2, one line on standard error, nothing on standard output, no traceback."""
    Run(capsys, *arguments).assert_refused(message)


def test_a_bad_model_file_is_named_with_its_entry(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Which entry of which head is wrong."""
    document = Run(capsys, "examples", "two-heads").json
    document["heads"][1]["W"][0][1] = "0"
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    Run(capsys, "learn", str(path), "--json").assert_refused(r"heads\[1\]\.W\[0\]\[1\].*positive")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """The program tells its version, and without a command its help."""
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", Run(capsys, "--version").out)
    assert "learn" in Run(capsys).out


def test_a_closed_pipe_is_no_error() -> None:
    """`exactlearn ... | head` leaves quietly."""
    program = f"{sys.executable} -m exactlearn examples digits-h4 --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", program], capture_output=True, text=True, check=False)  # noqa: S603, S607  # our own fixed command
    assert done.stderr == ""
    assert len(done.stdout) == 10


def test_an_interrupt_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C: status 130, one line, nothing on standard output, and no file left half written."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exactlearn.cli.learn.run_learner", interrupted)
    run = Run(capsys, "learn", "two-heads")
    assert (run.status, run.out, run.err) == (130, "", "exactlearn: interrupted\n")
