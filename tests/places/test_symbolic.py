"""Tests of f at the symbolic place: the definition of f by other means, invariances, sizes."""

from __future__ import annotations

import time
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Unit, Vector
from exactlearn.places.symbolic import evaluate
from exactlearn.rationals import as_fraction
from exactlearn.strategies import models, rationals, same_function_models, shaped_models, token_sequences

WIDE = Context(prec=150)


def _decimal(number: fmpq) -> Decimal:
    return Decimal(int(number.p)) / Decimal(int(number.q))


def _decimal_unit(unit: Unit) -> Decimal:
    return unit.sign * _decimal(unit.square).sqrt()


def _by_definition_in_decimals(model: MultiHeadAttention, tokens: tuple[Vector, ...]) -> fmpq:
    """The value with 150 digits by the standard library's decimals, scores as they stand in the definition."""
    with localcontext(WIDE):
        unit, total = _decimal_unit(model.unit), Decimal(0)
        for head in model.heads:
            weights = []
            for x in tokens:
                score = Decimal(0)
                for a, row in zip(x, head.W, strict=True):
                    for b, entry in zip(tokens[-1], row, strict=True):
                        weight = _decimal(entry) if model.weights == "rational" else _decimal(entry).ln()
                        score += unit * weight * _decimal(a) * _decimal(b)
                weights.append(score.exp())
            for w, x in zip(weights, tokens, strict=True):
                value = sum((_decimal(v) * _decimal(a) for v, a in zip(head.v, x, strict=True)), Decimal(0))
                total += w * value / sum(weights)
    exact = Fraction(total)
    return fmpq(exact.numerator, exact.denominator)


def _by_definition_in_fractions(model: MultiHeadAttention, tokens: tuple[tuple[int, ...], ...]) -> Fraction:
    """F of a log-rational model with unit 1 and whole tokens, in Fractions of the standard library."""
    total = Fraction(0)
    for head in model.heads:
        weights = []
        for x in tokens:
            weight = Fraction(1)
            for a, row in zip(x, head.W, strict=True):
                for b, T in zip(tokens[-1], row, strict=True):
                    weight *= as_fraction(T) ** (a * b)
            weights.append(weight)
        values = [sum((as_fraction(v) * a for v, a in zip(head.v, x, strict=True)), Fraction(0)) for x in tokens]
        total += sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)
    return total


def _meets(ball: arb, number: fmpq) -> bool:
    """Whether the ball meets the number as decimals know it, up to 10^-130."""
    with ctx.workprec(2000):
        return bool(ball.overlaps(arb(number.p) / arb(number.q) + arb(0, arb(10) ** -130)))


def fractional_sequences(dim: int, max_length: int = 4) -> st.SearchStrategy[tuple[Vector, ...]]:
    """Token sequences with denominators."""
    token = st.lists(rationals(4), min_size=dim, max_size=dim).map(tuple)
    return st.lists(token, min_size=1, max_size=max_length).map(tuple)


