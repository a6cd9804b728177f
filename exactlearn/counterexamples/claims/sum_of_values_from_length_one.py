"""Claim: the sum V of all v_h is identifiable from queries of length 1: the values of e_1, ..., e_d are its entries."""

from __future__ import annotations

from exactlearn import MultiHeadAttention, evaluate


def claim(model: MultiHeadAttention) -> bool:
    """Asking the unit vectors, one token each, reads off V."""
    for axis, entry in enumerate(model.value_sum):
        token = [int(a == axis) for a in range(model.dim)]
        if evaluate(model, [token]) != entry:
            return False
    return True
