"""On a good draw the learner's method returns the canonical heads.

With X = [x_1 ... x_d], Y = [y_1 ... y_d], E_h[i,j] = log t_h(x_i, y_j) and c_h[i] = v_h.x_i, matched to one order of
heads, X^T W_h Y = E_h and X^T v_h = c_h have the unique solutions  W_h = X^-T E_h Y^-1,  v_h = X^-T c_h.

For all (H, d), in words:
X^T W Y = E is E[i,j] = x_i^T W y_j written as a matrix; X and Y are invertible on a good draw, so multiplying by
X^-T and Y^-1 gives the one solution.  The whole method: at every probe the values F(1), ..., F(2H) with F(0) are
those of one copy-count function ("rational-form", "determination"), so poles and residues are found, H at each probe
as no residue is zero and no two poles meet; "matching" puts the heads of all probes in one order, first down column
1, then along every row; the assembly above gives every W_h and v_h.  For log-rational weights W = log T the same
runs with products of powers in place of sums.  What is found is the canonical model of the black box up to order,
which is all that its values determine ("canonical").

By computation:
The method after the interpolation, on the draw whose coordinates are indeterminates, W_h and v_h symbolic: the heads
of every probe are shuffled, matched through the shuffled sum probes by comparing polynomials, and assembled by
adjugates: det X det Y W_h = adj(X)^T E_h adj(Y) and det X v_h = adj(X)^T c_h.  The linear map W -> X^T W Y has the
determinant (det X)^d (det Y)^d (d <= 2).
"""

from __future__ import annotations

from typing import Any

from exactlearn.polynomials import (
    Polynomial,
    add,
    adjugate,
    bilinear,
    determinant,
    dot,
    indeterminates,
    multiply,
    transpose,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _recovers(size.H, size.d, repeated=False)


def control(size: Size) -> Verdict:
    """The last x is the first once more, so X is singular; d is at least 2."""
    return _recovers(size.H, max(size.d, 2), repeated=True)


def _recovers(heads: int, dim: int, *, repeated: bool) -> Verdict:
    ring = indeterminates(x=(dim, dim), y=(dim, dim), W=(heads, dim, dim), v=(heads, dim))
    x = [*ring.x[:-1], ring.x[0]] if repeated else ring.x
    poles, residues = _matched(ring, x)
    X, Y = transpose(x), transpose(ring.y)
    det_X, det_Y = determinant(X), determinant(Y)
    if det_X.is_zero() or det_Y.is_zero():
        return Fails(x, "det X or det Y is zero: the equations do not determine W")
    left, right = transpose(adjugate(X)), adjugate(Y)
    found = []
    for E, c in zip(poles, residues, strict=True):
        found.append((multiply(multiply(left, E), right), [dot(row, c) for row in left]))
    wanted = [
        ([[det_X * det_Y * entry for entry in row] for row in W], [det_X * entry for entry in v])
        for W, v in zip(ring.W, ring.v, strict=True)
    ]
    if any(head not in wanted for head in found) or any(head not in found for head in wanted):
        return Fails(found, "the assembled heads are not the model's")
    if dim <= 2 and _map_determinant(ring, x, dim) != (det_X * det_Y) ** dim:
        return Fails(dim, "the determinant of W -> X^T W Y is another one")
    return Holds("shuffled, matched, assembled: the model's heads")


def _map_determinant(ring: Any, x: list[list[Polynomial]], dim: int) -> Polynomial:
    """Of the map that takes the entries W[a][b] to those of X^T W Y."""
    indices = [(i, j) for i in range(dim) for j in range(dim)]
    return determinant([[x[i][a] * ring.y[j][b] for a, b in indices] for i, j in indices])


def _matched(ring: Any, x: list[list[Polynomial]]) -> tuple[list[list[list[Polynomial]]], list[list[Polynomial]]]:
    """E_h and c_h for every head, in the order in which the first probe shows the heads."""
    dim, heads = len(x), len(ring.W)
    column = [_seen(ring, x[0], ring.y[0], shift=1)]
    for i in range(1, dim):
        seen = _seen(ring, x[i], ring.y[0], shift=i)
        summed = _seen(ring, add(x[0], x[i]), ring.y[0], shift=2 * i)
        column.append(_in_order(column[0], seen, summed))
    table = [column]
    for j in range(1, dim):
        column = []
        for i in range(dim):
            seen = _seen(ring, x[i], ring.y[j], shift=i + j)
            summed = _seen(ring, x[i], add(ring.y[0], ring.y[j]), shift=3 * i + j)
            column.append(_in_order(table[0][i], seen, summed))
        table.append(column)
    poles = [[[table[j][i][h][0] for j in range(dim)] for i in range(dim)] for h in range(heads)]
    return poles, [[table[0][i][h][1] for i in range(dim)] for h in range(heads)]


def _seen(ring: Any, x: list[Polynomial], y: list[Polynomial], shift: int) -> list[tuple[Polynomial, Polynomial]]:
    """What a probe shows: (log pole, residue) of every head, in an order of its own."""
    shown = [(bilinear(x, W, y), dot(v, x)) for W, v in zip(ring.W, ring.v, strict=True)]
    start = shift % len(shown)
    return shown[start:] + shown[:start]


def _in_order(first: list[Any], second: list[Any], summed: list[Any]) -> list[Any]:
    """The heads of the second probe in the order of the first, by the poles of the sum probe."""
    poles = [pole for pole, _ in summed]
    ordered = []
    for left, _ in first:
        candidates = [head for head in second if left + head[0] in poles]
        if len(candidates) != 1:
            raise ValueError(f"{len(candidates)} candidates for one head")
        ordered.append(candidates[0])
    return ordered


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="x_d = x_1, so that X is singular",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(4, 5),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
