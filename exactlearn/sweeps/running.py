"""Running a sweep: what is missing is handed out, what comes back is recorded, until nothing is missing."""

from __future__ import annotations

import itertools
import os
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from exactlearn.errors import ExactlearnError
from exactlearn.files.model_file import model_to_text
from exactlearn.sweeps.building import build_model
from exactlearn.sweeps.checking import CLAIM_TABLE, CRASHED, INTERRUPTIONS, TROUBLES
from exactlearn.sweeps.database import Connection, begin_run, finished_claims, open_writable, record
from exactlearn.sweeps.instance import ModelInstance, identity, identity_of_text, instance_text
from exactlearn.sweeps.limits import LimitedProcesses, Outcome, Task, interrupted
from exactlearn.sweeps.specification import Specification, Work

MOST_LOSSES = 3
"""How often a task whose process was lost without a reason is tried again."""

_IN_FLIGHT_PER_WORKER = 4


class Processes(Protocol):
    """Where tasks are worked on: local processes with limits, or a cluster."""

    @property
    def workers(self) -> int:
        """How many tasks can be worked on at once."""

    def submit(self, task: Task, done: Callable[[Task, Callable[[], Outcome]], None]) -> None:
        """Have a task worked on, and `done` called, perhaps in another thread."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is.

    Attributes:
        done: Instances with all their claims recorded, those of earlier runs included.
        total: All instances.
        recorded: Instances recorded in this run.
        troubles: How many rows of this run have a verdict that a summary leads with.
        seconds: Since this run began.
    """

    done: int
    total: int
    recorded: int
    troubles: int
    seconds: float

    @property
    def rate(self) -> float:
        """Instances a second in this run."""
        return self.recorded / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At this rate; None before there is one."""
        return (self.total - self.done) / self.rate if self.rate else None


@dataclass(frozen=True)
class Summary:
    """What one run of a sweep came to.

    Attributes:
        instances: All instances of the specification.
        skipped: Those that were complete before.
        recorded: Those recorded now.
        verdicts: Rows of this run by verdict.
        seconds: Time taken.
    """

    instances: int
    skipped: int
    recorded: int
    verdicts: Counter[str]
    seconds: float = field(compare=False)


def run_sweep(
    specification: Specification,
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    retry: bool = False,
    table: str = CLAIM_TABLE,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Check every instance and claim of a specification that has no row in the database yet.

    Args:
        specification: What is to be checked.
        path: The SQLite file; made when it is not there.
        workers: Worker processes; all cores when left out.
        cluster: The address of a Dask scheduler, whose workers are used instead.
        retry: Do again what crashed, ran out of time or memory, or ended in an error.
        table: The table of claims as ``module:attribute``, which workers import.
        progress: Called after each transaction: what it counts is in the database.

    Raises:
        UnusableInputError: When the database cannot be used.
        MissingExtraError: When pebble, or distributed for a cluster, is not installed.
    """
    again = INTERRUPTIONS if retry else ()
    with open_writable(path) as connection, _processes(specification, workers, cluster) as processes:
        place = cluster or f"{processes.workers} local processes"
        run = begin_run(connection, specification.name, specification.text, place)
        return _Sweep(specification, connection, processes, run, again, table, progress).run()


def _processes(
    specification: Specification, workers: int | None, cluster: str | None
) -> AbstractContextManager[Processes, None]:
    if cluster is not None:
        from exactlearn.sweeps.cluster import ClusterProcesses  # noqa: PLC0415  # the extra "dask"

        return ClusterProcesses(cluster, specification.limits)
    return LimitedProcesses(workers or usable_cores(), specification.limits)


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Open:
    """A task that is being worked on."""

    work: Work
    losses: int = 0


class _Sweep:
    def __init__(  # noqa: PLR0917  # built in one place
        self,
        specification: Specification,
        connection: Connection,
        processes: Processes,
        run: int,
        again: tuple[str, ...],
        table: str,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._specification = specification
        self._connection, self._processes, self._run = connection, processes, run
        self._again, self._table, self._report = again, table, progress
        self._total = sum(1 for _ in specification.works())
        self._started = time.monotonic()
        self._done = self._skipped = self._recorded = 0
        self._open: dict[str, _Open] = {}
        self._ended: queue.SimpleQueue[tuple[Task, Callable[[], Outcome]]] = queue.SimpleQueue()
        self._verdicts: Counter[str] = Counter()
        self._troubles = 0

    def run(self) -> Summary:
        missing = self._missing()
        most = self._processes.workers * _IN_FLIGHT_PER_WORKER
        while True:
            for name, work in itertools.islice(missing, most - len(self._open)):
                self._open[name] = _Open(work)
                self._submit(work)
            if not self._open:
                break
            self._take(*self._ended.get())
        seconds = time.monotonic() - self._started
        return Summary(self._total, self._skipped, self._recorded, self._verdicts, seconds)

    def _missing(self) -> Iterator[tuple[str, Work]]:
        """What has no row yet; an instance that two families share is handed out once."""
        for work in self._specification.works():
            name = identity(work.instance)
            finished = finished_claims(self._connection, name, self._again)
            rest = tuple(claim for claim in work.claims if claim not in finished)
            if rest and name not in self._open:
                yield name, Work(work.family, work.instance, rest)
            else:
                self._skipped += 1
                self._done += 1

    def _submit(self, work: Work) -> None:
        task = Task(instance_text(work.instance), work.claims, self._table)
        self._processes.submit(task, lambda task, outcome: self._ended.put((task, outcome)))

    def _take(self, task: Task, get: Callable[[], Outcome]) -> None:
        name = identity_of_text(task.instance)
        opened, outcome = self._open[name], get()
        if outcome.lost and opened.losses < MOST_LOSSES:
            opened.losses += 1
            self._submit(opened.work)
            return
        if outcome.lost:
            outcome = interrupted(task, outcome.said, CRASHED, f"its process was lost {MOST_LOSSES + 1} times")
        self._record(opened.work, outcome)
        if outcome.rest:
            opened.work = Work(opened.work.family, opened.work.instance, outcome.rest)
            self._submit(opened.work)
            return
        del self._open[name]
        self._done += 1
        self._recorded += 1
        if self._report:
            self._report(self._progress())

    def _record(self, work: Work, outcome: Outcome) -> None:
        rows = [line["row"] for line in outcome.said if "row" in line]
        troubled = [row for row in rows if row["verdict"] in TROUBLES]
        record(self._connection, self._run, work, outcome.said, _model_file(work) if troubled else None)
        self._verdicts.update(row["verdict"] for row in rows)
        self._troubles += len(troubled)

    def _progress(self) -> Progress:
        seconds = time.monotonic() - self._started
        return Progress(self._done, self._total, self._recorded, self._troubles, seconds)


def _model_file(work: Work) -> str | None:
    """The model file that reproduces an instance; parts of a finite family have none but what they say themselves."""
    if not isinstance(work.instance, ModelInstance):
        return None
    try:
        return model_to_text(build_model(work.instance))
    except ExactlearnError:
        return None  # there is no such model: its rows say so
