"""Tests of `exactlearn stability`: keys, bounds, exit statuses, and one line for unusable input."""

from __future__ import annotations

import re

import pytest
from cli_run import Run
from flint import fmpq

from exactlearn.files.numerals import parse_number


def test_keys_and_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON has the constants rounded outwards, the exact ones, what dominates, and every probe."""
    report = Run(capsys, "stability", "two-heads", "--box", "1", "--json").json
    assert report["format"] == "exactlearn.stability/1"
    keys = {"seed", "delta_0", "C", "C_W", "C_v", "first_order", "slack", "dominant", "conditions", "probes"}
    assert keys <= set(report)
    assert report["slack"] == "4/3"
    assert len(report["probes"]) == 7
    exact = {name: parse_number(text) for name, text in report["exact"].items()}
    assert 0 < parse_number(report["delta_0"]) <= exact["delta_0"]
    assert parse_number(report["C"]) >= exact["C"]
    first = max(parse_number(report["first_order"][group]["exact"]) for group in ("W", "v"))
    assert exact["C"] == fmpq(4, 3) * first
    assert report["dominant"]["limiting_condition"]["condition"] in report["conditions"]


@pytest.mark.parametrize(
    ("name", "delta", "status"), [("equal-w", "1/1000", 0), ("equal-w", "0.01", 1), ("empty", "5", 0)]
)
def test_delta(capsys: pytest.CaptureFixture[str], name: str, delta: str, status: int) -> None:
    """Exit status 0 up to delta_0 (1.2e-3 here), with the bounds; 1 past it, and nothing is promised."""
    run = Run(capsys, "stability", name, "--box", "1", "--delta", delta, "--json")
    assert run.status == status
    report = run.json["at_delta"]
    assert report["holds"] is (status == 0)
    assert (report["error_W"] is None) is (status == 1)
    text = Run(capsys, "stability", name, "--box", "1", "--delta", delta)
    assert text.status == status
    assert ("nothing is promised" in text.out) is (status == 1)


def test_true_e_with_the_draw_of_learn(capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens up to a million: the constants are numbers of trillions of digits, told as decimals, and no rationals."""
    report = Run(capsys, "stability", "true-e", "--json").json
    assert report["box"] == 1_000_000
    assert report["delta_0"] is None
    assert int(report["delta_0_decimal"].partition("e")[2]) < -(10**12)
    learned = Run(capsys, "learn", "true-e", "--json").json
    assert (report["seed"], report["redraws"]) == (learned["seed"], learned["redraws"])


def test_draws(capsys: pytest.CaptureFixture[str]) -> None:
    """With --draws every way to choose is listed with its C; for people it is a table."""
    report = Run(capsys, "stability", "two-heads", "--box", "2", "--draws", "4", "--json").json["draws"]
    assert report["count"] == 4
    assert {"first", "median", "by_condition_number", "by_queries", "adaptive", "best_in_hindsight"} <= set(report)
    assert "after column 1" in Run(capsys, "stability", "two-heads", "--box", "2", "--draws", "4").out


def test_no_heads(capsys: pytest.CaptureFixture[str]) -> None:
    """Without heads C is 0 and every delta is small enough."""
    report = Run(capsys, "stability", "empty", "--json").json
    assert (report["C"], report["delta_0"]) == ("0", None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delta", "-1"], "--delta: an error is not negative"),
        (["--delta", "1e-9"], "--delta: "),
        (["--draws", "-1"], "--draws: a whole number from 0"),
        (["--box", "0"], "box: "),
    ],
)
def test_unusable_options(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """One line says what and where."""
    Run(capsys, "stability", "two-heads", *arguments).assert_refused(message)




@pytest.mark.parametrize(
    ("delta", "failure"), [("0.0000000114", r"wrong match at S\(1,2\)"), ("0.0001", r"(negative|complex) pole")]
)
def test_past_delta_0_it_really_fails(capsys: pytest.CaptureFixture[str], delta: str, failure: str) -> None:
    """Real failures: the runs at a delta past delta_0 end in a wrong match, or in poles that no heads have."""
    report = Run(capsys, "stability", "two-heads", "--box", "1", "--delta", delta, "--json").json["at_delta"]
    assert not report["holds"]
    assert re.search(failure, report["observed"]["failure"])


def test_up_to_delta_0_the_runs_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    """At a delta that is small enough no run fails, and the largest errors are within the stated ones."""
    report = Run(capsys, "stability", "equal-w", "--box", "1", "--delta", "1/1000", "--json").json["at_delta"]
    observed = report["observed"]
    assert (observed["failure"], observed["bound_broken"]) == (None, False)
