"""An attention layer with biases and vector outputs, exactly, in a form that stays small at full size.

    f(X) = s + sum_h sum_i softmax_i(c (x_i^T W_h x_n + p_h.x_i)) * V_h x_i,      read at the final token x_n

with W_h of d x d, p_h in Q^d, V_h of m x d, s in Q^m, and one unit c for all heads (DESIGN section 10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exactlearn.errors import UnusableInputError
from exactlearn.full_size.scaled_matrix import ScaledMatrix, side_by_side
from exactlearn.model import ONE, Unit


@dataclass(frozen=True)
class AffineHead:
    """One head.

    Attributes:
        scores: [W | p], d x (d + 1): the score of x at the final token y is x^T [W | p] (y; 1).
        values: V, m x d.
    """

    scores: ScaledMatrix
    values: ScaledMatrix

    @classmethod
    def of(cls, W: ScaledMatrix, p: ScaledMatrix, V: ScaledMatrix) -> AffineHead:
        """From W (d x d), p (d x 1) and V (m x d)."""
        return cls(side_by_side(W, p), V)


@dataclass(frozen=True)
class AffineLayer:
    """Heads, the constant s (m x 1) and the unit."""

    heads: tuple[AffineHead, ...]
    constant: ScaledMatrix
    dim: int
    unit: Unit = ONE

    def __post_init__(self) -> None:
        for index, head in enumerate(self.heads):
            if head.scores.shape != (self.dim, self.dim + 1) or head.values.shape != (self.outputs, self.dim):
                raise UnusableInputError("the shapes of the parameters do not fit together", f"heads[{index}]")

    @property
    def outputs(self) -> int:
        """m, the length of an output."""
        return self.constant.shape[0]


def canonical_layer(layer: AffineLayer) -> AffineLayer:
    """Heads with equal (W, p) merged, heads with V = 0 dropped: what queries can show (DESIGN sections 1 and 10)."""
    merged: list[AffineHead] = []
    for head in layer.heads:
        for index, other in enumerate(merged):
            if head.scores.equals(other.scores):
                merged[index] = AffineHead(other.scores, other.values + head.values)
                break
        else:
            merged.append(head)
    kept = tuple(head for head in merged if not head.values.is_zero())
    return AffineLayer(kept, layer.constant, layer.dim, layer.unit)


def first_difference(left: AffineLayer, right: AffineLayer) -> str | None:
    """Where two canonical layers differ, heads in any order; None when they agree to the last bit."""
    if (left.dim, left.outputs, left.unit) != (right.dim, right.outputs, right.unit):
        return "the dimensions or the units"
    if len(left.heads) != len(right.heads):
        return f"the number of heads, {len(left.heads)} and {len(right.heads)}"
    if not left.constant.equals(right.constant):
        return "s"
    free = list(range(len(right.heads)))
    for h, head in enumerate(left.heads):
        partner = _with_equal_scores(head, right.heads, free)
        if partner is None:
            return f"W or p of head {h}"
        if not head.values.equals(right.heads[partner].values):
            return f"V of head {h}"
        free.remove(partner)
    return None


def _with_equal_scores(head: AffineHead, others: Sequence[AffineHead], free: Sequence[int]) -> int | None:
    first = head.scores.entry(0, 0)
    for index in free:
        scores = others[index].scores
        if scores.entry(0, 0) == first and head.scores.equals(scores):
            return index
    return None
