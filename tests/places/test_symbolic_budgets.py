"""Tests of what symbolic values refuse to compute: an error that says so, in bounded time, and never an answer."""

from __future__ import annotations

import time

import pytest
from flint import fmpq, fmpz

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.model import MultiHeadAttention
from exactlearn.places.exponential_sums import Budget, ExponentialSum
from exactlearn.places.quotient_sums import QuotientSum
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue

exp = SymbolicValue.exp


def _hidden_zero() -> QuotientSum:
    """A zero that shows only when it is expanded."""
    f = sum((1 / (1 + exp(fmpq(1, k)) + exp(k)) for k in range(2, 5)), SymbolicValue.of(0))
    p = 1 + exp(fmpq(1, 7))
    return ((f * p) / p - f).sum


def test_over_budget_is_an_error_and_no_answer() -> None:
    """When expanding is over the budget, zero is not decided by any precision; with the budget it is."""
    hidden = _hidden_zero()
    with pytest.raises(OverBudgetError, match="more than 100 products"):
        hidden.is_zero(products=100)
    with pytest.raises(OverBudgetError, match="more than 100 products"):
        hidden.constant(products=100)
    assert hidden.is_zero()
    assert hidden.constant() == 0
    shifted = hidden + QuotientSum(ExponentialSum.of(fmpq(1, 10**200)))
    assert not shifted.is_zero(products=100)
    assert shifted.constant() == fmpq(1, 10**200)


def test_the_stated_budget_ends_in_bounded_time() -> None:
    """Eight heads on eight tokens against the same value in disguise: OverBudgetError within seconds."""
    heads = [([[fmpq(h * h + 1, 7), h], [fmpq(h, 3), 1]], [h + 1, -3]) for h in range(8)]
    value = evaluate(MultiHeadAttention(heads), [[fmpq(i, 3), fmpq(5 - i * i, 4)] for i in range(1, 9)])
    p = 1 + exp(fmpq(1, 7))
    disguised = (value * p) / p
    begin = time.process_time()
    with pytest.raises(OverBudgetError, match="more than 200000 products"):
        _ = value == disguised
    assert time.process_time() - begin < 30


def test_budget_counts_before_it_computes() -> None:
    """A product is refused before it is taken, and long coefficients cost more."""
    short = ExponentialSum.of(fmpq(1)) + exp(1).sum.whole
    budget = Budget(4)
    short.times(short, budget)
    with pytest.raises(OverBudgetError, match="more than 4 products"):
        short.times(short, budget)
    with pytest.raises(OverBudgetError, match="more than 4 products"):
        short.times(short.scaled(fmpq(2) ** 100_000), Budget(4))


def test_precision_is_bounded() -> None:
    """More digits than the bound are refused at once, and so are digits that are no number from 1 on."""
    with pytest.raises(OverBudgetError, match="digits are computed"):
        exp(1).enclosure(10**9)
    with pytest.raises(OverBudgetError, match="bits of precision are not enough"):
        exp(fmpz(10) ** 1_000_000).sum.refine(lambda ball: ball.is_finite() and ball.rel_accuracy_bits() > 2**20, 2**20)
    for digits in (0, -1, True, 2.0):
        with pytest.raises(UnusableInputError, match="digits: a whole number from 1 on"):
            exp(1).enclosure(digits)  # type: ignore[arg-type]
