"""Heads (W, v) and multi-head attention models (DESIGN section 1).  No input or output, no learning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar, common_field
from exactlearn.latex import latex_column, latex_matrix
from exactlearn.model.unit import ONE, Unit
from exactlearn.model.vectors import Matrix, Vector, as_vector, short_row, short_rows
from exactlearn.rationals import Rational

WeightKind = Literal["rational", "log-rational"]


@dataclass(frozen=True)
class Head:
    """One attention head (W, v).

    Attributes:
        W: d x d matrix.  In a log-rational model it holds T, and the head's weights are log T entrywise.
        v: Vector of d entries, the head's value read out along one direction.
    """

    W: Matrix
    v: Vector

    def __init__(self, W: Iterable[Iterable[Scalar]], v: Iterable[Scalar]) -> None:
        matrix = tuple(as_vector(row, f"W[{index}]") for index, row in enumerate(W))
        vector = as_vector(v, "v")
        for index, row in enumerate(matrix):
            if len(row) != len(matrix):
                raise UnusableInputError(f"W has {len(matrix)} rows, so a row has as many entries", f"W[{index}]")
        if len(vector) != len(matrix):
            raise UnusableInputError(f"v has {len(vector)} entries, W has {len(matrix)} rows", "v")
        object.__setattr__(self, "W", matrix)
        object.__setattr__(self, "v", vector)

    @property
    def dim(self) -> int:
        """The dimension d of the tokens."""
        return len(self.v)

    def mapped(self, of: Callable[[Scalar], Scalar]) -> Head:
        """The head with every entry replaced: ``head.mapped(K)`` has its entries in the number field K."""
        return Head([map(of, row) for row in self.W], map(of, self.v))

    def __repr__(self) -> str:
        return f"Head(W={short_rows(self.W)}, v={short_row(self.v)})"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle W = {latex_matrix(self.W)},\quad v = {latex_column(self.v)}$"


@dataclass(frozen=True)
class MultiHeadAttention:
    """A multi-head softmax attention model, f(X) = sum_h sum_i softmax_i(x_i^T W_h x_n) v_h.x_i.

    Attributes:
        dim: The dimension d >= 1 of the tokens.
        heads: The heads as given; the empty tuple is the zero function.
        weights: ``"rational"`` (W_h is `unit` times the file's W, true e) or ``"log-rational"`` (W_h is `unit`
            times log T entrywise, T positive).
        unit: One exact factor on every W; rational for log-rational weights.
        field: The number field K of all entries, which then are elements of it; None when they are rationals.
    """

    dim: int
    heads: tuple[Head, ...]
    weights: WeightKind = "rational"
    unit: Unit = ONE
    field: NumberField | None = None

    def __init__(
        self,
        heads: Iterable[Head | tuple[Iterable[Iterable[Scalar]], Iterable[Scalar]]],
        *,
        dim: int | None = None,
        weights: WeightKind = "rational",
        unit: Unit | Rational = ONE,
        field: NumberField | None = None,
    ) -> None:
        given = tuple(_as_head(head, f"heads[{index}]") for index, head in enumerate(heads))
        if dim is None and not given:
            raise UnusableInputError("a model without heads needs its dimension", "dim")
        if dim is None:
            dim = given[0].dim
        if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
            raise UnusableInputError("the dimension is a whole number from 1 on", "dim")
        if weights not in ("rational", "log-rational"):
            raise UnusableInputError('weights are "rational" or "log-rational"', "weights")
        unit = unit if isinstance(unit, Unit) else Unit.of(unit)
        if weights == "log-rational" and unit.rational is None:
            raise UnusableInputError("log-rational weights take a rational unit", "unit")
        field = field or common_field(_entries(given))
        if field is not None:
            given = tuple(_over(head, field, f"heads[{index}]") for index, head in enumerate(given))
        for index, head in enumerate(given):
            _check_head(head, dim, weights, f"heads[{index}]")
        object.__setattr__(self, "dim", dim)
        object.__setattr__(self, "heads", given)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "field", field)

    def with_heads(self, heads: Iterable[Head]) -> MultiHeadAttention:
        """The same kind of model (dimension, weights, unit, number field) with other heads."""
        return MultiHeadAttention(heads, dim=self.dim, weights=self.weights, unit=self.unit, field=self.field)

    def over(self, field: NumberField, of: Callable[[Scalar], FieldElement] | None = None) -> MultiHeadAttention:
        """The same model over a number field.

        Args:
            field: The field.
            of: Takes an entry to the field, when it is no rational and lies in another one: a conjugation, or
                ``Composition.of_left`` of a larger field.
        """
        heads = [head.mapped(of or field) for head in self.heads]
        return MultiHeadAttention(heads, dim=self.dim, weights=self.weights, unit=self.unit, field=field)

    @property
    def value_sum(self) -> Vector:
        """V = sum_h v_h: f on a sequence of the one token x is V.x."""
        return tuple(sum((head.v[a] for head in self.heads), fmpq(0)) for a in range(self.dim))

    def __repr__(self) -> str:
        heads = ",\n    ".join(repr(head) for head in self.heads)
        inner = f"[\n    {heads},\n]" if heads else "[]"
        unit = "" if self.unit == ONE else f", unit={str(self.unit)!r}"
        field = "" if self.field is None else f", field={self.field!r}"
        return f"MultiHeadAttention({inner}, dim={self.dim}, weights={self.weights!r}{unit}{field})"

    def _repr_latex_(self) -> str:
        if not self.heads:
            return r"$\displaystyle f = 0$"
        factor = "" if self.unit == ONE else f"{self.unit.latex()}\\,"
        log = r"\log" if self.weights == "log-rational" else ""
        lines = [
            rf"W_{{{h}}} &= {factor}{log}{latex_matrix(head.W)}, & v_{{{h}}} &= {latex_column(head.v)}"
            for h, head in enumerate(self.heads, 1)
        ]
        return r"$\displaystyle\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}$"


def _as_head(head: Any, place: str) -> Head:
    if isinstance(head, Head):
        return head
    if not isinstance(head, tuple | list) or len(head) != 2:
        raise UnusableInputError("a head is a Head or a pair (W, v)", place)
    try:
        return Head(*head)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, f"{place}.{error.place}") from None


def _entries(heads: Iterable[Head]) -> Iterator[Scalar]:
    for head in heads:
        yield from itertools.chain(head.v, *head.W)


def _over(head: Head, field: NumberField, place: str) -> Head:
    try:
        return head.mapped(field)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, place) from None


def _check_head(head: Head, dim: int, weights: WeightKind, place: str) -> None:
    if head.dim != dim:
        raise UnusableInputError(f"the head has dimension {head.dim}, the model {dim}", place)
    if weights != "log-rational":
        return
    for i, row in enumerate(head.W):
        for j, entry in enumerate(row):
            if not entry > 0:
                raise UnusableInputError("an entry of T is positive (W = log T)", f"{place}.W[{i}][{j}]")
