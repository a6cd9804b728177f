"""A run in a process that a test kills: python killable_run.py STATE WORKERS; a line for each piece of work."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_layers import SmallLayer

from exactlearn.full_size.engine import learn_layer
from exactlearn.full_size.layer import first_difference
from exactlearn.full_size.schedules import LayerSchedule

LAYER = SmallLayer(dim=20, outputs=5, heads=3, rank=4, seed=7)


def say(done: int, total: int) -> None:
    """What is reported is in the state already."""
    print("done", done, total, flush=True)  # noqa: T201  # read by the test


if __name__ == "__main__":
    result = learn_layer(
        LAYER, LAYER.question(), LayerSchedule(20, 3, None), workers=int(sys.argv[2]), state=Path(sys.argv[1]),
        label="killable", progress=say,
    )  # fmt: skip
    same = first_difference(result.layer, LAYER.layer()) is None
    print("result", same, result.queries, result.resumed_blocks, flush=True)  # noqa: T201  # read by the test
