"""Whole runs at the rational place: `learn` against the plain pipeline on the very same queries, in one run.

    python benchmarks/whole_run.py [--heads 8] [--dim 8] [--runs 3]

The plain pipeline gets the black box's answers for the same tokens and reads every probe by fmpq_mat.solve and
fmpq_poly.roots; it is spared the matching and the assembly.  The published claim: at least 3 times faster at 8, 8.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from fractions import Fraction

from plain_pipeline import plain_copy_count_function

from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import oracle_of
from exactlearn.places.rational import RationalBlackBox
from exactlearn.result import LearnResult


def random_model(heads: int, dim: int, seed: int) -> MultiHeadAttention:
    """Log-rational heads with one-digit numerators and denominators."""
    generator = random.Random(seed)

    def positive() -> Fraction:
        return Fraction(generator.randint(1, 9), generator.randint(1, 9))

    return MultiHeadAttention(
        [
            (
                [[positive() for _ in range(dim)] for _ in range(dim)],
                [generator.choice((1, -1)) * positive() for _ in range(dim)],
            )
            for _ in range(heads)
        ],
        weights="log-rational",
    )


def probes_of(draw: Draw) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All (x, y) of the schedule "paper" for these tokens."""
    dim = len(draw.X)

    def add(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    base = [(x, y) for y in draw.Y for x in draw.X]
    first_column = [(add(draw.X[0], draw.X[i]), draw.Y[0]) for i in range(1, dim)]
    rows = [(x, add(draw.Y[0], draw.Y[j])) for j in range(1, dim) for x in draw.X]
    return base + first_column + rows


def seconds_of_whole_runs(heads: int, dim: int, seed: int) -> tuple[float, float, LearnResult]:
    """Seconds of `learn` and of the plain pipeline on the same queries, and what `learn` found.

    Raises:
        SystemExit: For a wrong model.
    """
    model = random_model(heads, dim, seed)
    started = time.perf_counter()
    result = learn(oracle_of(model), heads=heads, seed=seed)
    ours = time.perf_counter() - started
    if result.model != canonical_form(model):
        raise SystemExit("a wrong model")
    started = time.perf_counter()
    box = RationalBlackBox(model)
    for x, y in probes_of(result.draw):
        samples = box.copies(x, y, range(1, 2 * heads + 1))
        function = plain_copy_count_function(box.value([y]), samples)
        if len(function.poles) != heads:
            raise SystemExit("the plain pipeline lost a head")
    return ours, time.perf_counter() - started, result


def main() -> None:
    """Print the ratio of whole runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    ratios = []
    for seed in range(arguments.runs):
        ours, plain, result = seconds_of_whole_runs(arguments.heads, arguments.dim, seed)
        ratios.append(plain / ours)
        print(
            f"seed {seed}: exactlearn {ours:.2f} s (black box {result.oracle_seconds:.2f}, redraws {result.redraws}), "
            f"plain {plain:.2f} s, ratio {plain / ours:.1f}"
        )
    print(f"H = {arguments.heads}, d = {arguments.dim}: median ratio {statistics.median(ratios):.1f}")


if __name__ == "__main__":
    main()
