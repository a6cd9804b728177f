"""Claim canonical: same function exactly when the canonical forms agree up to order (DESIGN section 1)."""

from __future__ import annotations

import random
from collections.abc import Iterator

from flint import fmpq

from exactlearn.canonical import same_function
from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.model import Head, MultiHeadAttention, TokenSequence, as_token_sequence
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds, Verdict

GENERAL_LENGTHS = (1, 2, 3)


def check(context: Context) -> Verdict:
    """A disguise of the model is the same function; models changed in one entry are not, shown by sequences."""
    disguise = disguised(context.canonical)
    if not same_function(context.model, disguise).holds:
        return Fails(disguise, "splitting, padding with a cancelling pair and reordering changed the canonical form")
    sequences = general_sequences(context)
    for tokens in sequences:
        if evaluate(context.model, tokens) != evaluate(disguise, tokens):
            return Fails(tokens, "equal canonical forms, different values")
    count = 0
    for other in neighbours(context.canonical):
        verdict = same_function(context.model, other)
        if not isinstance(verdict, Fails):
            return Fails(other, "the canonical forms differ, and no separating sequence is given")
        if evaluate(context.model, verdict.witness) == evaluate(other, verdict.witness):
            return Fails((other, verdict.witness), "the separating sequence does not separate")
        count += 1
    return Holds(
        f"split, padded and reordered heads have the same values on {len(sequences)} general sequences, and {count} "
        "models with another canonical form each have another value on an explicit sequence; all values exact "
        "(symbolic, equality by structure)"
    )


def control(context: Context) -> Verdict:
    """Raw heads in place of the canonical form: the disguise has other raw heads and yet the same values."""
    disguise = disguised(context.canonical)
    sequences = general_sequences(context)
    agrees = all(evaluate(context.model, tokens) == evaluate(disguise, tokens) for tokens in sequences)
    if agrees and sorted(map(repr, disguise.heads)) != sorted(map(repr, context.model.heads)):
        return Fails(disguise, f"{len(disguise.heads)} raw heads in place of {len(context.model.heads)}, same function")
    return Holds("the disguised model has other values")


def disguised(canonical: MultiHeadAttention) -> MultiHeadAttention:
    """The same function from other raw heads: every v split in two, one cancelling pair added, order reversed."""
    heads = []
    for head in canonical.heads:
        third = tuple(entry / 3 for entry in head.v)
        heads += [Head(head.W, third), Head(head.W, tuple(2 * entry for entry in third))]
    dim = canonical.dim
    extra = _changed_weights(canonical.heads[0]).W if heads else ((fmpq(1),) * dim,) * dim
    heads += [Head(extra, (fmpq(sign),) * dim) for sign in (1, -1)]
    return canonical.with_heads(reversed(heads))


def neighbours(canonical: MultiHeadAttention) -> Iterator[MultiHeadAttention]:
    """Models with another canonical form: one head dropped, one entry of one v, or of one W, changed."""
    for h, head in enumerate(canonical.heads):
        others = canonical.heads[:h] + canonical.heads[h + 1 :]
        yield canonical.with_heads(others)
        yield canonical.with_heads([*others, Head(head.W, (head.v[0] + 1, *head.v[1:]))])
        changed = _changed_weights(head)
        if changed.W not in {other.W for other in others}:
            yield canonical.with_heads([*others, changed])


def general_sequences(context: Context) -> list[TokenSequence]:
    """Seeded sequences of small tokens that are no probes."""
    generator = random.Random(f"general {context.seed}")
    multiple, dim = context.place.token_multiple, context.dim

    def token() -> list[int]:
        return [multiple * generator.randint(-2, 2) for _ in range(dim)]

    return [as_token_sequence([token() for _ in range(length)], dim) for length in GENERAL_LENGTHS]


def _changed_weights(head: Head) -> Head:
    return Head(((head.W[0][0] + 1, *head.W[0][1:]), *head.W[1:]), head.v)


CLAIM = Claim(
    "canonical",
    "two models are the same function exactly when their canonical forms agree up to order; otherwise an explicit "
    "sequence separates them",
    "two models are the same function exactly when their raw heads agree up to order",
    has_heads,
    check,
    control,
)
