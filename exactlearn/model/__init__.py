"""Exact parameters of attention models: frozen values, no input or output, no learning (DESIGN section 1)."""

from exactlearn.model.attention import Head, MultiHeadAttention, WeightKind
from exactlearn.model.layer import AttentionLayer, LayerHead, neutral_weight
from exactlearn.model.transformer import Transformer, TransformerHead
from exactlearn.model.unit import ONE, Unit
from exactlearn.model.vectors import (
    Matrix,
    Token,
    TokenSequence,
    Vector,
    abbreviate,
    as_token_sequence,
    as_vector,
    dot,
    fractions_of,
)

__all__ = [
    "ONE",
    "AttentionLayer",
    "Head",
    "LayerHead",
    "Matrix",
    "MultiHeadAttention",
    "Token",
    "TokenSequence",
    "Transformer",
    "TransformerHead",
    "Unit",
    "Vector",
    "WeightKind",
    "abbreviate",
    "as_token_sequence",
    "as_vector",
    "dot",
    "fractions_of",
    "neutral_weight",
]
