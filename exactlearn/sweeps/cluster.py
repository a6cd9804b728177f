"""The same work on a Dask cluster: every worker of it keeps limited processes of its own, as a local sweep does.

The cluster is trusted with nothing but time: results come back as the same lines, and the one writer stays here.
"""

from __future__ import annotations

import multiprocessing
import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.sweeps.limits import LimitedProcesses, Outcome, Task
from exactlearn.sweeps.specification import Limits

CONNECT_SECONDS = 15


class ClusterProcesses:
    """The workers of a Dask scheduler; use it in a `with` statement.

    Raises:
        MissingExtraError: When distributed is not installed.
        UnusableInputError: When no scheduler answers there.
    """

    def __init__(self, address: str, limits: Limits) -> None:
        try:
            import distributed  # noqa: PLC0415  # the extra "dask"
        except ImportError:
            raise MissingExtraError("distributed", "dask", "--dask") from None
        self._limits = limits
        try:
            self._client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError):
            raise UnusableInputError(f"no Dask scheduler answers at {quote(address)}", "--dask") from None
        self._futures: set[Any] = set()  # a future that nobody holds is given up by the scheduler

    @property
    def workers(self) -> int:
        """Threads of all workers now; at least 1, since workers come and go."""
        return max(1, int(sum(self._client.nthreads().values())))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def submit(self, task: Task, done: Callable[[Task, Callable[[], Outcome]], None]) -> None:
        """Have a task worked on somewhere; one whose worker dies is handed to another by the scheduler."""
        future = self._client.submit(
            work_on_cluster,
            (task.instance, task.claims, task.table),
            (self._limits.seconds, self._limits.memory_mib),
            pure=False,
        )
        self._futures.add(future)
        future.add_done_callback(lambda ended: done(task, lambda: self._outcome(ended)))

    def _outcome(self, ended: Any) -> Outcome:
        self._futures.discard(ended)
        if ended.status != "finished":
            return Outcome([], lost=True)
        said, rest, lost = ended.result()
        return Outcome(said, tuple(rest), lost)


_processes: dict[tuple[float, int], LimitedProcesses] = {}
_processes_lock = threading.Lock()


def work_on_cluster(
    task: tuple[str, tuple[str, ...], str], limits: tuple[float, int]
) -> tuple[list[dict[str, Any]], list[str], bool]:
    """On a worker of the cluster: one task in a limited process of this worker's own."""
    ended: queue.SimpleQueue[Callable[[], Outcome]] = queue.SimpleQueue()
    _processes_of_worker(limits).submit(Task(*task), lambda _, outcome: ended.put(outcome))
    outcome = ended.get()()
    return outcome.said, list(outcome.rest), outcome.lost


def _processes_of_worker(limits: tuple[float, int]) -> LimitedProcesses:
    """Kept from task to task, so that the package is imported once."""
    import distributed  # noqa: PLC0415  # the extra "dask"

    with _processes_lock:
        if limits not in _processes:
            # Dask starts its workers as daemons, which may have no children; ours end when their parent does.
            multiprocessing.current_process().daemon = False
            threads = distributed.get_worker().state.nthreads
            _processes[limits] = LimitedProcesses(threads, Limits(*limits))
        return _processes[limits]
