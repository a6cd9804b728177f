"""The weights of all heads as whole-number matrices over Q-independent units, so that log-poles are compared exactly.

True e: x^T W_h y = c r with one unit c, so r alone matters; over a number field the units are 1, a, a^2, ...
Log-rational: log T = sum_l s_l log b_l over a coprime
base b_1, b_2, ..., whose logarithms are linearly independent over Q.  Either way x^T W_h y is a vector of rationals,
and a combination of such numbers is zero exactly when every coordinate is (DESIGN sections 2 and 5).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.places.multiplicative import coordinates_of_logarithms
from exactlearn.places.radicals import Base, coprime_base, exponents_over


@dataclass(frozen=True)
class LogWeights:
    """W_h = factor / denominator * sum_l components[h][l] * unit_l, the units independent over Q.

    Attributes:
        dim: The dimension d.
        base: The b_l with unit_l = log b_l; empty for rational weights, which have the one unit 1, and over a number
            field, where the units are powers of a, or for log-rational weights not written down.
        factor: The model's rational unit for log-rational weights; 1 for rational ones, whose unit is left out.
        denominator: A common denominator of all rational weights.
        components: For each head and each unit a d x d matrix of whole numbers.
    """

    dim: int
    base: Base
    factor: fmpq
    denominator: fmpz
    components: tuple[tuple[fmpz_mat, ...], ...]

    @classmethod
    def of(cls, model: MultiHeadAttention) -> LogWeights:
        """The weights of `model`, whose heads are taken as they are.

        Raises:
            OverBudgetError: When numbers of a log-rational model are too long for a coprime base.
        """
        if model.field is not None:
            return _over_field(model, model.field)
        if model.weights == "rational":
            denominator = fmpz(1)
            for entry in _entries(model.heads):
                denominator = denominator.lcm(entry.q)
            matrices = tuple((_scaled(head, denominator),) for head in model.heads)
            return cls(model.dim, (), fmpq(1), denominator, matrices)
        base = coprime_base(part for entry in _entries(model.heads) for part in (entry.p, entry.q))
        factor = model.unit.rational
        assert factor is not None  # noqa: S101  # the model's constructor saw to it
        components = tuple(_logarithms(head, base) for head in model.heads)
        return cls(model.dim, base, factor, fmpz(1), components)

    def form(self, head: int, x: Sequence[int], y: Sequence[int]) -> tuple[fmpq, ...]:
        """The coordinates of x^T W_h y (true e: in units of c) over the independent units."""
        row, column = fmpz_mat(1, self.dim, list(x)), fmpz_mat(self.dim, 1, list(y))
        scale = self.factor / self.denominator
        return tuple(scale * fmpq((row * matrix * column)[0, 0]) for matrix in self.components[head])

    def coefficient(self, head: int, a: int, b: int) -> tuple[fmpq, ...]:
        """The coordinates of the entry W_h[a][b]."""
        scale = self.factor / self.denominator
        return tuple(scale * fmpq(matrix[a, b]) for matrix in self.components[head])

    def packed(self, size: int) -> list[fmpz_mat]:
        """One whole-number matrix a head, such that comparing its values compares all coordinates at once.

        Coordinate l is shifted by l * bits.  For tokens with entries up to `size`, every sum of at most eight
        values x^T W y has coordinates below 2^(bits - 1), so the packed sum is zero exactly when all of them are.
        """
        entries = [abs(e) for head in self.components for matrix in head for e in matrix.entries()]
        largest = max(entries, default=fmpz(0))
        bits = int((8 * self.dim**2 * size**2 * largest).bit_length()) + 2
        matrices = []
        for head in self.components:
            total = fmpz_mat(self.dim, self.dim)
            for position, matrix in enumerate(head):
                total += matrix * (fmpz(1) << (bits * position))
            matrices.append(total)
        return matrices


def _over_field(model: MultiHeadAttention, field: NumberField) -> LogWeights:
    if model.weights == "log-rational":
        coordinates = coordinates_of_logarithms(field, _entries(model.heads))
        denominator = fmpz(1)
    else:
        coordinates, denominator = _scaled_coefficients(_entries(model.heads))
    factor = fmpq(1) if model.weights == "rational" else model.unit.rational
    assert factor is not None  # noqa: S101  # the model's constructor saw to it
    units = len(coordinates[0]) if coordinates else field.degree
    size = model.dim**2
    components = tuple(
        tuple(
            fmpz_mat(model.dim, model.dim, [c[unit] for c in coordinates[h * size : (h + 1) * size]])
            for unit in range(units)
        )
        for h in range(len(model.heads))
    )
    return LogWeights(model.dim, (), factor, denominator, components)


def _scaled_coefficients(entries: Sequence[FieldElement]) -> tuple[list[tuple[fmpz, ...]], fmpz]:
    denominator = fmpz(1)
    for entry in entries:
        denominator = denominator.lcm(entry.polynomial.denom())
    return [tuple((denominator * c).p for c in entry.coefficients) for entry in entries], denominator


def _entries(heads: Sequence[Head]) -> list[Scalar]:
    return list(itertools.chain.from_iterable(row for head in heads for row in head.W))


def _scaled(head: Head, denominator: fmpz) -> fmpz_mat:
    return fmpz_mat([[entry.p * (denominator // entry.q) for entry in row] for row in head.W])


def _logarithms(head: Head, base: Base) -> tuple[fmpz_mat, ...]:
    exponents = [[exponents_over(entry, base) for entry in row] for row in head.W]
    return tuple(fmpz_mat([[entry.get(unit, 0) for entry in row] for row in exponents]) for unit in base)
