"""The learner on approximate outputs: what an error of the outputs does to the parameters, as it happens.

It does what the exact learner does, step for step (DESIGN section 4), with numbers known to many digits in place of
images: each probe's 2H + 1 values give one rational function; its poles and residues are read off; heads are matched
by the smallest miss; V from column 1 gives the later F(0); logarithms, X^-T and Y^-1 give W and v.  Its answers are
balls, whose radius is its own rounding and far below any error that is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpq_poly

from exactlearn.draws import Draw
from exactlearn.errors import TooCoarseError
from exactlearn.stability.arithmetic import ball
from exactlearn.stability.first_order import AT_Y1
from exactlearn.stability.schedule_constants import inverse_of_rows

Outputs = Mapping[str, Sequence[fmpq]]
"""F(1), ..., F(2H) of every probe by its name, and under `AT_Y1` the one value F(0) at y_1."""


@dataclass(frozen=True)
class ApproximateProbe:
    """What one probe's values say: log-poles ascending, with the residues in their order."""

    log_poles: list[arb]
    residues: list[arb]

    def in_order(self, partner: Sequence[int]) -> ApproximateProbe:
        """The same with the heads in another order."""
        return ApproximateProbe([self.log_poles[g] for g in partner], [self.residues[g] for g in partner])


@dataclass(frozen=True)
class ApproximateHead:
    """One head: the weights themselves (unit and logarithm included) and v."""

    W: list[list[arb]]
    v: list[arb]


def read_probe(name: str, value_at_zero: fmpq, values: Sequence[fmpq]) -> ApproximateProbe:
    """The only function V.y + sum_h c_h k t_h / (1 + k t_h) with these values at k = 1, ..., 2H.

    Raises:
        TooCoarseError: When there is none with distinct t_h > 0.
    """
    differences = [value - value_at_zero for value in values]
    denominator = probe_denominator(name, differences)
    H = len(values) // 2
    characteristic = fmpq_poly([(-1) ** (H - m) * denominator[H - m] for m in range(H + 1)])
    found: Any = characteristic.numer().complex_roots()
    roots = [root for root, multiplicity in found if multiplicity == 1]
    if len(roots) < H:
        raise TooCoarseError("no such function", name, "two poles are one")
    if any(root.imag != 0 for root in roots):
        nearest = next(root for root in roots if root.imag != 0)
        raise TooCoarseError("complex poles", name, f"the two near t = {nearest.real.mid().str(4, radius=False)}")
    poles = sorted((root.real for root in roots), key=lambda root: root.mid())
    if not all(t > 0 for t in poles):
        raise TooCoarseError("negative pole", name)
    return ApproximateProbe([t.log() for t in poles], _residues(differences, denominator, poles))


def probe_denominator(name: str, differences: Sequence[fmpq]) -> list[fmpq]:
    """q_0 = 1, ..., q_H: k^m G(k) Q(k), m < H, is a polynomial of degree < 2H - 1, and so are its differences zero."""
    count = len(differences)
    H = count // 2
    weights = [(-1) ** k * math.comb(count - 1, k - 1) * value / k for k, value in enumerate(differences, 1)]
    moments = [sum((w * k**n for k, w in enumerate(weights, 1)), fmpq(0)) for n in range(count)]
    system = fmpq_mat([[moments[m + n] for n in range(1, H + 1)] for m in range(H)])
    right = fmpq_mat([[-moments[m]] for m in range(H)])
    try:
        found: list[fmpq] = system.solve(right).entries()
    except ZeroDivisionError:
        raise TooCoarseError("no such function", name) from None
    if found[-1] == 0:
        raise TooCoarseError("no such function", name, "fewer poles show")
    return [fmpq(1), *found]


