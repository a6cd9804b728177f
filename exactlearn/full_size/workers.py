"""Worker processes: each holds its own black box and does tasks; an orphan ends by itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait

from exactlearn.errors import OverBudgetError
from exactlearn.full_size.plan import Plan
from exactlearn.full_size.work import Task, Worker

_worker: list[Worker] = []
"""The worker of this process; one at most."""


class Workers:
    """A pool for one plan, to be closed; with one worker everything happens in this process.

    Args:
        plan: The run.
        count: How many processes.
    """

    def __init__(self, plan: Plan, count: int) -> None:
        self._own = Worker(plan) if count == 1 else None
        self._pool: ProcessPoolExecutor | None = None
        if count > 1:
            # Not forked: a fork would copy the locks of threads that draw the progress bar.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(count, context, initializer=_begin, initargs=(plan,))

    def run(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Do all the tasks, in any order; yields each when its block is finished."""
        if self._own is not None:
            for task in tasks:
                self._own.run(task)
                yield task
            return
        if self._pool is None:
            return
        futures = {self._pool.submit(_run, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        except BrokenProcessPool:
            raise OverBudgetError("a worker died, perhaps out of memory: run again with fewer of them") from None
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """End the processes; what they have not finished is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def default_workers() -> int:
    """As many as there are processors for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(plan: Plan) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=([parent.sentinel],), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends its workers
    _worker[:] = [Worker(plan)]


def _end_with(sentinels: Sequence[int]) -> None:
    """A parent that was killed cannot end its workers."""
    wait(sentinels)
    os._exit(1)


def _run(task: Task) -> None:
    _worker[0].run(task)
