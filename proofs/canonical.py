"""Two models are the same function exactly when their canonical forms agree up to order.

What decides is that terms with distinct poles are linearly independent: for n distinct t_h and n distinct nodes,

    det [t_h / (1 + k_i t_h)] =
        (-1)^(n(n-1)/2) * prod_h t_h * prod_(i<j) (k_j - k_i) * prod_(g<h) (t_h - t_g) / prod_(i,h) (1 + k_i t_h).

For all (H, d), in words:
A model and its canonical form are the same function (theorem "merging"), and the order of heads is no part of a
sum.  Conversely let two canonical models be the same function.  Their difference is an attention model; its
canonical heads (W_g, u_g), n of them, n at most the number of all heads, are those that the two models do not
share.  Suppose n > 0.  The product of all u_g.x and all x^T (W_g - W_h) y is a non-zero polynomial ("genericity"),
so there are x, y where no residue u_g.x is zero and the poles are distinct.  There F - F(0) = k sum_g (u_g.x)
t_g / (1 + k t_g) is zero for all k, so at n positive nodes; but the determinant above is not zero, so all u_g.x are:
a contradiction.  Hence n = 0, and the canonical heads are the same.  The determinant itself is Cauchy's: t / (1 + k
t) = 1 / (k - a) with a = -1/t.  The confluent one, with double poles, is in the theorem "jacobian".

By computation:
The determinant for n = 2H (two models of H heads with no head in common), t symbolic, any nodes, and that it is not
zero.  That x, y exist: the product of the residues and of the pole differences of 2H symbolic heads is a non-zero
polynomial as each of its factors is.
"""

from __future__ import annotations

import itertools

from exactlearn.polynomials import (
    bilinear,
    coefficient_determinant,
    differences,
    dot,
    indeterminates,
    product,
    subtract,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    independent = _are_independent(2 * (size.H), distinct=True)
    return _probe_exists(2 * (size.H), size.d) if independent.holds else independent


def control(size: Size) -> Verdict:
    """Two of the poles are equal."""
    return _are_independent(2 * (size.H), distinct=False)


def _are_independent(terms: int, *, distinct: bool) -> Verdict:
    ring = indeterminates(k=(), t=(terms,))
    t = ring.t if distinct else [ring.t[0], ring.t[0], *ring.t[2:]]
    factors = [1 + ring.k * pole for pole in t]
    cleared = [t[h] * product(factors[:h] + factors[h + 1 :], ring.one) for h in range(terms)]
    found = coefficient_determinant(cleared)
    if found.is_zero():
        return Fails(found, "the determinant is zero: the terms are linearly dependent")
    sign = (-1) ** (terms * (terms - 1) // 2)
    if found != product(t, ring.one) * differences(t, ring.one) * sign:
        return Fails(found, "the determinant is not Cauchy's")
    return Holds()


def _probe_exists(heads: int, dim: int) -> Verdict:
    """Z[W, u, x, y] has no divisors of zero, so the product need not be multiplied out."""
    ring = indeterminates(x=(dim,), y=(dim,), W=(heads, dim, dim), u=(heads, dim))
    residues = [dot(u, ring.x) for u in ring.u]
    poles = [bilinear(ring.x, subtract(g, h), ring.y) for g, h in itertools.combinations(ring.W, 2)]
    if any(not factor for factor in residues + poles):
        return Fails((residues, poles), "a factor is the zero polynomial")
    return Holds(f"{heads} terms with distinct poles are linearly independent, and some probe shows them all")


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="two of the poles are equal",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(4, 8),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
