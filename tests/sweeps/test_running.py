"""Sweeps: only what is missing is done, troubles cost one instance, a kill loses nothing that was reported."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from exactlearn.claims import CLAIMS, verify
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_from_text
from exactlearn.sweeps.building import build_model
from exactlearn.sweeps.database import open_writable
from exactlearn.sweeps.instance import ModelInstance, identity
from exactlearn.sweeps.running import Progress, run_sweep
from exactlearn.sweeps.specification import Specification, specification_from_text

FOLDER = Path(__file__).parent
SMALL = (
    'format = "exactlearn.sweep/1"\nclaims = {claims}\n'
    '[[family]]\nheads = [1, 2]\ndim = 1\ndraws = 5\nseed = {seeds}\n'
)


def specification(claims: str = '"all"', seeds: str = "0", limits: str = "") -> Specification:
    """A small sweep: H = 1 and 2, d = 1, both kinds of weights."""
    return specification_from_text(SMALL.format(claims=claims, seeds=seeds) + limits, "spec.toml")


def rows(path: Path, query: str = "SELECT instance, claim, verdict, run, recorded FROM results") -> list[Any]:
    """What the database holds, in the order of its keys."""
    connection = sqlite3.connect(path)
    try:
        if not connection.execute("SELECT name FROM sqlite_master").fetchall():
            return []  # killed before there were tables
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_rows_are_what_verify_says(tmp_path: Path) -> None:
    """Every instance and claim has one row, with the verdicts and the counts of a plain run of the claims."""
    path, spec = tmp_path / "r.sqlite", specification()
    summary = run_sweep(spec, path, workers=2)
    works = list(spec.works())
    assert (summary.instances, summary.recorded, summary.skipped) == (4, 4, 0)
    assert len(rows(path)) == len(works) * len(CLAIMS)
    for work in works:
        assert isinstance(work.instance, ModelInstance)
        expected = {result.name: result.checked for result in verify(build_model(work.instance), draws=5)}
        found = rows(path, f"SELECT claim, why, verdict FROM results WHERE instance = '{identity(work.instance)}'")  # noqa: S608
        assert {claim: why for claim, why, verdict in found if verdict != "not-applicable"} == expected
    for heads, dim, queries, length in rows(
        path, "SELECT canonical_heads, dim, queries, max_length FROM instances"
    ):
        assert (queries, length) == (4 * heads * dim**2 - 2 * heads + 1, 2 * heads + 1)


def test_the_same_again_does_nothing(tmp_path: Path) -> None:
    """A complete sweep is left as it is; with one claim and one seed more, that alone is done."""
    path = tmp_path / "r.sqlite"
    few = '["recovery", "query-count"]'
    run_sweep(specification(few), path, workers=1)
    before = rows(path)
    again = run_sweep(specification(few), path, workers=1)
    assert (again.recorded, again.skipped, rows(path)) == (0, 4, before)
    more = run_sweep(specification('["recovery", "query-count", "canonical"]', "[0, 1]"), path, workers=1)
    assert more.recorded == 8
    assert more.verdicts == {"holds": 4 + 4 * 3}
    assert set(before) <= set(rows(path))


def test_progress_counts_what_is_recorded(tmp_path: Path) -> None:
    """Whatever a report counts is in the database when it is made."""
    path, seen = tmp_path / "r.sqlite", []

    def look(progress: Progress) -> None:
        count = rows(path, "SELECT count(DISTINCT instance) FROM results")[0][0]
        seen.append((progress.done, count))

    run_sweep(specification('["query-count"]', '"0..3"'), path, workers=2, progress=look)
    assert [done for done, _ in seen] == list(range(1, 17))
    assert all(count >= done for done, count in seen)


def test_one_writer(tmp_path: Path) -> None:
    """A second sweep on the same file is refused while the first one writes."""
    path = tmp_path / "r.sqlite"
    with open_writable(path), pytest.raises(UnusableInputError, match="another sweep is writing"):
        run_sweep(specification(), path)


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be looked at" * 99])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is no database is refused with one line; an empty one is a database without tables."""
    path = tmp_path / "r.sqlite"
    path.write_bytes(content)
    if content:
        with pytest.raises(UnusableInputError, match="no database of results"):
            run_sweep(specification('["query-count"]'), path)
    else:
        assert run_sweep(specification('["query-count"]'), path, workers=1).recorded == 4


