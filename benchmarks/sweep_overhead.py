"""What a sweep costs over the bare verification, and what a second core gives.

    python benchmarks/sweep_overhead.py [--seeds 40] [--rounds 3]

The same instances three ways: in a plain loop of `verify` and `observed_failures` in one process, in a sweep with one
worker, and in a sweep with two.  The ways take turns in every round; the best round of each counts.  Starting the
workers (the import of the package) is in the sweep's time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from exactlearn.claims import verify
from exactlearn.failure_rates import observed_failures, schwartz_zippel_bound
from exactlearn.sweeps.building import build_model
from exactlearn.sweeps.instance import ModelInstance
from exactlearn.sweeps.running import run_sweep
from exactlearn.sweeps.specification import Specification, specification_from_text

SPECIFICATION = """format = "exactlearn.sweep/1"
name = "overhead"
[[family]]
heads = "1..3"
dim = "1..3"
seed = "0..{last}"
"""


def bare(specification: Specification) -> int:
    """Every instance in a loop, nothing recorded."""
    count = 0
    for work in specification.works():
        instance = work.instance
        if isinstance(instance, ModelInstance):
            model = build_model(instance)
            results = verify(model, seed=instance.seed, draws=instance.draws)
            if not all(result.verdict.holds for result in results):
                raise SystemExit(f"a claim does not hold on {instance}")
            for box in instance.boxes:
                schwartz_zippel_bound(model, box)
                observed_failures(model, box, instance.draws, instance.seed)
            count += 1
    return count


def swept(specification: Specification, workers: int) -> int:
    """A sweep into a new database."""
    with tempfile.TemporaryDirectory() as folder:
        return run_sweep(specification, Path(folder) / "r.sqlite", workers=workers).recorded


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    specification = specification_from_text(SPECIFICATION.format(last=options.seeds - 1), "overhead")
    ways: dict[str, Callable[[], int]] = {
        "bare": lambda: bare(specification),
        "one worker": lambda: swept(specification, 1),
        "two workers": lambda: swept(specification, 2),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(options.rounds):
        for name, way in ways.items():
            started = time.perf_counter()
            count = way()
            seconds = time.perf_counter() - started
            best[name] = min(best[name], seconds)
            print(f"{name:12} {count} instances {seconds:8.2f} s   load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"overhead of one worker over bare: {100 * (best['one worker'] / best['bare'] - 1):.1f} %")
    print(f"two workers against one: {best['one worker'] / best['two workers']:.2f} times as fast")


if __name__ == "__main__":
    main()
