"""Tests of models as sympy matrices: round trips, true weights, the kinds of entries, and what is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from sympy import Matrix, Rational, log, sqrt, zeros

from exactlearn.canonical import same_function
from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.places.symbolic import evaluate
from exactlearn.rationals import as_sympy
from exactlearn.strategies import shaped_models
from exactlearn.sympy_form import from_sympy, to_sympy

KINDS = st.sampled_from(["rational", "log-rational"])
COLUMN = Matrix([1, 2])


@given(st.data(), KINDS)
def test_round_trip(data: st.DataObject, weights: Any) -> None:
    """A model comes back from sympy as the same function; a changed v does not."""
    model = data.draw(shaped_models(weights, dims=(1, 3), unit=None))
    back = from_sympy(to_sympy(model), dim=model.dim)
    assert same_function(model, back).holds
    assert [head.v for head in back.heads] == [head.v for head in model.heads]
    first, *rest = back.heads
    changed = back.with_heads([Head(first.W, [first.v[0] + 1, *first.v[1:]]), *rest])
    assert not same_function(model, changed).holds


@given(st.data(), KINDS)
def test_matrices_hold_the_true_weights(data: st.DataObject, weights: Any) -> None:
    """exp(x^T W y) by sympy's matrices is what the symbolic place weighs x by: f on (x, y) is x's share."""
    model = data.draw(shaped_models(weights, dims=(1, 2), max_heads=1, unit=None))
    W, v = to_sympy(model)[0]
    assert W.shape == (model.dim, model.dim)
    assert v.shape == (model.dim, 1)
    x, y = Matrix([2] + [1] * (model.dim - 1)), Matrix([1] * model.dim)
    t = sympy.exp(((x - y).T * W * y)[0, 0])
    expected = ((t * v.T * x + v.T * y) / (t + 1))[0, 0]
    single = model.with_heads([model.heads[0]])
    value = evaluate(single, [[int(a) for a in x], [1] * model.dim]).to_sympy()
    scale = 1 + abs(expected.evalf(40))
    assert abs((value - expected).evalf(40, maxn=2000)) / scale < Rational(1, 10**30)


def test_rational_entries() -> None:
    """Rational entries and all zeros are rational weights with unit 1; rows for v are welcome."""
    model = from_sympy([(Matrix([[1, Rational(1, 2)], [0, -3]]), Matrix([[1, 2]])), (zeros(2), COLUMN)])
    assert model == MultiHeadAttention([([[1, fmpq(1, 2)], [0, -3]], [1, 2]), ([[0, 0], [0, 0]], [1, 2])])
    assert from_sympy([(zeros(2), COLUMN)]).weights == "rational"
    assert from_sympy([], dim=3) == MultiHeadAttention([], dim=3)


def test_multiples_of_one_square_root() -> None:
    """Entries in one Q sqrt(n) give the unit sqrt(q), in whatever form sympy holds them."""
    model = from_sympy([(Matrix([[0, sqrt(8)], [1 / sqrt(2), -3 * sqrt(Rational(1, 2))]]), COLUMN)])
    assert model.weights == "rational"
    assert model.unit == Unit.sqrt(8)
    assert model.heads == (Head([[0, 1], [fmpq(1, 4), fmpq(-3, 4)]], [1, 2]),)


def test_sums_of_logarithms() -> None:
    """Sums of whole multiples of logs give T = exp(entry) with unit 1; an entry 0 is T = 1."""
    entries = [[2 * (log(2) - log(3)), log(Rational(3, 5))], [0, -log(6, evaluate=False) / 1]]
    model = from_sympy([(Matrix(entries), COLUMN)])
    assert model.unit == Unit.of(1)
    assert model.heads == (Head([[fmpq(4, 9), fmpq(3, 5)], [1, fmpq(1, 6)]], [1, 2]),)
    halves = from_sympy([(Matrix([[log(2) / 2 + log(8) / 2, log(3) / 2 + log(27) / 2]] * 2), COLUMN)])
    assert halves == MultiHeadAttention([([[4, 9], [4, 9]], [1, 2])], weights="log-rational")


def test_logarithms_with_fractional_powers_take_a_unit() -> None:
    """log(2)/3 and log(5)/2 together have unit 1/6."""
    model = from_sympy([(Matrix([[log(2) / 3, log(5) / 2], [0, 0]]), COLUMN)])
    assert model == MultiHeadAttention([([[4, 125], [1, 1]], [1, 2])], weights="log-rational", unit=fmpq(1, 6))


@pytest.mark.parametrize(
    ("W", "place"),
    [
        (Matrix([[sqrt(2), 1], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries of W are rational"),
        (Matrix([[1, 0], [sqrt(2), 0]]), r"heads\[0\].W\[1\]\[0\]: entries"),
        (Matrix([[sqrt(2), 0], [0, sqrt(3)]]), r"heads\[0\].W\[1\]\[1\]: entries"),
        (Matrix([[log(2), 0], [0, 1]]), r"heads\[0\].W\[1\]\[1\]: entries"),
        (Matrix([[1, log(2)], [0, 1]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[log(2) * log(3), 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: entries"),
        (Matrix([[log(2) + 1, 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: entries"),
        (Matrix([[1 + sqrt(2), 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: entries"),
        (Matrix([[sqrt(-2), 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: entries"),
        (Matrix([[log(-2), 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: entries"),
        (Matrix([[0, sympy.pi], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[0, sympy.Symbol("x")], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[0, sympy.oo], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[0, sympy.nan], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[0, 2 ** Rational(1, 3)], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: entries"),
        (Matrix([[1, 0.5], [0, 0]]), r"heads\[0\].W\[0\]\[1\]: a float is ambiguous"),
        (Matrix([[0.5 * log(2), 0], [0, 0]]), r"heads\[0\].W\[0\]\[0\]: a float is ambiguous"),
        (Matrix([[1, 2, 3], [4, 5, 6]]), r"heads\[0\].W: a square matrix was expected, not 2 x 3"),
    ],
)
def test_other_entries_are_named(W: Any, place: str) -> None:
    """What is of no kind, or of a second kind, is one line with its place."""
    with pytest.raises(UnusableInputError, match=place) as caught:
        from_sympy([(W, COLUMN)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pair", "place"),
    [
        ((zeros(2), Matrix([1, 2, 3])), r"heads\[0\].v: v is a vector of 2 entries, not 3 x 1"),
        ((zeros(2), zeros(2)), r"heads\[0\].v: v is a vector"),
        ((zeros(2), Matrix([1, sqrt(2)])), r"heads\[0\].v\[1\]: a rational number"),
        ((zeros(2), Matrix([1, 0.25])), r"heads\[0\].v\[1\]: a float is ambiguous"),
        (("Matrix([[1]])", "Matrix([1])"), r"heads\[0\]: a pair \(W, v\) of sympy matrices"),
        ((zeros(2),), r"heads\[0\]: a pair"),
        (zeros(2), r"heads\[0\]: a pair"),
    ],
)
def test_other_pairs_are_named(pair: Any, place: str) -> None:
    """Shapes and types are checked; text is never read as an expression."""
    with pytest.raises(UnusableInputError, match=place):
        from_sympy([pair])


def test_dimensions_agree() -> None:
    """Heads of two dimensions, or none without a dimension, are refused by the model itself."""
    with pytest.raises(UnusableInputError, match=r"heads\[1\]: the head has dimension 1"):
        from_sympy([(zeros(2), COLUMN), (zeros(1), Matrix([1]))])
    with pytest.raises(UnusableInputError, match="dim"):
        from_sympy([])


def test_long_numbers() -> None:
    """Numbers beyond Python's digit limit make the round trip, square roots of them too, in moments."""
    big = fmpq(10**4400 + 7, 10**4399 + 9)
    begin = time.process_time()
    for model in (
        MultiHeadAttention([([[big]], [big])]),
        MultiHeadAttention([([[big, 0], [1, -big]], [big, 1])], unit=Unit.sqrt(big)),
        MultiHeadAttention([([[big, 1], [2, 1 / big]], [big, 1])], weights="log-rational"),
        MultiHeadAttention([([[big, 1], [2, 1 / big]], [big, 1])], weights="log-rational", unit=fmpq(2, 3)),
    ):
        assert same_function(model, from_sympy(to_sympy(model))).holds
    assert time.process_time() - begin < 10


def test_powers_are_bounded() -> None:
    """exp(10^9 log 2) is refused before it is computed."""
    with pytest.raises(OverBudgetError, match=r"heads\[0\].W\[0\]\[1\]: exp of this entry"):
        from_sympy([(Matrix([[0, 10**9 * log(2)], [0, 0]]), COLUMN)])
    assert as_sympy(from_sympy([(Matrix([[1000 * log(2)]]), Matrix([1]))]).heads[0].W[0][0]) == 2**1000
