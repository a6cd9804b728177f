"""The folders of certificates, each file named by its attack and pinned to its verdict and its one line.

The suite is itself tested: a checker that accepts everything, and one that rejects everything, fail it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from exactlearn.checker import Outcome, Status, check_text

HERE = Path(__file__).parent
EXPECTED: dict[str, dict[str, str]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
FOLDERS = {
    "accept": Status.ACCEPTED,
    "reject": Status.REJECTED,
    "malformed": Status.UNUSABLE,
    "limits": Status.NO_VERDICT,
}
CASES = [(folder, path.stem) for folder in FOLDERS for path in sorted((HERE / folder).glob("*.json"))]


def wrong_verdict(check: Callable[[str], Outcome], folder: str, name: str) -> str | None:
    """What a checker gets wrong about one file, or None."""
    outcome = check((HERE / folder / f"{name}.json").read_text(encoding="utf-8"))
    if outcome.status is not FOLDERS[folder]:
        return f"{folder}/{name}: {outcome.status.name}"
    if folder != "accept" and outcome.reason != EXPECTED[folder][name]:
        return f"{folder}/{name}: {outcome.reason}"
    if folder == "accept" and not (outcome.claims and outcome.binding and not outcome.reason):
        return f"{folder}/{name}: accepted without claims"
    return None


@pytest.mark.parametrize(("folder", "name"), CASES, ids=[f"{folder}-{name}" for folder, name in CASES])
def test_verdict(folder: str, name: str) -> None:
    """Each file gets its verdict, and each refusal its own line."""
    assert wrong_verdict(check_text, folder, name) is None


def test_every_refused_file_is_pinned() -> None:
    """No file without an expected line, no expected line without its file, no empty line."""
    pinned = {(folder, name) for folder, lines in EXPECTED.items() for name in lines}
    assert pinned == {case for case in CASES if case[0] != "accept"}
    assert all(line and "\n" not in line and line.isascii() for lines in EXPECTED.values() for line in lines.values())


def test_most_files_are_refused() -> None:
    """At least 60% of the files are refusals, and there are many acceptances and rejections."""
    refused = [case for case in CASES if case[0] != "accept"]
    assert len(refused) >= 0.6 * len(CASES)
    assert len([case for case in CASES if case[0] == "accept"]) >= 10
    assert len([case for case in CASES if case[0] == "reject"]) >= 50


@pytest.mark.parametrize(
    "stub",
    [
        Outcome(Status.ACCEPTED, "", (("recovery", "all is well"),), "bound to nothing"),
        Outcome(Status.REJECTED, "never"),
        Outcome(Status.UNUSABLE, "never"),
        Outcome(Status.NO_VERDICT, "never"),
    ],
    ids=lambda outcome: outcome.status.name.lower(),
)
def test_a_checker_that_always_says_the_same_fails(stub: Outcome) -> None:
    """An always-accept and an always-reject checker fail the files of every other folder, and on the lines too."""
    wrong = [case for case in CASES if wrong_verdict(lambda _: stub, *case) is not None]
    assert len(wrong) >= 0.4 * len(CASES)
    assert {folder for folder, _ in wrong} >= set(FOLDERS) - ({"accept"} if stub.status is Status.ACCEPTED else set())


def test_accepted_claims_are_said_in_words() -> None:
    """The claims come with their names and numbers, in the order of the certificate."""
    text = (HERE / "accept" / "true_e_two_dimensions.json").read_text(encoding="utf-8")
    outcome = check_text(text)
    assert [name for name, _ in outcome.claims] == json.loads(text)["claims"]
    words = dict(outcome.claims)
    assert words["recovery"].startswith(
        "the answers to 29 queries of the schedule paper, with H = 2 known, determine 2 heads in dimension 2 "
        "among all true-e (unit '1') attention models with at most 2"
    )
    assert words["query-count"] == "29 queries were asked, the longest of 5 tokens, by the formula"
    assert "no model file" in outcome.binding


def test_a_certificate_with_fewer_claims_says_fewer() -> None:
    """What is not claimed is not said."""
    text = (HERE / "accept" / "one_claim_beside_recovery.json").read_text(encoding="utf-8")
    assert [name for name, _ in check_text(text).claims] == ["recovery", "query-count"]


def test_no_time_is_no_verdict() -> None:
    """Out of time is neither accepted nor rejected; NaN is no time at all."""
    text = (HERE / "accept" / "worked_example.json").read_text(encoding="utf-8")
    for seconds in (-1.0, float("nan")):
        outcome = check_text(text, seconds=seconds)
        assert (outcome.status, outcome.claims) == (Status.NO_VERDICT, ())
        assert outcome.reason.startswith("no verdict after ")