@given(st.data())
def test_log_rational_with_whole_tokens_by_definition(data: st.DataObject) -> None:
    """With whole powers of T the value is exactly the rational that Fractions give."""
    model = data.draw(shaped_models("log-rational", dims=(1, 3)))
    tokens = data.draw(token_sequences(model.dim))
    expected = _by_definition_in_fractions(model, tokens)
    value = evaluate(model, tokens)
    assert value.sum.decided_constant == (True, fmpq(expected.numerator, expected.denominator))
    assert value.base == ()
    assert value == expected
    assert value != expected + Fraction(1, 10**200)


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["rational", "log-rational"]))
def test_enclosure_contains_high_precision_value(data: st.DataObject, weights: Any) -> None:
    """For both kinds of weights, any unit and any rational tokens the enclosure contains f, and not a neighbour."""
    model = data.draw(models(weights, dims=(1, 2), max_heads=2, unit=None))
    tokens = data.draw(fractional_sequences(model.dim))
    expected = _by_definition_in_decimals(model, tokens)
    value = evaluate(model, tokens)
    ball = value.enclosure(20)
    if value == 0:
        assert abs(expected) < fmpq(1, 10**100)
        assert ball == 0
    else:
        assert _meets(ball, expected)
        assert not _meets(ball, expected * (1 + fmpq(1, 10**15)))
        assert value.sign() == (1 if expected > 0 else -1)


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
def test_splitting_merging_permuting_heads(data: st.DataObject, weights: Any) -> None:
    """Other raw heads of the same function give an equal value; one more head with v.x_n != 0 does not."""
    model = data.draw(shaped_models(weights, dims=(1, 2), max_heads=3, unit=None))
    other = data.draw(same_function_models(model))
    tokens = data.draw(fractional_sequences(model.dim))
    assert evaluate(model, tokens) == evaluate(other, tokens)
    final = next((a for a, entry in enumerate(tokens[-1]) if entry), None)
    if final is not None:
        zero = [[fmpq(0 if weights == "rational" else 1)] * model.dim] * model.dim
        more = model.with_heads([*model.heads, Head(zero, [int(a == final) for a in range(model.dim)])])
        assert evaluate(model, [tokens[-1]]) != evaluate(more, [tokens[-1]])


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
def test_values_add_over_heads(data: st.DataObject, weights: Any) -> None:
    """The value of all heads is the sum of the values of the single heads."""
    model = data.draw(models(weights, dims=(1, 2), max_heads=3, unit=None))
    tokens = data.draw(fractional_sequences(model.dim, 3))
    parts = [evaluate(model.with_heads([head]), tokens) for head in model.heads]
    assert sum(parts) == evaluate(model, tokens)


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
def test_negated_tokens_and_permuted_tokens(data: st.DataObject, weights: Any) -> None:
    """Negated tokens negate the value; permuting all tokens but the last changes nothing."""
    model = data.draw(models(weights, dims=(1, 2), max_heads=2, unit=None))
    tokens = data.draw(fractional_sequences(model.dim))
    value = evaluate(model, tokens)
    assert evaluate(model, [[-a for a in x] for x in tokens]) == -value
    permuted = data.draw(st.permutations(tokens[:-1]))
    assert evaluate(model, (*permuted, tokens[-1])) == value


def test_other_final_token_is_another_value() -> None:
    """The final token is the one that counts: exchanging it changes the value."""
    model = MultiHeadAttention([([[1]], [1])])
    assert evaluate(model, [[1], [2]]) != evaluate(model, [[2], [1]])


def test_known_closed_form() -> None:
    """One head on tokens 1 and 2 read at 1: (2 e + 1) / (e + 1) for W = 1."""
    value = evaluate(MultiHeadAttention([([[1]], [1])]), [[2], [1]])
    assert str(value) == "(1 + 2*exp(1))/(1 + exp(1))"
    assert value.rational is None


def test_repeated_tokens_are_multiplicities() -> None:
    """100,000 copies of a token cost as much as one, and weigh 100,000 times as much."""
    model = MultiHeadAttention([([[1]], [1])])
    begin = time.process_time()
    value = evaluate(model, [[2]] * 100_000 + [[1]])
    assert time.process_time() - begin < 5
    assert str(value) == "(1 + 200000*exp(1))/(1 + 100000*exp(1))"
    assert value != evaluate(model, [[2]] * 99_999 + [[1]])


def test_no_heads_one_token_and_equal_tokens() -> None:
    """Without heads f is 0; on copies of one token x it is V.x, whatever W is."""
    empty = MultiHeadAttention([], dim=2)
    assert evaluate(empty, [[1, 2]]).is_zero()
    assert str(evaluate(empty, [[1, 2]])) == "0"
    model = MultiHeadAttention([([[1, 2], [3, 4]], [5, 7]), ([[0, 2], [3, 4]], [1, fmpq(1, 3)])], unit=Unit.sqrt(3))
    x = [fmpq(1, 2), fmpq(-2, 5)]
    assert evaluate(model, [x] * 3).rational == 6 * x[0] + fmpq(22, 3) * x[1]


def test_irrational_units_that_are_commensurable() -> None:
    """sqrt(8) * W and sqrt(2) * 2W are the same weights, sqrt(2) * W others."""
    head, double = ([[1]], [1]), ([[2]], [1])
    tokens: list[list[Any]] = [[1], [fmpq(1, 3)], [2]]
    first = evaluate(MultiHeadAttention([head], unit=Unit.sqrt(8)), tokens)
    assert first == evaluate(MultiHeadAttention([double], unit=Unit.sqrt(2)), tokens)
    assert first != evaluate(MultiHeadAttention([head], unit=Unit.sqrt(2)), tokens)
    negative = MultiHeadAttention([([[-1]], [1])], unit=Unit(fmpq(8), -1))
    assert first == evaluate(negative, tokens)


