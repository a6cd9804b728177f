"""Value queries whose answers are balls: counted, and the black box whose answers were rounded to a format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from flint import arb, ctx, fmpq

from exactlearn.enclosures.output_formats import OutputFormat
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import Tally
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.real import RealBlackBox, as_ball, exact_ends

_MOST_BITS = 1000
"""A value this close to half way between two numbers of a format is taken to be half way."""


class BallBlackBox(Protocol):
    """Answers value queries by balls that contain the true values."""

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        """F of the sequence, read at its last token."""
        ...

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int]) -> list[arb]:
        """F of k copies of x + y followed by y, for each k of `counts`."""
        ...


@dataclass
class BallOracle:
    """Value queries to a black box that answers by balls, counted.

    Attributes:
        dim: The dimension d of the tokens.
        tally: Queries asked, and the tokens of the longest.
    """

    dim: int
    _black_box: BallBlackBox = field(repr=False)
    tally: Tally = field(default_factory=Tally)

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        """The ball of f on one sequence."""
        self._count(1, len(tokens))
        return self._black_box.value(tokens)

    def copies(self, x: IntegerToken, y: IntegerToken, most: int) -> list[arb]:
        """The balls of F(1), ..., F(most)."""
        self._count(most, most + 1)
        return self._black_box.copies(x, y, range(1, most + 1))

    def _count(self, queries: int, length: int) -> None:
        self.tally.queries += queries
        self.tally.max_length = max(self.tally.max_length, length if queries else 0)


def ball_oracle(model: MultiHeadAttention, bits: int) -> BallOracle:
    """A model as a black box at the real place: every answer has a radius of at most 2^-bits."""
    return BallOracle(model.dim, RealBlackBox(model, bits))


def rounded_oracle(model: MultiHeadAttention, outputs: OutputFormat) -> BallOracle:
    """A model whose outputs are correctly rounded to a format."""
    return BallOracle(model.dim, RoundedBlackBox(model, outputs))


@dataclass
class RoundedBlackBox:
    """A model's values rounded to a format; an answer is the rounded number, and half an ulp as its radius.

    The rounding is correct: the value's ball is refined until both of its ends round to one number.  A value that is
    half way between two, as far as 1000 bits tell, goes to the even one.
    """

    _model: MultiHeadAttention = field(repr=False)
    outputs: OutputFormat
    _finer: dict[int, RealBlackBox] = field(default_factory=dict, repr=False)

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        """F of the sequence, rounded."""
        return self._rounded(lambda box: box.value(tokens))

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int]) -> list[arb]:
        """F for every k, rounded."""
        return [self._copies(x, y, k) for k in counts]

    def _copies(self, x: IntegerToken, y: IntegerToken, count: int) -> arb:
        return self._rounded(lambda box: box.copies(x, y, [count])[0])

    def _rounded(self, ask: Callable[[RealBlackBox], arb]) -> arb:
        bits = 64 + self.outputs.digits + 4 * self.outputs.decimals
        while True:
            box = self._finer.setdefault(bits, RealBlackBox(self._model, bits))
            lower, upper = exact_ends(ask(box))
            rounded, other = self.outputs.round(lower), self.outputs.round(upper)
            if rounded == other:
                return ball_of_width(rounded, self.outputs.radius(rounded))
            if bits > _MOST_BITS + 4 * self.outputs.decimals:
                rounded = self.outputs.round((rounded + other) / 2)
                return ball_of_width(rounded, self.outputs.radius(rounded) + (upper - lower))
            bits *= 2


def ball_of_width(middle: fmpq, radius: fmpq) -> arb:
    """A ball with every number inside that is within `radius` of `middle`, and hardly any other."""
    with ctx.workprec(64 + int(middle.p.bit_length() + middle.q.bit_length() + radius.q.bit_length())):
        centre = as_ball(middle)
        return centre + arb(0, as_ball(radius).upper())
