"""`learn --outputs` and `digits` as a user runs them: digits that survive, exit statuses, one-line errors."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from cli_run import Run
from flint import arb, ctx, fmpq

from exactlearn.examples import load
from exactlearn.files.model_file import write_model
from exactlearn.model import Head, MultiHeadAttention

EXAMPLES = ["two-heads", "one-dimensional", "true-e", "sqrt-unit", "equal-w", "shared-v", "conjugate-heads"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_decimals_enclose_every_example(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """60 decimals are enough: exit status 0, the paper's counts, every digit count in order, the truth inside."""
    run = Run(capsys, "learn", name, "--outputs", "decimal:60", "--json")
    report, model = run.json, load(name)
    heads, d = report["heads_found"], model.dim
    assert (run.status, run.err) == (0, "")
    assert report["format"] == "exactlearn.outputs/1"
    assert report["outputs"] == "decimal:60"
    assert (report["enclosed"], report["contains_truth"]) == (True, True)
    assert report["queries"] == report["predicted_queries"] == 4 * heads * d**2 - 2 * heads + 1
    assert report["max_length"] == report["predicted_max_length"] == 2 * heads + 1
    assert report["exact"]["recovered"] is True
    digits = report["digits"]
    for group in "Wv":
        assert 5 < digits["proved"][group] <= digits["actual"][group] < 62


