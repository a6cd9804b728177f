"""Hypothesis strategies for `hunt`, usable in your own tests: small models and pairs that nearly agree.

Each strategy lists the simplest choice first, which is where hypothesis shrinks to: few dimensions, few heads, weights
zero, values one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

from flint import fmpq

from exactlearn.errors import MissingExtraError
from exactlearn.model import Head, Matrix, MultiHeadAttention, Vector, WeightKind

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingExtraError("hypothesis", "hunt", "a hunt for counterexamples") from None

from exactlearn.strategies import same_function_models, shaped_models

Pair = tuple[MultiHeadAttention, MultiHeadAttention]

_WEIGHTS: dict[WeightKind, list[fmpq]] = {
    "rational": [fmpq(0), fmpq(1), fmpq(-1), fmpq(2), fmpq(1, 2)],
    "log-rational": [fmpq(1), fmpq(2), fmpq(1, 2), fmpq(3), fmpq(4)],
}
_VALUES = [fmpq(n) for n in (1, -1, 0, 2)]
_SIMPLE = 9
"""The zero matrix, and in two dimensions all with one entry 1 or -1 besides, are drawn more often than others."""


def small_models(weights: WeightKind, *, max_dim: int = 2, max_heads: int = 2) -> st.SearchStrategy[MultiHeadAttention]:
    """Models with a few raw heads and entries from a short list, then models of every shape of `exactlearn.strategies`.

    The shapes may add two heads of their own.
    """
    few = st.integers(1, max_dim).flatmap(lambda dim: _models(weights, dim, max_heads))
    if max_heads < 3:
        return few
    return st.one_of(few, shaped_models(weights, dims=(1, max_dim), max_heads=max_heads - 2))


@st.composite
def model_pairs(draw: st.DrawFn, weights: WeightKind, *, max_dim: int = 2, max_heads: int = 2) -> Pair:
    """Two models of one dimension and kind: one and the same a little changed, or independent, or one function.

    Half of the changed ones have the same sum V as before, restored by a head with weights zero, so that no sequence of
    one token tells them apart.
    """
    dim = draw(st.integers(1, max_dim))
    first = draw(_models(weights, dim, max_heads))
    how = draw(st.sampled_from(["changed", "changed, V restored", "independent", "same function"]))
    if how == "independent":
        return first, draw(_models(weights, dim, max_heads))
    if how == "same function":
        other = draw(same_function_models(first))
        return first, other if len(other.heads) <= max_heads else first
    second = first
    for change in draw(st.lists(st.sampled_from(_CHANGES), min_size=1, max_size=2)):
        second = change(draw, second)
    if how == "changed, V restored" and len(second.heads) < max_heads:
        missing = [a - b for a, b in zip(first.value_sum, second.value_sum, strict=True)]
        second = second.with_heads([*second.heads, Head(_simplest(weights, dim)[0], missing)])
    return first, second


@cache
def _models(weights: WeightKind, dim: int, max_heads: int) -> st.SearchStrategy[MultiHeadAttention]:
    return st.lists(_heads(dim, weights), min_size=0, max_size=max_heads).map(
        lambda heads: MultiHeadAttention(heads, dim=dim, weights=weights)
    )


@cache  # hypothesis works out a strategy's properties once for each object
def _heads(dim: int, weights: WeightKind) -> st.SearchStrategy[Head]:
    v = st.lists(st.sampled_from(_VALUES), min_size=dim, max_size=dim)
    return st.builds(Head, _matrices(dim, weights), v)


def _matrices(dim: int, weights: WeightKind) -> st.SearchStrategy[Matrix]:
    """Up to two dimensions one draw a matrix, which is quicker and shrinks better than one for each entry."""
    if dim <= 2:
        listed = _simplest(weights, dim)
        positions = st.one_of(st.integers(0, min(_SIMPLE, len(listed)) - 1), st.integers(0, len(listed) - 1))
        return positions.map(listed.__getitem__)
    row = st.lists(st.sampled_from(_WEIGHTS[weights]), min_size=dim, max_size=dim).map(tuple)
    return st.lists(row, min_size=dim, max_size=dim).map(tuple)


@cache
def _simplest(weights: WeightKind, dim: int) -> list[Matrix]:
    """The matrices with entries from the list, the simplest first; from three dimensions on the zero matrix alone."""
    numbers = _WEIGHTS[weights]
    if dim > 2:
        return [((numbers[0],) * dim,) * dim]
    entries = sorted(itertools.product(range(len(numbers)), repeat=dim * dim), key=lambda n: (sum(map(bool, n)), n))
    return [tuple(tuple(numbers[n] for n in ns[dim * i : dim * (i + 1)]) for i in range(dim)) for ns in entries]


def _negate_everything(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    del draw
    return model.with_heads(Head(_opposite(model, head.W), _minus(head.v)) for head in model.heads)


def _negate_weights(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    index = _position(draw, model.heads)
    return _replaced(model, index, lambda head: Head(_opposite(model, head.W), head.v))


def _negate_values(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    return _replaced(model, _position(draw, model.heads), lambda head: Head(head.W, _minus(head.v)))


def _change_weight(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    i, j = (draw(st.integers(0, model.dim - 1)) for _ in range(2))
    entry = draw(st.sampled_from(_WEIGHTS[model.weights]))

    def changed(head: Head) -> Head:
        rows = [list(row) for row in head.W]
        rows[i][j] = entry
        return Head(rows, head.v)

    return _replaced(model, _position(draw, model.heads), changed)


def _change_value(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    i, entry = draw(st.integers(0, model.dim - 1)), draw(st.sampled_from(_VALUES))
    return _replaced(
        model, _position(draw, model.heads), lambda head: Head(head.W, [*head.v[:i], entry, *head.v[i + 1 :]])
    )


def _exchange_rows(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    """The last rows of W and the last entries of v of two heads change places, as in base-probes-alone."""
    if len(model.heads) < 2:
        return model
    del draw
    one, two, *others = model.heads
    mixed = [
        Head([*one.W[:-1], two.W[-1]], [*one.v[:-1], two.v[-1]]),
        Head([*two.W[:-1], one.W[-1]], [*two.v[:-1], one.v[-1]]),
    ]
    return model.with_heads([*mixed, *others])


def _drop_head(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    index = _position(draw, model.heads)
    return model.with_heads([head for h, head in enumerate(model.heads) if h != index])


_CHANGES: list[Callable[[st.DrawFn, MultiHeadAttention], MultiHeadAttention]] = [
    _change_weight, _change_value, _negate_everything, _negate_weights, _negate_values, _exchange_rows, _drop_head,
]  # fmt: skip


def _position(draw: st.DrawFn, heads: tuple[Head, ...]) -> int:
    return draw(st.integers(0, max(len(heads) - 1, 0)))


def _replaced(model: MultiHeadAttention, index: int, change: Callable[[Head], Head]) -> MultiHeadAttention:
    return model.with_heads([change(head) if h == index else head for h, head in enumerate(model.heads)])


def _opposite(model: MultiHeadAttention, W: Matrix) -> Matrix:
    """The stored matrix of -W."""
    if model.weights == "rational":
        return tuple(tuple(-entry for entry in row) for row in W)
    return tuple(tuple(1 / entry for entry in row) for row in W)


def _minus(v: Vector) -> Vector:
    return tuple(-entry for entry in v)
