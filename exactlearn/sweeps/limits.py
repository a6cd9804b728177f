"""Instances in processes of their own with hard limits: a crash, a timeout or a full memory costs one instance.

Workers import the package once and are used again.  What a worker finds it also writes to a journal, a file that
outlives it; so of an instance that takes its process down the claims already checked are kept, and the one that was
being checked is named.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from exactlearn.errors import MissingExtraError
from exactlearn.sweeps.checking import CRASHED, ERROR, OUT_OF_MEMORY, OUT_OF_TIME, check_instance, said_to_text
from exactlearn.sweeps.instance import instance_from_text
from exactlearn.sweeps.specification import Limits

_STANDARD_ERROR = 2
_GRACE = 5.0
"""Seconds over the limit after which the kernel ends a worker that nobody has ended: its sweep was killed."""

_TAIL = 2000


@dataclass(frozen=True)
class Task:
    """What a worker is told: an instance as text, the claims to check, and the table that holds them."""

    instance: str
    claims: tuple[str, ...]
    table: str


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes:
        said: All that the worker said, in order.
        rest: Claims that were not reached, to be tried in another process.
        lost: Whether the pool broke under the task, through no fault of its own.
    """

    said: list[dict[str, Any]]
    rest: tuple[str, ...] = ()
    lost: bool = False


class LimitedProcesses:
    """So many worker processes with the same limits; use it in a `with` statement.

    Raises:
        MissingExtraError: When pebble is not installed.
    """

    def __init__(self, workers: int, limits: Limits) -> None:
        try:
            import pebble  # noqa: F401, PLC0415  # the extra "sweep"
        except ImportError:
            raise MissingExtraError("pebble", "sweep", "a sweep") from None
        self.workers = workers
        self._limits = limits
        self._folder = Path(tempfile.mkdtemp(prefix="exactlearn-sweep-"))
        self._number = 0
        self._lock = threading.Lock()
        self._pool = self._new_pool()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.stop()
        self._pool.join()
        shutil.rmtree(self._folder, ignore_errors=True)

    def submit(self, task: Task, done: Callable[[Task, Callable[[], Outcome]], None]) -> None:
        """Have a task worked on; `done` is called in another thread with the task and how to get its outcome."""
        with self._lock:
            self._number += 1
            journal = self._folder / f"{self._number}.journal"
            try:
                future = self._schedule(task, journal)
            except (BrokenProcessPool, RuntimeError):
                self._pool.stop()
                self._pool = self._new_pool()
                future = self._schedule(task, journal)
        future.add_done_callback(lambda ended: done(task, lambda: self._outcome(task, journal, ended)))

    def _schedule(self, task: Task, journal: Path) -> Future[None]:
        future: Future[None] = self._pool.schedule(
            work_on,
            args=(task.instance, task.claims, task.table, str(journal), self._limits.seconds),
            timeout=self._limits.seconds,
        )
        return future

    def _new_pool(self) -> Any:
        from pebble import ProcessPool  # noqa: PLC0415  # the extra "sweep"

        # A server that forks clean copies of itself: quick, and no thread of ours is ever forked.
        context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
        if os.name == "posix":
            context.set_forkserver_preload(["exactlearn.sweeps.limits"])
        return ProcessPool(
            self.workers,
            initializer=begin_worker,
            initargs=(self._limits.memory_mib, str(self._folder)),
            context=context,
        )

    def _outcome(self, task: Task, journal: Path, ended: Future[None]) -> Outcome:
        """From the journal and from how the task ended."""
        said = read_journal(journal)
        journal.unlink(missing_ok=True)
        error = ended.exception()
        if error is None:
            return Outcome(said)
        if isinstance(error, BrokenProcessPool):
            return Outcome(said, lost=True)
        verdict, why = self._trouble(error)
        return interrupted(task, said, verdict, why)

    def _trouble(self, error: BaseException) -> tuple[str, str]:
        from pebble import ProcessExpired  # noqa: PLC0415  # the extra "sweep"

        if isinstance(error, TimeoutError):
            return OUT_OF_TIME, f"more than {self._limits.seconds:g} seconds"
        if isinstance(error, MemoryError):
            return OUT_OF_MEMORY, f"more than {self._limits.memory_mib} MiB"
        if not isinstance(error, ProcessExpired):
            return ERROR, f"{type(error).__name__}: {error}"
        last_words = _last_words(self._folder / f"{error.pid}.stderr")
        how = _signal_name(int(error.exitcode))
        if "memory" in last_words.lower():
            return OUT_OF_MEMORY, f"more than {self._limits.memory_mib} MiB ({how}: {last_words})"
        return CRASHED, f"the process ended with {how}{': ' if last_words else ''}{last_words}"


def interrupted(task: Task, said: list[dict[str, Any]], verdict: str, why: str) -> Outcome:
    """The claim that was being checked gets the verdict; those after it are left for another process."""
    checked = {line["row"]["claim"] for line in said if "row" in line}
    left = tuple(name for name in task.claims if name not in checked)
    if not left:
        return Outcome(said)
    row = {"claim": left[0], "verdict": verdict, "why": why, "seconds": None}
    return Outcome([*said, {"row": row}], rest=left[1:])


def begin_worker(memory_mib: int, folder: str) -> None:
    """Set the limits of this process for good; its last words go to a file; it ends when its parent does."""
    # A crash inside a library speaks on standard error: kept for the report, and out of the user's terminal.
    descriptor = os.open(f"{folder}/{os.getpid()}.stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(descriptor, _STANDARD_ERROR)
    os.close(descriptor)
    if os.name == "posix":
        import resource  # noqa: PLC0415  # not on every system

        limit = _address_space() + memory_mib * 2**20
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with contextlib.suppress(ValueError, OSError):  # a system that knows no such limit
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel, folder), daemon=True).start()


def work_on(instance: str, claims: tuple[str, ...], table: str, journal: str, seconds: float) -> None:
    """Check the claims of one instance in this process, and journal all that is found."""
    if os.name == "posix":  # the kernel's own action, which needs no interpreter: it ends a long call of FLINT too
        signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
    descriptor = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        check_instance(
            instance_from_text(instance),
            claims,
            table,
            lambda said: _write_whole(descriptor, (said_to_text(said) + "\n").encode()),
        )
    finally:
        os.close(descriptor)
        if os.name == "posix":
            signal.setitimer(signal.ITIMER_REAL, 0)


def read_journal(journal: Path) -> list[dict[str, Any]]:
    """The whole lines of a journal; a line cut short by a kill is none."""
    if not journal.exists():
        return []
    *lines, _ = journal.read_bytes().split(b"\n")
    return [json.loads(line) for line in lines]


def _write_whole(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _end_with(sentinel: int, folder: str) -> None:
    wait([sentinel])
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM if os.name != "posix" else signal.SIGKILL)


def _address_space() -> int:
    """Bytes of address space in use now; where the system does not tell, a generous guess."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 2**30
    return pages * os.sysconf("SC_PAGE_SIZE")


def _last_words(file: Path) -> str:
    try:
        text = file.read_bytes()[-_TAIL:].decode(errors="replace")
    except OSError:
        return ""
    return " ".join(text.split())[-300:]


def _signal_name(exitcode: int) -> str:
    if exitcode >= 0:
        return f"exit status {exitcode}"
    try:
        return signal.Signals(-exitcode).name
    except ValueError:
        return f"signal {-exitcode}"
