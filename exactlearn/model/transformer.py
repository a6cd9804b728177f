"""One-layer Transformers: attention followed by a bias-free ReLU network (DESIGN section 9)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar, common_field
from exactlearn.latex import latex_column, latex_matrix
from exactlearn.model.attention import Head, MultiHeadAttention, WeightKind
from exactlearn.model.unit import ONE, Unit
from exactlearn.model.vectors import Matrix, Vector, as_vector, short_row, short_rows
from exactlearn.rationals import Rational


@dataclass(frozen=True)
class TransformerHead:
    """One head (W, V).

    Attributes:
        W: d x d matrix (T in a log-rational model).
        V: D x d matrix: the head adds V xi_h(X) to the input of the network.
    """

    W: Matrix
    V: Matrix

    def __init__(self, W: Iterable[Iterable[Scalar]], V: Iterable[Iterable[Scalar]]) -> None:
        object.__setattr__(self, "W", tuple(as_vector(row, f"W[{i}]") for i, row in enumerate(W)))
        object.__setattr__(self, "V", tuple(as_vector(row, f"V[{i}]") for i, row in enumerate(V)))

    def mapped(self, of: Callable[[Scalar], Scalar]) -> TransformerHead:
        """The head with every entry replaced."""
        return TransformerHead([map(of, row) for row in self.W], [map(of, row) for row in self.V])

    def __repr__(self) -> str:
        return f"TransformerHead(W={short_rows(self.W)}, V={short_rows(self.V)})"


@dataclass(frozen=True)
class Transformer:
    """f(X) = sum_j u_j ReLU(b_j . A(X)), A(X) = sum_h V_h xi_h(X), xi_h(X) = X^T softmax(X W_h x_n).

    Attributes:
        dim: The dimension d of the tokens.
        heads: The heads (W_h, V_h), V_h in Q^{D x d}.
        B: m x D matrix with rows b_j.
        u: Vector of m entries.
        weights: As in `MultiHeadAttention`.
        unit: One exact factor on every W.
        field: As in `MultiHeadAttention`.
    """

    dim: int
    heads: tuple[TransformerHead, ...]
    B: Matrix
    u: Vector
    weights: WeightKind = "rational"
    unit: Unit = ONE
    field: NumberField | None = None

    def __init__(
        self,
        heads: Iterable[TransformerHead | tuple[Iterable[Iterable[Scalar]], Iterable[Iterable[Scalar]]]],
        B: Iterable[Iterable[Scalar]],
        u: Iterable[Scalar],
        *,
        dim: int | None = None,
        weights: WeightKind = "rational",
        unit: Unit | Rational = ONE,
        field: NumberField | None = None,
    ) -> None:
        given = tuple(_as_head(head, f"heads[{index}]") for index, head in enumerate(heads))
        rows = tuple(as_vector(row, f"ffn.B[{j}]") for j, row in enumerate(B))
        factors = as_vector(u, "ffn.u")
        field = field or common_field(itertools.chain(factors, *rows, *(row for head in given for row in _rows(head))))
        if field is not None:
            given = tuple(head.mapped(field) for head in given)
            rows, factors = tuple(tuple(map(field, row)) for row in rows), tuple(map(field, factors))
        if dim is None and not given:
            raise UnusableInputError("a Transformer without heads needs its dimension", "dim")
        dim = len(given[0].W) if dim is None else dim
        width = len(given[0].V) if given else (len(rows[0]) if rows else 0)
        for index, head in enumerate(given):
            _check_shape(head.V, width, dim, f"heads[{index}].V")
        _check_shape(rows, len(factors), width, "ffn.B")
        # The weights are held to what those of attention models are held to.
        readings = [Head(head.W, [fmpq(0)] * len(head.W)) for head in given]
        model = MultiHeadAttention(readings, dim=dim, weights=weights, unit=unit, field=field)
        for name, value in (("dim", dim), ("heads", given), ("B", rows), ("u", factors)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "unit", model.unit)
        object.__setattr__(self, "field", field)

    def attention(self, values: Iterable[Vector]) -> MultiHeadAttention:
        """The attention model with these heads' W and the value vectors given, one a head."""
        heads = [Head(head.W, value) for head, value in zip(self.heads, values, strict=True)]
        return MultiHeadAttention(heads, dim=self.dim, weights=self.weights, unit=self.unit, field=self.field)

    def over(self, field: NumberField, of: Callable[[Scalar], Scalar] | None = None) -> Transformer:
        """The same Transformer over a number field; `of` as for `MultiHeadAttention.over`."""
        of = of or field
        heads, B = [head.mapped(of) for head in self.heads], [list(map(of, row)) for row in self.B]
        kind: dict[str, Any] = {"dim": self.dim, "weights": self.weights, "unit": self.unit}
        return Transformer(heads, B, map(of, self.u), field=field, **kind)

    def read_along(self, direction: Vector) -> MultiHeadAttention:
        """The attention model direction . A(X), with value vectors V_h^T direction; `direction` has D entries."""
        return self.attention(
            tuple(sum((b * row[a] for b, row in zip(direction, head.V, strict=True)), fmpq(0)) for a in range(self.dim))
            for head in self.heads
        )

    @property
    def preactivations(self) -> tuple[MultiHeadAttention, ...]:
        """z_1, ..., z_m: z_j(X) = b_j . A(X) as attention models with the raw heads' W."""
        return tuple(self.read_along(row) for row in self.B)

    @property
    def odd_part(self) -> MultiHeadAttention:
        """sum_j u_j z_j = f(X) - f(-X), an attention model with the raw heads' W."""
        width = len(self.B[0]) if self.B else (len(self.heads[0].V) if self.heads else 0)
        sums = [sum((u * row[r] for u, row in zip(self.u, self.B, strict=True)), fmpq(0)) for r in range(width)]
        return self.read_along(tuple(sums))

    def __repr__(self) -> str:
        heads = ",\n    ".join(map(repr, self.heads))
        unit = "" if self.unit == ONE else f", unit={str(self.unit)!r}"
        rest = f"B={short_rows(self.B)}, u={short_row(self.u)}, dim={self.dim}, weights={self.weights!r}{unit}"
        return f"Transformer([\n    {heads},\n], {rest})"

    def _repr_latex_(self) -> str:
        factor = "" if self.unit == ONE else f"{self.unit.latex()}\\,"
        log = r"\log" if self.weights == "log-rational" else ""
        lines = [
            rf"W_{{{h}}} &= {factor}{log}{latex_matrix(head.W)}, & V_{{{h}}} &= {latex_matrix(head.V)}"
            for h, head in enumerate(self.heads, 1)
        ]
        lines.append(rf"B &= {latex_matrix(self.B)}, & u &= {latex_column(self.u)}")
        return r"$\displaystyle\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}$"


def _rows(head: TransformerHead) -> Iterable[Vector]:
    return (*head.W, *head.V)


def _as_head(head: Any, place: str) -> TransformerHead:
    if isinstance(head, TransformerHead):
        return head
    if not isinstance(head, tuple | list) or len(head) != 2:
        raise UnusableInputError("a head of a Transformer is a TransformerHead or a pair (W, V)", place)
    try:
        return TransformerHead(*head)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, f"{place}.{error.place}") from None


def _check_shape(matrix: Matrix, rows: int, columns: int, place: str) -> None:
    if len(matrix) != rows:
        raise UnusableInputError(f"{rows} rows are expected here, not {len(matrix)}", place)
    for index, row in enumerate(matrix):
        if len(row) != columns:
            raise UnusableInputError(f"{columns} entries are expected here, not {len(row)}", f"{place}[{index}]")
