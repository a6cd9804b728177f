"""The exact constants once more, from model and draw by the standard library alone: what a checker has to compute."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from math import factorial, prod

import pytest

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.rationals import as_fraction
from exactlearn.stability import stability
from exactlearn.stability.choosing import seeded_draw

Rows = list[list[Fraction]]


def inverse(rows: list[list[int]]) -> Rows:
    """The inverse matrix, by elimination."""
    n = len(rows)
    work = [[Fraction(a) for a in row] + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(rows)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if work[r][i])
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [a / work[i][i] for a in work[i]]
        for r in range(n):
            if r != i:
                work[r] = [a - work[r][i] * b for a, b in zip(work[r], work[i], strict=True)]
    return [row[n:] for row in work]


class Probe:
    """Poles, residues, the inverse Jacobian with column 0, weights and curvature."""

    def __init__(self, t: list[Fraction], c: list[Fraction], nu: Fraction) -> None:
        n, heads = 2 * len(t), range(len(t))
        self.t, self.c = t, c
        size = [(-1) ** j * factorial(j) * factorial(n - j) for j in range(n + 1)]
        top = [prod((1 + j * s) ** 2 for s in t) for j in range(n + 1)]
        self.A_s: Rows = []
        self.A_c: Rows = []
        for h in heads:
            others = [t[g] for g in heads if g != h]
            ones = [1 + i * t[h] for i in range(n + 1)]
            low = c[h] * t[h] ** 2 * prod((t[h] - s) ** 2 for s in others)
            row = [-top[j] * prod(ones) / ones[j] / (size[j] * low) for j in range(n + 1)]
            slope = sum((1 / one for one in ones[1:]), Fraction(0)) + 2 * sum(s / (t[h] - s) for s in others)
            self.A_s.append(row)
            self.A_c.append([-a * c[h] * (slope - 1 / one) for a, one in zip(row, ones, strict=True)])
        self.sigma = [sum(column, Fraction(0)) for column in zip(*self.A_c, strict=True)]
        self.w_s, self.w_c = ([weigh(row, nu) for row in rows] for rows in (self.A_s, self.A_c))
        self.M = Fraction(0)
        for k in range(1, n + 1):
            q = [Fraction(9, 7) * k * s / (1 + k * s) ** 2 for s in t]
            first = summed(min(Fraction(1, 4), q[h]) * self.w_c[h] * self.w_s[h] for h in heads)
            second = summed(min(Fraction(1, 10), q[h]) * abs(c[h]) * self.w_s[h] ** 2 / 2 for h in heads)
            self.M = max(self.M, first + second)


def summed(values: Iterable[Fraction]) -> Fraction:
    """The sum."""
    return sum(values, Fraction(0))


def size_of(row: list[Fraction]) -> Fraction:
    """The sum of absolute values."""
    return summed(abs(a) for a in row)


def weigh(row: list[Fraction], nu: Fraction) -> Fraction:
    """sum_(j >= 1) |row_j| + nu |row_0|."""
    return size_of(row[1:]) + nu * abs(row[0])


def gap(r: Fraction) -> Fraction:
    """Below |log r|."""
    return 2 * abs(r - 1) / (r + 1)


def constants(  # noqa: C901  # one function on purpose: it shows how much there is to compute
    T: list[Rows], v: Rows, X: list[list[int]], Y: list[list[int]]
) -> tuple[Fraction, Fraction, Fraction]:
    """delta_0, C_W and C_v of the heads (T_h, v_h) at a draw."""
    d, H = len(X), len(T)

    def probe(x: list[int], y: list[int], nu: Fraction) -> Probe:
        powers = [[T[h][a][b] ** (x[a] * y[b]) for a in range(d) for b in range(d)] for h in range(H)]
        t = [prod(row, start=Fraction(1)) for row in powers]
        return Probe(t, [sum((v[h][a] * x[a] for a in range(d)), Fraction(0)) for h in range(H)], nu)

    def add(p: list[int], q: list[int]) -> list[int]:
        return [a + b for a, b in zip(p, q, strict=True)]

    XI, YI = inverse(X), inverse(Y)  # X^-T and Y^-T: the rows of X and Y are the tokens
    column_1 = [probe(x, Y[0], Fraction(1)) for x in X]

    def coordinates(y: list[int]) -> list[Fraction]:
        return [sum((y[a] * XI[a][i] for a in range(d)), Fraction(0)) for i in range(d)]

    def nu(y: list[int]) -> Fraction:
        pairs = list(zip(coordinates(y), column_1, strict=True))
        apart = summed(abs(a) * size_of(p.sigma[1:]) for a, p in pairs)
        return apart + abs(summed(a * p.sigma[0] for a, p in pairs))

    columns = [column_1] + [[probe(x, y, nu(y)) for x in X] for y in Y[1:]]
    matches = [(column_1[0], column_1[i], probe(add(X[0], X[i]), Y[0], Fraction(1))) for i in range(1, d)]
    for j in range(1, d):
        y = add(Y[0], Y[j])
        matches += [(column_1[i], columns[j][i], probe(X[i], y, nu(y))) for i in range(d)]
    limits = []
    for p in [p for column in columns for p in column] + [both for _, _, both in matches]:
        limits += [Fraction(3, 16) / p.M, *(Fraction(3, 16) / w for w in p.w_s)]
        limits += [Fraction(3, 8) * abs(c) / w for c, w in zip(p.c, p.w_c, strict=True)]
        for g, h in itertools.combinations(range(H), 2):
            limits.append(Fraction(3, 4) * gap(p.t[g] / p.t[h]) / (p.w_s[g] + p.w_s[h]))
    for left, right, both in matches:
        for h, g in itertools.permutations(range(H), 2):
            for m in range(H):
                reach = 2 * left.w_s[h] + right.w_s[g] + right.w_s[h] + both.w_s[m] + both.w_s[h]
                limits.append(Fraction(3, 4) * gap(left.t[h] * right.t[g] / both.t[m]) / reach)
    C_W = C_v = Fraction(0)
    for h, a in itertools.product(range(H), range(d)):
        rows = [[XI[a][i] * entry for entry in column_1[i].A_c[h]] for i in range(d)]
        C_v = max(C_v, summed(size_of(row[1:]) for row in rows) + abs(summed(row[0] for row in rows)))
        for b in range(d):
            through, total = [Fraction(0)] * d, Fraction(0)
            for j in range(1, d):
                slope = summed(XI[a][i] * YI[b][j] * columns[j][i].A_s[h][0] for i in range(d))
                through = [p + slope * q for p, q in zip(through, coordinates(Y[j]), strict=True)]
                total += summed(abs(XI[a][i] * YI[b][j]) * size_of(columns[j][i].A_s[h][1:]) for i in range(d))
            rows = [
                [XI[a][i] * YI[b][0] * p + through[i] * q for p, q in zip(one.A_s[h], one.sigma, strict=True)]
                for i, one in enumerate(column_1)
            ]
            C_W = max(C_W, total + summed(size_of(row[1:]) for row in rows) + abs(summed(row[0] for row in rows)))
    return min(limits), Fraction(4, 3) * C_W, Fraction(4, 3) * C_v


@pytest.mark.parametrize(
    ("name", "box", "seed"), [("two-heads", 1, 0), ("two-heads", 2, 0), ("equal-w", 1, 3), ("one-dimensional", 2, 0)]
)
def test_the_same_numbers(name: str, box: int, seed: int) -> None:
    """Every constant agrees to the last digit."""
    model = canonical_form(examples.load(name))
    draw = seeded_draw(model, seed, box)
    found = stability(model, draw)
    T = [[[as_fraction(entry) for entry in row] for row in head.W] for head in model.heads]
    v = [[as_fraction(entry) for entry in head.v] for head in model.heads]
    delta_0, C_W, C_v = constants(T, v, [list(x) for x in draw.X], [list(y) for y in draw.Y])
    assert as_fraction(found.delta_0) == delta_0
    assert as_fraction(found.constant("W")) == C_W
    assert as_fraction(found.constant("v")) == C_v
