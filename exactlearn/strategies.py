"""Hypothesis strategies for models, token sequences and bases, for tests of this package and of your own.

Hypothesis is needed to run tests and not to run the package, so this module alone imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from flint import fmpq, fmpz_mat

from exactlearn.errors import MissingExtraError
from exactlearn.fields import FieldElement, NumberField
from exactlearn.model import ONE, Head, Matrix, MultiHeadAttention, Transformer, Unit, Vector, WeightKind
from exactlearn.places.protocol import IntegerToken

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingExtraError("hypothesis", "hunt", "exactlearn.strategies") from None

Entry = TypeVar("Entry")

HUGE = fmpq(10) ** 30
TINY = 1 / HUGE

Shape = Literal["generic", "shared W", "shared v", "cancelling", "zero heads", "rank one", "huge and tiny"]
"""What is special about the raw heads of a model."""

SHAPES: tuple[Shape, ...] = (
    "generic", "shared W", "shared v", "cancelling", "zero heads", "rank one", "huge and tiny",
)  # fmt: skip


def rationals(size: int = 6) -> st.SearchStrategy[fmpq]:
    """Rationals with numerators up to `size` and denominators up to 4."""
    return st.builds(fmpq, st.integers(-size, size), st.integers(1, 4))


def positive_rationals(size: int = 6) -> st.SearchStrategy[fmpq]:
    """Positive rationals with numerators up to `size` and denominators up to 4."""
    return st.builds(fmpq, st.integers(1, size), st.integers(1, 4))


def units(weights: WeightKind) -> st.SearchStrategy[Unit]:
    """Units of either sign: rational ones, and for rational weights square roots too."""
    numbers = rationals().filter(bool)
    rational = numbers.map(Unit.of)
    if weights == "log-rational":
        return rational
    return st.one_of(st.just(ONE), rational, st.builds(Unit, positive_rationals(), st.sampled_from([1, -1])))


def weight_entries(weights: WeightKind) -> st.SearchStrategy[fmpq]:
    """Entries of the stored W: rationals, or positive rationals T of which the logarithm is meant."""
    return rationals() if weights == "rational" else positive_rationals()


def matrices(dim: int, weights: WeightKind) -> st.SearchStrategy[Matrix]:
    """Stored d x d matrices W."""
    return _square(dim, weight_entries(weights))


def rank_one_matrices(dim: int, weights: WeightKind) -> st.SearchStrategy[Matrix]:
    """Stored matrices for which the weights have rank at most one: a b^T, or log T = a b^T log c."""
    sides = st.tuples(_vector(dim, st.integers(-2, 2)), _vector(dim, st.integers(-2, 2)))
    if weights == "rational":
        return sides.map(lambda ab: tuple(tuple(fmpq(a * b) for b in ab[1]) for a in ab[0]))
    return st.builds(
        lambda ab, c: tuple(tuple(c ** (a * b) for b in ab[1]) for a in ab[0]), sides, positive_rationals()
    )


def extreme_matrices(dim: int, weights: WeightKind) -> st.SearchStrategy[Matrix]:
    """Stored matrices with entries about 1e30 and 1e-30 among ordinary ones."""
    ordinary = weight_entries(weights)
    factors = st.sampled_from([HUGE, TINY, fmpq(1)])
    return _square(dim, st.builds(lambda entry, factor: entry * factor, ordinary, factors))


def value_vectors(dim: int) -> st.SearchStrategy[Vector]:
    """Value vectors v that are not zero."""
    return _vector(dim, rationals()).filter(any)


def heads(dim: int, weights: WeightKind) -> st.SearchStrategy[Head]:
    """Heads with v not zero."""
    return st.builds(Head, matrices(dim, weights), value_vectors(dim))


@st.composite
def models(
    draw: st.DrawFn,
    weights: WeightKind = "rational",
    *,
    shape: Shape = "generic",
    dims: tuple[int, int] = (1, 3),
    max_heads: int = 3,
    unit: Unit | None = ONE,
) -> MultiHeadAttention:
    """Models of one kind whose raw heads have the given shape; at least one raw head.

    Args:
        draw: Given by hypothesis.
        weights: Kind of weights.
        shape: What is special about the heads; "zero heads" have v = 0 or W = 0.
        dims: The least and the greatest dimension.
        max_heads: At most so many heads before the shape adds some.
        unit: The unit, or None for any.
    """
    dim = draw(st.integers(*dims))
    unit = draw(units(weights)) if unit is None else unit
    count = draw(st.integers(1, max_heads))
    raw = [draw(heads(dim, weights)) for _ in range(count)]
    special = _SHAPES[shape](draw, raw, weights)
    return MultiHeadAttention(special, dim=dim, weights=weights, unit=unit)


@st.composite
def shaped_models(
    draw: st.DrawFn,
    weights: WeightKind = "rational",
    *,
    dims: tuple[int, int] = (1, 3),
    max_heads: int = 3,
    unit: Unit | None = ONE,
) -> MultiHeadAttention:
    """Models of all shapes."""
    shape = draw(st.sampled_from(SHAPES))
    return draw(models(weights, shape=shape, dims=dims, max_heads=max_heads, unit=unit))


@st.composite
def same_function_models(draw: st.DrawFn, model: MultiHeadAttention) -> MultiHeadAttention:
    """Other raw heads of the same function: some heads split in two, a cancelling pair perhaps, all permuted."""
    raw: list[Head] = []
    for head in model.heads:
        if draw(st.booleans()):
            part = draw(_vector(model.dim, rationals()))
            raw += [Head(head.W, part), Head(head.W, [v - a for v, a in zip(head.v, part, strict=True)])]
        else:
            raw.append(head)
    if draw(st.booleans()):
        extra = draw(heads(model.dim, model.weights))
        raw += [extra, Head(extra.W, [-v for v in extra.v])]
    return model.with_heads(draw(st.permutations(raw)))


@st.composite
def transformers(
    draw: st.DrawFn, weights: WeightKind = "rational", *, dim: int = 2, most: tuple[int, int, int] = (2, 3, 3)
) -> Transformer:
    """Transformers with at most so many heads, units and rows of V; units may be dead, proportional or opposite."""
    head_count, units, width = (draw(st.integers(1, n)) for n in most)
    values = st.tuples(*[_vector(dim, rationals())] * width)
    layers = [(draw(matrices(dim, weights)), draw(values)) for _ in range(head_count)]
    B = [draw(_vector(width, rationals())) for _ in range(units)]
    return Transformer(layers, B, [draw(rationals()) for _ in range(units)], dim=dim, weights=weights)


def tokens(dim: int, size: int = 3, multiple: int = 1) -> st.SearchStrategy[IntegerToken]:
    """Tokens with whole entries, multiples of `multiple`, up to `size` times it."""
    return _vector(dim, st.integers(-size, size).map(lambda a: a * multiple))


def token_sequences(
    dim: int, *, max_length: int = 5, size: int = 3, multiple: int = 1
) -> st.SearchStrategy[tuple[IntegerToken, ...]]:
    """Sequences of 1 to `max_length` tokens with whole entries, multiples of `multiple`."""
    return st.lists(tokens(dim, size, multiple), min_size=1, max_size=max_length).map(tuple)


def bases(dim: int, size: int = 5, multiple: int = 1) -> st.SearchStrategy[tuple[IntegerToken, ...]]:
    """As many linearly independent tokens as the dimension says."""
    return (
        st.lists(tokens(dim, size, multiple), min_size=dim, max_size=dim)
        .map(tuple)
        .filter(lambda rows: bool(fmpz_mat([list(row) for row in rows]).det()))
    )


NUMBER_FIELDS: tuple[NumberField, ...] = tuple(
    NumberField(minpoly, root)
    for minpoly, root in (
        ((-2, 0, 1), (1, 2)),
        ((-1, -1, 1), (-1, 0)),
        ((-1, -2, 1, 1), (1, 2)),
        ((fmpq(-3, 2), 1, 0, 5), (0, 1)),
        ((1, 0, -10, 0, 1), (3, 4)),
    )
)
"""Q(sqrt(2)), the golden ratio's conjugate, Q(cos(2 pi/7)), a cubic that is not monic, Q(sqrt(2), sqrt(3))."""


