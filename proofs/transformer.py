"""The method for one-layer Transformers recovers the function, and the canonical form is what the function determines.

Let z_1, ..., z_m be no multiples of each other, s_j = +-1, and f(X) + f(-X) = sum_j s_j |z_j(X)| the even part, with
z_j(X) = sum_h w_hj . xi_h(X), m_j = sum_h w_hj not zero and pairwise not parallel.

(a) On single tokens along a line b = p + tau q in general position the even part has exactly m kinks; at kink j its
    gradient jumps by 2 s_j m_j, m_j turned so that m_j . q > 0.
(b) Let sigma_i be the signs of the z_j between kink i and kink i + 1, i = 0, ..., m - 1.  The m x m matrix of the
    sigma_ij is invertible, and with c_i = sum_j s_j sigma_ij w_j and c_m = -c_0:  c_(i+1) - c_i = 2 s_i w_i.
(c) With the odd part o = f(X) - f(-X):  f = sum_j s_j ReLU(z_j) + l,  l = (o - sum_j s_j z_j) / 2.
(d) f determines o and the set of the (s_j, +-z_j).

For all (H, d), in words:
(a) |m_j . (p + tau q)| has its only kink where m_j . b = 0; directions that are not parallel have different kinks on a
line in general position.  The gradient is sum_j s_j sign(m_j . b) m_j, in which one sign changes at a time.  (b) Each
sigma_(i+1) - sigma_i is 2 e_i, and sigma_0 = -(1, ..., 1); so the rows span all of R^m.  Cell m is the negative of cell
0, and the even part is even.  In a cell, on sequences close enough to its large final token, the even part is the
attention model with the values c_i, whose poles are known; H values of k give its residues, since the matrix of the
k t_h / (1 + k t_h) is invertible ("canonical").  (c) ReLU(z) = (z + |z|) / 2, and f = (o + even part) / 2.  (d) o is
f(X) - f(-X).  If sum_j a_j |z_j| = 0 with z_j no multiples of each other then a_j = 0: z_j vanishes on sequences where
the others do not, near which it changes its sign (two that vanish together there are multiples of each other, being
analytic), and across such a sequence only |z_j| has a kink.  So the a_j, that is s_j and the length of z_j, are
determined; the sign of z_j is not.

By computation:
m = H + 1 units in d dimensions, all w, u, tokens symbolic: the gradient's jumps, the determinant of the signs, which is
+-2^(m-1), the differences of the c_i, and (c) in every pattern of signs.
"""

from __future__ import annotations

import itertools

from exactlearn.polynomials import Polynomial, dot, indeterminates
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _method(size, has_linear_part=True)


def control(size: Size) -> Verdict:
    """The linear part l is left out."""
    return _method(size, has_linear_part=False)


def _method(size: Size, *, has_linear_part: bool) -> Verdict:
    units = size.H + 1
    for patterns in itertools.product((1, -1), repeat=units):
        cells = _cells(units)
        if abs(_determinant(cells)) != 2 ** (units - 1):
            return Fails(cells, "the signs of the cells are linearly dependent")
        verdict = _differences(units, size.d, patterns, cells)
        if not verdict.holds:
            return verdict
    return _equivalent(units, has_linear_part=has_linear_part)


def _cells(units: int) -> list[list[int]]:
    """The signs in the cells 0, ..., m - 1: the first i units are past their kinks in cell i."""
    return [[1 if j < i else -1 for j in range(units)] for i in range(units)]


def _differences(units: int, dim: int, s: tuple[int, ...], cells: list[list[int]]) -> Verdict:
    """c_(i+1) - c_i = 2 s_i w_i in every coordinate, with c_m = -c_0; for w_j = m_j the jumps of the gradient."""
    ring = indeterminates(w=(units, dim))

    def combined(signs: list[int], a: int) -> Polynomial:
        factors = [ring.one * (s[j] * signs[j]) for j in range(units)]
        combination: Polynomial = dot([row[a] for row in ring.w], factors)
        return combination

    for i in range(units):
        for a in range(dim):
            after = combined(cells[i + 1], a) if i + 1 < units else -combined(cells[0], a)
            if after - combined(cells[i], a) != 2 * s[i] * ring.w[i][a]:
                return Fails((i, a), "the difference of two cells is not the unit between them")
    return Holds("")


def _equivalent(units: int, *, has_linear_part: bool) -> Verdict:
    """2 f = o + sum s |z| = 2 (sum s ReLU(z) + l) for every pattern of signs of the z_j and the s_j."""
    ring = indeterminates(z=(units,), o=())
    for s in itertools.product((1, -1), repeat=units):
        for signs in itertools.product((1, -1), repeat=units):  # z_j = 0 belongs to both
            even = dot(ring.z, [ring.one * (a * b) for a, b in zip(s, signs, strict=True)])
            relu = dot(ring.z, [ring.one * a * (1 if b == 1 else 0) for a, b in zip(s, signs, strict=True)])
            linear = ring.o - dot(ring.z, [ring.one * a for a in s])
            if ring.o + even != 2 * relu + (linear if has_linear_part else ring.zero):
                return Fails(signs, "the network and its linear part are another function")
    return Holds("cells, gradients and the equivalent network are as stated")


def _determinant(rows: list[list[int]]) -> int:
    """By expansion along the first row; the matrices are small."""
    if not rows:
        return 1
    minors = [_determinant([row[:j] + row[j + 1 :] for row in rows[1:]]) for j in range(len(rows))]
    return sum((-1) ** j * entry * minor for j, (entry, minor) in enumerate(zip(rows[0], minors, strict=True)))


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="the linear part is left out",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(4, 4),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
