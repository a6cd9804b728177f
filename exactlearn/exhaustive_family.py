"""A finite family of models: all whose numbers come from a finite set, as unordered lists of raw heads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Vector, WeightKind, as_vector
from exactlearn.rationals import Rational

MAX_MODELS = 3_000_000
"""Families with more models than this are refused: about half a minute."""

_LARGEST = 64
"""No family beyond so many heads or dimensions is even counted."""


@dataclass(frozen=True)
class Family:
    """All models with at most (or exactly) `heads` raw heads (W, v), W one of `matrices` and v one of `vectors`."""

    heads: int
    dim: int
    weights: WeightKind
    exactly: bool
    matrices: tuple[tuple[Vector, ...], ...]
    vectors: tuple[Vector, ...]

    @classmethod
    def of(
        cls,
        heads: int,
        dim: int,
        entries: Sequence[Rational],
        weights: WeightKind,
        values: Sequence[Rational] | None,
        *,
        exactly: bool,
    ) -> Family:
        """The family of these numbers; arguments and errors are those of `exhaustive`."""
        for number, name, least in ((heads, "heads", 0), (dim, "dim", 1)):
            if isinstance(number, bool) or not isinstance(number, int) or number < least:
                raise UnusableInputError(f"a whole number from {least} on is expected, not {number!r}", name)
        if values is None:
            values = entries if weights == "rational" else (-1, 0, 1)
        for_weights, for_values = sorted(set(as_vector(entries, "entries"))), sorted(set(as_vector(values, "values")))
        if not for_weights or not for_values:
            raise UnusableInputError("at least one number is needed", "entries" if not for_weights else "values")
        _check_size(len(for_weights), len(for_values), heads, dim)
        rows = list(itertools.product(for_weights, repeat=dim))
        matrices = tuple(itertools.product(rows, repeat=dim))
        return cls(heads, dim, weights, exactly, matrices, tuple(itertools.product(for_values, repeat=dim)))

    @property
    def singles(self) -> list[MultiHeadAttention]:
        """Every model of one raw head; index W * (number of v) + v."""
        return [
            MultiHeadAttention([Head(W, v)], dim=self.dim, weights=self.weights)
            for W in self.matrices
            for v in self.vectors
        ]

    @property
    def size(self) -> int:
        """The number of models."""
        return _size(len(self.matrices) * len(self.vectors), self.heads, exactly=self.exactly)

    def members(self) -> Iterator[tuple[int, ...]]:
        """Every model as an ascending tuple of indices into `singles`."""
        singles = range(len(self.matrices) * len(self.vectors))
        for count in range(self.heads if self.exactly else 0, self.heads + 1):
            yield from itertools.combinations_with_replacement(singles, count)


def _check_size(weight_numbers: int, value_numbers: int, heads: int, dim: int) -> None:
    """Refuse what is too large before any large number is made."""
    singles = 1
    for _ in range(min(dim, _LARGEST + 1)):
        singles *= value_numbers * weight_numbers ** min(dim, _LARGEST)
        if max(dim, heads, singles) > MAX_MODELS or max(dim, heads) > _LARGEST:
            raise OverBudgetError(f"the family has more than {MAX_MODELS} models, or too many heads or dimensions")
    # Long lists of heads cost in proportion: the bound is as if every model had two.
    if _size(singles, heads, exactly=False) * max(heads, 2) > 2 * MAX_MODELS:
        raise OverBudgetError(f"the family has more than {MAX_MODELS} models, or as many heads as these")


def _size(singles: int, heads: int, *, exactly: bool) -> int:
    return sum(math.comb(singles + count - 1, count) for count in range(heads if exactly else 0, heads + 1))
