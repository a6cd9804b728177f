"""Claim orthogonal: heads on given orthogonal subspaces are learned one by one, sum_h (r_h + r_h^2) queries in all.

The subspaces are blocks of coordinates here, r_h of them for head h.  On tokens inside block h every other head has
v_g.x = 0 and contributes nothing, so f is that of head h alone.
"""

from __future__ import annotations

from exactlearn.claims.claim import Claim
from exactlearn.claims.context import Context
from exactlearn.claims.single_head_learner import learn_single_head
from exactlearn.errors import NotAttentionError
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.oracle import oracle_of
from exactlearn.verdict import Fails, Holds, Verdict

Blocks = list[list[int]]


def applies(context: Context) -> bool:
    """At least two canonical heads whose W and v live in disjoint sets of coordinates."""
    blocks = [axis for block in blocks_of(context.canonical) for axis in block]
    return context.heads >= 2 and len(blocks) == len(set(blocks))


def check(context: Context) -> Verdict:
    """A run of that learner on every block, counted by the oracle."""
    return _compare(context, context.model)


def control(context: Context) -> Verdict:
    """The second head's v reaches into the first head's block; the subspaces given stay the same."""
    first, second, *others = context.canonical.heads
    axis = blocks_of(context.canonical)[0][0]
    v = [entry + int(a == axis) for a, entry in enumerate(second.v)]
    return _compare(context, context.canonical.with_heads([first, Head(second.W, v), *others]))


def blocks_of(canonical: MultiHeadAttention) -> Blocks:
    """For each head the coordinates in which its W (log T) or its v is not zero."""
    neutral = 1 if canonical.weights == "log-rational" else 0
    return [
        [
            a
            for a in range(canonical.dim)
            if head.v[a] != 0 or any(head.W[a][b] != neutral or head.W[b][a] != neutral for b in range(canonical.dim))
        ]
        for head in canonical.heads
    ]


def _digits_enough(canonical: MultiHeadAttention) -> int:
    """Enough digits base p, of 60 bits each, for every number of the model: the learner need not try more."""
    entries = [entry for head in canonical.heads for row in (*head.W, head.v) for entry in row]
    return 8 + max(int(entry.height_bits()) for entry in entries) // 15


def _compare(context: Context, model: MultiHeadAttention) -> Verdict:
    blocks = blocks_of(context.canonical)
    oracle = oracle_of(model)
    digits = _digits_enough(context.canonical)
    try:
        heads = tuple(learn_single_head(oracle, block, seed=context.seed, most_digits=digits) for block in blocks)
    except NotAttentionError as error:
        return Fails(model, str(error))
    expected = model.heads if model is not context.model else context.canonical.heads
    if heads != expected:
        return Fails(heads, "other heads were recovered")
    stated = sum(len(block) + len(block) ** 2 for block in blocks)
    if oracle.tally.queries != stated:
        return Fails(oracle.tally, f"{oracle.tally.queries} queries, not {stated}")
    ranks = ", ".join(str(len(block)) for block in blocks)
    return Holds(
        f"one run on blocks of {ranks} coordinates: {stated} queries (counted by the oracle), every number of every W "
        "and v recovered exactly"
    )


CLAIM = Claim(
    "orthogonal",
    "heads on given orthogonal subspaces of dimensions r_h are recovered from sum_h (r_h + r_h^2) queries",
    "the same when one v reaches into another head's subspace",
    applies,
    check,
    control,
)
