"""The Jacobian of a probe: 2H values as functions of the poles and the residues.

With G(k) = sum_h c_h t_h / (1 + k t_h) and any nodes k_1, ..., k_2H where no 1 + k_i t_h is zero, the matrix of the
derivatives of G(k_1), ..., G(k_2H) by c_1, t_1, ..., c_H, t_H, in this order, has the determinant

    (-1)^H * prod_(i<j) (k_j - k_i) * prod_h c_h t_h^2 * prod_(g<h) (t_h - t_g)^4 / prod_(i,h) (1 + k_i t_h)^2,

so for the nodes 1, ..., 2H its absolute value is that of DESIGN section 6, prod_(i<j) (j - i) being the first
product.  It is not zero exactly when the t_h are distinct and no c_h and no t_h is zero: then the 2H values are
local coordinates of the probe's parameters.

For all (H, d), in words:
dG/dc_h = t_h / (1 + k t_h) and dG/dt_h = c_h / (1 + k t_h)^2.  Put a_h = -1/t_h: these are 1/(k - a_h) and c_h
a_h^2 / (k - a_h)^2, so the matter is the confluent Cauchy determinant of the columns f(a_h), f'(a_h) with
f(a) = 1/(k - a).  Rows times prod_h (k - a_h)^2 hold values of polynomials in k of degree below 2H; Vandermonde's
determinant of the nodes splits off, and what is left is a polynomial in the a_h, homogeneous of degree H (2H - 2).
When a_g = a_h + z, column operations leave z^2 f''/2 + z^3 f'''/6 + ... and z f'' + z^2 f'''/2 + ... beside f and
f', so it vanishes to the order z^4.  So it is divisible by prod_(g<h) (a_h - a_g)^4, of that same degree: the
quotient is a constant.  The coefficient of a_H^(4H-4) gives it: with R = prod_(g<H) (k - a_g)^2 the last two columns
are, after adding a_H R to the first of them, k R and R; the others are, in leading order, a_H^2 times those for
H - 1; the block of k R and R in k^(2H-2), k^(2H-1) has the determinant -1.  By induction the constant is (-1)^H.
Now a_h - a_g = (t_h - t_g) / (t_g t_h) and k - a_h = (1 + k t_h) / t_h, so the power of t_h is -2 - 4
(H - 1) + 4H = 2.

By computation:
The derivatives are taken of G itself, t and c symbolic; rows cleared of denominators are Vandermonde's matrix times
a coefficient matrix, and the determinant of that one is (-1)^H prod_h c_h t_h^2 prod_(g<h) (t_h - t_g)^4.  For
H <= 2 also directly, with all nodes symbolic.
"""

from __future__ import annotations

from typing import Any

from exactlearn.polynomials import (
    Polynomial,
    Quotient,
    coefficient_determinant,
    determinant,
    differences,
    indeterminates,
    product,
    total,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _has_determinant(size.H, power=2)


def control(size: Size) -> Verdict:
    """The power of t_h is claimed to be 1."""
    return _has_determinant(size.H, power=1)


def _has_determinant(heads: int, power: int) -> Verdict:
    """Whether the determinant is the stated one with t_h to this power."""
    ring = indeterminates(k=(), t=(heads,), c=(heads,), node=(2 * heads,) if heads <= 2 else (0,))
    columns = _cleared_derivatives(ring)
    scaled = product([c * t**power for c, t in zip(ring.c, ring.t, strict=True)], ring.one)
    stated = scaled * differences(ring.t, ring.one) ** 4 * (-1) ** heads
    found = coefficient_determinant(columns)
    if found != stated:
        return Fails(found.factor(), f"the determinant has other factors than prod c_h t_h^{power} prod (t_h - t_g)^4")
    if ring.node:
        others = [*ring.t, *ring.c, *ring.node]
        rows = [[column.compose(node, *others) for column in columns] for node in ring.node]
        if determinant(rows) != stated * differences(ring.node, ring.one):
            return Fails(rows, "with symbolic nodes the determinant is another one")
    return Holds("the product formula, its sign included")


def _cleared_derivatives(ring: Any) -> list[Polynomial]:
    """dG/dc_1, dG/dt_1, ... times Q(k)^2, Q = prod (1 + k t_h)."""
    G = total([Quotient(c * t, 1 + ring.k * t) for c, t in zip(ring.c, ring.t, strict=True)], ring.one)
    heads = len(ring.t)
    columns = []
    for h in range(heads):
        for position in (1 + heads + h, 1 + h):  # the places of c_h and t_h among the indeterminates
            top, bottom = G.numerator, G.denominator
            columns.append(top.derivative(position) * bottom - top * bottom.derivative(position))
    return columns


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="c_h t_h instead of c_h t_h^2",
    sizes=(Size(1), Size(2), Size(3), Size(4)),
    largest=Size(5),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
