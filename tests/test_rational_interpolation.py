"""Tests of Cauchy interpolation over Q against plain linear algebra, on all small data and all degree types."""

from __future__ import annotations

import itertools

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.rational_interpolation import (
    DuplicateNode,
    Found,
    RationalFunction,
    Unattainable,
    Underdetermined,
    cauchy_interpolation,
)

TYPES = [(m, n) for m in range(-1, 5) for n in range(5)]


def _null_space(matrix: fmpq_mat) -> list[list[fmpq]]:
    """A basis of the null space, from the reduced row echelon form."""
    reduced, rank = matrix.rref()
    columns = matrix.ncols()
    pivots = [next(c for c in range(columns) if reduced[r, c]) for r in range(rank)]
    basis = []
    for free in range(columns):
        if free in pivots:
            continue
        vector = [fmpq(int(c == free)) for c in range(columns)]
        for r, pivot in enumerate(pivots):
            vector[pivot] = -reduced[r, free]
        basis.append(vector)
    return basis


def _exists(nodes: list[fmpq], values: list[fmpq], m: int, n: int) -> bool:
    """Whether some P, Q of these degrees have P(z) = y Q(z) and Q(z) != 0 at every point z.

    The pairs with the first property are a vector space; over an infinite field one of them has the second as soon
    as for each single point one of them has it.
    """
    points = zip(nodes, values, strict=True)
    rows = [[z**i for i in range(m + 1)] + [-y * z**i for i in range(n + 1)] for z, y in points]
    basis = _null_space(fmpq_mat(rows))
    denominators = [fmpq_poly(vector[m + 1 :]) for vector in basis]
    return all(any(denominator(z) for denominator in denominators) for z in nodes)


@pytest.mark.parametrize("nodes", [[0, 1, 2, 3], [1, 2, 3, 4], [-1, fmpq(1, 2), 7, 2]], ids=str)
def test_all_small_data(nodes: list[int]) -> None:
    """Over all y in {0, 1, 2}^4 and all degree types the answer is right, and each kind of answer occurs."""
    points = [fmpq(node) for node in nodes]
    kinds = set()
    for (m, n), y in itertools.product(TYPES, itertools.product(range(3), repeat=4)):
        values = [fmpq(value) for value in y]
        answer = cauchy_interpolation(points, values, m, n)
        kinds.add(type(answer))
        if m + n + 1 > 4:
            assert answer == Underdetermined(m + n - 3)
        elif isinstance(answer, Found):
            function = answer.function
            assert function.numerator.degree() <= m
            assert function.denominator.degree() <= n
            assert [function(z) for z in points] == values
            assert function.numerator.gcd(function.denominator).degree() == 0
            assert _exists(points, values, m, n)
        else:
            assert isinstance(answer, Unattainable)
            assert answer.points
            assert set(answer.points) <= set(points)
            assert not _exists(points, values, m, n)
    assert kinds == {Found, Unattainable, Underdetermined}


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.data())
def test_duplicate_nodes(nodes: list[int], data: st.DataObject) -> None:
    """A node given twice is named, even when both values agree; without it there is another answer."""
    distinct = [fmpq(node) for node in dict.fromkeys(nodes)]
    again = data.draw(st.sampled_from(distinct))
    points = [*distinct, again]
    assert cauchy_interpolation(points, [fmpq(1)] * len(points), 0, 0) == DuplicateNode(again)
    assert not isinstance(cauchy_interpolation(distinct, [fmpq(1)] * len(distinct), 0, 0), DuplicateNode)


@given(
    st.lists(st.integers(-5, 5), max_size=4),
    st.lists(st.integers(-5, 5), min_size=1, max_size=4).filter(lambda c: bool(c[-1])),
    st.integers(0, 3),
)
def test_round_trip(numerator: list[int], denominator: list[int], more: int) -> None:
    """A function sampled at equally spaced points, none a pole, is found in lowest terms, with degrees to spare."""
    P, Q = fmpq_poly(numerator), fmpq_poly(denominator)
    m, n = max(P.degree(), -1) + more, Q.degree() + more // 2
    candidates = (fmpq(z) for z in itertools.count(-3))
    points = list(itertools.islice((z for z in candidates if Q(z)), max(m + n + 1, 1)))
    values = [fmpq(P(z)) / fmpq(Q(z)) for z in points]
    answer = cauchy_interpolation(points, values, m, n)
    assert isinstance(answer, Found)
    assert answer.function.numerator * Q == answer.function.denominator * P
    assert answer.function.denominator[answer.function.denominator.degree()] == 1
    changed = [*values[:-1], values[-1] + 1]
    assert cauchy_interpolation(points, changed, m, n) != answer


@pytest.mark.parametrize("value", [0, 1, fmpq(-2, 3)])
def test_equal_values(value: fmpq) -> None:
    """Equal values on equally spaced nodes are a constant, for every type that has room for it."""
    nodes = [fmpq(k) for k in range(1, 8)]
    for m, n in ((0, 0), (0, 6), (3, 3), (6, 0)):
        answer = cauchy_interpolation(nodes, [fmpq(value)] * 7, m, n)
        assert answer == Found(RationalFunction(fmpq_poly([value]), fmpq_poly([1])))


def test_collinear_points() -> None:
    """Points on a line are that line, also where continued fractions divide by zero."""
    nodes = [fmpq(k) for k in range(5)]
    answer = cauchy_interpolation(nodes, [2 * z + 1 for z in nodes], 2, 2)
    assert answer == Found(RationalFunction(fmpq_poly([1, 2]), fmpq_poly([1])))


def test_a_further_point_at_a_pole() -> None:
    """A point beyond the needed ones that lies on the candidate's pole is unattainable, not a division by zero."""
    nodes = [fmpq(k) for k in (1, 2, 3)]
    values = [1 / (z - 5) for z in nodes]
    assert isinstance(cauchy_interpolation(nodes, values, 0, 1), Found)
    answer = cauchy_interpolation([*nodes, fmpq(5)], [*values, fmpq(7)], 0, 1)
    assert answer == Unattainable((fmpq(5),))


def test_value_at_a_pole() -> None:
    """A rational function has no value at its pole."""
    function = RationalFunction(fmpq_poly([1]), fmpq_poly([-5, 1]))
    assert function(fmpq(6)) == 1
    with pytest.raises(ZeroDivisionError):
        function(fmpq(5))
