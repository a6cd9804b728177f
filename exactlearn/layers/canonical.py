"""Values, canonical form and equality of attention layers (DESIGN sections 1 and 10)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.exponents import common_unit, weight_key
from exactlearn.fields.scalars import Scalar
from exactlearn.model import (
    AttentionLayer,
    LayerHead,
    Matrix,
    MultiHeadAttention,
    TokenSequence,
    Vector,
    as_token_sequence,
)
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.verdict import Fails, Holds, Verdict


@dataclass(frozen=True)
class LayerGroup:
    """The raw heads that share one (W, p), by index, with the sum of their V; dropped when that sum is zero."""

    members: tuple[int, ...]
    head: LayerHead

    @property
    def is_dropped(self) -> bool:
        """Whether the members cancel but for their constants."""
        return not any(entry for row in self.head.V for entry in row)


@dataclass(frozen=True)
class LayerReduction:
    """The canonical layer, and one group for each distinct (W, p) of the raw one, in order of first appearance."""

    layer: AttentionLayer
    groups: tuple[LayerGroup, ...]

    @property
    def merges(self) -> tuple[LayerGroup, ...]:
        """Groups of two or more raw heads whose sum of V is not zero."""
        return tuple(group for group in self.groups if len(group.members) > 1 and not group.is_dropped)

    @property
    def drops(self) -> tuple[LayerGroup, ...]:
        """Groups whose V sum to zero."""
        return tuple(group for group in self.groups if group.is_dropped)


def reduce_layer(layer: AttentionLayer) -> LayerReduction:
    """Merge heads with equal (W, p), drop V = 0, and gather all s in one constant."""
    members: dict[tuple[Matrix, Vector], list[int]] = {}
    for index, head in enumerate(layer.heads):
        members.setdefault((head.W, head.p), []).append(index)
    groups = tuple(
        LayerGroup(tuple(indices), LayerHead(W, p, _sum([layer.heads[i].V for i in indices])))
        for (W, p), indices in members.items()
    )
    kept = sorted((g.head for g in groups if not g.is_dropped), key=lambda head: (head.W, head.p, head.V))
    return LayerReduction(layer.with_heads(kept, layer.constant), groups)


def canonical_layer(layer: AttentionLayer) -> AttentionLayer:
    """The canonical layer of the same function: distinct (W, p), no V zero, heads sorted, one constant s."""
    return reduce_layer(layer).layer


def as_layer(model: MultiHeadAttention | AttentionLayer) -> AttentionLayer:
    """An attention model of either form as a layer."""
    return model if isinstance(model, AttentionLayer) else AttentionLayer.of(model)


def evaluate_layer(
    layer: AttentionLayer, tokens: TokenSequence | Iterable[Iterable[Scalar]]
) -> tuple[SymbolicValue, ...]:
    """f(X) exactly, its m coordinates.

    Raises:
        UnusableInputError: When a token has not d entries.
    """
    sequence = homogeneous(as_token_sequence(tokens, layer.dim))
    return tuple(evaluate(reading, sequence) for reading in layer.readings)


def homogeneous(tokens: TokenSequence) -> TokenSequence:
    """Tokens [x, 1]."""
    return tuple((*token, fmpq(1)) for token in tokens)


def same_layer(left: AttentionLayer, right: AttentionLayer) -> Verdict:
    """Whether two layers are the same function on all sequences.

    Returns:
        `Holds`, or `Fails` with a separating token sequence as its witness; None when the shapes differ.
    """
    if (left.dim, left.outputs) != (right.dim, right.outputs):
        return Fails(None, f"the shapes differ: {left.dim} to {left.outputs} and {right.dim} to {right.outputs}")
    if left.field != right.field:
        raise UnusableInputError("layers over two number fields are not compared: write both over one field")
    heads = _difference(left, right)
    constant = [a - b for a, b in zip(left.constant, right.constant, strict=True)]
    if not heads and not any(constant):
        return Holds("the canonical forms agree up to order")
    return Fails(_separating_sequence(left, right, heads, constant), "the canonical forms differ")


def _difference(left: AttentionLayer, right: AttentionLayer) -> list[Matrix]:
    """The matrices V of the canonical heads of left - right."""
    total: dict[object, Matrix] = {}
    models = [layer.reading(0) for layer in (left, right)]
    reference = common_unit(*models)
    for sign, layer, model in zip((1, -1), (left, right), models, strict=True):
        for head, seen in zip(layer.heads, model.heads, strict=False):
            key = weight_key(model, seen.W, reference=reference)
            V = tuple(tuple(sign * entry for entry in row) for row in head.V)
            total[key] = _sum([total[key], V]) if key in total else V
    return [V for V in total.values() if any(entry for row in V for entry in row)]


def _separating_sequence(
    left: AttentionLayer, right: AttentionLayer, heads: Sequence[Matrix], constant: Sequence[Scalar]
) -> TokenSequence:
    """One token where that is enough: f of it is V y + s.  Else two or more small ones, decided symbolically.

    A difference that vanished on all sequences would have an empty canonical form, so the search ends.
    """
    zero, dim = fmpq(0), left.dim
    if any(constant):
        return ((zero,) * dim,)
    total = _sum(heads)
    for axis in range(dim):
        if any(row[axis] for row in total):
            return (tuple(fmpq(int(b == axis)) for b in range(dim)),)
    outputs = [a for a in range(left.outputs) if any(entry for V in heads for entry in V[a])]
    generator = random.Random("separating")
    for attempt in itertools.count():  # pragma: no branch
        box, length = 1 + attempt // 8, 2 + attempt % 3
        tokens = tuple(tuple(fmpq(generator.randint(-box, box)) for _ in range(dim)) for _ in range(length))
        for a in outputs:
            if evaluate(left.reading(a), homogeneous(tokens)) != evaluate(right.reading(a), homogeneous(tokens)):
                return tokens
    raise AssertionError("unreachable: the candidates do not end")  # pragma: no cover


def _sum(matrices: Sequence[Matrix]) -> Matrix:
    return tuple(
        tuple(sum(entries, fmpq(0)) for entries in zip(*rows, strict=True)) for rows in zip(*matrices, strict=True)
    )
