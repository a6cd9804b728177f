"""The progress of a sweep on standard error: a bar on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from exactlearn.sweeps.running import Progress

EVERY_SECONDS = 5.0


@contextmanager
def sweep_progress() -> Iterator[Callable[[Progress], None]]:
    """Yields what `run_sweep` calls after each instance."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    columns = (
        TextColumn("instances"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[troubles]}"),
    )  # fmt: skip
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("instances", total=None, rate="", troubles="")

        def advance(progress: Progress) -> None:
            troubles = f"{progress.troubles} failures" if progress.troubles else ""
            rate = f"{progress.rate:.1f}/s"
            bar.update(task, completed=progress.done, total=progress.total, rate=rate, troubles=troubles)

        yield advance


def progress_line(progress: Progress) -> str:
    """One plain line: how many of how many, how fast, how long still."""
    left = progress.seconds_left
    still = "" if left is None else f", {duration(left)} left"
    troubles = f", {progress.troubles} failures" if progress.troubles else ""
    return f"{progress.done} of {progress.total} instances, {progress.rate:.1f}/s{still}{troubles}"


def duration(seconds: float) -> str:
    """Seconds, or minutes and hours when there are many."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _lines() -> Callable[[Progress], None]:
    last = time.monotonic()

    def advance(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY_SECONDS:
            last = time.monotonic()
            sys.stderr.write(progress_line(progress) + "\n")
            sys.stderr.flush()

    return advance
