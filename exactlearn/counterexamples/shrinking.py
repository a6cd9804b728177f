"""The last steps to a smallest failing instance: moves that make a model smaller, taken while the claim stays broken.

Hypothesis shrinks what it drew; these moves shrink the models themselves, so that of what a hunt returns no coordinate
and no head can be left out and no entry be made simpler by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flint import fmpq

from exactlearn.model import Head, MultiHeadAttention

Models = tuple[MultiHeadAttention, ...]


def shrink(models: Models, is_broken: Callable[[Models], bool]) -> Models:
    """A smaller one, models of which `is_broken` is true, such that no single move keeps it true."""
    while True:
        smaller = next((candidate for candidate in moves(models) if is_broken(candidate)), None)
        if smaller is None:
            return models
        models = smaller


def moves(models: Models) -> Iterator[Models]:
    """Smaller models: one coordinate less in all of them, one head less in one, one entry simpler in one."""
    dim = models[0].dim
    if dim > 1:
        for axis in range(dim):
            yield tuple(_without_coordinate(model, axis) for model in models)
    for position, model in enumerate(models):
        for smaller in _smaller(model):
            yield (*models[:position], smaller, *models[position + 1 :])


def _smaller(model: MultiHeadAttention) -> Iterator[MultiHeadAttention]:
    for h in range(len(model.heads)):
        yield model.with_heads(head for g, head in enumerate(model.heads) if g != h)
    zero = fmpq(0 if model.weights == "rational" else 1)
    for h, head in enumerate(model.heads):
        others = model.heads[:h], model.heads[h + 1 :]
        for i in range(model.dim):
            for j in range(model.dim):
                for number in _simpler(head.W[i][j], zero):
                    rows = [list(row) for row in head.W]
                    rows[i][j] = number
                    yield model.with_heads([*others[0], Head(rows, head.v), *others[1]])
            for number in _simpler(head.v[i], fmpq(0)):
                v = [*head.v[:i], number, *head.v[i + 1 :]]
                yield model.with_heads([*others[0], Head(head.W, v), *others[1]])


def _simpler(number: fmpq, zero: fmpq) -> Iterator[fmpq]:
    """What is simpler than an entry: nothing there, then 1 or 2, then the nearest whole numbers towards these."""
    rank = _complexity(number, zero)
    for candidate in (zero, fmpq(1), fmpq(2), fmpq(-1), abs(number), fmpq(number.p), fmpq(number.floor())):
        is_allowed = candidate > 0 or not zero  # T is positive
        if is_allowed and _complexity(candidate, zero) < rank:
            yield candidate


def _complexity(number: fmpq, zero: fmpq) -> tuple[bool, int, bool, int]:
    """The order of simplicity: zero, then short denominators, positive before negative, then short numerators."""
    return number != zero, int(number.q), number < 0, abs(int(number.p))


def _without_coordinate(model: MultiHeadAttention, axis: int) -> MultiHeadAttention:
    heads = [
        Head(
            [[entry for b, entry in enumerate(row) if b != axis] for a, row in enumerate(head.W) if a != axis],
            [entry for a, entry in enumerate(head.v) if a != axis],
        )
        for head in model.heads
    ]
    return MultiHeadAttention(heads, dim=model.dim - 1, weights=model.weights, unit=model.unit)
