"""Tests of the copy-count function: its formula, its fraction P/Q, its limits, and how it prints."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.copy_count import CopyCountFunction
from exactlearn.strategies import positive_rationals, rationals

terms = st.lists(
    st.tuples(positive_rationals(), rationals().filter(bool)), max_size=5, unique_by=lambda term: term[0]
)


def _function(value: fmpq, pairs: list[tuple[fmpq, fmpq]]) -> CopyCountFunction:
    ordered = sorted(pairs)
    return CopyCountFunction(value, tuple(t for t, _ in ordered), tuple(c for _, c in ordered))


@given(rationals(), terms, st.integers(0, 50))
def test_values(value: fmpq, pairs: list[tuple[fmpq, fmpq]], k: int) -> None:
    """F(k) is F(0) plus the sum of c k t / (1 + k t), and F(0) + k P(k)/Q(k)."""
    function = _function(value, pairs)
    expected = value + sum((c * k * t / (1 + k * t) for t, c in pairs), fmpq(0))
    assert function(k) == expected
    assert value + k * fmpq(function.numerator(k)) / fmpq(function.denominator(k)) == expected
    assert function(fmpq(k, 3)) == value + sum((c * k * t / (3 + k * t) for t, c in pairs), fmpq(0))


@given(rationals(), terms)
def test_shape(value: fmpq, pairs: list[tuple[fmpq, fmpq]]) -> None:
    """Type (H-1, H) with Q(0) = 1, roots -1/t, in lowest terms; the limit is F(0) plus all residues."""
    function = _function(value, pairs)
    assert function.denominator(0) == 1
    assert function.denominator.degree() == len(pairs)
    assert function.numerator.degree() < max(len(pairs), 1)
    assert all(function.denominator(-1 / t) == 0 for t, _ in pairs)
    assert function.numerator.gcd(function.denominator).degree() == 0
    assert function.value_at_infinity == value + sum((c for _, c in pairs), fmpq(0))


@given(rationals(), terms, st.integers(1, 8), st.data())
def test_goes_through(value: fmpq, pairs: list[tuple[fmpq, fmpq]], length: int, data: st.DataObject) -> None:
    """It goes through its own values, and through no others."""
    function = _function(value, pairs)
    samples = [function(k) for k in range(1, length + 1)]
    assert function.goes_through(samples)
    index = data.draw(st.integers(0, length - 1))
    samples[index] += fmpq(1, 10**40)
    assert not function.goes_through(samples)


def test_printing() -> None:
    """Text and LaTeX show every pole and residue with its sign; long numbers are shortened in the text."""
    function = _function(fmpq(1, 2), [(fmpq(3), fmpq(-2)), (fmpq(1, 3), fmpq(5))])
    assert str(function) == "F(k) = 1/2 + (5)*1/3*k/(1 + 1/3*k) + (-2)*3*k/(1 + 3*k)"
    latex = function._repr_latex_()
    assert latex.startswith(r"$\displaystyle F(k) = \frac{1}{2} + 5\cdot\frac{\frac{1}{3}\,k}{1+\frac{1}{3}\,k} - 2")
    assert "(6001 characters)" in str(_function(fmpq(0), [(fmpq(10) ** 6000, fmpq(1))]))
    assert str(_function(fmpq(0), [])) == "F(k) = 0"


def test_a_pole_has_no_value() -> None:
    """At k = -1/t there is no value."""
    with pytest.raises(ZeroDivisionError):
        _function(fmpq(0), [(fmpq(2), fmpq(1))])(fmpq(-1, 2))
