"""Exact parameters of attention models: units, heads, models (DESIGN section 1).  No input or output, no learning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.latex import latex_column, latex_matrix, latex_number
from exactlearn.rationals import Rational, as_fmpq

Vector = tuple[fmpq, ...]
Matrix = tuple[Vector, ...]
Token = Vector
"""One input x_i in Q^d."""
TokenSequence = tuple[Token, ...]
"""The tokens x_1, ..., x_n of one query; the last one is the final token, at which f is read."""

WeightKind = Literal["rational", "log-rational"]

_ABBREVIATE_ABOVE = 40
"""Numbers with more characters than this are shortened in a repr; files and JSON hold them whole."""


def as_vector(entries: Iterable[Rational], what: str = "vector") -> Vector:
    """A tuple of `fmpq` from any iterable of rationals; errors name the entry as ``what[i]``."""
    out = []
    for index, entry in enumerate(entries):
        try:
            out.append(as_fmpq(entry))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{what}[{index}]") from None
    return tuple(out)


def as_token_sequence(tokens: Iterable[Iterable[Rational]], dim: int) -> TokenSequence:
    """A token sequence from nested iterables of rationals.

    Args:
        tokens: n >= 1 tokens, each with `dim` rational entries.
        dim: The dimension d of the model.

    Raises:
        UnusableInputError: When there is no token, or a token has not `dim` entries; the place is ``tokens[i]``.
    """
    sequence = tuple(as_vector(token, f"tokens[{index}]") for index, token in enumerate(tokens))
    if not sequence:
        raise UnusableInputError("a sequence has at least one token", "tokens")
    for index, token in enumerate(sequence):
        if len(token) != dim:
            raise UnusableInputError(f"a token has {dim} entries here, not {len(token)}", f"tokens[{index}]")
    return sequence


def dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    """The exact scalar product of two vectors of the same length."""
    return sum((a * b for a, b in zip(left, right, strict=True)), fmpq(0))


def abbreviate(text: str, limit: int = _ABBREVIATE_ABOVE) -> str:
    """`text` itself when short, else its two ends and how many characters there are; for people only."""
    if len(text) <= limit:
        return text
    return f"{text[:12]}...{text[-12:]} ({len(text)} characters)"


@dataclass(frozen=True)
class Unit:
    """The exact positive or negative factor c on every W: a rational or the square root of one.

    Held as the sign and c^2, so that equal units are equal objects: ``sqrt(4)`` is ``2``.
    """

    square: fmpq
    sign: int = 1

    def __post_init__(self) -> None:
        if not (self.square > 0 and self.sign in (1, -1)):
            raise UnusableInputError("a unit is not zero, and sqrt(q) needs q > 0", "unit")

    @classmethod
    def of(cls, value: Rational) -> Unit:
        """The rational unit `value`, which is not zero."""
        number = as_fmpq(value)
        return cls(number * number, -1 if number < 0 else 1)

    @classmethod
    def sqrt(cls, radicand: Rational) -> Unit:
        """The unit sqrt(`radicand`), `radicand` a positive rational."""
        return cls(as_fmpq(radicand))

    @property
    def rational(self) -> fmpq | None:
        """The unit as a rational number, or None when it is irrational."""
        if self.square.p.is_square() and self.square.q.is_square():
            return fmpq(self.sign * self.square.p.isqrt(), self.square.q.isqrt())
        return None

    def ratio(self, other: Unit) -> fmpq | None:
        """`self` / `other` when that is rational, else None."""
        return Unit(self.square / other.square, self.sign * other.sign).rational

    def __str__(self) -> str:
        value = self.rational
        return str(value) if value is not None else f"{'-' if self.sign < 0 else ''}sqrt({self.square})"

    def latex(self) -> str:
        """The unit as LaTeX."""
        value = self.rational
        if value is not None:
            return latex_number(value)
        return rf"{'-' if self.sign < 0 else ''}\sqrt{{{latex_number(self.square)}}}"


ONE = Unit(fmpq(1))


@dataclass(frozen=True)
class Head:
    """One attention head (W, v).

    Attributes:
        W: d x d matrix.  In a log-rational model it holds T, and the head's weights are log T entrywise.
        v: Vector of d entries, the head's value read out along one direction.
    """

    W: Matrix
    v: Vector

    def __init__(self, W: Iterable[Iterable[Rational]], v: Iterable[Rational]) -> None:
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

    def __repr__(self) -> str:
        return f"Head(W={_short_rows(self.W)}, v={_short_row(self.v)})"

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
    """

    dim: int
    heads: tuple[Head, ...]
    weights: WeightKind = "rational"
    unit: Unit = ONE

    def __init__(
        self,
        heads: Iterable[Head | tuple[Iterable[Iterable[Rational]], Iterable[Rational]]],
        *,
        dim: int | None = None,
        weights: WeightKind = "rational",
        unit: Unit | Rational = ONE,
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
        for index, head in enumerate(given):
            _check_head(head, dim, weights, f"heads[{index}]")
        object.__setattr__(self, "dim", dim)
        object.__setattr__(self, "heads", given)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "unit", unit)

    def with_heads(self, heads: Iterable[Head]) -> MultiHeadAttention:
        """The same kind of model (dimension, weights, unit) with other heads."""
        return MultiHeadAttention(heads, dim=self.dim, weights=self.weights, unit=self.unit)

    @property
    def value_sum(self) -> Vector:
        """V = sum_h v_h: f on a sequence of the one token x is V.x."""
        return tuple(sum((head.v[a] for head in self.heads), fmpq(0)) for a in range(self.dim))

    def __repr__(self) -> str:
        heads = ",\n    ".join(repr(head) for head in self.heads)
        inner = f"[\n    {heads},\n]" if heads else "[]"
        unit = "" if self.unit == ONE else f", unit={str(self.unit)!r}"
        return f"MultiHeadAttention({inner}, dim={self.dim}, weights={self.weights!r}{unit})"

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


def fractions_of(matrix: Sequence[Sequence[fmpq]]) -> list[list[Fraction]]:
    """A matrix with Fractions of the standard library as entries."""
    return [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in matrix]


def _as_head(head: Any, place: str) -> Head:
    if isinstance(head, Head):
        return head
    if not isinstance(head, tuple | list) or len(head) != 2:
        raise UnusableInputError("a head is a Head or a pair (W, v)", place)
    try:
        return Head(*head)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, f"{place}.{error.place}") from None


def _check_head(head: Head, dim: int, weights: WeightKind, place: str) -> None:
    if head.dim != dim:
        raise UnusableInputError(f"the head has dimension {head.dim}, the model {dim}", place)
    if weights != "log-rational":
        return
    for i, row in enumerate(head.W):
        for j, entry in enumerate(row):
            if not entry > 0:
                raise UnusableInputError("an entry of T is positive (W = log T)", f"{place}.W[{i}][{j}]")


def _short_row(row: Sequence[fmpq]) -> str:
    return "[" + ", ".join(abbreviate(str(entry)) for entry in row) + "]"


def _short_rows(rows: Sequence[Sequence[fmpq]]) -> str:
    return "[" + ", ".join(_short_row(row) for row in rows) + "]"
