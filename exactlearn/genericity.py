"""The bad set of a model: the values of the polynomials of DESIGN section 5 at a draw, and where they are not zero."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.draws import Draw
from exactlearn.genericity_polynomials import (
    DEGREES,
    Family,
    Indices,
    Polynomial,
    ProbeIndices,
    Term,
    determinant,
    false_match,
    matching_triples,
    polynomials,
    probes,
    readout,
    representatives,
    separation,
)
from exactlearn.log_weights import LogWeights
from exactlearn.model import MultiHeadAttention, dot
from exactlearn.places.protocol import IntegerToken


@dataclass(frozen=True)
class BadSet:
    """The polynomials of one model.

    Attributes:
        model: Its heads are taken as they are.  For a canonical model every polynomial is non-zero as a polynomial;
            raw heads with equal W give one that vanishes identically.
    """

    model: MultiHeadAttention

    @cached_property
    def weights(self) -> LogWeights:
        """The weights over Q-independent units."""
        return LogWeights.of(self.model)

    def counts(self) -> dict[Family, int]:
        """How many polynomials each family has, by formula."""
        H, d = len(self.model.heads), self.model.dim
        return {
            "det X": 1,
            "det Y": 1,
            "v_h.x": H * (2 * d - 1),
            "x^T (W_h - W_g) y": (2 * d**2 - 1) * (H * (H - 1) // 2),
            "false match": (d**2 - 1) * H * max(H - 1, 0) * max(H - 2, 0),
        }

    def degree(self, family: Family) -> int:
        """The degree of every polynomial of a family."""
        return DEGREES.get(family, self.model.dim)

    def polynomials(self) -> Iterator[Polynomial]:
        """All of them, one by one, as `genericity_polynomials.polynomials` has them."""
        return polynomials(self.model.dim, len(self.model.heads))

    def identically_zero(self) -> Polynomial | None:
        """A polynomial that vanishes identically, or None, which every canonical model gives.

        One of each kind up to renaming tokens is looked at: it must have a witness point, and not be zero there.
        """
        for polynomial in representatives(self.model.dim, len(self.model.heads)):
            point = self.witness_point(polynomial)
            if point is None or not any(self.value(polynomial, point)):
                return polynomial
        return None

    def value(self, polynomial: Polynomial, draw: Draw) -> tuple[fmpq, ...]:
        """The value at a draw, as coordinates over Q-independent units: zero exactly when every coordinate is."""
        if not polynomial.terms:
            tokens = draw.X if polynomial.family == "det X" else draw.Y
            return (fmpq(fmpz_mat([list(token) for token in tokens]).det()),)
        total: list[fmpq] = []
        for term in polynomial.terms:
            x = _sum(draw.X, term.xs)
            if term.ys:
                part = self.weights.form(term.head, x, _sum(draw.Y, term.ys))
            else:
                part = (dot(self.model.heads[term.head].v, [fmpq(a) for a in x]),)
            total = [a + term.sign * b for a, b in zip(total or [fmpq(0)] * len(part), part, strict=True)]
        return tuple(total)

    def witness_point(self, polynomial: Polynomial) -> Draw | None:
        """A point where it is not zero, or None when it vanishes identically.

        One x_p and one y_q are unit vectors and all other tokens zero, so that a single coefficient is left: for
        some p, q there is a non-zero one unless the polynomial is the zero polynomial.  For det X and det Y the
        unit vectors themselves.
        """
        d = self.model.dim
        if not polynomial.terms:
            return Draw(tuple(_unit(d, i) for i in range(d)), tuple(_unit(d, j) for j in range(d)))
        for p in sorted({i for term in polynomial.terms for i in term.xs}):
            for q in sorted({j for term in polynomial.terms for j in term.ys}) or [0]:
                terms = [t for t in polynomial.terms if p in t.xs and (not t.ys or q in t.ys)]
                for a in range(d):
                    for b in range(d):
                        if self._has_coefficient(terms, a, b):
                            return Draw(_single(d, p, a), _single(d, q, b))
        return None

    def _has_coefficient(self, terms: Sequence[Term], a: int, b: int) -> bool:
        total: dict[int, fmpq] = {}
        for term in terms:
            head = self.model.heads[term.head]
            part = self.weights.coefficient(term.head, a, b) if term.ys else (head.v[a],)
            for unit, coordinate in enumerate(part):
                total[unit] = total.get(unit, fmpq(0)) + term.sign * coordinate
        return any(total.values())

    def vanishing(self, draw: Draw) -> list[Polynomial]:
        """Every polynomial that is zero at the draw, in the order of `polynomials`.

        All values x_i^T W_h y_j are computed once as whole numbers; sum probes are sums of two of them.
        """
        dim, heads = self.model.dim, range(len(self.model.heads))
        found = [
            determinant(family, dim)
            for family, tokens in _token_matrices(draw)
            if not fmpz_mat([list(token) for token in tokens]).det()
        ]
        tokens = fmpz_mat([list(token) for token in draw.X]).transpose()
        readouts = [values * tokens for values in self._values]
        for place in probes(dim):
            if place.ys == (0,):
                found += [
                    readout(place, h)
                    for h in heads
                    if not any(sum((part[h, i] for i in place.xs), fmpz(0)) for part in readouts)
                ]
        tables = self._tables(draw)
        poles = {place.name: [_entry(table, place) for table in tables] for place in probes(dim)}
        for place in probes(dim):
            found += _meetings(place, poles[place.name])
        for triple in matching_triples(dim):
            found += _false_matches(triple, *(poles[place.name] for place in triple))
        return found

    @cached_property
    def _values(self) -> list[fmpz_mat]:
        """Whole multiples of the v_h, one a row; over a number field one matrix for each coefficient."""
        field, parts = self.model.field, []
        for index in range(1 if field is None else field.degree):
            rows = []
            for head in self.model.heads:
                entries = [entry if field is None else entry.coefficients[index] for entry in head.v]
                denominator = fmpz(1)
                for entry in entries:
                    denominator = denominator.lcm(entry.q)
                rows.append([entry.p * (denominator // entry.q) for entry in entries])
            parts.append(fmpz_mat(rows) if rows else fmpz_mat(0, self.model.dim))
        return parts

    def _tables(self, draw: Draw) -> list[list[list[fmpz]]]:
        """For every head the table of x_i^T W_h y_j, all coordinates packed into one whole number."""
        size = max((abs(a) for token in (*draw.X, *draw.Y) for a in token), default=0)
        left = fmpz_mat([list(token) for token in draw.X])
        right = fmpz_mat([list(token) for token in draw.Y]).transpose()
        return [(left * matrix * right).tolist() for matrix in self._packed(1 << int(size).bit_length())]

    def _packed(self, size: int) -> list[fmpz_mat]:
        """`LogWeights.packed`, kept for each size that was asked for."""
        known: dict[int, list[fmpz_mat]] = self.__dict__.setdefault("_packed_by_size", {})
        if size not in known:
            known[size] = self.weights.packed(size)
        return known[size]


def _token_matrices(draw: Draw) -> tuple[tuple[Literal["det X", "det Y"], tuple[IntegerToken, ...]], ...]:
    return ("det X", draw.X), ("det Y", draw.Y)


def _meetings(place: ProbeIndices, values: list[fmpz]) -> list[Polynomial]:
    """The pairs of heads whose poles meet; mostly none, and then one look tells."""
    if len(set(values)) == len(values):
        return []
    pairs = itertools.combinations(range(len(values)), 2)
    return [separation(place, h, g) for h, g in pairs if values[h] == values[g]]


def _false_matches(
    triple: tuple[ProbeIndices, ProbeIndices, ProbeIndices], left: list[fmpz], right: list[fmpz], total: list[fmpz]
) -> list[Polynomial]:
    positions: dict[fmpz, list[int]] = {}
    for l, value in enumerate(total):  # noqa: E741
        positions.setdefault(value, []).append(l)
    found = []
    for h, a in enumerate(left):
        for g, b in enumerate(right):
            if h != g:
                found += [false_match(triple, h, g, l) for l in positions.get(a + b, ()) if l not in (h, g)]  # noqa: E741
    return found


def _entry(table: list[list[fmpz]], place: ProbeIndices) -> fmpz:
    values = [table[i][j] for i in place.xs for j in place.ys]
    return values[0] if len(values) == 1 else values[0] + values[1]


def _sum(tokens: Sequence[Sequence[int]], indices: Indices) -> tuple[int, ...]:
    return tuple(sum(tokens[i][a] for i in indices) for a in range(len(tokens[0])))


def _unit(dim: int, axis: int) -> tuple[int, ...]:
    return tuple(int(a == axis) for a in range(dim))


def _single(dim: int, position: int, axis: int) -> tuple[tuple[int, ...], ...]:
    """As many tokens as coordinates, all zero but the one at `position`, which is a unit vector."""
    return tuple(_unit(dim, axis) if i == position else (0,) * dim for i in range(dim))
