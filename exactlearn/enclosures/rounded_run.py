"""One model, one draw, outputs rounded to a format: what is proved of the parameters, and what an estimate gives."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, ctx

from exactlearn.draws import Draw
from exactlearn.enclosures.learner import EnclosedResult, learn_enclosures
from exactlearn.enclosures.oracles import BallBlackBox, BallOracle, RoundedBlackBox
from exactlearn.enclosures.output_formats import OutputFormat
from exactlearn.enclosures.probe import exact_midpoint
from exactlearn.enclosures.truth import Accuracy, TrueHead, contains, errors, radii, true_heads
from exactlearn.errors import TooCoarseError
from exactlearn.model import MultiHeadAttention
from exactlearn.places.protocol import IntegerToken
from exactlearn.stability.approximate_learner import ApproximateHead, Outputs, learn_approximately
from exactlearn.stability.first_order import AT_Y1

_FIRST_BITS = 256
_MOST_BITS = 1 << 17

_MOST_HEADS_PERMUTED = 6
"""Heads of an estimate are assigned to the true ones as is best for it, up to so many heads."""


@dataclass(frozen=True)
class RoundedRun:
    """What rounded outputs tell of a canonical model.

    Attributes:
        outputs: The format.
        draw: The tokens.
        truth: The model's heads.
        enclosed: What the learner on balls found, or None when the outputs are too coarse for it.
        too_coarse: Why.
        estimate: The error of the plain estimate, which takes the rounded outputs for exact; None when there is none.
        no_estimate: Why.
    """

    outputs: OutputFormat
    draw: Draw
    truth: tuple[TrueHead, ...]
    enclosed: EnclosedResult | None
    too_coarse: TooCoarseError | None
    estimate: Accuracy | None
    no_estimate: TooCoarseError | None

    @property
    def proved(self) -> Accuracy | None:
        """The radii of the balls."""
        return None if self.enclosed is None else radii(self.enclosed.heads, self.truth)

    @property
    def actual(self) -> Accuracy | None:
        """The distances of the balls' midpoints to the truth."""
        return None if self.enclosed is None else errors([(h.W, h.v) for h in self.enclosed.heads], self.truth)

    @property
    def holds(self) -> bool | None:
        """Whether every true parameter lies in its ball; anything else would be a fault of the program."""
        return None if self.enclosed is None else contains(self.enclosed.heads, self.truth)


def rounded_run(model: MultiHeadAttention, draw: Draw, outputs: OutputFormat) -> RoundedRun:
    """Learn a canonical model from its outputs rounded to a format, at these tokens.

    Raises:
        UnusableInputError: When an output is too large for the format.
    """
    black_box = _Remembering(RoundedBlackBox(model, outputs))
    heads, bits = len(model.heads), _FIRST_BITS + outputs.digits + 4 * outputs.decimals
    truth = true_heads(model, draw, 2 * bits)
    enclosed = too_coarse = estimate = no_estimate = None
    try:
        enclosed = learn_enclosures(BallOracle(model.dim, black_box), draw, heads)
    except TooCoarseError as error:
        too_coarse = error
    try:
        estimate = _best_assignment(_estimated(_answers(black_box, draw, heads, outputs), draw, bits), truth)
    except TooCoarseError as error:
        no_estimate = error
    return RoundedRun(outputs, draw, truth, enclosed, too_coarse, estimate, no_estimate)


class _Remembering:
    """A black box that is asked each question once."""

    def __init__(self, black_box: BallBlackBox) -> None:
        self._black_box = black_box
        self._values: dict[tuple[IntegerToken, ...], arb] = {}
        self._copies: dict[tuple[IntegerToken, IntegerToken], list[arb]] = {}

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        key = tuple(tokens)
        if key not in self._values:
            self._values[key] = self._black_box.value(key)
        return self._values[key]

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int]) -> list[arb]:
        # In one run all probes have the same counts.
        if (x, y) not in self._copies:
            self._copies[x, y] = self._black_box.copies(x, y, counts)
        return self._copies[x, y]


def _answers(black_box: _Remembering, draw: Draw, heads: int, outputs: OutputFormat) -> Outputs:
    """The rounded answers to all queries of the schedule, without their radii."""
    counts, d = range(1, 2 * heads + 1), len(draw.X)
    asked = {AT_Y1: [black_box.value((draw.Y[0],))]}
    for i, j in itertools.product(range(d), repeat=2):
        asked[f"P({i + 1},{j + 1})"] = black_box.copies(draw.X[i], draw.Y[j], counts)
        if j:
            asked[f"S({i + 1},{j + 1})"] = black_box.copies(draw.X[i], _sum(draw.Y[0], draw.Y[j]), counts)
        elif i:
            asked[f"S({i + 1},1)"] = black_box.copies(_sum(draw.X[0], draw.X[i]), draw.Y[0], counts)
    # A ball's midpoint is dyadic; rounded once more it is the decimal that was told.
    return {name: [outputs.round(exact_midpoint(answer)) for answer in answers] for name, answers in asked.items()}


def _estimated(answers: Outputs, draw: Draw, enough: int) -> tuple[ApproximateHead, ...]:
    """The estimate, with `enough` correct bits, so that its own rounding is nothing."""
    if not any(len(values) for name, values in answers.items() if name != AT_Y1):
        return ()
    bits = 2 * enough
    while True:
        with ctx.workprec(bits):
            heads = learn_approximately(answers, draw)
            balls = [entry for head in heads for entry in (*head.v, *itertools.chain(*head.W))]
            if all(ball.is_finite() and ball.rad() <= arb(2) ** -enough * (1 + abs(ball.mid())) for ball in balls):
                return heads
        bits *= 2
        if bits > _MOST_BITS:
            raise TooCoarseError("no such function", "P(1,1)", f"{_MOST_BITS} bits are not enough to compute it")


def _best_assignment(heads: tuple[ApproximateHead, ...], truth: tuple[TrueHead, ...]) -> Accuracy:
    """The errors with the heads in the order that makes the larger one of them smallest."""
    orders = itertools.permutations(heads) if len(heads) <= _MOST_HEADS_PERMUTED else [heads]
    found = [errors([(head.W, head.v) for head in order], truth) for order in orders]
    return min(found, key=lambda accuracy: accuracy.W.max(accuracy.v).mid())


def _sum(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(left, right, strict=True))