def field_elements(field: NumberField, size: int = 3) -> st.SearchStrategy[FieldElement]:
    """Elements of a number field with small coefficients, rational ones among them."""
    return st.lists(rationals(size), min_size=1, max_size=field.degree).map(field.element)


@st.composite
def models_over(
    draw: st.DrawFn,
    field: NumberField,
    weights: WeightKind = "rational",
    *,
    dims: tuple[int, int] = (1, 2),
    max_heads: int = 2,
    unit: Unit = ONE,
) -> MultiHeadAttention:
    """Models over a number field, with one to `max_heads` raw heads, the W of which are sometimes equal."""
    dim, count = draw(st.integers(*dims)), draw(st.integers(1, max_heads))
    numbers = field_elements(field)
    entries = numbers if weights == "rational" else numbers.filter(bool).map(abs)
    stored = [draw(_square(dim, entries)) for _ in range(count)]
    chosen = [draw(st.sampled_from(stored)) for _ in range(count)] if draw(st.booleans()) else stored
    raw = [Head(W, draw(_vector(dim, numbers))) for W in chosen]
    return MultiHeadAttention(raw, dim=dim, weights=weights, unit=unit, field=field)


def _vector(dim: int, entries: st.SearchStrategy[Entry]) -> st.SearchStrategy[tuple[Entry, ...]]:
    return st.lists(entries, min_size=dim, max_size=dim).map(tuple)


def _square(dim: int, entries: st.SearchStrategy[Any]) -> st.SearchStrategy[Matrix]:
    return _vector(dim, _vector(dim, entries))


def _generic(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    del draw, weights
    return raw


def _shared_weights(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    del weights
    return [*raw, Head(raw[0].W, draw(value_vectors(raw[0].dim)))]


def _shared_values(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    return [*raw, Head(draw(matrices(raw[0].dim, weights)), raw[0].v)]


def _cancelling(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    del draw, weights
    return [*raw, Head(raw[0].W, [-entry for entry in raw[0].v])]


def _zero_heads(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    dim = raw[0].dim
    no_weight = fmpq(0 if weights == "rational" else 1)
    no_value = Head(draw(matrices(dim, weights)), [0] * dim)
    return [no_value, *raw, Head([[no_weight] * dim] * dim, draw(value_vectors(dim)))]


def _rank_one(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    return [Head(draw(rank_one_matrices(head.dim, weights)), head.v) for head in raw]


def _extreme(draw: st.DrawFn, raw: list[Head], weights: WeightKind) -> list[Head]:
    factors = st.sampled_from([HUGE, TINY])
    return [
        Head(draw(extreme_matrices(head.dim, weights)), [entry * draw(factors) for entry in head.v]) for head in raw
    ]


_SHAPES: dict[Shape, Callable[[st.DrawFn, list[Head], WeightKind], list[Head]]] = {
    "generic": _generic,
    "shared W": _shared_weights,
    "shared v": _shared_values,
    "cancelling": _cancelling,
    "zero heads": _zero_heads,
    "rank one": _rank_one,
    "huge and tiny": _extreme,
}
