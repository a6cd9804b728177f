"""The even part on sequences of length 1 along a line: piecewise linear, its kinks found as exact numbers.

E(b) = f(b) + f(-b) = sum_j s_j |m_j . b|, where z_j(b) = m_j . b on one token.  Along b = p + tau q it is linear but
for one kink a unit, at tau_j = -(m_j . p) / (m_j . q), where the slope jumps by 2 s_j |m_j . q|.  Two lines that meet
at a point of the graph between them are one kink; otherwise the interval is halved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq

from exactlearn.errors import ConditionFailsError
from exactlearn.fields.scalars import Scalar, rational_part
from exactlearn.places.protocol import IntegerToken

STEP = fmpq(1, 2**96)
"""The slope at a point is that of a step so small that a kink within it would be a coincidence; audits look again."""

MOST_HALVINGS = 4096
"""Intervals looked at before two kinks are held to be too close, or the function to be none of this kind."""

LARGEST_PARAMETER = 2**200
"""All kinks of a random line lie within [-this, this], or the line is drawn anew."""


@dataclass(frozen=True)
class Line:
    """b = p + tau q, with whole entries."""

    p: IntegerToken
    q: IntegerToken

    def at(self, tau: fmpq) -> tuple[IntegerToken, int]:
        """The token `scale` * b with whole entries, and the scale."""
        scale, top = int(tau.q), int(tau.p)
        return tuple(scale * a + top * b for a, b in zip(self.p, self.q, strict=True)), scale


@dataclass(frozen=True)
class Piece:
    """One linear piece: value = offset + slope * tau."""

    offset: Scalar
    slope: Scalar

    def at(self, tau: fmpq) -> Scalar:
        """Its value."""
        return self.offset + self.slope * tau


@dataclass(frozen=True)
class Kink:
    """A kink at tau, where the slope jumps by `jump`."""

    tau: Scalar
    jump: Scalar


class EvenAlongLine:
    """E along a line, from single-token values."""

    def __init__(self, even: Callable[[IntegerToken], Scalar], line: Line) -> None:
        self.on_token = even
        self.line = line

    def __call__(self, tau: fmpq) -> Scalar:
        """E(p + tau q); E is homogeneous, so whole tokens are enough."""
        token, scale = self.line.at(tau)
        return self.on_token(token) / scale

    def piece(self, tau: fmpq) -> Piece:
        """The linear piece just right of tau."""
        value = self(tau)
        slope = (self(tau + STEP) - value) / STEP
        return Piece(value - slope * tau, slope)


def find_kinks(function: EvenAlongLine, generator: random.Random, most: int) -> list[Kink]:
    """All kinks along the line, from left to right.

    Args:
        function: E along a line in general position.
        generator: Where the points in between come from.
        most: An upper bound on the number of units.

    Raises:
        ConditionFailsError: For more kinks than `most`, or kinks too close to be told apart.
    """
    end = fmpq(16)
    while True:
        left, right = function.piece(-end - _fraction(generator)), function.piece(end + _fraction(generator))
        if (left.slope, left.offset) == (-right.slope, -right.offset):
            break
        end *= 2**12
        if end > LARGEST_PARAMETER:
            raise ConditionFailsError("the even part is not linear far out: this is no ReLU network")
    kinks = []
    for kink in _between(function, (-end, left), (end, right), generator):
        kinks.append(kink)
        if len(kinks) > most:
            raise ConditionFailsError(f"there are more than {most} units that can be told apart: give a larger bound")
    return kinks


def _between(
    function: EvenAlongLine, left: tuple[fmpq, Piece], right: tuple[fmpq, Piece], generator: random.Random
) -> Iterator[Kink]:
    """The kinks between two points, whose pieces are known."""
    waiting, looked_at = [(left, right)], 0
    while waiting:
        (a, first), (b, last) = waiting.pop()
        looked_at += 1
        if looked_at > MOST_HALVINGS:
            raise ConditionFailsError("two kinks are too close to each other to be told apart")
        if first == last:
            continue
        if first.slope != last.slope:
            tau = (first.offset - last.offset) / (last.slope - first.slope)
            if a < tau < b and _is_one_kink(function, first, last, tau):
                yield Kink(tau, last.slope - first.slope)
                continue
        middle = a + (b - a) * (fmpq(1, 4) + _fraction(generator) / 2)
        piece = function.piece(middle)
        waiting += [((middle, piece), (b, last)), ((a, first), (middle, piece))]


def _is_one_kink(function: EvenAlongLine, first: Piece, last: Piece, tau: Scalar) -> bool:
    """Whether the graph changes from the first line to the last right at tau, which may be irrational."""
    below = just_below(tau)
    after = tau if below == tau else below + STEP
    before = tau - STEP if below == tau else below
    return function.piece(after) == last and function(before) == first.at(before)


def just_below(tau: Scalar) -> fmpq:
    """A rational number itself; of an irrational one the largest multiple of STEP below it."""
    known = rational_part(tau)
    return fmpq((tau / STEP).floor()) * STEP if known is None else known


def _fraction(generator: random.Random) -> fmpq:
    """A random rational strictly between 0 and 1."""
    return fmpq(generator.randint(1, 2**24 - 1), 2**24)


def points_between(kinks: list[Kink]) -> list[fmpq]:
    """A simple rational in each of the cells before, between and after the kinks, but for the last cell."""
    points = [fmpq(kinks[0].tau.floor()) - 1] if kinks else []
    points += [_simplest(just_below(a.tau), just_below(b.tau)) for a, b in pairwise(kinks)]
    return [fmpq(point) for point in points]


def _simplest(low: fmpq, high: fmpq) -> fmpq:
    """The rational with the smallest denominator strictly in the middle half of the interval (Stern and Brocot)."""
    quarter = (high - low) / 4
    low, high = low + quarter, high - quarter
    if low < 0 < high:
        return fmpq(0)
    if high <= 0:
        return -_simplest_positive(-high, -low)
    return _simplest_positive(low, high)


def _simplest_positive(low: fmpq, high: fmpq) -> fmpq:
    whole = fmpq(low.floor())
    if whole == low or whole + 1 <= high:
        return whole if whole == low and whole > 0 else whole + 1 if whole + 1 <= high else whole
    return whole + 1 / _simplest_positive(1 / (high - whole), 1 / (low - whole))
