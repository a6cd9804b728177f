"""The polynomials of DESIGN section 5 as values: which family, at which probe, about which heads, of which degree.

The variables are the coordinates of x_1..x_d and y_1..y_d.  A false match of head h of one probe with head g of the
next, taken for head l of the sum probe, needs  x^T W_h y + x'^T W_g y' - (sum probe of l) = 0.  When two of h, g, l
are equal that form is x^T (W_h - W_g) y of one of the three probes, which is on the list already; so the forms of
the family "false match" are those with h, g, l pairwise distinct, H (H-1) (H-2) for each matching triple.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

Family = Literal["det X", "det Y", "v_h.x", "x^T (W_h - W_g) y", "false match"]
FAMILIES: tuple[Family, ...] = get_args(Family)
DEGREES: dict[Family, int] = {"v_h.x": 1, "x^T (W_h - W_g) y": 2, "false match": 2}
"""The degrees that do not depend on d; det X and det Y have degree d."""

Indices = tuple[int, ...]
"""Which tokens are added, counting from 0: (0, i) stands for x_1 + x_(i+1)."""


@dataclass(frozen=True)
class ProbeIndices:
    """Where a form is taken: a probe's name, and the tokens whose sums are its x and its y."""

    name: str
    xs: Indices
    ys: Indices


@dataclass(frozen=True)
class Term:
    """One summand: `sign` times x^T W_h y, or times v_h.x when `ys` is empty; x and y are sums of tokens."""

    sign: int
    head: int
    xs: Indices
    ys: Indices


@dataclass(frozen=True)
class Polynomial:
    """One polynomial in the coordinates of the draw.

    Attributes:
        family: Which kind it is.
        probe: The probe that it belongs to; of a false match the sum probe; empty for det X and det Y.
        heads: The heads it is about, counting from 0, in the order h, g, l.
        degree: Its total degree.
        terms: Its summands; none for the determinants.
    """

    family: Family
    probe: str
    heads: Indices
    degree: int
    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        if not self.terms:
            return self.family
        if self.family == "v_h.x":
            (term,) = self.terms
            return f"v_{term.head + 1}.{_sum_text('x', term.xs)}"
        if self.family == "x^T (W_h - W_g) y":
            left, right = self.terms
            difference = f"(W_{left.head + 1} - W_{right.head + 1})"
            return f"{_sum_text('x', left.xs)}^T {difference} {_sum_text('y', left.ys)}"
        text = " ".join(
            f"{'+' if t.sign > 0 else '-'} {_sum_text('x', t.xs)}^T W_{t.head + 1} {_sum_text('y', t.ys)}"
            for t in self.terms
        )
        return text.removeprefix("+ ")


@lru_cache(maxsize=32)
def probes(dim: int) -> tuple[ProbeIndices, ...]:
    """The 2 d^2 - 1 probes of the schedule "paper", in the order of its definition (DESIGN section 4)."""
    base = [_base(i, j) for j in range(dim) for i in range(dim)]
    return (*base, *(_sum(i, j) for j in range(dim) for i in range(0 if j else 1, dim)))


@lru_cache(maxsize=32)
def matching_triples(dim: int) -> tuple[tuple[ProbeIndices, ProbeIndices, ProbeIndices], ...]:
    """The d^2 - 1 triples (probe, next probe, their sum probe) through which heads are matched."""
    column = [(_base(0, 0), _base(i, 0), _sum(i, 0)) for i in range(1, dim)]
    return (*column, *((_base(i, 0), _base(i, j), _sum(i, j)) for j in range(1, dim) for i in range(dim)))


def _base(i: int, j: int) -> ProbeIndices:
    return ProbeIndices(f"P({i + 1},{j + 1})", (i,), (j,))


def _sum(i: int, j: int) -> ProbeIndices:
    return ProbeIndices(f"S({i + 1},{j + 1})", (i,) if j else (0, i), (0, j) if j else (0,))


def separation(place: ProbeIndices, h: int, g: int) -> Polynomial:
    """x^T (W_h - W_g) y at a probe."""
    terms = (Term(1, h, place.xs, place.ys), Term(-1, g, place.xs, place.ys))
    return Polynomial("x^T (W_h - W_g) y", place.name, (h, g), 2, terms)


def false_match(triple: tuple[ProbeIndices, ProbeIndices, ProbeIndices], h: int, g: int, l: int) -> Polynomial:  # noqa: E741
    """The linear form that vanishes when head h on the left and g on the right multiply to head l of the sum."""
    left, right, total = triple
    terms = (
        Term(1, h, left.xs, left.ys),
        Term(1, g, right.xs, right.ys),
        Term(-1, l, total.xs, total.ys),
    )
    return Polynomial("false match", total.name, (h, g, l), 2, terms)


def readout(place: ProbeIndices, h: int) -> Polynomial:
    """v_h.x at the x of a probe."""
    return Polynomial("v_h.x", place.name, (h,), 1, (Term(1, h, place.xs, ()),))


def polynomials(dim: int, heads: int) -> Iterator[Polynomial]:
    """All polynomials for this many heads, one by one, family by family."""
    return _polynomials(dim, heads, probes(dim), matching_triples(dim))


def representatives(dim: int, heads: int) -> Iterator[Polynomial]:
    """All of them up to renaming tokens, which changes no coefficient: those at P(1,1), S(2,1) and S(1,2)."""
    kept = {"P(1,1)", "S(2,1)", "S(1,2)"}
    places = [place for place in probes(dim) if place.name in kept]
    return _polynomials(dim, heads, places, [triple for triple in matching_triples(dim) if triple[2].name in kept])


def _polynomials(
    dim: int,
    heads: int,
    places: Iterable[ProbeIndices],
    triples: Iterable[tuple[ProbeIndices, ProbeIndices, ProbeIndices]],
) -> Iterator[Polynomial]:
    yield determinant("det X", dim)
    yield determinant("det Y", dim)
    # Every x that is used is the x of a probe in column 1.
    yield from (readout(place, h) for place in places if place.ys == (0,) for h in range(heads))
    yield from (separation(place, h, g) for place in places for h, g in itertools.combinations(range(heads), 2))
    for triple in triples:
        yield from (false_match(triple, *hgl) for hgl in itertools.permutations(range(heads), 3))


def determinant(family: Literal["det X", "det Y"], dim: int) -> Polynomial:
    """The determinant of the x_i or of the y_j."""
    return Polynomial(family, "", (), dim)


def _sum_text(letter: str, indices: Indices) -> str:
    text = " + ".join(f"{letter}_{i + 1}" for i in indices)
    return f"({text})" if len(indices) > 1 else text
