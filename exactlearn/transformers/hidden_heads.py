"""Heads whose odd part is zero: they are learned inside one cell, where the even part is an attention model.

In the cell around b, on every sequence whose final token is far out along b and whose other tokens are near it,
E(X) = sum_j s_j sigma_j z_j(X) is linear in the z_j; on the opposite cell it is minus that.  The map A = I + N b a^T
takes every y with a.y != 0 far into one of the two.  With the final token y -> A y and the others as far from it as
before, E(X) + g.(y - A y), g the gradient in the cell, is the attention model of heads (W_h A, v_h) with
v_h = sum_j s_j sigma_j w_hj, which the learner of attention models recovers; then W_h = (W_h A) A^-1.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz

from exactlearn.errors import ConditionFailsError, DegenerateDrawError, NotAttentionError
from exactlearn.learner import learn
from exactlearn.model import Head, Matrix, MultiHeadAttention
from exactlearn.oracle import Oracle
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.residues import ResidueRing
from exactlearn.transformers.cells import HIDDEN, SEARCH, Cell
from exactlearn.transformers.oracle import TransformerOracle, negated

FAR_OUT = (10**20, 10**40)
"""N: how far out the final tokens are; at the p-adic place size costs little."""

SLOPE_BOX = 10**9
MOST_HEADS_IN_CELL = 8


@dataclass(frozen=True)
class _Shear:
    """A = I + N b a^T."""

    b: IntegerToken
    a: IntegerToken
    far: int

    def side(self, y: IntegerToken) -> int:
        """The sign of a.y: which of the two opposite cells A y lies in."""
        slope = self._slope(y)
        return (slope > 0) - (slope < 0)

    def __call__(self, y: IntegerToken) -> IntegerToken:
        """A y."""
        step = self.far * self._slope(y)
        return tuple(entry + step * c for entry, c in zip(y, self.b, strict=True))

    def undone(self, weights: Matrix) -> Matrix:
        """W from W A, by A^-1 = I - N b a^T / (1 + N a.b)."""
        bottom = fmpq(1 + self.far * self._slope(self.b))
        rows = []
        for row in weights:
            along = sum((entry * c for entry, c in zip(row, self.b, strict=True)), fmpq(0)) * self.far / bottom
            rows.append(tuple(entry - along * c for entry, c in zip(row, self.a, strict=True)))
        return tuple(rows)

    def _slope(self, y: IntegerToken) -> int:
        return sum(c * entry for c, entry in zip(self.a, y, strict=True))


class _InsideCell:
    """The even part in one cell as the black box of an attention model."""

    def __init__(self, oracle: TransformerOracle, cell: Cell, shear: _Shear) -> None:
        self._oracle, self._cell, self._shear = oracle, cell, shear

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> fmpz:
        """The value of one sequence, the final token being moved and the others with it."""
        y = tokens[-1]
        moved = self._shear(y)
        sequence = [tuple(m + a - b for m, a, b in zip(moved, token, y, strict=True)) for token in tokens]
        answers = [self._oracle.value(one, ring, SEARCH) for one in (sequence, [negated(x) for x in sequence])]
        return self._moved_back(answers[0] + answers[1], y, moved, ring)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[fmpz]:
        """The values for k copies of x + y followed by y."""
        moved = self._shear(y)
        positive = self._oracle.copies(x, moved, counts, ring, SEARCH)
        negative = self._oracle.copies(negated(x), negated(moved), counts, ring, SEARCH)
        return [self._moved_back(a + b, y, moved, ring) for a, b in zip(positive, negative, strict=True)]

    def _moved_back(self, even: fmpz, y: IntegerToken, moved: IntegerToken, ring: ResidueRing) -> fmpz:
        change = sum((g * (a - b) for g, a, b in zip(self._cell.gradient, y, moved, strict=True)), fmpq(0))
        return (self._shear.side(y) * even + ring.reduce(change)) % ring.modulus


def heads_in_cell(
    oracle: TransformerOracle, cell: Cell, known: int, generator: random.Random, seed: int
) -> tuple[MultiHeadAttention, int]:
    """The even part inside a cell of a true-e Transformer, and the length of the longest sequence that it took.

    Args:
        oracle: The black box; its queries here count as those of the search.
        cell: The cell.
        known: The number of heads known so far: more are looked for, up to `MOST_HEADS_IN_CELL` or twice as many.
        generator: Where the map A comes from.
        seed: Of the draws.

    Raises:
        ConditionFailsError: At the rational place, where values so far out are too long; and when no attention model
            of so few heads is found.
    """
    if oracle.place.answers_are_exact:
        raise ConditionFailsError(f"{HIDDEN}; such heads are learned with true e only")
    a = tuple(generator.randint(1, SLOPE_BOX) for _ in range(oracle.dim))
    for far in FAR_OUT:
        shear = _Shear(cell.inside, a, far)
        if 1 + far * sum(c * b for c, b in zip(a, cell.inside, strict=True)) == 0:
            continue
        bound = known + 1
        while bound <= max(MOST_HEADS_IN_CELL, 2 * known):
            inside = Oracle(oracle.place, oracle.dim, _InsideCell(oracle, cell, shear))
            try:
                result = learn(inside, max_heads=bound, seed=seed)
            except (NotAttentionError, DegenerateDrawError):
                bound *= 2
                continue
            found = result.model
            heads = [Head(shear.undone(head.W), head.v) for head in found.heads]
            return found.with_heads(heads), result.max_length
    raise ConditionFailsError(HIDDEN)
