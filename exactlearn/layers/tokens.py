"""Tokens of a layer in homogeneous coordinates: probe vectors end in 0, final tokens in 1 (DESIGN section 10)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from exactlearn.draws import TokenSource
from exactlearn.places.protocol import IntegerToken


@dataclass
class HomogeneousSource(TokenSource):
    """Draws x_1..x_d = [x, 0] and the d + 1 final tokens [y, 1]; `dim` is d + 1 here.

    The last x is the unit vector e_(d+1), which no probe is asked with: its score is zero.
    """

    def _token(self, side: str, index: int) -> IntegerToken:
        if side == "x" and index == self.dim - 1:
            return (0,) * index + (1,)
        return super()._token(side, index)

    def _candidate(self, side: str, generator: random.Random, box: int, multiple: int) -> IntegerToken:
        token = super()._candidate(side, generator, box, multiple)
        return (*token[:-1], 0 if side == "x" else 1)
