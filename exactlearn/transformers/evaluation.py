"""The exact value of a Transformer, and whether two of them are the same function.

The sign of every z_j(X) is decided exactly: zero by structure, the rest by balls that shrink.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator

from flint import fmpq

from exactlearn.common_field import transformers_over_common_field
from exactlearn.exponents import WeightKey, common_unit, weight_key
from exactlearn.fields.scalars import Scalar
from exactlearn.model import MultiHeadAttention, TokenSequence, Transformer, Vector, as_token_sequence
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.transformers.canonical import TransformerForm, canonical_transformer
from exactlearn.verdict import Fails, Holds, Verdict


def evaluate_transformer(model: Transformer, tokens: TokenSequence | Iterable[Iterable[Scalar]]) -> SymbolicValue:
    """f(X) = sum_j u_j ReLU(z_j(X)), exactly, on n >= 1 tokens with entries that are rational or in a number field.

    Raises:
        UnusableInputError: When the tokens do not fit the model.
        OverBudgetError: When powers of T would be too long, or a sign could not be told within the precision allowed.
    """
    sequence = as_token_sequence(tokens, model.dim)
    total = SymbolicValue.of(fmpq(0))
    for u, preactivation in zip(model.u, model.preactivations, strict=True):
        z = evaluate(preactivation, sequence)
        if u and z.sign() > 0:
            total += z * u
    return total


def same_transformer(left: Transformer, right: Transformer) -> Verdict:
    """Whether two Transformers are the same function on all sequences; also those with other units.

    Returns:
        `Holds`, or `Fails` with a separating token sequence as its witness (None for different dimensions).
    """
    if left.dim != right.dim:
        return Fails(None, f"the dimensions differ: {left.dim} and {right.dim}")
    left, right = transformers_over_common_field(left, right)
    forms = [canonical_transformer(model) for model in (left, right)]
    reference = common_unit(forms[0].odd, forms[1].odd)
    keys = [_function_key(form, reference) for form in forms]
    if keys[0] == keys[1]:
        return Holds("the canonical forms agree: odd parts, and units up to sign")
    which = "odd parts" if keys[0][0] != keys[1][0] else "even parts"
    return Fails(_separating_sequence(left, right), f"the {which} of the canonical forms differ")


HeadKey = frozenset[tuple[WeightKey, Vector]]


def _function_key(
    form: TransformerForm, reference: object
) -> tuple[HeadKey, frozenset[tuple[frozenset[HeadKey], int]]]:
    """Equal for equal functions, whatever the units of their weights are."""
    units = [
        (frozenset({_heads_key(unit.z, reference, 1), _heads_key(unit.z, reference, -1)}), unit.sign)
        for unit in form.units
    ]
    return _heads_key(form.odd, reference, 1), frozenset(units)


def _heads_key(model: MultiHeadAttention, reference: object, sign: int) -> HeadKey:
    return frozenset(
        (weight_key(model, head.W, reference=reference), tuple(sign * entry for entry in head.v))  # type: ignore[arg-type]
        for head in model.heads
    )


def _separating_sequence(left: Transformer, right: Transformer) -> TokenSequence:
    """The first of seeded candidates on which two different functions differ; the candidates do not end."""
    for candidate in _candidates(left.dim, _whole_multiple(left, right)):
        for tokens in (candidate, tuple(tuple(-entry for entry in token) for token in candidate)):
            if evaluate_transformer(left, tokens) != evaluate_transformer(right, tokens):
                return tokens
    raise AssertionError("unreachable: the candidates do not end")  # pragma: no cover


def _whole_multiple(left: Transformer, right: Transformer) -> int:
    """What keeps the powers of T whole."""
    factor = fmpq(1).q
    for model in (left, right):
        if model.weights == "log-rational" and model.unit.rational is not None:
            factor = factor.lcm(model.unit.rational.q)
    return int(factor)


def _candidates(dim: int, multiple: int) -> Iterator[TokenSequence]:
    """One token, then two and more; entries from growing boxes, x near a large final token every second time."""
    for axis in range(dim):
        yield (tuple(fmpq(int(a == axis)) for a in range(dim)),)
    generator = random.Random(0)
    for box in itertools.count(1):
        for length in (1, 1, 2, 2, 3, 4):
            final = tuple(fmpq(generator.randint(-box, box)) for _ in range(dim))
            others = []
            for _ in range(length - 1):
                offset = [multiple * generator.randint(-box, box) for _ in range(dim)]
                others.append(tuple(a + b for a, b in zip(final, offset, strict=True)))
            yield (*others, final)