def test_troubles_cost_one_claim_of_one_instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Aborts, segmentation faults, hangs, full memories and errors are recorded by name; all else is checked."""
    monkeypatch.syspath_prepend(str(FOLDER))
    path = tmp_path / "r.sqlite"
    limits = "[limits]\nseconds = 2\nmemory_mib = 200\n"
    names = '["recovery", "rational-form", "determination", "jacobian", "canonical", "merging"]'
    sweep = specification_from_text(
        f'format = "exactlearn.sweep/1"\nclaims = {names}\n{limits}\n'
        '[[family]]\nheads = 1\ndim = 1\nweights = "rational"\nseed = "0..3"\n',
        "spec.toml",
    )
    summary = run_sweep(sweep, path, workers=2, table="troubled_claims:TROUBLED")
    found = {
        (seed, claim): verdict
        for seed, claim, verdict in rows(path, "SELECT seed, claim, verdict FROM all_results WHERE verdict <> 'holds'")
    }
    assert found == {
        (1, "recovery"): "fails",
        (0, "rational-form"): "crashed",
        (3, "rational-form"): "crashed",
        (1, "determination"): "crashed",
        (1, "jacobian"): "out-of-time",
        (2, "canonical"): "out-of-memory",
        (1, "merging"): "error",
    }
    assert summary.verdicts.total() == len(rows(path)) == 24
    reasons = dict(rows(path, "SELECT claim || seed, why FROM all_results WHERE verdict <> 'holds'"))
    assert "SIGABRT" in reasons["rational-form0"]
    assert "FLINT would say why here" in reasons["rational-form0"]
    assert "SIGSEGV" in reasons["determination1"]
    assert "KeyError" in reasons["merging1"]


def test_trouble_leaves_the_model_and_can_be_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model file of a troubled instance is kept and gives the same model; --retry does interruptions again."""
    monkeypatch.syspath_prepend(str(FOLDER))
    path = tmp_path / "r.sqlite"
    spec = specification('["rational-form"]', "[0, 1]")
    run_sweep(spec, path, workers=1, table="troubled_claims:TROUBLED")
    kept = dict(rows(path, "SELECT id, model FROM instances WHERE model IS NOT NULL"))
    expected = [work.instance for work in spec.works() if work.instance.seed == 0]
    assert set(kept) == {identity(instance) for instance in expected}
    for instance in expected:
        assert isinstance(instance, ModelInstance)
        assert model_from_text(kept[identity(instance)], "kept") == build_model(instance)
    assert run_sweep(spec, path, workers=1).recorded == 0
    assert run_sweep(spec, path, workers=1, retry=True).verdicts == {"holds": 4}
    assert {verdict for _, _, verdict, _, _ in rows(path)} == {"holds"}


def killed_sweeps(folder: Path, kills: int, seeds: int, generator: random.Random) -> None:
    """Kill a sweep at random moments and let it end at last; nothing is lost, nothing is done twice."""
    spec, path, trace = folder / "spec.toml", folder / "r.sqlite", folder / "trace"
    spec.write_text(SMALL.format(claims='["rational-form", "determination"]', seeds=f'"0..{seeds - 1}"'))
    trace.touch()
    command = [sys.executable, str(FOLDER / "killable_sweep.py"), str(spec), str(path), "TRACED"]
    environment = {**os.environ, "TRACE": str(trace)}
    known: set[Any] = set()
    for kill in range(kills + 1):
        traced = trace.read_text(encoding="ascii").count("\n")
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own program
        if kill < kills:
            time.sleep(generator.uniform(0.2, 1.6))
            process.kill()
        said = process.communicate()[0].split()
        if not path.exists() or not path.stat().st_size:
            continue  # killed before there was a database
        found = set(rows(path))
        assert known <= found
        complete = Counter(instance for instance, *_ in found)
        assert set(complete.values()) <= {2}
        assert len(complete) >= max(map(int, said), default=0)
        lines = trace.read_text(encoding="ascii").splitlines()[traced:]
        before = {instance for instance, *_ in known}
        done_before = Counter(seed for name, seed in rows(path, "SELECT id, seed FROM instances") if name in before)
        begun = Counter(int(line.split()[0]) for line in lines)
        assert all(count <= 4 - done_before[seed] for seed, count in begun.items())
        known = found
    assert process.returncode == 0
    assert len(known) == seeds * 4 * 2
    assert_gone({int(line.split()[1]) for line in trace.read_text(encoding="ascii").splitlines()})


def is_running(pid: int) -> bool:
    """Whether a process is there and not dead already, waiting for somebody to take note."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def assert_gone(processes: set[int]) -> None:
    """No worker outlives its sweep for long, however that ended."""
    deadline = time.monotonic() + 20
    left = processes
    while left and time.monotonic() < deadline:
        left = {pid for pid in left if is_running(pid)}
        time.sleep(0.05)
    assert not left


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes in /proc")
def test_killed_at_random_nothing_is_lost(tmp_path: Path) -> None:
    """A few SIGKILLs at random moments."""
    killed_sweeps(tmp_path, kills=3, seeds=25, generator=random.Random(9))


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes in /proc")
def test_a_worker_in_a_long_call_ends_with_its_sweep(tmp_path: Path) -> None:
    """A worker inside an endless call of C outlives its killed sweep by its time limit and a little at the most."""
    spec, path, trace = tmp_path / "spec.toml", tmp_path / "r.sqlite", tmp_path / "trace"
    spec.write_text(SMALL.format(claims='["jacobian"]', seeds="1") + "[limits]\nseconds = 1\n")
    command = [sys.executable, str(FOLDER / "killable_sweep.py"), str(spec), str(path), "TROUBLED"]
    process = subprocess.Popen(command, env={**os.environ, "TRACE": str(trace)}, stdout=subprocess.DEVNULL)  # noqa: S603
    while not trace.exists() or not trace.read_text(encoding="ascii").endswith("\n"):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert_gone({int(line.split()[1]) for line in trace.read_text(encoding="ascii").splitlines()})


@pytest.mark.long
def test_killed_at_random_many_times(tmp_path: Path) -> None:
    """Many SIGKILLs at random moments."""
    killed_sweeps(tmp_path, kills=60, seeds=400, generator=random.Random(10))
