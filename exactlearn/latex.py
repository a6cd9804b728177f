"""LaTeX of exact numbers, vectors and matrices, for notebooks (`_repr_latex_`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq


def latex_number(value: Any) -> str:
    r"""A number as LaTeX: ``-3``, or ``\frac{1}{2}`` with the sign in front; field elements their own way."""
    if not isinstance(value, fmpq):
        return str(value.latex())
    if value.q == 1:
        return str(value.p)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.p)}}}{{{value.q}}}"


def latex_matrix(rows: Sequence[Sequence[Any]]) -> str:
    """A matrix (a sequence of rows) of numbers as a LaTeX ``pmatrix``."""
    body = r" \\ ".join(" & ".join(latex_number(entry) for entry in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def latex_column(entries: Sequence[Any]) -> str:
    """A column vector of numbers as a LaTeX ``pmatrix``."""
    return latex_matrix([[entry] for entry in entries])
