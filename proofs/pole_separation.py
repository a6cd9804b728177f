"""Two heads have different poles at almost every probe exactly when their weights differ.

x^T (W_h - W_g) y, the difference of the two log poles, is a non-zero polynomial in the coordinates of x and y if and
only if W_h != W_g; at x = e_i, y = e_j its value is the entry (i, j) of W_h - W_g.

For all (H, d), in words:
With D = W_h - W_g the polynomial is sum_ij D_ij x_i y_j, and the monomials x_i y_j are distinct.  So its
coefficients are the entries of D, and it is zero exactly when D is.  It matters that x and y are free of each other:
on y = x the monomials x_i x_j and x_j x_i are one, and every antisymmetric D is lost.

By computation:
The map from D to the coefficients of x^T D y has rank d^2 (so only D = 0 goes to zero), and the witnesses give back
every entry of a symbolic D.
"""

from __future__ import annotations

from typing import Any

from flint import fmpz_mat

from exactlearn.polynomials import bilinear, indeterminates
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _is_injective(size.d, same_vector=False)


def control(size: Size) -> Verdict:
    """The same vector is used for x and y; from d = 2 on, as a 1 x 1 matrix is symmetric."""
    return _is_injective(max(size.d, 2), same_vector=True)


def _is_injective(dim: int, *, same_vector: bool) -> Verdict:
    ring = indeterminates(x=(dim,), y=(dim,), D=(dim, dim))
    x, y = ring.x, ring.x if same_vector else ring.y
    rows: list[dict[Any, int]] = []
    for i in range(dim):
        for j in range(dim):
            matrix = [[ring.one if (a, b) == (i, j) else ring.zero for b in range(dim)] for a in range(dim)]
            rows.append(bilinear(x, matrix, y).to_dict())
    monomials = sorted(set().union(*rows))
    rank = fmpz_mat([[row.get(monomial, 0) for monomial in monomials] for row in rows]).rank()
    if rank != dim**2:
        return Fails(rank, f"the polynomials x^T D y have rank {rank}, not d^2 = {dim**2}: some D != 0 gives zero")
    unit = [[ring.one if a == b else ring.zero for b in range(dim)] for a in range(dim)]
    for i in range(dim):
        for j in range(dim):
            if bilinear(unit[i], ring.D, unit[j]) != ring.D[i][j]:
                return Fails((i, j), "a witness does not give back its entry")
    return Holds("the map from W_h - W_g to the polynomial is injective; unit vectors are witnesses")


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="y = x instead of a second free vector",
    sizes=(Size(dim=1), Size(dim=2), Size(dim=6)),
    largest=Size(dim=16),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
