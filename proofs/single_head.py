"""One head is learned from d queries of length 1 and d^2 of length 2.

Let v != 0.  The tokens e_1, ..., e_d give v.  With a_1, ..., a_d a basis such that v.a_i != 0 and y_1, ..., y_d any
basis, the d^2 sequences (a_i + y_j, y_j) have values F_ij with

    t(a_i, y_j) = (F_ij - v.y_j) / (v.(a_i + y_j) - F_ij),     W = A^-T (log t(a_i, y_j))_ij Y^-1.

d^2 + d is also the number of parameters.  (When v = 0 the d queries of length 1 show it, and f = 0.)

For all (H, d), in words:
On one token the softmax is 1, so f(e_i) = v_i.  A basis a exists: with v_m != 0 take a_i = e_i where v_i != 0, else
e_i + e_m.  The sequence (a + y, y) is the probe with one copy, F = v.y + v.a t / (1 + t) ("rational-form", H = 1);
as v.a != 0, F - v.y = v.a t / (1 + t) and v.(a + y) - F = v.a / (1 + t) is not zero; divide.  Then W as in
"recovery".  Fewer queries cannot do for all models: "lower-bound" with H = 1.

By computation:
v, W, a, y symbolic: f of one token is v.x; the quotient above is t; for every pattern of zeros in v != 0 the stated
a are a basis with v.a_i != 0; det A det Y W = adj(A)^T E adj(Y); the number of sequences listed is d^2 + d.
"""

from __future__ import annotations

import itertools
from typing import Any

from exactlearn.polynomials import (
    Exponentials,
    Polynomial,
    Quotient,
    add,
    adjugate,
    bilinear,
    determinant,
    dot,
    indeterminates,
    multiply,
    softmax_value,
    transpose,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    dim = size.d
    for part in (_pole_is_read(dim, residue_vanishes=False), _bases_exist(dim), _assembles(dim)):
        if not part.holds:
            return part
    asked = {(f"e{i}",) for i in range(dim)} | {(f"a{i}+y{j}", f"y{j}") for i in range(dim) for j in range(dim)}
    if len(asked) != dim**2 + dim:
        return Fails(asked, "the number of queries is another one")
    return Holds("v from single tokens, every t from one pair of tokens, W from the t")


def control(size: Size) -> Verdict:
    """v.a = 0 is allowed."""
    return _pole_is_read(size.d, residue_vanishes=True)


def _pole_is_read(dim: int, *, residue_vanishes: bool) -> Verdict:
    """Whether t is the stated quotient, on the sequence (a + y, y)."""
    ring = indeterminates(t=(), s=(), a=(dim,), y=(dim,), v=(dim,), W=(dim, dim))
    if not softmax_value([ring.s], [dot(ring.v, ring.y)]).equals(Quotient(dot(ring.v, ring.y), ring.one)):
        return Fails(ring.y, "f of one token is not v.x")
    a = [ring.zero] * dim if residue_vanishes else ring.a
    exponential = Exponentials(((bilinear(ring.a, ring.W, ring.y), ring.t), (bilinear(ring.y, ring.W, ring.y), ring.s)))
    tokens = [add(ring.a, ring.y), ring.y]
    weights = [exponential(bilinear(token, ring.W, ring.y)) for token in tokens]
    if weights != [ring.t * ring.s, ring.s]:
        return Fails(weights, "the exponentials of the scores are others")
    at_y, at_a = dot(ring.v, ring.y), dot(ring.v, a)  # v.a, or 0 in its place
    value = softmax_value([ring.t * ring.s, ring.s], [at_a + at_y, at_y])
    top = value.numerator - at_y * value.denominator
    bottom = (at_a + at_y) * value.denominator - value.numerator
    if bottom == 0:
        return Fails(a, "v.(a + y) - F is zero: the value does not depend on t")
    if not Quotient(top, bottom).equals(Quotient(ring.t, ring.one)):
        return Fails((top, bottom), "the quotient is not t")
    return Holds()


def _bases_exist(dim: int) -> Verdict:
    ring = indeterminates(v=(dim,))
    for pattern in itertools.product((False, True), repeat=dim):
        if not any(pattern):
            continue
        v = [entry if present else ring.zero for entry, present in zip(ring.v, pattern, strict=True)]
        m = pattern.index(True)
        basis = [
            [ring.one if b == i or (b == m and not pattern[i]) else ring.zero for b in range(dim)] for i in range(dim)
        ]
        residues = [dot(v, a) for a in basis]
        single = [residue in ring.v for residue in residues]  # one entry of v that is not zero
        if determinant(basis).is_zero() or not all(single):
            return Fails(pattern, "the stated a are no basis with v.a_i != 0")
    return Holds()


def _assembles(dim: int) -> Verdict:
    ring: Any = indeterminates(a=(dim, dim), y=(dim, dim), W=(dim, dim))
    A, Y = transpose(ring.a), transpose(ring.y)
    E: list[list[Polynomial]] = [[bilinear(a, ring.W, y) for y in ring.y] for a in ring.a]
    found = multiply(multiply(transpose(adjugate(A)), E), adjugate(Y))
    scale = determinant(A) * determinant(Y)
    if scale.is_zero() or found != [[scale * entry for entry in row] for row in ring.W]:
        return Fails(found, "the assembled matrix is not W")
    return Holds()


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="v.a = 0",
    sizes=(Size(dim=1), Size(dim=2), Size(dim=4)),
    largest=Size(dim=5),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
