"""The commands verify, check and prove."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_run import Run, attention_examples

from exactlearn.examples import load
from exactlearn.files.model_file import write_model


@pytest.mark.parametrize("name", attention_examples())
def test_verify_holds_on_every_example(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Every claim that applies holds, with the keys of the contract."""
    run = Run(capsys, "verify", name, "--draws", "10", "--json")
    assert run.status == 0
    claims = run.json["claims"]
    assert {"recovery", "query-count", "probability-one"} <= {claim["name"] for claim in claims}
    for claim in claims:
        assert claim["holds"] is True
        assert claim["checked"]
        assert claim["seconds"] >= 0


def test_verify_prints_a_table_and_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """For people: one row a claim, and the Schwartz-Zippel bound beside the observed failures."""
    out = Run(capsys, "verify", "two-heads", "--draws", "20").out
    assert "rational-form" in out
    assert "Schwartz-Zippel" in out
    assert "of 20" in out


@pytest.mark.parametrize("name", ["two-heads", "true-e", "one-dimensional"])
def test_controls_fail_as_they_should(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Verify --control: no control holds, and that is status 0."""
    run = Run(capsys, "verify", name, "--control", "--draws", "10", "--json")
    assert run.status == 0
    assert run.json["controls"]
    assert all(control["verdict"] == "fails" for control in run.json["controls"])


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`exactlearn check`, which runs the checker as a process of its own."""
    return subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "exactlearn", "check", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["two-heads", "digits-h4", "cancelling-pair", "empty"])
def test_check_accepts_what_verify_and_learn_leave(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    """Both certificates are accepted, bound to the model's own file, with the claim in words."""
    write_model(load(name), tmp_path / "model.json")
    for command in (("verify", name, "--draws", "5", "-o"), ("learn", name, "--certificate")):
        certificate = tmp_path / f"{command[0]}.json"
        assert Run(capsys, *command, str(certificate)).status == 0
        done = check(str(certificate), "--model", str(tmp_path / "model.json"))
        assert (done.returncode, done.stderr) == (0, "")
        assert "bound to" in done.stdout
        assert "recovery" in done.stdout


def test_check_rejects_another_model_and_a_changed_number(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Status 1 with one line: the claim is about another model, or a line is wrong."""
    certificate = tmp_path / "c.json"
    Run(capsys, "learn", "two-heads", "--certificate", str(certificate))
    write_model(load("shared-v"), tmp_path / "other.json")
    other = check(str(certificate), "--model", str(tmp_path / "other.json"))
    assert other.returncode == 1
    assert other.stderr.count("\n") == 1
    document = json.loads(certificate.read_text())
    document["model"]["heads"][0]["v"][0] = "7"
    certificate.write_text(json.dumps(document))
    changed = check(str(certificate), "--json")
    assert changed.returncode == 1
    assert json.loads(changed.stdout)["reason"]


def test_check_without_a_certificate(tmp_path: Path) -> None:
    """Status 2 and one line for a file that is not there or is no certificate."""
    assert check(str(tmp_path / "none.json")).returncode == 2
    (tmp_path / "model.json").write_text("{}")
    done = check(str(tmp_path / "model.json"))
    assert done.returncode in {1, 2}
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("options", [("--weights", "-1,0,1"), ("--weights", "1/2,1,2", "--log-rational")])
def test_exhaustive(capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    """All models with at most two heads in one dimension: both groupings are the same."""
    run = Run(capsys, "verify", "--exhaustive", "--heads", "2", "--dim", "1", *options, "--json")
    assert (run.status, run.json["holds"]) == (0, True)
    assert run.json["models"] > run.json["functions"] == run.json["value_classes"]


def test_prove_one_and_all(capsys: pytest.CaptureFixture[str]) -> None:
    """One theorem prints statement, argument and control; all of them print a table and hold."""
    assert "as it should" in Run(capsys, "prove", "query-count").out
    run = Run(capsys, "prove", "--json")
    assert run.status == 0
    assert all(proof["holds"] and proof["control_failed"] for proof in run.json["proofs"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify",), "MODEL"),
        (("verify", "two-heads", "--exhaustive"), "--exhaustive"),
        (("verify", "two-heads", "--draws", "0"), "--draws"),
        (("verify", "--exhaustive", "--weights", "a"), "--weights"),
        (("verify", "--exhaustive", "--weights", "0,1", "--log-rational"), "positive"),
        (("verify", "--exhaustive", "--heads", "9", "--dim", "9"), "models"),
        (("prove", "riemann"), "riemann"),
        (("prove", "jacobian", "--heads", "0"), "--heads"),
        (("check",), "(?i)missing argument"),
    ],
)
def test_bad_input_gets_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """Exit status 2, one line on standard error, nothing on standard output."""
    Run(capsys, *arguments).assert_refused(message)
