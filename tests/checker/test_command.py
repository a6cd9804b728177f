"""The checker's command line: exit statuses, one line each, one JSON object, and its limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from exactlearn.checker import Status, check_file
from exactlearn.checker.__main__ import main

HERE = Path(__file__).parent
GOOD, BAD = str(HERE / "accept" / "worked_example.json"), str(HERE / "reject" / "wrong_answer.json")


@pytest.fixture(autouse=True)
def _no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of the tests' own process stays as it is."""
    monkeypatch.setattr("exactlearn.checker.__main__._limit_memory", lambda _: None)


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        ([GOOD], 0, "accepted"),
        ([BAD], 1, "rejected"),
        ([str(HERE / "malformed" / "old_version.json")], 2, "unusable"),
        ([str(HERE / "nowhere.json")], 2, "unusable"),
        ([str(HERE)], 2, "unusable"),
        ([os.devnull], 2, "unusable"),
        ([GOOD, "--seconds", "-1"], 3, "no verdict"),
        ([GOOD, "--seconds", "1e300"], 0, "accepted"),
        ([GOOD, "--model", BAD], 2, "unusable"),
        ([GOOD, "--model", ""], 2, "unusable"),
    ],
)
def test_exit_status(arguments: list[str], status: int, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The status, the word and the reason agree, for people and for machines."""
    assert main(arguments) == status
    plain = capsys.readouterr()
    if status:
        assert (plain.out, plain.err.count("\n")) == ("", 1)
        assert plain.err.startswith(f"{word}: ")
    else:
        assert plain.err == ""
        assert plain.out.startswith(f"{word}, bound to no model file")
    assert main([*arguments, "--json"]) == status
    machine = capsys.readouterr()
    answer = json.loads(machine.out)
    assert (machine.err, machine.out.count("\n")) == ("", 1)
    assert (answer["status"], answer["exit"], bool(answer["claims"])) == (word, status, status == 0)
    assert bool(answer["reason"]) == (status != 0)


@pytest.mark.parametrize("arguments", [[], [GOOD, BAD], [GOOD, "--seconds", "soon"], [GOOD, "--trust"]])
def test_wrong_usage_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage is never taken for a verdict."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().out == ""


def test_out_of_memory_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running out of memory is neither accepted nor rejected."""

    def exhausted(path: str) -> str:
        raise MemoryError(path)

    monkeypatch.setattr("exactlearn.checker.checking.read_text", exhausted)
    outcome = check_file(GOOD)
    assert (outcome.status, outcome.reason) == (Status.NO_VERDICT, "out of memory")


def test_a_pipe_does_not_make_it_wait(tmp_path: Path) -> None:
    """A named pipe that nobody writes to is refused at once."""
    os.mkfifo(tmp_path / "pipe")
    assert check_file(tmp_path / "pipe").reason.endswith("this is not a regular file")


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    """A sparse file beyond 256 MiB is no verdict, and is not read."""
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(2**28 + 1)
    outcome = check_file(tmp_path / "huge.json")
    assert outcome.status is Status.NO_VERDICT
    assert outcome.reason.endswith("the file is larger than 268435456 bytes")


def test_a_closed_pipe_is_no_rejection() -> None:
    """When nobody reads the answer, the status is still that of the answer, and nothing is said."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "exactlearn.checker", GOOD]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)  # noqa: S603
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
