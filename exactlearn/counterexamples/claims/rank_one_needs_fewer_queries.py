"""Claim: heads of rank one need fewer queries: d of length 1 and 2d - 1 of length 2 determine one, in place of d^2.

The queries of length 2 are the probes (e_i, e_1) and (e_1, e_j): the first column and the first row of W, and a matrix
of rank one has no more to tell.  (Unless its entry (1,1) is zero.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from flint import fmpq_mat

from exactlearn import Fails, Head, Holds, MultiHeadAttention, Verdict, canonical_form, evaluate
from exactlearn.exponents import weight_key


def claim(model: MultiHeadAttention) -> Verdict:
    """No other head of rank at most one, with one entry of the stored W changed, has the same answers."""
    if not is_one_head_of_rank_one(model):
        return Holds("not about this model")
    for other in neighbours(model):
        if all(evaluate(model, tokens) == evaluate(other, tokens) for tokens in queries(model.dim)):
            return Fails(other, f"the same answers has {other.heads[0]}")
    return Holds()


def neighbours(model: MultiHeadAttention) -> Iterator[MultiHeadAttention]:
    """Models of one head of rank at most one that differ in one entry of W alone."""
    head = canonical_form(model).heads[0]
    for i, j in itertools.product(range(model.dim), repeat=2):
        rows = [list(row) for row in head.W]
        rows[i][j] = rows[i][j] + 1
        other = model.with_heads([Head(rows, head.v)])
        if is_one_head_of_rank_one(other):
            yield other


def queries(d: int) -> list[list[list[int]]]:
    """The e_j alone, then (e_i + e_1, e_1) for every i and (e_1 + e_j, e_j) for j > 1."""
    units = [[int(a == axis) for a in range(d)] for axis in range(d)]
    pairs = [(x, units[0]) for x in units] + [(units[0], y) for y in units[1:]]
    return [[y] for y in units] + [[[a + b for a, b in zip(x, y, strict=True)], y] for x, y in pairs]


def is_one_head_of_rank_one(model: MultiHeadAttention) -> bool:
    """One canonical head, no entry of v zero, and W of rank at most one.

    Of log-rational weights only those count whose entries are multiples of one logarithm.
    """
    heads = canonical_form(model).heads
    if len(heads) != 1 or not all(heads[0].v):
        return False
    weights = weight_key(model, heads[0].W, reference=model.unit)
    if len({base for row in weights for _, base, factor in row if factor}) > 1:
        return False
    return int(fmpq_mat([[factor for _, _, factor in row] for row in weights]).rank()) <= 1