@pytest.mark.parametrize("name", ["two-heads", "true-e"])
def test_the_balls_hold_the_entries_of_the_file(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Each entry of the model file lies in the printed ball of exactly one head."""
    report, model = Run(capsys, "learn", name, "--outputs", "float64", "--json").json, load(name)
    key = "T" if model.weights == "log-rational" else "W"
    with ctx.workprec(200):
        for head in model.heads:
            inside = [
                all(
                    arb(text).overlaps(arb(entry.p) / arb(entry.q))
                    for texts, entries in zip([*found[key], found["v"]], [*head.W, head.v], strict=True)
                    for text, entry in zip(texts, entries, strict=True)
                )
                for found in report["heads"]
            ]
            assert inside.count(True) == 1


def test_double_precision_is_too_coarse_where_the_exact_method_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    """A trained layer, d = 8, in float64: no enclosure, the reason named, the exact learner right, exit status 1."""
    model = ["learn", "digits-h2", "--outputs", "float64"]
    run = Run(capsys, *model, "--json")
    report = run.json
    assert run.status == 1
    assert (report["enclosed"], report["heads"], report["digits"]["proved"]) == (False, None, None)
    assert re.fullmatch(r"[PS]\(\d+,\d+\)", report["too_coarse"]["probe"])
    assert report["too_coarse"]["what"]
    assert report["exact"]["recovered"] is True
    assert (report["no_estimate"] is None) == (report["digits"]["estimate"] is not None)
    told = Run(capsys, *model)
    assert told.status == 1
    assert f"none, the outputs are too coarse: {report['too_coarse']['what']}" in told.out
    assert "all heads recovered exactly by 509 queries" in told.out


def test_the_plain_estimate_can_be_garbage_where_balls_still_tell(capsys: pytest.CaptureFixture[str]) -> None:
    """Box 2, float64: the plain estimate matches the wrong heads, and the balls still hold the truth."""
    report = Run(capsys, "learn", "two-heads", "--outputs", "float64", "--box", "2", "--json").json
    assert report["contains_truth"] is True
    assert report["digits"]["proved"]["W"] > report["digits"]["estimate"]["W"] + 3


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    """For people: digits, seed, and the balls of small models."""
    run = Run(capsys, "learn", "one-dimensional", "--outputs", "float32", "--seed", "3")
    assert run.status == 0
    for what in ("rounded to float32", "digits proved", "digits in fact", "plain estimate", "head 1: T in", "+/-"):
        assert what in run.out
    assert re.search(r"seed +3 \(tokens from \[-1, 1\]", run.out)


def test_more_digits_in_more_digits_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten or a thousand more decimals of the outputs are as many more digits of the parameters."""
    reports = [
        Run(capsys, "learn", "sqrt-unit", "--outputs", f"decimal:{n}", "--json").json["digits"] for n in (40, 50, 1050)
    ]
    for kind, slack in (("proved", 0.2), ("actual", 2), ("estimate", 2)):
        for group in "Wv":
            kept = [report[kind][group] for report in reports]
            assert abs(kept[1] - kept[0] - 10) < slack
            assert abs(kept[2] - kept[1] - 1000) < slack


def test_the_same_seed_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """Deterministic to the byte, and another seed is another draw."""
    first, again, other = (
        Run(capsys, "learn", "true-e", "--outputs", "float64", "--seed", seed, "--json").out for seed in "112"
    )
    assert first == again
    assert json.loads(other)["draw"] != json.loads(first)["draw"]


def test_no_heads(capsys: pytest.CaptureFixture[str]) -> None:
    """The zero function is known without any error."""
    run = Run(capsys, "learn", "empty", "--outputs", "float64", "--json")
    assert run.status == 0
    assert run.json["digits"]["proved"] == {"W": None, "v": None}
    assert "W all, v all" in Run(capsys, "learn", "empty", "--outputs", "float64").out


def test_wrong_number_of_heads(capsys: pytest.CaptureFixture[str]) -> None:
    """Told one head of two, the exact run fails first, and says so."""
    run = Run(capsys, "learn", "two-heads", "--outputs", "float64", "--heads", "1", "--json")
    assert run.status == 1
    assert run.json["error"] == "not-attention"
    assert "told 1 heads" in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["two-heads", "--outputs", "float16"], "--outputs: float32, float64 or decimal:N is expected, not 'float16'"),
        (["two-heads", "--outputs", "decimal:9999"], "--outputs: at most 2000 decimals"),
        (["two-heads", "--outputs", "float64", "--max-heads", "3"], "--max-heads: not taken with --outputs"),
        (["two-heads", "--outputs", "float64", "-o", "x.json"], "--output: not taken with --outputs"),
        (["two-heads", "--outputs", "float64", "--certificate", "c"], "--certificate: not taken with --outputs"),
        (["transformer", "--outputs", "float64"], "--outputs: goes with attention models"),
        (["rxnmapper", "--outputs", "float64"], "--outputs: not taken at full size"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """Each wrong use is one line with exit status 2."""
    Run(capsys, "learn", *arguments).assert_refused(re.escape(message))


def test_overflow(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An output beyond the largest float32 is refused; float64 takes it."""
    path = tmp_path / "large.json"
    write_model(MultiHeadAttention([Head([[1]], [fmpq(10) ** 40])]), path)
    Run(capsys, "learn", str(path), "--outputs", "float32").assert_refused("an output is too large for float32")
    assert Run(capsys, "learn", str(path), "--outputs", "float64").status == 0


SMALL = ["--heads", "1,2", "--dims", "2", "--gaps", "1,1/64", "--models", "2"]


def test_digits(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One row for each setting; fewer digits with more heads and with closer poles; the picture names its axes."""
    pytest.importorskip("matplotlib")
    picture = tmp_path / "digits.svg"
    run = Run(capsys, "digits", *SMALL, "--seed", "4", "--plot", str(picture), "--json")
    report = run.json
    assert (run.status, run.err) == (0, "")
    assert (report["format"], report["seed"], report["models"]) == ("exactlearn.digits/1", 4, 2)
    rows = report["rows"]
    assert [(row["axis"], row["heads"], row["dim"], row["gap"]) for row in rows] == [
        ("heads", 1, 2, "1"),
        ("heads", 2, 2, "1"),
        ("dim", 2, 2, "1"),
        ("gap", 2, 2, "1"),
        ("gap", 2, 2, "1/64"),
    ]
    assert rows[1]["proved"] == rows[2]["proved"] == rows[3]["proved"]
    assert rows[0]["proved"]["W"] > rows[1]["proved"]["W"] > rows[4]["proved"]["W"]
    assert all(row["exact"] == 2 for row in rows)
    text = picture.read_text(encoding="utf-8")
    for label in ("heads H", "dimension d", "gap of the poles", "digits kept, outputs float64"):
        assert f"<!-- {label} -->" in text


def test_digits_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The table repeats the seed and the format, and says what its columns are."""
    run = Run(capsys, "digits", *SMALL, "--seed", "4", "--outputs", "decimal:20")
    assert run.status == 0
    assert "outputs rounded to decimal:20; medians of 2 models, seed 4" in run.out
    assert re.search(r"2 +2 +1/64 +\d+\.\d", run.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--outputs", "double"], "--outputs: float32, float64 or decimal:N"),
        (["--heads", "0"], "--heads: whole numbers from 1 to 12"),
        (["--dims", "2,x"], "--dims: whole numbers from 1 to 16"),
        (["--gaps", "1,-1/2"], "--gaps: a gap is positive"),
        (["--gaps", "1e-3"], "--gaps: "),
        (["--models", "0"], "--models: a whole number from 1"),
        (["--heads", "", "--dims", "", "--gaps", ""], "all three lists are empty"),
        (["--plot", "digits.txt"], r"digits.txt: a picture's file ends in one of"),
    ],
)
def test_digits_refusals(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """Each wrong use is one line with exit status 2."""
    Run(capsys, "digits", *arguments).assert_refused(message)


def test_digits_without_matplotlib(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the extra the message says how to install it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ["digits", "--heads", "1", "--dims", "", "--gaps", "", "--models", "1"]
    Run(capsys, *arguments, "--plot", str(tmp_path / "x.svg")).assert_refused(r"exactlearn\[plot\]")
    assert Run(capsys, *arguments).status == 0
