"""What a run at full size is: its black box, draw, ring and schedule, in a form that crosses to worker processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.schedules import LayerSchedule
from exactlearn.full_size.state import StateFolder
from exactlearn.places.residues import ResidueRing

BlackBoxSource = Callable[[], LayerBlackBox]
"""Makes the black box in the process that asks it; it can be pickled."""


@dataclass(frozen=True)
class Plan:
    """One run in one ring.

    Attributes:
        source: Where a worker gets its black box.
        draw: The tokens and functionals.
        prime: p.
        digits: k.
        schedule: The probes.
        folder: Where finished blocks are kept.
    """

    source: BlackBoxSource
    draw: LayerDraw
    prime: int
    digits: int
    schedule: LayerSchedule
    folder: str

    @property
    def ring(self) -> ResidueRing:
        """Z/p^k."""
        return ResidueRing(self.prime, self.digits)

    @property
    def state(self) -> StateFolder:
        """The blocks of this ring."""
        return StateFolder(Path(self.folder))

    def manifest(self, label: str) -> dict[str, Any]:
        """What binds the folder to this run."""
        return {
            "label": label,
            "dim": self.draw.dim,
            "outputs": self.draw.outputs,
            "heads": self.draw.heads,
            "seed": self.draw.seed,
            "prime": str(self.prime),
            "digits": self.digits,
            "schedule": self.schedule.name,
        }
