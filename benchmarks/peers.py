"""One probe and whole runs: this package and every peer side by side, on the same probes, in one run.

    python benchmarks/peers.py [--quick] [--cap 20] [--repeats 5] [--no-whole-runs]

Prints Markdown.  Every cell is a process of its own, ended by its own id when it exceeds the cap; every answer is
compared with the truth.  PARI takes part when the package cypari is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from peer_ways import WAYS, Pairs
from whole_run import seconds_of_whole_runs

SHAPES = ((2, 8), (8, 8), (32, 8), (2, 64), (8, 64), (32, 64), (2, 512), (8, 512), (16, 512), (32, 512))
QUICK_SHAPES = ((2, 8), (4, 64))
WHOLE_RUNS = ((2, 4), (4, 4), (8, 4), (4, 2), (4, 8), (8, 8))
QUICK_WHOLE_RUNS = ((2, 2),)


@dataclass(frozen=True)
class Cell:
    """What one way did at one shape: its shortest time, or why there is none; the error of floating point."""

    milliseconds: float | None
    note: str = ""

    def __str__(self) -> str:
        if self.milliseconds is None:
            return self.note
        time_ = f"{self.milliseconds:,.0f}" if self.milliseconds >= 100 else f"{self.milliseconds:.2g}"
        return f"{time_} ({self.note})" if self.note else time_


def random_probe(heads: int, bits: int) -> tuple[Fraction, list[Fraction], Pairs]:
    """F(0), F(1), ..., F(2H) and the truth: parameters with `bits` bits above and below the line."""
    generator = random.Random(f"{heads} {bits}")

    def number() -> Fraction:
        top = 1 << (bits - 1)
        return Fraction(generator.getrandbits(bits) | top, generator.getrandbits(bits) | top)

    poles: list[Fraction] = []
    while len(poles) < heads:
        if (t := number()) not in poles:
            poles.append(t)
    pairs = [(t, generator.choice((1, -1)) * number()) for t in poles]
    zero = number()
    samples = [sum((c * k * t / (1 + k * t) for t, c in pairs), zero) for k in range(1, 2 * heads + 1)]
    return zero, samples, pairs


def run_cell(name: str, heads: int, bits: int, repeats: int, cap: float) -> None:
    """The inner process: says "ready" on standard error, times the way, prints what was found as JSON."""
    way = WAYS[name]
    zero, samples, truth = random_probe(heads, bits)
    read = way.prepare(zero, samples)
    sys.stderr.write("ready\n")
    sys.stderr.flush()
    times: list[float] = []
    while len(times) < repeats and sum(times) < cap / 4:
        started = time.perf_counter()
        try:
            pairs = read()
        except Exception as error:  # noqa: BLE001  # floating point ends in many ways; an exact way must not
            singular = "singular" in str(error)
            failure = "singular" if singular else f"{type(error).__name__}: {error}".splitlines()[0][:60]
            print(json.dumps({"failure": failure}))
            return
        times.append(time.perf_counter() - started)
    note = ""
    if way.is_exact:
        if sorted(pairs) != sorted(truth):
            note = "WRONG"
    else:
        note = f"error {_relative_error(pairs, truth):.0e}"
    print(json.dumps({"milliseconds": 1000 * min(times), "note": note}))


def _relative_error(pairs: Pairs, truth: Pairs) -> float:
    """The largest relative error of a t or c, each true pair held against the nearest t that was found."""
    from mpmath import mp  # noqa: PLC0415  # only for its own way

    worst = mp.mpf(0)
    for t, c in ((mp.mpf(t.numerator) / t.denominator, mp.mpf(c.numerator) / c.denominator) for t, c in truth):
        near = min(pairs, key=lambda pair: abs(pair[0] - t))
        worst = max(worst, abs(near[0] - t) / abs(t), abs(near[1] - c) / abs(c))
    return float(min(worst, mp.mpf(10) ** 99))


def measure(name: str, shape: tuple[int, int], repeats: int, cap: float) -> Cell:
    """One cell in a process of its own."""
    ground_types = WAYS[name].ground_types
    environment = os.environ | ({"SYMPY_GROUND_TYPES": ground_types} if ground_types else {})
    command = [sys.executable, str(Path(__file__).resolve()), "--cell", name, *map(str, shape)]
    with subprocess.Popen(  # noqa: S603  # our own script
        [*command, "--repeats", str(repeats), "--cap", str(cap)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=Path(__file__).parent,
    ) as process:  # fmt: skip
        said = [""]
        while process.stderr is not None and said[-1] != "ready\n" and (line := process.stderr.readline()):
            said.append(line)
        if said[-1] != "ready\n":
            return Cell(None, f"failed: {said[-1].strip()[:80]}")
        try:
            found: dict[str, Any] = json.loads(process.communicate(timeout=cap)[0])
        except subprocess.TimeoutExpired:
            process.kill()
            return Cell(None, f"over {cap:g} s")
    return Cell(None, found["failure"]) if "failure" in found else Cell(found["milliseconds"], found["note"])


def measure_all(shapes: Sequence[tuple[int, int]], repeats: int, cap: float) -> dict[str, dict[tuple[int, int], Cell]]:
    """All cells; a cell that is larger in both H and bits than one over the cap is not tried."""
    table: dict[str, dict[tuple[int, int], Cell]] = {}
    for name, way in WAYS.items():
        if way.package and importlib.util.find_spec(way.package) is None:
            sys.stderr.write(f"{way.title} is skipped: the package {way.package} is not installed\n")
            continue
        row = table.setdefault(name, {})
        for heads, bits in shapes:
            over = any(cell.note.startswith("over") and h <= heads and b <= bits for (h, b), cell in row.items())
            row[heads, bits] = Cell(None, f"over {cap:g} s") if over else measure(name, (heads, bits), repeats, cap)
            sys.stderr.write(f"{way.title}, H = {heads}, {bits} bits: {row[heads, bits]}\n")
    return table


def growth(points: Iterable[tuple[float, float]]) -> str:
    """The exponent of a power law by least squares on logarithms; needs three points."""
    logs = [(math.log(size), math.log(value)) for size, value in points]
    if len(logs) < 3:
        return "-"
    return f"{statistics.linear_regression([x for x, _ in logs], [y for _, y in logs]).slope:.1f}"


def print_table(table: dict[str, dict[tuple[int, int], Cell]], shapes: Sequence[tuple[int, int]]) -> None:
    """Milliseconds of one probe, and the exponents."""
    print(
        "| one probe, milliseconds, at (H, bits) |",
        " | ".join(f"{h}, {b}" for h, b in shapes),
        "| H^, short | H^, long | bits^ |",
    )
    print("|---" * (len(shapes) + 4) + "|")
    for name, row in table.items():
        short, long = (
            [(h, c.milliseconds) for (h, b), c in row.items() if b == bits and c.milliseconds is not None]
            for bits in (8, 512)
        )
        by_bits = [(b, c.milliseconds) for (h, b), c in row.items() if h == 8 and c.milliseconds is not None]
        cells = " | ".join(str(row[shape]) for shape in shapes)
        print(f"| {WAYS[name].title} | {cells} | {growth(short)} | {growth(long)} | {growth(by_bits)} |")


def print_whole_runs(shapes: Sequence[tuple[int, int]], runs: int) -> None:
    """Seconds of whole runs, and the exponents in H at d = 4 and in d at H = 4."""
    found = {}
    for heads, dim in shapes:
        pairs = [seconds_of_whole_runs(heads, dim, seed)[:2] for seed in range(runs)]
        found[heads, dim] = tuple(min(column) for column in zip(*pairs, strict=True))
        sys.stderr.write(f"whole run, H = {heads}, d = {dim}: {found[heads, dim]}\n")
    print("\n| whole run, seconds, at (H, d) |", " | ".join(f"{h}, {d}" for h, d in shapes), "| H^ | d^ |")
    print("|---" * (len(shapes) + 3) + "|")
    titles = ("exactlearn: `learn`, black box included", "FLINT for every probe, black box included")
    for index, title in enumerate(titles):
        by_heads = growth((h, times[index]) for (h, d), times in found.items() if d == 4)
        by_dim = growth((d, times[index]) for (h, d), times in found.items() if h == 4)
        cells = " | ".join(f"{found[shape][index]:.2g}" for shape in shapes)
        print(f"| {title} | {cells} | {by_heads} | {by_dim} |")


def main() -> int:
    """Print both tables; status 1 when an exact way gave a wrong answer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small shapes, for a test run")
    parser.add_argument("--cap", type=float, default=20, help="seconds for a cell")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-whole-runs", action="store_true")
    parser.add_argument("--cell", nargs=3, metavar=("WAY", "H", "BITS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        name, heads, bits = arguments.cell
        run_cell(name, int(heads), int(bits), arguments.repeats, arguments.cap)
        return 0
    shapes = QUICK_SHAPES if arguments.quick else SHAPES
    table = measure_all(shapes, arguments.repeats, arguments.cap)
    print_table(table, shapes)
    if not arguments.no_whole_runs:
        print_whole_runs(QUICK_WHOLE_RUNS if arguments.quick else WHOLE_RUNS, 1 if arguments.quick else 3)
    print(f"\nThe shortest of up to {arguments.repeats} runs, one core; what all probes of a run share is made once.")
    print("H^ (short: 8 bits; long: 512), bits^ (at H = 8) and d^ are exponents, fitted by least squares on logarithms")
    print(
        "to the cells with a time; where a cell is over the cap, or a fixed cost rules small cells, they are too small."
    )
    exact = [cell for name, row in table.items() if WAYS[name].is_exact for cell in row.values()]
    faults = [cell for cell in exact if cell.note and not cell.note.startswith("over")]
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
