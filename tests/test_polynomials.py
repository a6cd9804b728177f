"""Tests of polynomials and their matrices: laws, and FLINT's integer matrices as another way to the same values."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.polynomials import (
    Exponentials,
    Quotient,
    add,
    adjugate,
    bilinear,
    coefficient_determinant,
    coefficients,
    determinant,
    differences,
    dot,
    indeterminates,
    multiply,
    product,
    rank,
    softmax_value,
    subtract,
    total,
    transpose,
)

RING = indeterminates(k=(), a=(2,), M=(3, 3))
ENTRIES = st.integers(-3, 3)


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> list[list[int]]:
    """Small integer matrices of one or any shape up to 4 x 4; often of low rank."""
    height = rows or draw(st.integers(1, 4))
    width = columns or draw(st.integers(1, 4))
    return draw(st.lists(st.lists(ENTRIES, min_size=width, max_size=width), min_size=height, max_size=height))


squares = st.integers(1, 4).flatmap(lambda size: matrices(size, size))


def constants(matrix: list[list[int]]) -> Any:
    """The same matrix with constant polynomials."""
    return [[RING.one * entry for entry in row] for row in matrix]


@given(squares)
def test_determinant_of_integers(matrix: list[list[int]]) -> None:
    """Minors give FLINT's determinant of the same integers."""
    assert determinant(constants(matrix)) - int(fmpz_mat(matrix).det()) == RING.zero


@given(squares)
def test_adjugate_law(matrix: list[list[int]]) -> None:
    """Matrix times adjugate is the determinant times the identity, on both sides."""
    entries = constants(matrix)
    size, det = len(matrix), determinant(entries)
    scaled = [[det if i == j else RING.zero for j in range(size)] for i in range(size)]
    assert multiply(entries, adjugate(entries)) == scaled == multiply(adjugate(entries), entries)


def test_symbolic_determinant_and_adjugate() -> None:
    """For 3 x 3 indeterminates: Leibniz' sum over permutations, and the adjugate's law."""
    leibniz = RING.zero
    for permutation in itertools.permutations(range(3)):
        inversions = sum(p > q for p, q in itertools.combinations(permutation, 2))
        leibniz += (-1) ** inversions * product([RING.M[i][j] for i, j in enumerate(permutation)], RING.one)
    assert determinant(RING.M) == leibniz
    assert multiply(RING.M, adjugate(RING.M))[1] == [RING.zero, leibniz, RING.zero]
    assert determinant(transpose(RING.M)) == leibniz


@given(matrices())
def test_rank_of_integers(matrix: list[list[int]]) -> None:
    """Bareiss' elimination gives FLINT's rank of the same integers."""
    assert rank(constants(matrix)) == fmpz_mat(matrix).rank()


def test_symbolic_rank() -> None:
    """A column times a row has rank one, an added multiple changes nothing, an indeterminate entry does."""
    outer = [[x * y for y in RING.M[1]] for x in RING.M[0]]
    assert rank(outer) == 1
    assert rank([*RING.M[:2], add(RING.M[0], [RING.k * entry for entry in RING.M[1]])]) == 2
    assert rank(RING.M) == 3
    assert rank([[RING.zero, RING.zero], [RING.zero, RING.k]]) == 1


@given(matrices(2, 3), matrices(3, 2), matrices(2, 2))
def test_products(left: list[list[int]], right: list[list[int]], other: list[list[int]]) -> None:
    """Products and differences are FLINT's; x^T W y is an entry of a product; transposing reverses products."""
    assert fmpz_mat(multiply(left, right)) == fmpz_mat(left) * fmpz_mat(right)
    assert fmpz_mat(subtract(multiply(left, right), other)) == fmpz_mat(left) * fmpz_mat(right) - fmpz_mat(other)
    assert transpose(multiply(left, right)) == multiply(transpose(right), transpose(left))
    assert bilinear(left[0], multiply(right, other), other[0]) == dot(
        multiply([left[0]], right)[0], [dot(row, other[0]) for row in other]
    )


