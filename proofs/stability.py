"""The stability of a probe: what errors of F(0), ..., F(2H) do to its residues and log-poles, entry by entry.

Let D(k) = F(k) - F(0) = sum_h c_h k t_h / (1 + k t_h) and s_h = log t_h, with distinct t_h > 0 and no c_h zero.  The
Jacobian J of (c, s) -> (D(1), ..., D(2H)) has the inverse A, with the further column A[., 0] = -A 1 for an error of
F(0),

    A[s_h, j] = (-1)^(j+1) prod_g (1 + j t_g)^2 prod_(i != j) (1 + i t_h)
                / (j! (2H-j)! c_h t_h^2 prod_(g != h) (t_h - t_g)^2)
    A[c_h, j] = -A[s_h, j] c_h (sum_i 1 / (1 + i t_h) - 1 / (1 + j t_h) + 2 sum_(g != h) t_g / (t_h - t_g))
    sum_h A[c_h, j] = (-1)^j prod_g (1 + j t_g)^2 / (j! (2H-j)! prod_g t_g^2), less 1 for j = 0

with i = 1, ..., 2H and j = 0, ..., 2H.  So to first order outputs wrong by at most delta move the i-th parameter by
at most sum_j |A[i,j]| delta, and by just that when the errors have the signs of A[i,j].  Beyond first order: let w_i
be these sums, m_hk and n_hk bounds of the first and second derivative of k t_h / (1 + k t_h) by s_h for changes of
s_h up to 1/4, and M = max_k sum_h (m_hk w_(c_h) w_(s_h) + n_hk |c_h| w_(s_h)^2 / 2).  When M delta <= 3/16 and
w_(s_h) delta <= 3/16, the perturbed values belong to parameters that differ by at most 4/3 w_i delta; and every
linear function of them moves by at most 4/3 times its own first-order constant times delta.

For all (H, d), in words:
Let N(k) / Q(k)^2 be the first-order change of (F(k) - F(0)) / k, Q = prod (1 + k t_g).  As
its derivatives are t_h / (1 + k t_h) by c_h and c_h t_h / (1 + k t_h)^2 by s_h, N is a polynomial of degree below 2H,
namely N = sum_h (dc_h t_h (1 + k t_h) + ds_h c_h t_h) P_h^2 with P_h = prod_(g != h) (1 + k t_g).  At a_h = -1/t_h
this is N(a_h) = ds_h c_h t_h P_h(a_h)^2, and the derivative N'(a_h) = dc_h t_h^2 P_h(a_h)^2 + ds_h c_h t_h
(P_h^2)'(a_h).  An error e_j of F(j) alone makes N the polynomial of degree below 2H that is e_j Q(j)^2 / j at j and
zero at the other copy counts, Lagrange's; put a_h in it and in its derivative and use P_h(a_h) = prod (t_h - t_g) /
t_h^(H-1).  An error e_0 of F(0) makes k N(k) = -e_0 Q(k)^2 at all 2H copy counts; k N(k) + e_0 Q(k)^2 has degree 2H
and is e_0 at k = 0, so it is e_0 prod (k - i) / (2H)!.  At a_h, a double root of Q^2, value and derivative follow.
The sum of the dc_h is the limit of k N(k) / Q(k)^2 for k to infinity: the quotient of the leading coefficients.  A
row's errors enter linearly, so its largest value on the cube |e_j| <= delta is at the vertex of its signs.  Beyond
first order: D is linear in c, so D(c + dc, s + ds) = D + J (dc, ds) + R with |R_k| <= sum_h (m_hk |dc_h ds_h| + n_hk
|c_h| ds_h^2 / 2), at most M rho^2 in the box |dz_i| <= w_i rho; with rho = 4/3 delta, delta + M rho^2 <= rho, and dz
-> A (e - R(dz)) takes the box into itself: it has a fixed point (Brouwer), whose D are the perturbed ones.  It is
the linear image of e - R, and |e - R| <= rho.

By computation:
A J = 1 and A 1 = 0 are checked with t and c symbolic, all denominators cleared; and the sum of the
rows of the residues.
"""

