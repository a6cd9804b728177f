"""Attention layers with biases and vector outputs, and their form in homogeneous coordinates (DESIGN section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
class LayerHead:
    """One head: score x_i^T W x_n + p.x_i, value V x_i + s.

    Attributes:
        W: d x d matrix.  In a log-rational layer it holds T, and the weights are log T entrywise.
        p: d entries; in a log-rational layer positive numbers, of which the log is taken.
        V: m x d matrix.
        s: m entries.
    """

    W: Matrix
    p: Vector
    V: Matrix
    s: Vector

    def __init__(
        self,
        W: Iterable[Iterable[Scalar]],
        p: Iterable[Scalar],
        V: Iterable[Iterable[Scalar]],
        s: Iterable[Scalar] | None = None,
    ) -> None:
        values = tuple(as_vector(row, f"V[{a}]") for a, row in enumerate(V))
        object.__setattr__(self, "W", tuple(as_vector(row, f"W[{i}]") for i, row in enumerate(W)))
        object.__setattr__(self, "p", as_vector(p, "p"))
        object.__setattr__(self, "V", values)
        object.__setattr__(self, "s", as_vector([fmpq(0)] * len(values) if s is None else s, "s"))

    def over(self, field: NumberField) -> LayerHead:
        """The head with its entries in a number field."""
        W, V = [map(field, row) for row in self.W], [map(field, row) for row in self.V]
        return LayerHead(W, map(field, self.p), V, map(field, self.s))

    def __repr__(self) -> str:
        parts = (short_rows(self.W), short_row(self.p), short_rows(self.V), short_row(self.s))
        return "LayerHead(W={}, p={}, V={}, s={})".format(*parts)


@dataclass(frozen=True)
class AttentionLayer:
    """f(X) = s + sum_h sum_i softmax_i(x_i^T W_h x_n + p_h.x_i) (V_h x_i + s_h), in R^m.

    Attributes:
        dim: The dimension d >= 1 of the tokens.
        outputs: m >= 1, the length of a value; 1 is a scalar answer.
        heads: The heads as given; the empty tuple is the constant function s.
        s: A further constant, m entries.
        weights: As in `MultiHeadAttention`; in a log-rational layer p holds positive numbers too.
        unit: One exact factor on every score, W and p alike.
        field: The number field of all entries; None when they are rationals.
    """

    dim: int
    outputs: int
    heads: tuple[LayerHead, ...]
    s: Vector
    weights: WeightKind = "rational"
    unit: Unit = ONE
    field: NumberField | None = None

    def __init__(
        self,
        heads: Iterable[LayerHead],
        *,
        dim: int | None = None,
        outputs: int | None = None,
        s: Iterable[Scalar] | None = None,
        weights: WeightKind = "rational",
        unit: Unit | Rational = ONE,
        field: NumberField | None = None,
    ) -> None:
        given = tuple(heads)
        constant = None if s is None else as_vector(s, "s")
        if dim is None or outputs is None:
            if not given:
                raise UnusableInputError("a layer without heads needs its dimension and its outputs", "dim")
            dim = len(given[0].p) if dim is None else dim
            outputs = len(given[0].s) if outputs is None else outputs
        if isinstance(outputs, bool) or not isinstance(outputs, int) or outputs < 1:
            raise UnusableInputError("a value has at least one entry", "outputs")
        constant = (fmpq(0),) * outputs if constant is None else constant
        if len(constant) != outputs:
            raise UnusableInputError(f"{outputs} entries are expected here, not {len(constant)}", "s")
        for index, head in enumerate(given):
            _check_shapes(head, dim, outputs, f"heads[{index}]")
        field = field or common_field(_entries(given, constant))
        if field is not None:
            given, constant = tuple(head.over(field) for head in given), tuple(map(field, constant))
        # Weights and unit are held to what those of attention models are held to.
        scores = [Head(head.W, head.p) for head in given]
        like = MultiHeadAttention(scores, dim=dim, weights=weights, unit=unit, field=field)
        if weights == "log-rational":
            for index, head in enumerate(given):
                _check_positive(head.p, f"heads[{index}].p")
        for name, value in (("dim", like.dim), ("outputs", outputs), ("heads", given), ("s", constant)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "weights", like.weights)
        object.__setattr__(self, "unit", like.unit)
        object.__setattr__(self, "field", field)

    @classmethod
    def of(cls, model: MultiHeadAttention) -> AttentionLayer:
        """An attention model as a layer: p and s are zero, one output."""
        neutral = neutral_weight(model.weights)
        heads = [LayerHead(head.W, [neutral] * model.dim, [head.v]) for head in model.heads]
        return cls(heads, dim=model.dim, outputs=1, weights=model.weights, unit=model.unit, field=model.field)

    def with_heads(self, heads: Iterable[LayerHead], s: Iterable[Scalar]) -> AttentionLayer:
        """The same kind of layer with other heads and another constant."""
        kind = {"weights": self.weights, "unit": self.unit, "field": self.field}
        return AttentionLayer(heads, dim=self.dim, outputs=self.outputs, s=s, **kind)  # type: ignore[arg-type]

    @property
    def constant(self) -> Vector:
        """The sum of all s, of which alone f tells."""
        return tuple(sum((head.s[a] for head in self.heads), self.s[a]) for a in range(self.outputs))

    @property
    def readings(self) -> tuple[MultiHeadAttention, ...]:
        """The m coordinates of f as attention models in homogeneous coordinates, tokens [x, 1] in dimension d + 1.

        W~ = [[W, p], [0, 0]], so that the score of [x_i, 1] against the final token [x_n, 1] is x_i^T W x_n + p.x_i;
        the value vectors are the rows of V with a zero behind.  The constant, when not zero, is a head with W~ = 0.
        """
        return tuple(self.reading(a) for a in range(self.outputs))

    def reading(self, a: int) -> MultiHeadAttention:
        """Coordinate a of `readings`."""
        neutral, zero = neutral_weight(self.weights), fmpq(0)
        last = (neutral,) * (self.dim + 1)
        heads = [
            Head([*((*row, p) for row, p in zip(head.W, head.p, strict=True)), last], (*head.V[a], zero))
            for head in self.heads
        ]
        if self.constant[a]:
            heads.append(Head([last] * (self.dim + 1), [*[zero] * self.dim, self.constant[a]]))
        kind = {"weights": self.weights, "unit": self.unit, "field": self.field}
        return MultiHeadAttention(heads, dim=self.dim + 1, **kind)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        heads = ",\n    ".join(map(repr, self.heads))
        inner = f"[\n    {heads},\n]" if heads else "[]"
        unit = "" if self.unit == ONE else f", unit={str(self.unit)!r}"
        sizes = f"dim={self.dim}, outputs={self.outputs}, s={short_row(self.s)}"
        return f"AttentionLayer({inner}, {sizes}, weights={self.weights!r}{unit})"

    def _repr_latex_(self) -> str:
        factor = "" if self.unit == ONE else f"{self.unit.latex()}\\,"
        log = r"\log" if self.weights == "log-rational" else ""
        lines = [
            rf"W_{{{h}}} &= {factor}{log}{latex_matrix(head.W)}, & p_{{{h}}} &= {factor}{log}{latex_column(head.p)}, "
            rf"& V_{{{h}}} &= {latex_matrix(head.V)}"
            for h, head in enumerate(self.heads, 1)
        ]
        lines.append(rf"s &= {latex_column(self.constant)}")
        return r"$\displaystyle\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}$"


def neutral_weight(weights: WeightKind) -> fmpq:
    """The entry of a file that stands for the score zero: 1, of which the log is taken, or 0."""
    return fmpq(1) if weights == "log-rational" else fmpq(0)


def _entries(heads: Iterable[LayerHead], constant: Vector) -> Iterator[Scalar]:
    yield from constant
    for head in heads:
        for row in (*head.W, head.p, *head.V, head.s):
            yield from row


def _check_shapes(head: Any, dim: int, outputs: int, place: str) -> None:
    if not isinstance(head, LayerHead):
        raise UnusableInputError("a head of a layer is a LayerHead", place)
    for name, rows, count, width in (("W", head.W, dim, dim), ("V", head.V, outputs, dim)):
        if len(rows) != count:
            raise UnusableInputError(f"{name} has {count} rows here, not {len(rows)}", f"{place}.{name}")
        for index, row in enumerate(rows):
            if len(row) != width:
                raise UnusableInputError(
                    f"{width} entries are expected here, not {len(row)}", f"{place}.{name}[{index}]"
                )
    for name, vector, length in (("p", head.p, dim), ("s", head.s, outputs)):
        if len(vector) != length:
            raise UnusableInputError(f"{length} entries are expected here, not {len(vector)}", f"{place}.{name}")


def _check_positive(vector: Vector, place: str) -> None:
    for index, entry in enumerate(vector):
        if not entry > 0:
            raise UnusableInputError("an entry of p is positive here (its log is taken)", f"{place}[{index}]")
