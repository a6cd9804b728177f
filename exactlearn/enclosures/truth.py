"""Heads found as balls, held against the model: is every true parameter in its ball, how far are the middles?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from flint import arb, ctx

from exactlearn.draws import Draw
from exactlearn.enclosures.learner import EnclosedHead
from exactlearn.model import MultiHeadAttention
from exactlearn.places.real import RealMatrix, as_ball, weights_as_balls

TRUTH_BITS = 1024
"""Working precision of the true parameters, where no other is asked for."""


@dataclass(frozen=True)
class TrueHead:
    """A head of the model in tiny balls: W as in the score, and v."""

    W: RealMatrix
    v: tuple[arb, ...]


def true_heads(model: MultiHeadAttention, draw: Draw, bits: int = TRUTH_BITS) -> tuple[TrueHead, ...]:
    """The heads of a canonical model in ascending order of their poles at P(1,1), as the learner on balls has them."""
    with ctx.workprec(bits):
        weights = weights_as_balls(model)
        heads = [
            TrueHead(W, tuple(as_ball(entry) for entry in head.v)) for W, head in zip(weights, model.heads, strict=True)
        ]
        x, y = draw.X[0], draw.Y[0]
        return tuple(sorted(heads, key=lambda head: _bilinear(x, head.W, y).mid()))


def contains(found: Sequence[EnclosedHead], truth: Sequence[TrueHead]) -> bool:
    """Whether every true parameter lies inside its ball."""
    return len(found) == len(truth) and all(
        ball.contains(entry)
        for head, true in zip(found, truth, strict=True)
        for ball, entry in chain(_entries(head.W, true.W), zip(head.v, true.v, strict=True))
    )


@dataclass(frozen=True)
class Accuracy:
    """The worst absolute and relative error of W and of v over all heads.

    Attributes:
        W: The largest error of an entry of a W, over the largest entry of that W in absolute value.
        v: Likewise for v.
    """

    W: arb
    v: arb


def radii(found: Sequence[EnclosedHead], truth: Sequence[TrueHead]) -> Accuracy:
    """What is proved: the radii of the balls, against the true heads."""
    return _accuracy(
        [([ball.rad() for ball in chain(*head.W)], [ball.rad() for ball in head.v]) for head in found], truth
    )


def errors(
    found: Sequence[tuple[Sequence[Sequence[arb]], Sequence[arb]]], truth: Sequence[TrueHead]
) -> Accuracy:
    """What is so: the distances of estimates (W, v), midpoints of balls say, to the true heads."""
    entries = [ball for head in truth for ball in chain(*head.W, head.v)]
    with ctx.workprec(max(TRUTH_BITS, *(64 + ball.mid().bits() for ball in entries)) if entries else TRUTH_BITS):
        return _accuracy(
            [
                (
                    [abs(ball.mid() - entry) for ball, entry in _entries(W, true.W)],
                    [abs(ball.mid() - entry) for ball, entry in zip(v, true.v, strict=True)],
                )
                for (W, v), true in zip(found, truth, strict=True)
            ],
            truth,
        )


def digits_kept(relative_error: arb) -> float | None:
    """Decimal digits, -log10 of a relative error, at least 0 and rounded down to one tenth; None without any error."""
    if relative_error == 0:
        return None
    if not relative_error.is_finite():
        return 0.0
    tenths = (-10 * relative_error.log() / arb.const_log10()).lower().floor().unique_fmpz()
    return max(0, int(tenths or 0)) / 10


def _accuracy(distances: Sequence[tuple[list[arb], list[arb]]], truth: Sequence[TrueHead]) -> Accuracy:
    worst_W, worst_v = arb(0), arb(0)
    for (of_W, of_v), true in zip(distances, truth, strict=True):
        worst_W = worst_W.max(_largest(of_W) / _scale(list(chain(*true.W))))
        worst_v = worst_v.max(_largest(of_v) / _scale(true.v))
    return Accuracy(worst_W, worst_v)


def _scale(entries: Sequence[arb]) -> arb:
    """The largest entry; 1 for W = 0, so that its error counts as it is."""
    largest = _largest([abs(entry) for entry in entries])
    return largest if largest > 0 else arb(1)


def _largest(values: Sequence[arb]) -> arb:
    largest = arb(0)
    for value in values:
        largest = largest.max(value)
    return largest


def _entries(
    left: Sequence[Sequence[arb]], right: Sequence[Sequence[arb]]
) -> Iterator[tuple[arb, arb]]:
    for a, b in zip(left, right, strict=True):
        yield from zip(a, b, strict=True)


def _bilinear(x: Sequence[int], W: RealMatrix, y: Sequence[int]) -> arb:
    return sum((a * w * b for a, row in zip(x, W, strict=True) for w, b in zip(row, y, strict=True)), arb(0))