def _residues(differences: Sequence[fmpq], denominator: Sequence[fmpq], poles: Sequence[arb]) -> list[arb]:
    """c_h = P(a_h) / Q'(a_h) at a_h = -1/t_h, with P/Q = D(k)/k and Q = prod (1 + k t_g)."""
    H = len(poles)
    Q, residues = fmpq_poly(list(denominator)), []
    nodes = range(1, H + 1)
    P = fmpq_mat([[fmpq(k) ** m for m in range(H)] for k in nodes]).solve(
        fmpq_mat([[differences[k - 1] / k * Q(fmpq(k))] for k in nodes])
    )
    coefficients = [ball(entry) for entry in P.entries()]
    for h, t in enumerate(poles):
        value = sum((entry * (-1 / t) ** m for m, entry in enumerate(coefficients)), arb(0))
        slope = t
        for g, s in enumerate(poles):
            slope = slope if g == h else slope * (1 - s / t)
        residues.append(value / slope)
    return residues


def match(name: str, left: ApproximateProbe, right: ApproximateProbe, both: ApproximateProbe) -> list[int]:
    """The partner on the right of each head on the left: the one whose sum comes nearest to a log-pole of `both`.

    Raises:
        TooCoarseError: When two heads have one partner.
    """
    partner = []
    for s in left.log_poles:
        misses = [_least([abs(s + r - b) for b in both.log_poles]) for r in right.log_poles]
        partner.append(min(range(len(misses)), key=lambda g: misses[g].mid()))
    if len(set(partner)) < len(partner):
        raise TooCoarseError("wrong match", name, "two heads have one partner")
    return partner


def _least(values: Sequence[arb]) -> arb:
    return min(values, key=lambda value: value.mid())


def learn_approximately(outputs: Outputs, draw: Draw) -> tuple[ApproximateHead, ...]:
    """The heads, in ascending order of their poles at P(1,1).

    Args:
        outputs: Rationals, as far from the truth as they may be.
        draw: The tokens.

    Raises:
        TooCoarseError: When the outputs are too far from those of any model, or leave no match.
    """
    d, X = len(draw.X), inverse_of_rows(draw.X)
    value_at_y1 = outputs[AT_Y1][0]

    def probe(name: str, value_at_zero: fmpq) -> ApproximateProbe:
        return read_probe(name, value_at_zero, outputs[name])

    first = [probe("P(1,1)", value_at_y1)]
    for i in range(1, d):
        seen, both = probe(f"P({i + 1},1)", value_at_y1), probe(f"S({i + 1},1)", value_at_y1)
        first.append(seen.in_order(match(f"S({i + 1},1)", first[0], seen, both)))
    columns = [first]
    sums = [sum(row.residues, arb(0)) for row in first]
    V = [_dot(X[a], sums) for a in range(d)]
    for j in range(1, d):
        at_yj = _dot([fmpq(b) for b in draw.Y[j]], V)
        at_sum = at_yj + _dot([fmpq(b) for b in draw.Y[0]], V)
        column = []
        for i in range(d):
            seen = probe(f"P({i + 1},{j + 1})", _midpoint(at_yj))
            both = probe(f"S({i + 1},{j + 1})", _midpoint(at_sum))
            column.append(seen.in_order(match(f"S({i + 1},{j + 1})", first[i], seen, both)))
        columns.append(column)
    return tuple(_head(h, columns, X, inverse_of_rows(draw.Y)) for h in range(len(first[0].residues)))


def _head(
    h: int, columns: Sequence[Sequence[ApproximateProbe]], X: list[list[fmpq]], Y: list[list[fmpq]]
) -> ApproximateHead:
    d = len(X)
    # E Y^-1 by rows, then X^-T from the left.
    rows = [[_dot(Y[b], [column[i].log_poles[h] for column in columns]) for b in range(d)] for i in range(d)]
    W = [[_dot(X[a], [rows[i][b] for i in range(d)]) for b in range(d)] for a in range(d)]
    return ApproximateHead(W, [_dot(X[a], [row.residues[h] for row in columns[0]]) for a in range(d)])


def _dot(left: Sequence[fmpq], right: Sequence[arb]) -> arb:
    return sum((ball(a) * b for a, b in zip(left, right, strict=True)), arb(0))


def _midpoint(value: arb) -> fmpq:
    mantissa, exponent = value.mid().man_exp()
    power = fmpq(2) ** int(exponent)
    return fmpq(mantissa) * power
