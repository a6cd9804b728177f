"""A random draw is good: with probability one, and in a finite box with an explicit probability.

If the 2 d^2 coordinates of x_1, ..., x_d, y_1, ..., y_d are drawn independently and uniformly from a set of s
numbers (s = 2B + 1 for the box [-B, B]; a common non-zero factor on the x changes nothing), the draw is bad for a
canonical model with probability at most

    (2d + H (2d - 1) + H (H - 1) (2d^2 - 1) + 2 H (H - 1) (H - 2) (d^2 - 1)) / s.

Coordinates with a continuous joint density give a good draw with probability one.

For all (H, d), in words:
Schwartz and Zippel: a non-zero polynomial of total degree D vanishes on a fraction of at most D / s of a box of side
s.  For one variable it has at most D roots.  For more, write it by powers of one variable, the highest being the
e-th with a coefficient of degree at most D - e: that one vanishes with probability at most (D - e) / s, and when it
does not the rest has at most e roots: e / s.  Add up over the polynomials of "genericity", which are non-zero; the
numerator above is the sum of their degrees.  The zeros of a non-zero polynomial have measure zero.  (The bound is
for all coordinates drawn at once.  The learner draws a token again until it is independent of those before it; that
is another distribution, for which only "with probability one" carries over as it stands.)

By computation:
The numerator is the sum of the degrees of all polynomials, heads symbolic.  For fixed heads with small whole
entries: each polynomial's zeros in a small box are counted one by one and are at most degree / s of it (d = 2 stands
in for larger d); for d = 1 all draws of a box large enough for the bound to say something are tried, and at most the
stated fraction is bad.
"""

from __future__ import annotations

import itertools
from typing import Any

# Installed from the top-level folder proofs/, where a type checker does not look for it.
from exactlearn.proofs.genericity import bad_set, total_degree  # type: ignore[import-not-found]
from flint import fmpq

from exactlearn.polynomials import Polynomial, indeterminates
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict

MOST_POINTS = 1000
"""A box in which the zeros of one polynomial are counted has at most so many points."""


def check(size: Size) -> Verdict:
    """The theorem."""
    heads, dim = size.H, size.d
    for part in (
        _degrees_add_up(heads, dim),
        _zeros_are_few(heads, min(dim, 2)),
        _bad_draws_are_few(list(range(1, heads + 1))),
    ):
        if not part.holds:
            return part
    return Holds("degrees add up; every counted fraction is within its bound")


def control(size: Size) -> Verdict:
    """Two heads have the same W."""
    return _bad_draws_are_few([1, 1, *range(2, size.H)])


def _degrees_add_up(heads: int, dim: int) -> Verdict:
    ring = indeterminates(X=(dim, dim), Y=(dim, dim), W=(heads, dim, dim), v=(heads, dim))
    degree = 0
    for polynomial in bad_set(ring.W, ring.v):
        monomials = polynomial.value(ring.X, ring.Y).monoms()
        degree += max(sum(monomial[: 2 * dim**2]) for monomial in monomials)
    if degree != total_degree(heads, dim):
        return Fails(degree, f"the degrees add up to {degree}")
    return Holds()


def _zeros_are_few(heads: int, dim: int) -> Verdict:
    """Each polynomial, for the heads W_h[a][b] = h + a b, v_h = e_1, against its own bound."""
    ring = indeterminates(X=(dim, dim), Y=(dim, dim))
    W = [[[ring.one * (h + a * b) for b in range(dim)] for a in range(dim)] for h in range(1, heads + 1)]
    v = [[ring.one if a == 0 else ring.zero for a in range(dim)]] * heads
    for polynomial in bad_set(W, v):
        value = polynomial.value(ring.X, ring.Y)
        side, zeros, points = _count_zeros(value)
        if fmpq(zeros, points) > fmpq(polynomial.degree, side):
            return Fails(value, f"{polynomial.kind}: {zeros} zeros among {points} points")
    return Holds()


def _count_zeros(value: Polynomial) -> tuple[int, int, int]:
    """The side of a box in the coordinates that occur, how many of its points are zeros, and how many there are."""
    used = [position for position, degree in enumerate(value.degrees()) if degree]
    bound = 1
    while (2 * bound + 3) ** len(used) <= MOST_POINTS:
        bound += 1
    terms = [([m[position] for position in used], int(c)) for m, c in value.to_dict().items()]
    zeros = points = 0
    for point in itertools.product(range(-bound, bound + 1), repeat=len(used)):
        points += 1
        zeros += not sum(_term(exponents, coefficient, point) for exponents, coefficient in terms)
    return 2 * bound + 1, zeros, points


def _term(exponents: list[int], coefficient: int, point: tuple[int, ...]) -> int:
    for exponent, coordinate in zip(exponents, point, strict=True):
        if exponent:
            coefficient *= coordinate**exponent
    return coefficient


def _bad_draws_are_few(weights: list[int]) -> Verdict:
    """All draws for d = 1 and the heads (W, v) = (w, 1), from a box of more than twice the sum of the degrees."""
    degree: Any = total_degree(len(weights), 1)
    polynomials = list(bad_set([[[w]] for w in weights], [[1]] * len(weights)))
    bad = points = 0
    for x, y in itertools.product(range(-degree, degree + 1), repeat=2):
        points += 1
        bad += any(polynomial.value([[x]], [[y]]) == 0 for polynomial in polynomials)
    side = 2 * degree + 1
    if fmpq(bad, points) > fmpq(degree, side):
        return Fails(bad, f"{bad} of {points} draws are bad, more than {degree}/{side} of them")
    return Holds()


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="two heads with the same W",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 2)),
    largest=Size(5, 4),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
