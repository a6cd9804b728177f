"""Tests of LaTeX: sympy's printing is the other opinion on numbers, structure is checked by hand."""

from __future__ import annotations

import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.latex import latex_column, latex_matrix, latex_number
from exactlearn.rationals import as_fmpq, as_sympy


@given(st.fractions())
def test_numbers_as_sympy_prints_them(fraction: object) -> None:
    """A rational prints as sympy prints it: the sign in front of the fraction."""
    number = as_fmpq(fraction)
    assert latex_number(number) == sympy.latex(as_sympy(number)).replace("- ", "-")


@pytest.mark.parametrize(
    ("number", "text"), [(fmpq(-3), "-3"), (fmpq(1, 2), r"\frac{1}{2}"), (fmpq(-5, 7), r"-\frac{5}{7}"), (fmpq(0), "0")]
)
def test_numbers(number: fmpq, text: str) -> None:
    """The documented forms."""
    assert latex_number(number) == text


def test_matrices() -> None:
    """Rows and columns are where they belong."""
    rows = [[fmpq(1), fmpq(-1, 2)], [fmpq(0), fmpq(3)]]
    assert latex_matrix(rows) == r"\begin{pmatrix} 1 & -\frac{1}{2} \\ 0 & 3 \end{pmatrix}"
    assert latex_column([fmpq(1), fmpq(2)]) == r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"


def test_long_numbers() -> None:
    """Numbers beyond Python's limit of 4,300 digits print."""
    assert len(latex_number(fmpq(10) ** 5000)) == 5001
