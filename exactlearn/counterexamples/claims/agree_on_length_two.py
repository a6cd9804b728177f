"""Claim: two models that agree on all sequences of length 1 and 2 are the same function.

On (x + y, y) a model is  V.y + sum_h v_h.x s(x^T W_h y)  with s(r) = e^r / (1 + e^r) = (1 + tanh(r/2)) / 2.  The
functions tanh(x^T W y / 2) with W up to sign, not zero, are linearly independent, and tanh is odd.  So two models agree
on all of these exactly when V is the same and, for each W up to sign, so is the sum of v over W less that over -W.
"""

from __future__ import annotations

from flint import fmpq

from exactlearn import MultiHeadAttention, same_function
from exactlearn.exponents import WeightKey, weight_key
from exactlearn.model import Vector


def claim(first: MultiHeadAttention, second: MultiHeadAttention) -> bool:
    """Agreement on all sequences of length at most 2 implies equality."""
    return not agree_on_length_two(first, second) or same_function(first, second).holds


def agree_on_length_two(first: MultiHeadAttention, second: MultiHeadAttention) -> bool:
    """Whether two models have the same value on every sequence of length 1 and 2; decided, not sampled."""
    if first.value_sum != second.value_sum:
        return False
    odd_part: dict[WeightKey, Vector] = {}
    for sign, model in ((1, first), (-1, second)):
        for head in model.heads:
            weights, turned = _up_to_sign(weight_key(model, head.W, reference=first.unit))
            old = odd_part.get(weights, (fmpq(0),) * model.dim)
            odd_part[weights] = tuple(a + sign * turned * b for a, b in zip(old, head.v, strict=True))
    return not any(any(value) for value in odd_part.values())


def _up_to_sign(weights: WeightKey) -> tuple[WeightKey, int]:
    """W or -W, whichever has its first entry that is not zero positive, and the sign; W = 0 has tanh 0, so 0."""
    factors = [factor for row in weights for _, _, factor in row if factor]
    if not factors:
        return weights, 0
    if factors[0] > 0:
        return weights, 1
    return tuple(tuple((kind, base, -factor) for kind, base, factor in row) for row in weights), -1
