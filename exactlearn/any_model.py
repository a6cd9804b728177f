"""What attention models and Transformers have in common: values, equality, canonical form."""

from __future__ import annotations

from collections.abc import Iterable

from exactlearn.canonical import canonical_form, same_function
from exactlearn.fields.scalars import Scalar
from exactlearn.model import MultiHeadAttention, TokenSequence, Transformer
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.transformers.canonical import canonical_transformer
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.verdict import Fails, Verdict

AnyModel = MultiHeadAttention | Transformer


def evaluate_any(model: AnyModel, tokens: TokenSequence | Iterable[Iterable[Scalar]]) -> SymbolicValue:
    """f(X), exactly."""
    return evaluate_transformer(model, tokens) if isinstance(model, Transformer) else evaluate(model, tokens)


def same_any(left: AnyModel, right: AnyModel) -> Verdict:
    """Whether two models of one kind are the same function; of two kinds they are not compared.

    Returns:
        `Holds`, or `Fails` with a separating sequence as its witness, None for two kinds or dimensions.
    """
    if isinstance(left, Transformer) and isinstance(right, Transformer):
        return same_transformer(left, right)
    if isinstance(left, Transformer) or isinstance(right, Transformer):
        return Fails(None, "one is a Transformer, the other an attention model")
    return same_function(left, right)


def is_canonical(model: AnyModel) -> bool:
    """Whether no head, or no unit, can be merged or dropped."""
    if isinstance(model, Transformer):
        return len(canonical_transformer(model).units) == len(model.u)
    return len(canonical_form(model).heads) == len(model.heads)
