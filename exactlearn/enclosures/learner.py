"""The learner on balls: every entry of every head as a ball that contains the true one (DESIGN sections 4 and 8).

It asks the queries of the schedule "paper" and follows the exact learner step by step.  Nothing is rounded that is not
accounted for in a radius; where balls are too wide for a decision it says which one, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from flint import arb, ctx, fmpq

from exactlearn.draws import Draw
from exactlearn.enclosures.matching import match_by_values, match_enclosures
from exactlearn.enclosures.oracles import BallOracle
from exactlearn.enclosures.probe import EnclosedProbe, enclose_probe
from exactlearn.errors import TooCoarseError, UnusableInputError
from exactlearn.model import Unit
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.real import as_ball, unit_as_ball
from exactlearn.schedule import PaperSchedule
from exactlearn.stability.schedule_constants import inverse_of_rows

_LEAST_BITS = 256


@dataclass(frozen=True)
class EnclosedHead:
    """One head: balls that contain W and v.

    Attributes:
        W: The weights as they stand in the score x^T W y, unit and logarithm included; d rows of d balls.
        v: d balls.
    """

    W: tuple[tuple[arb, ...], ...]
    v: tuple[arb, ...]

    def weights_in(self, unit: Unit) -> tuple[tuple[arb, ...], ...]:
        """W as a model file with this unit and rational weights has it."""
        with ctx.workprec(_precision(list(chain(*self.W)))):
            factor = unit_as_ball(unit)
            return tuple(tuple(w / factor for w in row) for row in self.W)

    def exponentials_in(self, unit: Unit) -> tuple[tuple[arb, ...], ...]:
        """T with W = unit * log T, as a model file with log-rational weights has it."""
        with ctx.workprec(_precision(list(chain(*self.W)))):
            factor = unit_as_ball(unit)
            return tuple(tuple((w / factor).exp() for w in row) for row in self.W)


@dataclass(frozen=True)
class EnclosedResult:
    """What `learn_enclosures` found.

    Attributes:
        heads: As many as were told, in ascending order of their poles at P(1,1).
        draw: The tokens.
        queries: Value queries asked; equals `predicted_queries`.
        max_length: Tokens in the longest of them.
        predicted_queries: What the schedule states.
        predicted_max_length: Likewise.
    """

    heads: tuple[EnclosedHead, ...]
    draw: Draw
    queries: int
    max_length: int
    predicted_queries: int
    predicted_max_length: int


def learn_enclosures(oracle: BallOracle, draw: Draw, heads: int) -> EnclosedResult:
    """Every head of the attention model behind the oracle, as balls.

    Args:
        oracle: Its answers are balls that contain the true values.
        draw: The tokens; a draw on the bad set always is too coarse.
        heads: The exact number H of canonical heads.

    Raises:
        TooCoarseError: When the balls are too wide; it names the poles, the head or the match that can't be told.
        NotAttentionError: When the balls hold no values of an attention model with H heads.
        UnusableInputError: When the draw does not fit, or H is negative.
    """
    if len(draw.X) != oracle.dim or len(draw.Y) != oracle.dim:
        raise UnusableInputError(f"the draw has {len(draw.X)} and {len(draw.Y)} tokens, not {oracle.dim}", "draw")
    if heads < 0:
        raise UnusableInputError(f"a whole number from 0 on is expected, not {heads}", "heads")
    schedule = PaperSchedule(oracle.dim, heads)
    value_at_y1 = oracle.value((draw.Y[0],))
    found = _Reading(oracle, draw, heads, value_at_y1).heads() if heads else ()
    return EnclosedResult(
        found,
        draw,
        oracle.tally.queries,
        oracle.tally.max_length,
        schedule.predicted_queries,
        schedule.predicted_max_length,
    )


class _Reading:
    """One draw, column by column."""

    def __init__(self, oracle: BallOracle, draw: Draw, count: int, value_at_y1: arb) -> None:
        self.oracle = oracle
        self.draw = draw
        self.count = count
        self.value_at_y1 = value_at_y1
        self.x_inverse = inverse_of_rows(draw.X)
        self.y_inverse = inverse_of_rows(draw.Y)

    def heads(self) -> tuple[EnclosedHead, ...]:
        first = self._first_column()
        V = [_dot(row, [probe.residue_sum for probe in first]) for row in self.x_inverse]
        columns = [first, *(self._column(j, first, V) for j in range(1, len(self.draw.Y)))]
        return tuple(self._head(h, columns) for h in range(self.count))

    def _first_column(self) -> list[EnclosedProbe]:
        X, y = self.draw.X, self.draw.Y[0]
        column = [self._probe("P(1,1)", X[0], y, self.value_at_y1)]
        for i in range(1, len(X)):
            probe = self._probe(f"P({i + 1},1)", X[i], y, self.value_at_y1)
            answers = self.oracle.copies(_sum(X[0], X[i]), y, 2 * self.count)
            column.append(_matched(column[0], probe, answers, self.value_at_y1, f"S({i + 1},1)", same_x=False))
        return column

    def _column(self, j: int, first: Sequence[EnclosedProbe], V: Sequence[arb]) -> list[EnclosedProbe]:
        y, both_y = self.draw.Y[j], _sum(self.draw.Y[0], self.draw.Y[j])
        at_y, at_both = _dot([fmpq(b) for b in y], V), _dot([fmpq(b) for b in both_y], V)
        column = []
        for i, x in enumerate(self.draw.X):
            probe = self._probe(f"P({i + 1},{j + 1})", x, y, at_y)
            answers = self.oracle.copies(x, both_y, 2 * self.count)
            column.append(_matched(first[i], probe, answers, at_both, f"S({i + 1},{j + 1})", same_x=True))
        return column

    def _probe(self, name: str, x: IntegerToken, y: IntegerToken, value_at_zero: arb) -> EnclosedProbe:
        return enclose_probe(self.oracle.copies(x, y, 2 * self.count), value_at_zero, name)

    def _head(self, h: int, columns: Sequence[Sequence[EnclosedProbe]]) -> EnclosedHead:
        """W = X^-T E Y^-1 with E[i, j] = s_h(x_i, y_j), and v = X^-T c with c[i] = c_h(x_i)."""
        dim = range(len(self.draw.X))
        rows = [[_dot(self.y_inverse[b], [column[i].log_poles[h] for column in columns]) for b in dim] for i in dim]
        W = tuple(tuple(_dot(self.x_inverse[a], [rows[i][b] for i in dim]) for b in dim) for a in dim)
        v = tuple(_dot(self.x_inverse[a], [probe.residues[h] for probe in columns[0]]) for a in dim)
        return EnclosedHead(W, v)


def _matched(
    left: EnclosedProbe, right: EnclosedProbe, answers: Sequence[arb], value_at_zero: arb, name: str, *, same_x: bool
) -> EnclosedProbe:
    """The probe on the right with its heads in the order of those on the left."""
    with ctx.workprec(_precision(answers)):
        try:
            partner = match_enclosures(left, right, enclose_probe(answers, value_at_zero, name), name, same_x=same_x)
        except TooCoarseError:
            by_values = match_by_values(left, right, answers, value_at_zero, same_x=same_x)
            if by_values is None:
                raise
            partner = by_values
    return right.in_order(partner)


def _precision(balls: Sequence[arb]) -> int:
    """Bits with which rounding is far below the radii of such balls, and exact ones stay exact."""
    largest = max(_log2(ball.mid()) for ball in balls)
    finest = min(_log2(ball.rad()) if ball.rad() > 0 else _log2(ball.mid()) - ball.mid().bits() for ball in balls)
    return max(_LEAST_BITS, 64 + largest - finest)


def _log2(number: arb) -> int:
    """The binary exponent of a number without radius; 0 for zero."""
    mantissa, exponent = number.man_exp()
    return int(exponent) + int(mantissa.bit_length())


def _dot(left: Sequence[fmpq], right: Sequence[arb]) -> arb:
    size = max(int(entry.height_bits()) for entry in left)
    with ctx.workprec(_precision(right) + size):
        return sum((as_ball(a) * b for a, b in zip(left, right, strict=True)), arb(0))


def _sum(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(left, right, strict=True))
