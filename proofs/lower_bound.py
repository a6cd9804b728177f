"""A learner that asks fewer than H d^2 + H d queries cannot tell all models apart.

Let N = H d^2 + H d, the number of parameters.  For every deterministic learner, adaptive or not, that asks at most
N - 1 value queries of models with H heads and real parameters, and in every open set of parameters, there are two
models that are different functions and give it the same answers.  N cannot be raised by this argument: at almost
every model some N queries have a Jacobian of rank N.

For all (H, d), in words:
Within the open set take a ball M_0 of canonical models.  Suppose M_j is a connected real-analytic manifold of
models, of dimension at least N - j, on which the first j answers are constant; then the next query is the same for
all of M_j, and f of it is an analytic function on M_j.  If it is constant, put M_(j+1) = M_j.  Else its derivative
is not zero somewhere, and near such a point a level set is a manifold of dimension one less: M_(j+1).  After m < N
queries M_m has dimension at least 1, so it has infinitely many models, at most H! of each function ("canonical").  A
randomised learner is a deterministic one for each outcome of its coins.
For the rank: the Jacobian's determinant is analytic in the parameters, so if it is not zero at one model it is zero
on a set of measure zero.
What this does not show: that N queries are enough (it is so for H = 1, "single-head"; the schedule here asks 4 H
d^2 - 2 H + 1), nor anything of models with rational parameters only, which are countably many.

By computation:
At one log-rational model the exact rank over Q of the derivatives by all W_h[a,b] and v_h[a] is N, for the values of
at most 3N sequences of two or three tokens with small whole entries; so some N of these have the rank N.
"""

from __future__ import annotations

import random

from flint import fmpq, fmpq_mat

from exactlearn.model import dot
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict

MOST_ROUNDS = 3
"""Rounds of N queries; a few in a round may be dependent."""

Sequence = list[list[fmpq]]


def check(size: Size) -> Verdict:
    """The part that is computed: rank N at one model."""
    return _has_full_rank(size, first_value_vanishes=False)


def control(size: Size) -> Verdict:
    """v_1 = 0: the model is not canonical, and its W_1 is invisible."""
    return _has_full_rank(size, first_value_vanishes=True)


def _has_full_rank(size: Size, *, first_value_vanishes: bool) -> Verdict:
    heads, dim = size.H, size.d
    parameters = heads * dim**2 + heads * dim
    generator = random.Random(0)
    T = [
        [[fmpq(generator.randint(1, 9), generator.randint(1, 9)) for _ in range(dim)] for _ in range(dim)]
        for _ in range(heads)
    ]
    v = [[fmpq(generator.randint(1, 9)) for _ in range(dim)] for _ in range(heads)]
    if first_value_vanishes:
        v[0] = [fmpq(0)] * dim
    rows: list[list[fmpq]] = []
    rank = 0
    while rank < parameters and len(rows) < MOST_ROUNDS * parameters:
        for query in range(parameters):
            tokens = [[fmpq(generator.randint(-3, 3)) for _ in range(dim)] for _ in range(2 + query % 2)]
            rows.append(_derivatives(T, v, tokens))
        rank = fmpq_mat(rows).rank()
    if rank != parameters:
        return Fails(rank, f"{len(rows)} queries have the rank {rank}, not {parameters}")
    return Holds(f"{parameters} of {len(rows)} queries have the rank {rank} at a rational point, so almost everywhere")


def _derivatives(T: list[Sequence], v: Sequence, tokens: Sequence) -> list[fmpq]:
    """The derivatives of f(tokens) by every W_h[a,b] and v_h[a], W_h = log T_h."""
    final, row = tokens[-1], []
    for matrix, values in zip(T, v, strict=True):
        weights = [_exponential(token, matrix, final) for token in tokens]
        normal = sum(weights, fmpq(0))
        shares = [weight / normal for weight in weights]
        outputs = [dot(values, token) for token in tokens]
        mean = dot(shares, outputs)
        # d softmax_i / d score_i' = softmax_i (delta_ii' - softmax_i'); the score of i has the slope x_i[a] x_n[b].
        slopes = [share * (output - mean) for share, output in zip(shares, outputs, strict=True)]
        for a in range(len(final)):
            along = dot(slopes, [token[a] for token in tokens])
            row += [along * entry for entry in final]
        row += [dot(shares, [token[a] for token in tokens]) for a in range(len(final))]
    return row


def _exponential(x: list[fmpq], T: Sequence, y: list[fmpq]) -> fmpq:
    """exp(x^T log(T) y) for whole x and y."""
    result = fmpq(1)
    for a, row in zip(x, T, strict=True):
        for b, entry in zip(y, row, strict=True):
            result *= entry ** int((a * b).p)
    return result


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="v_1 = 0",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(6, 6),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
