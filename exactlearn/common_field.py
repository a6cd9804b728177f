"""Models and tokens brought over one number field, so that their numbers can be compared and combined."""

from __future__ import annotations

from collections.abc import Callable

from exactlearn.fields.composing import compose
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar, common_field
from exactlearn.model import MultiHeadAttention, TokenSequence, Transformer

Into = Callable[[Scalar], Scalar]


def over_common_field(
    left: MultiHeadAttention, right: MultiHeadAttention
) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    """Both models over the smallest field that holds the numbers of both; rational ones stay as they are.

    Raises:
        OverBudgetError: When the degrees of two different fields are too large.
    """
    if left.field == right.field:
        return left, right
    field, of_left, of_right = _common(left.field, right.field)
    return left.over(field, of_left), right.over(field, of_right)


def transformers_over_common_field(left: Transformer, right: Transformer) -> tuple[Transformer, Transformer]:
    """The same for Transformers; raises likewise."""
    if left.field == right.field:
        return left, right
    field, of_left, of_right = _common(left.field, right.field)
    return left.over(field, of_left), right.over(field, of_right)


def with_tokens_over_common_field(
    model: MultiHeadAttention, tokens: TokenSequence
) -> tuple[MultiHeadAttention, TokenSequence]:
    """A model and a sequence over one field; rational tokens stay as they are.

    Raises:
        UnusableInputError: When the tokens lie in several fields.
        OverBudgetError: As `over_common_field`.
    """
    token_field = common_field(entry for token in tokens for entry in token)
    if token_field is None or token_field == model.field:
        return model, tokens
    field, of_model, of_tokens = _common(model.field, token_field)
    return model.over(field, of_model), tuple(tuple(map(of_tokens, token)) for token in tokens)


def _common(left: NumberField | None, right: NumberField | None) -> tuple[NumberField, Into, Into]:
    if left is None or right is None:
        field = left or right
        assert field is not None  # noqa: S101  # the callers saw to it
        return field, field, field
    both = compose(left, right)
    return both.field, both.of_left, both.of_right
