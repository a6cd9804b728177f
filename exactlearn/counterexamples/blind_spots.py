"""For any finite list of probes two models that agree on all of them, at every copy count.

A probe (x, y) sees of a head the number x^T E y and the residue v.x, E = log T / log b.  Sort the probes into groups
such that for each group some matrix A_g that is not zero has x^T A_g y = 0 on the whole group.  For every subset S of
the groups take a head with E_S = sum_(g in S) A_g, all with the same v: the subsets of even size make one model, those
of odd size the other.  On a probe of group g the heads of S and of S without or with g look alike, and they are in
different models.  So the two models agree on every probe; m groups take 2^(m-1) heads.  A probe with v.x = 0 sees no
head at all.

(Pairs of this form are the "switching components" of discrete tomography.)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat, fmpz_mat

from exactlearn.counterexamples.partial_fractions import coprime
from exactlearn.counterexamples.request import ProbePair

IntegerMatrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class BlindSpot:
    """What a list of probes does not see.

    Attributes:
        v: The value vector of all heads.
        directions: The matrices A_g, one for each group; not zero.
    """

    v: tuple[int, ...]
    directions: tuple[IntegerMatrix, ...]

    @property
    def heads(self) -> int:
        """How many heads each of the two models has."""
        return 1 << (len(self.directions) - 1)

    def exponents(self) -> tuple[list[IntegerMatrix], list[IntegerMatrix]]:
        """The matrices E_S of the two models."""
        models: tuple[list[IntegerMatrix], list[IntegerMatrix]] = ([], [])
        d = len(self.v)
        for size in range(len(self.directions) + 1):
            for chosen in itertools.combinations(self.directions, size):
                total = tuple(tuple(sum(A[i][j] for A in chosen) for j in range(d)) for i in range(d))
                models[size % 2].append(total)
        return models


def blind_spots(probes: Sequence[ProbePair], dim: int) -> list[BlindSpot]:
    """Blind spots of a list of probes, those with the fewest heads first; none in one dimension (but for zero tokens).

    Tried are a v that no x annihilates and, for each x, a v that this x annihilates.
    """
    found = []
    for v in _value_vectors(probes, dim):
        seen = [(x, y) for x, y in probes if sum(a * b for a, b in zip(v, x, strict=True))]
        groups = _groups(seen, dim)
        if groups is not None:
            found.append(BlindSpot(v, tuple(_annihilated(group, dim) for group in groups)))
    return sorted(found, key=lambda spot: spot.heads)


def _groups(probes: Sequence[ProbePair], dim: int) -> list[fmpz_mat] | None:
    """Greedily: each group's rows x (x) y have a rank below d^2; None when a single probe already has that rank."""
    groups: list[list[list[int]]] = [[]]
    for x, y in probes:
        row = [a * b for a in x for b in y]
        for group in groups:
            if fmpz_mat([*group, row]).rank() < dim**2:
                if fmpz_mat([*group, row]).rank() > len(group):  # rows are kept independent
                    group.append(row)
                break
        else:
            if dim == 1:
                return None
            groups.append([row])
    return [fmpz_mat(group) if group else fmpz_mat(0, dim**2) for group in groups]


def _annihilated(group: fmpz_mat, dim: int) -> IntegerMatrix:
    """A matrix with whole coprime entries that every probe of the group annihilates."""
    basis = _kernel(group, dim**2)
    entries = [int(number.p) for number in coprime(basis)]
    return tuple(tuple(entries[dim * i : dim * (i + 1)]) for i in range(dim))


def _kernel(rows: fmpz_mat, columns: int) -> list[fmpq]:
    """One vector, not zero, of the kernel of a matrix whose rank is below the number of columns: the last free one."""
    reduced, rank = fmpq_mat(rows).rref() if rows.nrows() else (fmpq_mat(0, columns), 0)
    table = reduced.tolist()[:rank]
    pivots = [next(column for column, entry in enumerate(row) if entry) for row in table]
    free = max(column for column in range(columns) if column not in pivots)
    vector = [fmpq(0)] * columns
    vector[free] = fmpq(1)
    for row, pivot in zip(table, pivots, strict=True):
        vector[pivot] = -row[free]
    return vector


def _value_vectors(probes: Sequence[ProbePair], dim: int) -> list[tuple[int, ...]]:
    """(1, n, n^2, ...) with the smallest n that no x other than zero annihilates, then one orthogonal to each x."""
    xs = list(dict.fromkeys(x for x, _ in probes if any(x)))
    vectors = []
    for n in itertools.count(1):
        v = tuple(n**a for a in range(dim))
        if all(sum(a * b for a, b in zip(v, x, strict=True)) for x in xs):
            vectors.append(v)
            break
    if dim > 1:
        for x in xs:
            v = tuple(int(number.p) for number in coprime(_kernel(fmpz_mat([list(x)]), dim)))
            vectors.append(v)
    return list(dict.fromkeys(vectors))
