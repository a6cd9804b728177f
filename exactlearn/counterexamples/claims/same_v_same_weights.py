"""Claim: canonical heads with the same v have the same W, so that a head is known by its v."""

from __future__ import annotations

import itertools

from exactlearn import MultiHeadAttention, canonical_form


def claim(model: MultiHeadAttention) -> bool:
    """Among the canonical heads, equal v means equal W."""
    heads = canonical_form(model).heads
    return all(one.W == two.W for one, two in itertools.combinations(heads, 2) if one.v == two.v)
