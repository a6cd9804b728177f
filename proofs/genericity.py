"""The polynomials whose values decide whether a draw is good are all non-zero polynomials.

For a canonical model (W_h pairwise distinct, v_h non-zero) and the schedule of DESIGN section 4 they are, in the
coordinates of x_1, ..., x_d, y_1, ..., y_d:

    det X, det Y                                          degree d      1 each
    v_h.x, x = x_i or x_1 + x_i (i >= 2)                  degree 1      H (2d - 1)
    x^T (W_h - W_g) y, g < h, (x, y) any probe            degree 2      H (H - 1)/2 * (2d^2 - 1)
    false match (h, g, l) at a sum probe                  degree 2      H (H - 1) (H - 2) * (d^2 - 1)

where the false match of h, g, l pairwise distinct is  x_i^T (W_h - W_l) y_1 + x_i^T (W_g - W_l) y_j  at S(i,j),
j >= 2, and  x_1^T (W_h - W_l) y_1 + x_i^T (W_g - W_l) y_1  at S(i,1).  Their degrees add up to 2d + H (2d - 1) + H
(H - 1) (2d^2 - 1) + 2 H (H - 1) (H - 2) (d^2 - 1).

For all (H, d), in words:
Head g of the second base probe is a candidate for head h of the first when the sum of their log poles is the log
pole of some head l at the sum probe: when the form above is zero.  For g = h = l it is zero identically: the right
match.  For g = h != l it says that h and l have one pole at the sum probe, for l = h != g that g and h have one at
the second base probe, for l = g != h likewise at the first: all excluded by the third line.  What is left is h, g, l
pairwise distinct, so it takes three heads to be fooled.  Each polynomial is non-zero: it takes the value 1 at unit
vectors (determinants); the value of an entry of v_h at x_i = e_a (and x_1 = e_a, x_i = 0 for a sum); the value of an
entry of W_h - W_g at x = e_a, y = e_b (one summand of a sum set to zero); likewise the false match, with y_j = 0 or
x_i = 0.  As v_h != 0 and W_h != W_g, some entry is not zero.  A product of non-zero polynomials over a field is
non-zero, so the bad draws, its zeros, are a proper algebraic subset, of measure zero.

By computation:
With W_h and v_h symbolic: every polynomial takes the stated value at the stated point for every entry, its degree is
the stated one, the numbers and the sum of degrees are as stated; the false matches that are not pairwise distinct
are polynomials of the third line, or zero.  The package's own list, `genericity_polynomials`, is this one,
polynomial by polynomial up to signs.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exactlearn import genericity_polynomials
from exactlearn.polynomials import (
    Polynomial,
    add,
    bilinear,
    determinant,
    dot,
    indeterminates,
    subtract,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict

Vectors = list[list[Any]]
Evaluated = Callable[[Vectors, Vectors], Any]
"""A polynomial as a function of X = [x_1, ..., x_d] and Y = [y_1, ..., y_d]."""
Probe = tuple[tuple[int, ...], tuple[int, ...]]
"""Which x_i are added up and which y_j: P(i,j) is ((i,), (j,)), S(i,1) is ((0, i), (0,)), S(i,j) ((i,), (0, j))."""


@dataclass(frozen=True)
class BadSetPolynomial:
    """One polynomial of the list.

    Attributes:
        kind: ``det``, ``v.x``, ``poles`` or ``false match``.
        degree: Its degree.
        value: The polynomial, as a function of X and Y.
        witnesses: For each entry of what is assumed non-zero: the entry, and (x, y) unit positions that give it.
    """

    kind: str
    degree: int
    value: Evaluated
    witnesses: tuple[tuple[Any, dict[int, int], dict[int, int]], ...]


def check(size: Size) -> Verdict:
    """The theorem."""
    return _all_are_non_zero(size, equal_weights=False)


def control(size: Size) -> Verdict:
    """Two heads have the same W: "canonical" is dropped."""
    return _all_are_non_zero(Size(max(size.H, 2), size.dim), equal_weights=True)


def bad_set(W: Sequence[Any], v: Sequence[Any]) -> Iterator[BadSetPolynomial]:
    """The polynomials for heads with these weights (H matrices, d x d) and values (H vectors); entries of any ring."""
    heads, dim = len(W), len(v[0])
    diagonal = {i: i for i in range(dim)}
    yield BadSetPolynomial("det", dim, lambda X, Y: determinant(X), ((1, diagonal, {}),))  # noqa: ARG005  # by kind
    yield BadSetPolynomial("det", dim, lambda X, Y: determinant(Y), ((1, {}, diagonal),))  # noqa: ARG005  # by kind
    for summands in [(i,) for i in range(dim)] + [(0, i) for i in range(1, dim)]:
        for values in v:
            yield BadSetPolynomial(
                "v.x",
                1,
                lambda X, Y, s=summands, u=values: dot(u, _sum(X, s)),  # type: ignore[misc]  # noqa: ARG005
                tuple((entry, {summands[0]: a}, {}) for a, entry in enumerate(values)),
            )
    for x, y in probes(dim):
        for g, h in itertools.combinations(range(heads), 2):
            D = subtract(W[h], W[g])
            yield BadSetPolynomial(
                "poles",
                2,
                lambda X, Y, x=x, y=y, D=D: bilinear(_sum(X, x), D, _sum(Y, y)),  # type: ignore[misc]
                _entries(D, x[0], y[0]),
            )
    for probe in sum_probes(dim):
        for h, g, other in itertools.permutations(range(heads), 3):
            yield BadSetPolynomial(
                "false match",
                2,
                lambda X, Y, p=probe, t=(h, g, other): false_match(W, p, t, X, Y),  # type: ignore[misc]
                _entries(subtract(W[h], W[other]), probe[0][0], probe[1][0]),
            )


def probes(dim: int) -> list[Probe]:
    """All probes of the schedule: d^2 base probes, then the sum probes."""
    return [((i,), (j,)) for i in range(dim) for j in range(dim)] + sum_probes(dim)


def sum_probes(dim: int) -> list[Probe]:
    """S(i,1) for i >= 2, then S(i,j) for j >= 2."""
    column = [((0, i), (0,)) for i in range(1, dim)]
    return [*column, *(((i,), (0, j)) for i in range(dim) for j in range(1, dim))]


def false_match(W: Sequence[Any], probe: Probe, triple: tuple[int, int, int], X: Vectors, Y: Vectors) -> Any:
    """Log pole of h at the first base probe plus that of g at the second, minus that of l at the sum probe."""
    h, g, other = triple
    x, y = probe
    first = bilinear(X[x[0]], W[h], Y[y[0]])
    second = bilinear(X[x[-1]], W[g], Y[y[-1]])
    return first + second - bilinear(_sum(X, x), W[other], _sum(Y, y))


def _entries(D: Any, i: int, j: int) -> tuple[tuple[Any, dict[int, int], dict[int, int]], ...]:
    """x_i = e_a and y_j = e_b, all other tokens zero, gives D[a][b]."""
    return tuple((entry, {i: a}, {j: b}) for a, row in enumerate(D) for b, entry in enumerate(row))


def _sum(vectors: Vectors, summands: tuple[int, ...]) -> list[Any]:
    result = vectors[summands[0]]
    for other in summands[1:]:
        result = add(result, vectors[other])
    return result


def _all_are_non_zero(size: Size, *, equal_weights: bool) -> Verdict:
    heads, dim = size.H, size.d
    ring = indeterminates(X=(dim, dim), Y=(dim, dim), W=(heads, dim, dim), v=(heads, dim))
    W = [ring.W[0], *ring.W[:1], *ring.W[2:]] if equal_weights else ring.W
    counted: Counter[str] = Counter()
    degrees = 0
    for polynomial in bad_set(W, ring.v):
        counted[polynomial.kind] += 1
        degrees += polynomial.degree
        fault = _fault(ring, polynomial, dim)
        if fault:
            return Fails(polynomial, f"{polynomial.kind}: {fault}")
    H, d = heads, dim
    stated = {
        "det": 2,
        "v.x": H * (2 * d - 1),
        "poles": H * (H - 1) // 2 * (2 * d**2 - 1),
        "false match": H * (H - 1) * (H - 2) * (d**2 - 1),
    }
    if counted != Counter(stated) or degrees != total_degree(heads, dim):
        return Fails((dict(counted), degrees), "the numbers of polynomials or their degrees are others")
    rest = _other_triples(ring, heads, dim)
    return _package_has_the_same(ring, heads, dim) if rest.holds else rest


def total_degree(H: Any, d: Any) -> Any:
    """The sum of the degrees of all polynomials, as stated."""
    return 2 * d + H * (2 * d - 1) + H * (H - 1) * (2 * d**2 - 1) + 2 * H * (H - 1) * (H - 2) * (d**2 - 1)


def _fault(ring: Any, polynomial: BadSetPolynomial, dim: int) -> str:
    """What is wrong with a polynomial's degree or witnesses; empty when nothing is."""
    value = polynomial.value(ring.X, ring.Y)
    if value == 0:
        return "it is the zero polynomial"
    coordinates = 2 * dim**2
    if {sum(monomial[:coordinates]) for monomial in value.monoms()} != {polynomial.degree}:
        return "it has another degree"
    for entry, x_units, y_units in polynomial.witnesses:
        if polynomial.value(_tokens(ring, x_units, dim), _tokens(ring, y_units, dim)) != entry + ring.zero:
            return f"the witness {x_units}, {y_units} does not give {entry}"
    return ""


