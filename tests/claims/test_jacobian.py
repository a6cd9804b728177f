"""Tests of the claim jacobian, against symbolic differentiation and determinants by sympy."""

from __future__ import annotations

import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.claims.jacobian import jacobian, product_formula
from exactlearn.rationals import as_fmpq, as_sympy
from exactlearn.strategies import positive_rationals, rationals


@given(st.data(), st.integers(1, 4))
@settings(max_examples=50)
def test_determinant_is_the_product(data: st.DataObject, heads: int) -> None:
    """For any c and positive t, coinciding or zero ones included, and zero exactly then."""
    c = data.draw(st.lists(rationals(), min_size=heads, max_size=heads))
    t = data.draw(st.lists(positive_rationals(), min_size=heads, max_size=heads))
    determinant = jacobian(c, t).det()
    assert abs(determinant) == abs(product_formula(c, t))
    assert bool(determinant) == (all(c) and len(set(t)) == heads)


@given(st.data(), st.integers(1, 3))
@settings(max_examples=30)
def test_control_formula_is_wrong(data: st.DataObject, heads: int) -> None:
    """With another exponent the product is another number whenever it is not zero."""
    c = data.draw(st.lists(rationals().filter(bool), min_size=heads, max_size=heads))
    t = data.draw(st.lists(positive_rationals(), min_size=heads, max_size=heads, unique=True))
    assert abs(jacobian(c, t).det()) != abs(product_formula(c, t, 1))


@pytest.mark.parametrize("heads", [1, 2])
def test_matrix_is_the_derivative(heads: int) -> None:
    """Every entry is the partial derivative of G(k) = sum_h c_h t_h / (1 + k t_h) that sympy finds."""
    c, t = sympy.symbols(f"c:{heads}"), sympy.symbols(f"t:{heads}")
    numbers = {symbol: sympy.Rational(3 + i, 2 + 5 * i) for i, symbol in enumerate((*c, *t))}
    matrix = jacobian([as_fmpq(numbers[s]) for s in c], [as_fmpq(numbers[s]) for s in t])
    for k in range(1, 2 * heads + 1):
        G = sum(a * b / (1 + k * b) for a, b in zip(c, t, strict=True))
        for column, symbol in enumerate((*c, *t)):
            assert as_sympy(fmpq(matrix[k - 1, column])) == sympy.diff(G, symbol).subs(numbers)
