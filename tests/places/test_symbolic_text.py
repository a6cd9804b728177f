"""Tests of symbolic values in writing: text that sympy reads back to the same number, LaTeX, long numbers."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.model import MultiHeadAttention, Unit
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.strategies import models, rationals

exp, power = SymbolicValue.exp, SymbolicValue.power
HALF = fmpq(1, 2)


@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (SymbolicValue.of(fmpq(7, 3)), "7/3", r"\frac{7}{3}"),
        (SymbolicValue.of(-2), "-2", "-2"),
        (SymbolicValue.of(0), "0", "0"),
        ((1 + 2 * exp(fmpq(3, 2))) / (1 + exp(fmpq(3, 2))), "(1 + 2*exp(3/2))/(1 + exp(3/2))", None),
        (power(2, HALF) * fmpq(3, 4), "2**(1/2)*3/4", r"\sqrt{2} \cdot \frac{3}{4}"),
        (-power(2, fmpq(1, 3)), "-2**(1/3)", r"-2^{\frac{1}{3}}"),
        (exp(fmpq(3, 2), Unit.sqrt(2)), "exp(sqrt(2)*3/2)", r"e^{\sqrt{2} \cdot \frac{3}{2}}"),
        (exp(-1, Unit.sqrt(6)) / 2, "1/2*exp(-sqrt(6))", r"\frac{1}{2} \cdot e^{-\sqrt{6}}"),
        (exp(1) - exp(-1) - 1, "-exp(-1) - 1 + exp(1)", "-e^{-1} - 1 + e^{1}"),
        (1 / (1 + exp(1)), "1/(1 + exp(1))", r"\frac{1}{1 + e^{1}}"),
        (-exp(2) / (3 + exp(1)) + exp(5), "exp(5) - exp(2)/(3 + exp(1))", r"e^{5} - \frac{e^{2}}{3 + e^{1}}"),
        (1 / (-2 - 2 * exp(1)), "-1/2/(1 + exp(1))", r"-\frac{\frac{1}{2}}{1 + e^{1}}"),
        (power(2, HALF) * exp(1) * 3, "2**(1/2)*3*exp(1)", None),
    ],
)
def test_known_texts(value: SymbolicValue, text: str, latex: str | None) -> None:
    """Texts and LaTeX as people write them, and sympy reads the same number back."""
    assert str(value) == text
    assert repr(value) == f"SymbolicValue({text})"
    if latex is not None:
        assert value._repr_latex_() == rf"$\displaystyle {latex}$"
    assert sympy.simplify(sympy.sympify(str(value)) - value.to_sympy()) == 0


@settings(max_examples=40)
@given(st.data(), st.sampled_from(["rational", "log-rational"]))
def test_text_and_sympy_are_the_same_number(data: st.DataObject, weights: Any) -> None:
    """What sympy reads from the text, and `to_sympy`, evaluate to the number to 40 digits, without a float in them."""
    model = data.draw(models(weights, dims=(1, 2), max_heads=2, unit=None))
    token = st.lists(rationals(3), min_size=model.dim, max_size=model.dim)
    value = evaluate(model, data.draw(st.lists(token, min_size=1, max_size=3)))
    ball = value.enclosure(30)
    for expression in (sympy.sympify(str(value)), value.to_sympy()):
        assert not expression.has(sympy.Float)
        number = sympy.Rational(expression.evalf(60)) if not expression.is_Rational else expression
        approximation = fmpq(int(number.p), int(number.q))
        difference = (SymbolicValue.of(approximation) - value).enclosure(5)
        assert abs(difference) <= abs(ball) / fmpq(10) ** 40
        assert not abs(difference + fmpq(1, 10**9)) <= abs(ball) / fmpq(10) ** 40 or abs(ball) > 10**20


def test_order_of_printing_does_not_depend_on_the_order_of_heads() -> None:
    """Terms and quotients are sorted by their numbers."""
    model = MultiHeadAttention([([[h]], [h * h]) for h in (3, 1, -2, fmpq(1, 2))])
    tokens: list[list[Any]] = [[1], [fmpq(-1, 3)], [2], [fmpq(1, 2)]]
    text = str(evaluate(model, tokens))
    assert text == str(evaluate(model.with_heads(reversed(model.heads)), tokens))
    assert text == str(evaluate(model, [tokens[2], tokens[0], tokens[1], tokens[3]]))
    assert text != str(evaluate(model, reversed(tokens)))


def test_numbers_beyond_the_digit_limit_print() -> None:
    """Ten thousand digits print in full, in text and LaTeX, and go to sympy as numbers."""
    limit = sys.get_int_max_str_digits()
    assert limit <= 4300
    big = fmpz(10) ** 10_000 + 1
    value = SymbolicValue.of(fmpq(big, 3)) + exp(fmpq(1, big)) + power(fmpq(big), fmpq(1, 2))
    assert str(big) in str(value)
    assert str(big) in value._repr_latex_()
    assert len(repr(value)) < 300
    expected = sympy.Rational(int(big), 3)
    assert (SymbolicValue.of(fmpq(big, 3)) * exp(1)).to_sympy() == expected * sympy.E
    assert sys.get_int_max_str_digits() == limit
