"""End to end at the p-adic place: H = 8, d = 64, float32 weights, on one core, with time and peak memory.

Usage:
    python benchmarks/large_padic.py [--heads 8] [--dim 64] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import time

from float32_models import float32_model

from exactlearn.canonical import canonical_form
from exactlearn.learner import learn
from exactlearn.oracle import oracle_of


def main() -> None:
    """Print counts, seconds and memory; with --profile where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    model = float32_model(arguments.heads, arguments.dim, 0)
    profile = cProfile.Profile(builtins=False)
    if arguments.profile:
        profile.enable()
    started = time.perf_counter()
    result = learn(oracle_of(model), heads=arguments.heads)
    seconds = time.perf_counter() - started
    profile.disable()
    if result.model != canonical_form(model):
        raise SystemExit("a wrong model")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"H = {arguments.heads}, d = {arguments.dim}: {result.queries} queries, {seconds:.1f} s, {peak:.0f} MiB")
    print(
        f"black box {result.oracle_seconds:.1f} s, learner {result.learner_seconds:.1f} s, "
        f"ratio {result.learner_seconds / result.oracle_seconds:.2f}"
    )
    if arguments.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(16)


if __name__ == "__main__":
    main()