def test_rational_unit_of_log_rational_weights() -> None:
    """T^u with T = 4 and u = 1/2 is T = 2 with unit 1, and rational; T = 2 and u = 1/2 is not rational."""
    tokens = [[1], [3], [1]]
    half = evaluate(MultiHeadAttention([([[4]], [1])], weights="log-rational", unit=fmpq(1, 2)), tokens)
    assert half == evaluate(MultiHeadAttention([([[2]], [1])], weights="log-rational"), tokens)
    assert half.rational == fmpq(7, 3)
    third = MultiHeadAttention([([[2]], [1])], weights="log-rational", unit=fmpq(1, 3))
    assert evaluate(third, tokens).rational is None


def test_hard_numbers_with_whole_powers_are_never_factored() -> None:
    """512-bit numerators with whole powers take no time; with fractional powers neither, over a coprime base."""
    p, q = 2**512 + 75, 2**511 + 111
    model = MultiHeadAttention([([[fmpq(p, q)]], [1])], weights="log-rational")
    begin = time.process_time()
    whole = evaluate(model, [[3], [1]])
    fractional = evaluate(model, [[fmpq(3, 2)], [1]])
    assert time.process_time() - begin < 2
    t = fmpq(p, q) ** 2
    assert whole == (3 * t + 1) / (t + 1)
    assert fractional.rational is None
    with_square = MultiHeadAttention([([[fmpq(p, q) ** 2]], [1])], weights="log-rational")
    t = fmpq(p, q)
    assert evaluate(with_square, [[fmpq(3, 2)], [1]]).rational == (fmpq(3, 2) * t + 1) / (t + 1)


def test_powers_are_bounded_before_they_are_taken() -> None:
    """2^(10^9) is refused at once, whole or fractional; e^(10^9) is no power and welcome."""
    model = MultiHeadAttention([([[2]], [1])], weights="log-rational")
    begin = time.process_time()
    for far in (10**9, fmpq(10**10 + 1, 7)):
        with pytest.raises(OverBudgetError, match="more than 4194304 bits"):
            evaluate(model, [[far], [1]])
    assert time.process_time() - begin < 1
    assert evaluate(MultiHeadAttention([([[1]], [1])]), [[10**9], [1]]).sign() == 1
    ones = MultiHeadAttention([([[1]], [1])], weights="log-rational")
    assert evaluate(ones, [[10**9], [1]]).rational == fmpq(10**9 + 1, 2)


@pytest.mark.parametrize(
    ("tokens", "place"), [([], "tokens"), ([[1, 2]], r"tokens\[0\]"), ([[1], [0.5]], r"tokens\[1\]")]
)
def test_unusable_tokens(tokens: Any, place: str) -> None:
    """Tokens that do not fit the model are named."""
    with pytest.raises(UnusableInputError, match=place):
        evaluate(MultiHeadAttention([([[1]], [1])]), tokens)


def test_eight_heads_on_eight_tokens() -> None:
    """The sum is not expanded: comparing, enclosing and rationality take moments for 8 heads on 8 tokens."""
    entry = iter(range(1, 1000))
    heads: list[Any] = [
        ([[fmpq(next(entry), 7), fmpq(-next(entry), 11)], [fmpq(next(entry), 13), 1]], [next(entry), -3])
        for _ in range(8)
    ]
    model = MultiHeadAttention(heads, unit=Unit.sqrt(fmpq(1, 2)))
    tokens = [[fmpq(i, 3), fmpq(5 - i * i, 4)] for i in range(1, 9)]
    begin = time.process_time()
    value = evaluate(model, tokens)
    assert value == evaluate(model.with_heads(reversed(model.heads)), tokens)
    assert value != value + fmpq(1, 10**200)
    assert value.rational is None
    assert value.enclosure(50).rel_accuracy_bits() > 166
    assert time.process_time() - begin < 5
