"""The sum probes match the right heads, and on a good draw no others.

With t_h(x, y) = exp(x^T W_h y):  t_h(x_i, y_1) t_h(x_i, y_j) = t_h(x_i, y_1 + y_j)  along a row, and t_h(x_1, y_1)
t_h(x_i, y_1) = t_h(x_1 + x_i, y_1)  along column 1.  Head g of the second base probe is a candidate for head h of
the first when the product of their pole parameters is a pole parameter of the sum probe.  The right head always is a
candidate; when none of the polynomials of the theorem "genericity" vanishes at the draw it is the only one.

For all (H, d), in words:
x^T W y is additive in y and in x, and exp turns sums into products: hence the two identities, for every draw, and
the right head is a candidate.  Head g is another candidate exactly when, for some l, the log poles satisfy
a_h + b_g = s_l with g != h.  By the right match of l, s_l = a_l + b_l; so the condition is
(a_h - a_l) + (b_g - b_l) = 0.  If l = h or l = g it is the meeting of two poles at one base probe; else h, g, l are
pairwise distinct and it is a false match of "genericity".  On a good draw none of these is zero.  On a draw whose
coordinates are indeterminates every one of them is a non-zero polynomial as soon as the W_h are distinct: matching
is right over the field of rational functions.

By computation:
For symbolic W_h, x_i, y_j and every matching triple of the schedule: the set of all candidates (g, l) of every head
h, found by comparing polynomials, is {(h, h)}.
"""

from __future__ import annotations

from exactlearn.polynomials import add, bilinear, indeterminates
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem, on the draw whose coordinates are indeterminates."""
    return _matches_rightly(size.H, size.d, multiple=1)


def control(size: Size) -> Verdict:
    """The sum probes of the rows are asked at y_1 + 2 y_j; d is at least 2, or there is nothing to match."""
    return _matches_rightly(size.H, max(size.d, 2), multiple=2)


def _matches_rightly(heads: int, dim: int, multiple: int) -> Verdict:
    ring = indeterminates(x=(dim, dim), y=(dim, dim), W=(heads, dim, dim))
    x, y = ring.x, ring.y
    triples = [((x[0], y[0]), (x[i], y[0]), (add(x[0], x[i]), y[0])) for i in range(1, dim)]
    for i in range(dim):
        for j in range(1, dim):
            far = [multiple * entry for entry in y[j]]
            triples.append(((x[i], y[0]), (x[i], y[j]), (x[i], add(y[0], far))))
    for first, second, both in triples:
        left, right, summed = ([bilinear(a, W, b) for W in ring.W] for a, b in (first, second, both))
        for h in range(heads):
            candidates = {
                (g, other) for g in range(heads) for other in range(heads) if left[h] + right[g] == summed[other]
            }
            if candidates != {(h, h)}:
                return Fails(candidates, f"head {h + 1} has the candidates {sorted(candidates)} (counted from 0)")
    return Holds(f"in each of {len(triples)} matching triples the right head is the only candidate")


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="sum probes at y_1 + 2 y_j instead of y_1 + y_j",
    sizes=(Size(1, 1), Size(2, 2), Size(4, 4)),
    largest=Size(10, 10),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