@given(st.lists(ENTRIES, max_size=5))
def test_coefficients(numbers: list[int]) -> None:
    """The coefficients in k put together again give the polynomial, and none is superfluous."""
    polynomial = sum((RING.a[0] * c * RING.k**i for i, c in enumerate(numbers)), RING.zero) + RING.a[1]
    taken = coefficients(polynomial)
    assert sum((c * RING.k**i for i, c in enumerate(taken)), RING.zero) == polynomial
    assert all(c.degrees()[0] <= 0 for c in taken)
    assert taken[-1]
    assert coefficients(RING.zero) == []


@given(matrices(3, 3), st.lists(ENTRIES, min_size=3, max_size=3))
def test_vandermonde_splits_off(rows: list[list[int]], nodes: list[int]) -> None:
    """The determinant of [f_j(k_i)] is Vandermonde's times `coefficient_determinant`, equal nodes included."""
    functions = [sum((c * RING.k**i for i, c in enumerate(row)), RING.zero) for row in rows]
    values = [[sum(c * node**i for i, c in enumerate(row)) for row in rows] for node in nodes]
    assert coefficient_determinant(functions) * differences(nodes, 1) == int(fmpz_mat(values).det())


def test_too_high_a_degree() -> None:
    """A polynomial that does not fit the number of nodes is refused, not cut off."""
    with pytest.raises(ValueError, match="too high a degree"):
        coefficient_determinant([RING.k**2, RING.one])


@given(ENTRIES, ENTRIES, st.integers(1, 5), st.integers(1, 5))
def test_quotients(a: int, b: int, c: int, d: int) -> None:
    """Sums and equality are those of fractions; lowest terms change nothing but the parts."""
    left, right = Quotient(a * RING.k, c + RING.k), Quotient(b * RING.one, d + RING.k)
    summed = left + right
    assert summed.equals(right + left)
    assert total([left, right], RING.one).equals(summed)
    assert summed.lowest_terms().equals(summed)
    assert not (summed + Quotient(RING.one, 1 + RING.k)).equals(summed)
    doubled = Quotient(RING.k * left.numerator, RING.k * left.denominator)
    assert doubled.equals(left)
    assert doubled.lowest_terms().denominator.degrees()[0] <= 1


def test_softmax_value() -> None:
    """Equal weights give the mean; the weights may be scaled by a common factor."""
    assert softmax_value([RING.k, RING.k], RING.a).equals(Quotient(RING.a[0] + RING.a[1], RING.one * 2))
    weights = RING.M[0]
    scaled = softmax_value([RING.k * weight for weight in weights], RING.M[1])
    assert scaled.equals(softmax_value(weights, RING.M[1]))


def test_exponentials() -> None:
    """Sums go to products, zero to one; an exponent that is no sum of the known ones has no image."""
    p, q = RING.M[0][0] * RING.M[0][1], RING.M[1][1]
    exponential = Exponentials(((p, RING.a[0]), (q, RING.a[1])))
    assert exponential(p + q) == RING.a[0] * RING.a[1]
    assert exponential(q) == RING.a[1]
    assert exponential(RING.zero) == RING.one
    for other in (p - q, 2 * p, -q, RING.k, RING.one):
        assert exponential(other) is None


def test_indeterminates() -> None:
    """Every entry of every array is another indeterminate, in the order of the arguments, row by row."""
    ring = indeterminates(x=(2, 2), y=(), z=(0,), w=(1,))
    assert [str(entry) for row in ring.x for entry in row] == ["x_0_0", "x_0_1", "x_1_0", "x_1_1"]
    assert (str(ring.y), ring.z, [str(entry) for entry in ring.w]) == ("y", [], ["w_0"])
    assert ring.x[0][0].degrees() == (1, 0, 0, 0, 0, 0)