def _tokens(ring: Any, units: dict[int, int], dim: int) -> list[list[Polynomial]]:
    return [[ring.one if units.get(i) == a else ring.zero for a in range(dim)] for i in range(dim)]


def _other_triples(ring: Any, heads: int, dim: int) -> Verdict:
    """False matches with two equal among h, g, l are pole differences, and zero when all are equal."""
    for probe in sum_probes(dim):
        (x, y), first, second = probe, (probe[0][0], probe[1][0]), (probe[0][-1], probe[1][-1])
        for h, g, other in itertools.product(range(heads), repeat=3):
            if len({h, g, other}) == 3:
                continue
            form = false_match(ring.W, probe, (h, g, other), ring.X, ring.Y)
            if g == other:
                i, j = first
                expected = bilinear(ring.X[i], subtract(ring.W[h], ring.W[g]), ring.Y[j])
            elif h == other:
                i, j = second
                expected = bilinear(ring.X[i], subtract(ring.W[g], ring.W[h]), ring.Y[j])
            else:
                expected = bilinear(_sum(ring.X, x), subtract(ring.W[h], ring.W[other]), _sum(ring.Y, y))
            if form != expected:
                return Fails((probe, h, g, other), "a false match is no difference of two log poles of one probe")
    return Holds()


def _package_has_the_same(ring: Any, heads: int, dim: int) -> Verdict:
    """Both lists as sets of polynomials up to sign, each with its degree."""
    here = {_up_to_sign(p.value(ring.X, ring.Y), p.degree) for p in bad_set(ring.W, ring.v)}
    there = set()
    for polynomial in genericity_polynomials.polynomials(dim, heads):
        value = determinant(ring.X if polynomial.family == "det X" else ring.Y) if not polynomial.terms else ring.zero
        for term in polynomial.terms:
            x = _sum(ring.X, term.xs)
            value += term.sign * (
                bilinear(x, ring.W[term.head], _sum(ring.Y, term.ys)) if term.ys else dot(ring.v[term.head], x)
            )
        there.add(_up_to_sign(value, polynomial.degree))
    if here != there:
        return Fails(here ^ there, "the package lists other polynomials")
    return Holds("degrees and witnesses, numbers and sum of degrees; the package's list is the same")


def _up_to_sign(value: Polynomial, degree: int) -> tuple[str, int]:
    return min(str(value), str(-value)), degree


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="two heads with the same W",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(4, 5),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
