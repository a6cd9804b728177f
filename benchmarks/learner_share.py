"""The p-adic place: the learner's own time as a multiple of the black box's own, float32 weights.

    python benchmarks/learner_share.py [--runs N]

The published claims: at most 2 for H >= 8 and d >= 8, at most 3 at H = 4.
"""

from __future__ import annotations

import argparse
import statistics

from float32_models import float32_model

from exactlearn.canonical import canonical_form
from exactlearn.learner import learn
from exactlearn.oracle import oracle_of

SHAPES = ((4, 4), (4, 8), (4, 16), (8, 8), (8, 16), (16, 8), (16, 16))


def main() -> None:
    """Print one line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print(f"{'H':>3} {'d':>3} {'black box s':>12} {'learner s':>10} {'ratio':>6}")
    for heads, dim in SHAPES:
        boxes, learners, ratios = [], [], []
        for seed in range(runs):
            model = float32_model(heads, dim, seed)
            result = learn(oracle_of(model), heads=heads, seed=seed)
            if result.model != canonical_form(model):
                raise SystemExit("a wrong model")
            boxes.append(result.oracle_seconds)
            learners.append(result.learner_seconds)
            ratios.append(result.learner_seconds / result.oracle_seconds)
        box, learner, ratio = statistics.median(boxes), statistics.median(learners), statistics.median(ratios)
        print(f"{heads:>3} {dim:>3} {box:>12.3f} {learner:>10.3f} {ratio:>6.2f}")


if __name__ == "__main__":
    main()
