"""A sweep in a process that a test kills: python killable_sweep.py SPEC DATABASE TABLE; a line for each report."""

from __future__ import annotations

import sys
from pathlib import Path

from exactlearn.sweeps.running import Progress, run_sweep
from exactlearn.sweeps.specification import specification_from_text


def say(progress: Progress) -> None:
    """What is reported is in the database already."""
    print(progress.done, flush=True)  # noqa: T201  # read by the test


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    specification = specification_from_text(Path(sys.argv[1]).read_text(encoding="utf-8"), "spec")
    run_sweep(specification, sys.argv[2], workers=2, table=f"troubled_claims:{sys.argv[3]}", progress=say)
