"""The constants (delta_0, C) against perturbed runs of the learner, many models, many errors: no run may break them.

    python benchmarks/stability_runs.py [--runs 10000] [--seed 0] [--draws 12]

Each model is run at delta_0, delta_0/2, delta_0/16 and delta_0/2^20 with random signs, and with the worst signs of
the first-order map for a W and for a v.  Printed: violations (none may be), the worst error over the first-order
constant, the slack of C against it and against the worst run, how far past delta_0 the learner first fails, and how
much better chosen draws are.  Exit status 1 at a violation, or when a model's worst run is not within a factor of 2
of its first-order constant.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from flint import fmpq

from exactlearn.canonical import canonical_form
from exactlearn.errors import DegenerateDrawError, UndecidedError
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.stability import PerturbedRuns, Stability, stability
from exactlearn.stability.arithmetic import ball, decimal_above, decimal_below, rational_below
from exactlearn.stability.choosing import choose_draw, seeded_draw

KINDS: tuple[WeightKind, ...] = ("log-rational", "rational")
SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3), (3, 2), (2, 3))
"""(H, d)."""

FRACTIONS = (1, 2, 16, 2**20)
RANDOM_RUNS = 8
MOST_PAST = 200


@dataclass
class Tally:
    """What was seen."""

    runs: int = 0
    models: int = 0
    violations: list[str] = field(default_factory=list)
    worst_shares: list[fmpq] = field(default_factory=list)
    failures: collections.Counter[str] = field(default_factory=collections.Counter)
    past: list[int] = field(default_factory=list)


def random_model(generator: random.Random, heads: int, dim: int, kind: WeightKind) -> MultiHeadAttention:
    """Small entries; T between 1/4 and 4, or W in quarters between -2 and 2."""

    def weight() -> fmpq:
        if kind == "log-rational":
            return fmpq(generator.randint(1, 4), generator.randint(1, 4))
        return fmpq(generator.randint(-8, 8), 4)

    def value() -> fmpq:
        return fmpq(generator.choice((-1, 1)) * generator.randint(1, 6), generator.randint(1, 3))

    return MultiHeadAttention(
        [
            Head([[weight() for _ in range(dim)] for _ in range(dim)], [value() for _ in range(dim)])
            for _ in range(heads)
        ],
        dim=dim,
        weights=kind,
    )


def instances(seed: int) -> Iterator[tuple[str, Stability]]:
    """Models of all shapes and both kinds with a good draw, without end."""
    generator = random.Random(seed)
    for number, (heads, dim), kind in (
        (number, shape, kind)
        for number in itertools.count()
        for shape in SHAPES
        for kind in KINDS
    ):
        model = canonical_form(random_model(generator, heads, dim, kind))
        box = generator.choice((1, 2))
        try:
            found = stability(model, seeded_draw(model, seed + number, box))
        except (DegenerateDrawError, UndecidedError):
            continue
        yield f"H = {heads}, d = {dim}, {kind}", found


def observe(found: Stability, tally: Tally, generator: random.Random) -> fmpq:
    """All runs of one model; returns the largest share of the first-order constant that was reached."""
    runs, delta_0, share = PerturbedRuns(found), rational_below(found.delta_0) or fmpq(0), fmpq(0)
    for part in FRACTIONS:
        delta = delta_0 / part
        patterns = [runs.worst_signs(found.first_order.worst(group)) for group in ("W", "v")]
        patterns += [runs.random_signs(generator) for _ in range(RANDOM_RUNS)]
        for signs in patterns:
            outcome = runs.run(delta, signs)
            tally.runs += 1
            tally.violations += runs.violations(delta, outcome)
            for group, error in outcome.errors.items():
                reached = error / ball(delta * found.first_order_constant(group))
                share = max(share, fmpq(int((10**6 * reached).mid().floor().unique_fmpz() or 0), 10**6))
    return share


def fail(found: Stability, tally: Tally) -> None:
    """The first power of two past delta_0 at which the worst signs make the learner fail."""
    runs, delta_0 = PerturbedRuns(found), rational_below(found.delta_0) or fmpq(0)
    for power in range(1, MOST_PAST):
        outcome = runs.run(delta_0 * 2**power, runs.worst_signs())
        if outcome.failure is not None:
            tally.failures[outcome.failure.what] += 1
            tally.past.append(power)
            return
    tally.failures["none seen"] += 1


def compare_draws(seed: int, draws: int, box: int, models: int = 24) -> None:
    """How much smaller C is at chosen draws: gains over the draw in the middle, in powers of ten."""
    generator = random.Random(seed)
    gains: dict[str, list[int]] = {"best conditioned": [], "by queries": [], "after column 1": [], "hindsight": []}
    for number in range(models):
        model = canonical_form(random_model(generator, 2, 2, "log-rational" if number % 2 else "rational"))
        choice = choose_draw(model, seed + 1000 * number, box, draws)
        chosen = (choice.conditioned, choice.by_queries, choice.adaptive, choice.best)
        for name, candidate in zip(gains, chosen, strict=True):
            if candidate.constant is not None and choice.median.constant is not None:
                ratio = (choice.median.constant / candidate.constant).log() / ball(fmpq(10)).log()
                gains[name].append(int(ratio.mid().floor().unique_fmpz() or 0))
    print(f"better draws, H = 2, d = 2, box {box}, {draws} seeds, {models} models:")
    print("C of the middle draw over the chosen one's")
    for name, powers in gains.items():
        powers.sort()
        told = f"10^{powers[len(powers) // 2]} in the median, 10^{powers[0]} to 10^{powers[-1]}"
        print(f"  {name:16} {told}, {len(powers)} good draws")


def main() -> int:
    """Print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=12)
    arguments = parser.parse_args()
    tally, generator, started = Tally(), random.Random(arguments.seed), time.perf_counter()
    by_shape: dict[str, list[tuple[fmpq, Stability]]] = {}
    for shape, found in instances(arguments.seed):
        share = observe(found, tally, generator)
        tally.models += 1
        tally.worst_shares.append(share)
        by_shape.setdefault(shape, []).append((share, found))
        fail(found, tally)
        if tally.runs >= arguments.runs:
            break
    print(f"{'shape':28} {'models':>6} {'delta_0 from':>13} {'to':>13} {'least worst run':>16} {'largest':>9}")
    for shape, rows in by_shape.items():
        shares = sorted(share for share, _ in rows)
        deltas = sorted(rational_below(found.delta_0) or fmpq(0) for _, found in rows)
        ends = f"{decimal_below(deltas[0]):>13} {decimal_below(deltas[-1]):>13}"
        print(f"{shape:28} {len(rows):6} {ends} {decimal_below(shares[0]):>16} {decimal_above(shares[-1]):>9}")
    print(f"{tally.runs} runs, {tally.models} models, {len(tally.violations)} violations of the bounds")
    least, largest = min(tally.worst_shares), max(tally.worst_shares)
    print(f"worst run of a model over its first-order constant: {decimal_below(least)} to {decimal_above(largest)}")
    print(f"slack of C: 4/3 of the first-order constant, {decimal_above(fmpq(4, 3) / least)} of the worst run at most")
    past = sorted(tally.past)
    print(f"first failure past delta_0, at delta_0 times 2^{past[0]} to 2^{past[-1]}, median 2^{past[len(past) // 2]}:")
    print("  " + ", ".join(f"{what} {count}" for what, count in tally.failures.most_common()))
    for box in (2, 5):
        compare_draws(arguments.seed, arguments.draws, box)
    print(f"{time.perf_counter() - started:.0f} s")
    return int(bool(tally.violations) or 2 * least < 1)


if __name__ == "__main__":
    raise SystemExit(main())
