"""Claim single-head: d queries of length 1 and d^2 of length 2 recover one head, and one query fewer does not."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from exactlearn.claims.claim import Claim
from exactlearn.claims.context import Context
from exactlearn.claims.single_head_learner import learn_single_head, probing_tokens, unit_tokens
from exactlearn.claims.symbolic_probe import probe_sequence
from exactlearn.model import Head, MultiHeadAttention, TokenSequence, as_token_sequence
from exactlearn.oracle import oracle_of
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds, Verdict


def applies(context: Context) -> bool:
    """Models with exactly one canonical head."""
    return context.heads == 1


def check(context: Context) -> Verdict:
    """A run of that learner, counted by the oracle."""
    d = context.dim
    oracle = oracle_of(context.model)
    head = learn_single_head(oracle, range(d), seed=context.seed)
    if head != context.canonical.heads[0]:
        return Fails(head, "another head was recovered")
    if (oracle.tally.queries, oracle.tally.max_length) != (d + d**2, 2):
        return Fails(oracle.tally, f"{oracle.tally.queries} queries, longest {oracle.tally.max_length}")
    return Holds(
        f"one run: {d} + {d}^2 = {oracle.tally.queries} queries of at most 2 tokens (counted by the oracle), "
        "every number of W and v recovered exactly"
    )


def control(context: Context) -> Verdict:
    """One query of length 2 is left out: another model has the same answers to all the others."""
    other, kept, left_out = second_model(context)
    for tokens in kept:
        if evaluate(context.model, tokens) != evaluate(other, tokens):
            return Holds("the second model has another answer to a query that is kept")
    if evaluate(context.model, left_out) == evaluate(other, left_out):
        return Holds("the second model has the same answer to the last query as well")
    return Fails(other, f"a second model has the same answers to {len(kept)} of the {len(kept) + 1} queries, exactly")


def second_model(context: Context) -> tuple[MultiHeadAttention, list[TokenSequence], TokenSequence]:
    """A model with another W and the same answers to all queries of the schedule but the last: both lists too.

    Only E = X^T W at (d, d) changes, by m: W changes by m X^-T e_d in column d, which is whole.
    """
    head, d = context.canonical.heads[0], context.dim
    multiple = context.place.token_multiple
    X, Y = probing_tokens(head.v, multiple), unit_tokens(d)
    right = fmpq_mat(d, 1, [fmpq(0)] * (d - 1) + [fmpq(multiple)])
    change = fmpq_mat([[fmpq(a) for a in x] for x in X]).solve(right)
    rows = []
    for a, row in enumerate(head.W):
        step = change[a, 0]
        last = row[-1] * fmpq(2) ** int(step.p) if context.model.weights == "log-rational" else row[-1] + step
        rows.append((*row[:-1], last))
    queries = [as_token_sequence([y], d) for y in Y] + [probe_sequence(x, y, 1) for x in X for y in Y]
    return context.canonical.with_heads([Head(rows, head.v)]), queries[:-1], queries[-1]


CLAIM = Claim(
    "single-head",
    "one head is recovered from d queries of length 1 and d^2 of length 2",
    "one head is recovered from d queries of length 1 and d^2 - 1 of length 2",
    applies,
    check,
    control,
)
