"""Determinants of matrices of scalars, rationals or elements of one number field."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpq_mat

from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar


def determinant(rows: Sequence[Sequence[Scalar]]) -> Scalar:
    """The determinant of a square matrix; by FLINT over Q, by elimination over a number field."""
    if not any(isinstance(entry, FieldElement) for row in rows for entry in row):
        return fmpq_mat([list(row) for row in rows]).det()
    left, total = [list(row) for row in rows], fmpq(1)
    while left:
        pivot = next((row for row in left if row[0]), None)
        if pivot is None:
            return 0 * left[0][0]
        total = total * pivot[0] * (-1 if left.index(pivot) % 2 else 1)
        left.remove(pivot)
        left = [_cleared(row, pivot) for row in left]
    return total


def _cleared(row: Sequence[Scalar], pivot: Sequence[Scalar]) -> list[Scalar]:
    factor = row[0] / pivot[0]
    return [entry - factor * other for entry, other in zip(row[1:], pivot[1:], strict=True)]
