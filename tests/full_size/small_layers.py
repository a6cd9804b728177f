"""Small random layers for the tests of the engine, as picklable sources of black boxes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.engine import LayerQuestion
from exactlearn.full_size.layer import AffineHead, AffineLayer
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.model import Unit


@dataclass(frozen=True)
class SmallLayer:
    """A random layer with dyadic entries: d, m, H, rank of every [W | p]; a function of its seed."""

    dim: int = 5
    outputs: int = 6
    heads: int = 2
    rank: int = 2
    seed: int = 0
    shared_values: bool = False

    def __call__(self) -> LayerBlackBox:
        """The black box."""
        return LayerBlackBox(self.layer())

    def layer(self) -> AffineLayer:
        """The exact layer."""
        generator = random.Random(f"small layer {self.seed}")

        def matrix(rows: int, columns: int) -> ScaledMatrix:
            entries = [generator.randint(-(2**20), 2**20) for _ in range(rows * columns)]
            return ScaledMatrix(fmpz_mat(rows, columns, entries), fmpz(2) ** generator.randint(18, 24))

        heads = []
        values = matrix(self.outputs, self.dim)
        for _ in range(self.heads):
            scores = matrix(self.dim, self.rank) @ matrix(self.rank, self.dim + 1)
            if not self.shared_values:
                values = matrix(self.outputs, self.dim)
            heads.append(AffineHead(scores, values))
        return AffineLayer(tuple(heads), matrix(self.outputs, 1), self.dim, Unit.sqrt(fmpq(1, 2)))

    def question(self) -> LayerQuestion:
        """What the learner is told."""
        return LayerQuestion(self.dim, self.outputs, self.heads, Unit.sqrt(fmpq(1, 2)))