from __future__ import annotations

import math
from typing import Any

from exactlearn.polynomials import Quotient, indeterminates, product, total
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _is_inverse(size.H, without_own=True)


def control(size: Size) -> Verdict:
    """In A[c_h, j] the term of j itself is left in the sum over i."""
    return _is_inverse(size.H, without_own=False)


def _is_inverse(heads: int, *, without_own: bool) -> Verdict:
    ring = indeterminates(t=(heads,), c=(heads,))
    one, copies = ring.one, range(1, 2 * heads + 1)
    log_rows = [[_log_pole_entry(ring, h, j) for j in (0, *copies)] for h in range(heads)]
    residue_rows = [
        [_times(entry, _slope(ring, h, j, without_own=without_own)) for j, entry in enumerate(row)]
        for h, row in enumerate(log_rows)
    ]
    columns = [[Quotient(k * t, 1 + k * t) for k in copies] for t in ring.t]
    columns += [
        [Quotient(k * c * t, (1 + k * t) ** 2) for k in copies] for c, t in zip(ring.c, ring.t, strict=True)
    ]
    for index, row in enumerate(residue_rows + log_rows):
        if not _is(total(row, one), 0):
            return Fails(index, f"row {index} of A does not sum to zero")
        for number, column in enumerate(columns):
            entries = [_times(a, b) for a, b in zip(row[1:], column, strict=True)]
            if not _is(total(entries, one), int(index == number)):
                return Fails((index, number), f"entry ({index}, {number}) of A J is not that of the identity")
    for j in (0, *copies):
        stated = Quotient(product([(1 + j * t) ** 2 for t in ring.t], one), _weight(heads, j) * _square(ring))
        seen = total([row[j] for row in residue_rows] + [Quotient(one * (j == 0), one)], one)
        if not seen.equals(stated):
            return Fails(j, f"the residues' sum moves otherwise with F({j})")
    return Holds("A J = 1, A 1 = 0 and the row of the residues' sum")


def _log_pole_entry(ring: Any, h: int, j: int) -> Quotient:
    """A[s_h, j]."""
    one, t = ring.one, ring.t[h]
    top = product([(1 + j * s) ** 2 for s in ring.t], one)
    top *= product([1 + i * t for i in range(1, 2 * len(ring.t) + 1) if i != j], one)
    gaps = product([(t - s) ** 2 for g, s in enumerate(ring.t) if g != h], one)
    return Quotient(-top, _weight(len(ring.t), j) * ring.c[h] * t**2 * gaps)


def _slope(ring: Any, h: int, j: int, *, without_own: bool) -> Quotient:
    """-c_h (sum_i 1 / (1 + i t_h) - 1 / (1 + j t_h) + 2 sum_(g != h) t_g / (t_h - t_g))."""
    one, t, heads = ring.one, ring.t[h], len(ring.t)
    terms = [Quotient(one, 1 + i * t) for i in range(1, 2 * heads + 1)]
    if without_own:
        terms.append(Quotient(-one, 1 + j * t))
    terms += [Quotient(2 * s, t - s) for g, s in enumerate(ring.t) if g != h]
    whole = total(terms, one).lowest_terms()
    return Quotient(-ring.c[h] * whole.numerator, whole.denominator)


def _weight(heads: int, j: int) -> int:
    return int((-1) ** j) * math.factorial(j) * math.factorial(2 * heads - j)


def _square(ring: Any) -> Any:
    return product([t**2 for t in ring.t], ring.one)


def _times(left: Quotient, right: Quotient) -> Quotient:
    return Quotient(left.numerator * right.numerator, left.denominator * right.denominator).lowest_terms()


def _is(value: Quotient, number: int) -> bool:
    return bool(value.numerator == number * value.denominator)


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="1 / (1 + j t_h) not taken away",
    sizes=(Size(1), Size(2)),
    largest=Size(3),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
