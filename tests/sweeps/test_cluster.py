"""The same sweep on a Dask cluster: a real scheduler, two worker processes, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exactlearn.errors import UnusableInputError
from exactlearn.sweeps.running import Progress, run_sweep
from exactlearn.sweeps.specification import Specification, specification_from_text

pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("default")]

FOLDER = Path(__file__).parent


def specification(seeds: str) -> Specification:
    """H = 1 and 2, d = 1 and 2, both kinds of weights."""
    text = f'format = "exactlearn.sweep/1"\n[[family]]\nheads = [1, 2]\ndim = [1, 2]\ndraws = 5\nseed = {seeds}\n'
    return specification_from_text(text, "spec.toml")


class Cluster:
    """A scheduler and two workers, each a process that `dask` starts."""

    def __init__(self, folder: Path) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
        quiet = ("--no-dashboard",)
        address = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        commands: list[tuple[str, ...]] = [("scheduler", *address, *quiet)]
        commands += [("worker", "--scheduler-file", str(file), "--nthreads", "1", *quiet) for _ in range(2)]
        for command in commands:
            self.processes.append(
                subprocess.Popen(  # noqa: S603  # a cluster of our own
                    [sys.executable, "-m", "dask", *command], env=environment, cwd=folder, start_new_session=True,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )
        self.address = self._wait(file)

    def _wait(self, file: Path) -> str:
        import distributed

        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            return str(client.scheduler.address)

    def kill_a_worker(self) -> None:
        """The nanny and all below it, at once."""
        os.killpg(self.processes[-1].pid, signal.SIGKILL)

    def close(self) -> None:
        """End what was started, by its process groups."""
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster on this machine."""
    made = Cluster(tmp_path)
    yield made
    made.close()


def results(path: Path) -> set[Any]:
    """Instance, claim, verdict and the words of the verdict."""
    connection = sqlite3.connect(path)
    try:
        return set(connection.execute("SELECT instance, claim, verdict, why FROM results"))
    finally:
        connection.close()


def test_the_same_results_although_a_worker_dies(tmp_path: Path, cluster: Cluster) -> None:
    """One of two workers is killed in the middle; the rows are those of a local sweep."""
    spec = specification('"0..5"')
    killed: list[float] = []

    def kill_once(progress: Progress) -> None:
        if not killed and progress.recorded >= 8:
            killed.append(time.monotonic())
            cluster.kill_a_worker()

    far = run_sweep(spec, tmp_path / "far.sqlite", cluster=cluster.address, progress=kill_once)
    near = run_sweep(spec, tmp_path / "near.sqlite", workers=2)
    assert killed
    assert far.recorded == near.recorded == 48
    assert results(tmp_path / "far.sqlite") == results(tmp_path / "near.sqlite")


def test_limits_hold_on_a_cluster(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An instance that aborts costs itself alone there too, and no worker of the cluster."""
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = specification_from_text(
        'format = "exactlearn.sweep/1"\nclaims = ["rational-form"]\n[[family]]\nheads = 1\ndim = 1\nseed = "0..3"\n'
        'weights = "rational"\n',
        "spec.toml",
    )
    summary = run_sweep(spec, tmp_path / "r.sqlite", cluster=cluster.address, table="troubled_claims:TROUBLED")
    assert summary.verdicts == {"crashed": 2, "holds": 2}


def test_no_scheduler(tmp_path: Path) -> None:
    """An address where nobody answers is one line."""
    with pytest.raises(UnusableInputError, match="no Dask scheduler answers"):
        run_sweep(specification("0"), tmp_path / "r.sqlite", cluster="tcp://127.0.0.1:9")
