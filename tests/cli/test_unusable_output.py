"""Output that cannot be written, an early interrupt, and sizes beyond a machine: one line, status 2, no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_run import Run

PROGRAM = f"{sys.executable} -m exactlearn"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """One run of the program from a shell."""
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602  # our own


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["canonical two-heads", "learn two-heads --json", "--version", "examples"])
def test_a_full_device(command: str) -> None:
    """Status 2 and one line; with standard error full as well still status 2."""
    done = shell(f"{PROGRAM} {command} > /dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard output" in done.stderr
    assert shell(f"{PROGRAM} {command} > /dev/full 2> /dev/full").returncode == 2


def test_closed_streams() -> None:
    """Without standard output a command keeps its status; without standard error as well."""
    assert shell(f"{PROGRAM} canonical two-heads >&-").returncode == 0
    assert shell(f"{PROGRAM} learn two-heads --heads 1 >&- 2>&-").returncode == 1
    assert shell(f"{PROGRAM} canonical nope 2>&-").returncode == 2


@pytest.mark.parametrize("delay", [0.05, 0.15, 0.3])
def test_an_interrupt_while_starting(delay: float) -> None:
    """Whenever the interrupt comes once Python runs our code, there is no traceback of ours."""
    process = subprocess.Popen(  # our own program
        [sys.executable, "-m", "exactlearn", "verify", "--exhaustive", "--heads", "2", "--dim", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert "exactlearn/cli" not in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "two-heads", "--box", "9" * 30), "box: at most 1000 at the rational place"),
        (("learn", "two-heads", "--heads", "1000000"), "heads: at most 256"),
        (("learn", "two-heads", "--max-heads", "9" * 20), "heads: at most 256"),
        (("learn", "two-heads", "-o", "same.json", "--certificate", "same.json"), "is the file of -o as well"),
        (("prove", "jacobian", "--heads", "100"), "--no-limit"),
        (("prove", "recovery", "--heads", "9" * 12), "--no-limit"),
        (("prove", "--largest", "--heads", "2"), "--largest"),
        (("check", "no.json", "--seconds", "nan"), "--seconds"),
        (("check", "no.json", "--seconds", "-1"), "--seconds"),
    ],
)
def test_sizes_beyond_a_machine(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """Refused at once, with the bound."""
    Run(capsys, *arguments).assert_refused(message)


def test_a_fault_is_one_line_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What should not happen is reported in one line that says how to see more."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a division")

    monkeypatch.setattr("exactlearn.cli.learn.run_learner", broken)
    Run(capsys, "learn", "two-heads").assert_refused("ZeroDivisionError: a division.*EXACTLEARN_TRACEBACK")
    monkeypatch.setenv("EXACTLEARN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        __import__("exactlearn.cli.app", fromlist=["run"]).run(["learn", "two-heads"])
