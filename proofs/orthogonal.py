"""Heads on given orthogonal subspaces are learned one by one, with sum_h (r_h^2 + r_h) queries.

Let U_1, ..., U_H be pairwise orthogonal subspaces of dimensions r_h, known to the learner, with W_h = P_h W_h P_h
and v_h = P_h v_h for the orthogonal projections P_h.  On sequences of tokens from U_h the model is the head h alone;
so the learner of "single-head", run in coordinates of each U_h, recovers all heads.  (This is how we read the
predecessor's condition.)

For all (H, d), in words:
Let x, y in U_h and g != h.  P_g x = 0 as U_g and U_h are orthogonal.  So x^T W_g y = (P_g x)^T W_g P_g y = 0 and
v_g.x = (P_g v_g).x = v_g.(P_g x) = 0: head g averages zeros, whatever its weights, and adds nothing.  With an
orthonormal basis of U_h as columns of a d x r_h matrix B, the tokens B a give the one-head model (B^T W_h B, B^T
v_h) in dimension r_h, learned with r_h^2 + r_h queries ("single-head"), and W_h = B (B^T W_h B) B^T, v_h = B B^T
v_h.

By computation:
For coordinate subspaces, to which an orthogonal change of basis leads, as equal as possible in dimension, all else
symbolic: on the sequence (a + y, y) from U_h the value from the softmax definition with all heads is that of head h
alone; on one token it is v_h.x.  The number of sequences is sum_h (r_h^2 + r_h).
"""

from __future__ import annotations

from typing import Any

from exactlearn.polynomials import (
    Exponentials,
    Polynomial,
    Quotient,
    add,
    bilinear,
    dot,
    indeterminates,
    softmax_value,
    total,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _heads_act_alone(size.H, size.d, leak=False)


def control(size: Size) -> Verdict:
    """The subspaces are not orthogonal: another head's v leaks into the first subspace."""
    heads = max(size.H, 2)
    return _heads_act_alone(heads, max(size.d, heads), leak=True)


def _blocks(heads: int, dim: int) -> list[range]:
    """The coordinates split among the heads; some get none when d < H."""
    bounds = [(dim * h + heads - 1) // heads for h in range(heads + 1)]
    return [range(bounds[h], bounds[h + 1]) for h in range(heads)]


def _heads_act_alone(heads: int, dim: int, *, leak: bool) -> Verdict:
    ring = indeterminates(a=(dim,), y=(dim,), t=(), s=(), W=(heads, dim, dim), v=(heads, dim))
    blocks = _blocks(heads, dim)
    W = [
        [[entry if i in block and j in block else ring.zero for j, entry in enumerate(row)] for i, row in enumerate(M)]
        for M, block in zip(ring.W, blocks, strict=True)
    ]
    v = [_restricted(ring, vector, block) for vector, block in zip(ring.v, blocks, strict=True)]
    if leak:
        v[1][0] = ring.v[1][0]
    queries = 0
    for h, block in enumerate(blocks):
        a, y = _restricted(ring, ring.a, block), _restricted(ring, ring.y, block)
        verdict = _acts_alone(ring, h, [add(a, y), y], W, v)
        if not verdict.holds:
            return verdict
        queries += len({(i,) for i in block} | {(i, j) for i in block for j in block})
    ranks = [len(block) for block in blocks]
    if queries != sum(rank**2 + rank for rank in ranks) or sum(ranks) != dim:
        return Fails(queries, "the number of queries is another one")
    return Holds(f"each head acts alone on its subspace; dimensions {ranks}, {queries} queries")


def _restricted(ring: Any, vector: list[Polynomial], block: range) -> list[Polynomial]:
    return [entry if i in block else ring.zero for i, entry in enumerate(vector)]


def _acts_alone(ring: Any, h: int, tokens: list[Any], W: list[Any], v: list[Any]) -> Verdict:
    """Whether the whole model is v.y + v.a t / (1 + t) of head h on these two tokens, and v_h.x on the second alone."""
    a, y = [p - q for p, q in zip(*tokens, strict=True)], tokens[1]
    exponential = Exponentials(((bilinear(a, W[h], y), ring.t), (bilinear(y, W[h], y), ring.s)))
    of_heads = []
    for matrix, values in zip(W, v, strict=True):
        weights = [exponential(bilinear(token, matrix, y)) for token in tokens]
        if any(weight is None for weight in weights):
            return Fails(h, "another head has scores on this subspace")
        of_heads.append(softmax_value(weights, [dot(values, token) for token in tokens]))  # type: ignore[arg-type]
    alone = Quotient(dot(v[h], y) * (1 + ring.t) + dot(v[h], a) * ring.t, 1 + ring.t)
    if any(a) and not total(of_heads, ring.one).equals(alone):
        return Fails(h, f"head {h + 1} does not act alone on its subspace")
    if sum((dot(values, y) for values in v), ring.zero) != dot(v[h], y):
        return Fails(h, f"on one token the model is not head {h + 1} alone")
    return Holds()


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="one entry of v_2 lies in the first subspace",
    sizes=(Size(2, 2), Size(2, 3), Size(4, 8)),
    largest=Size(10, 40),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
