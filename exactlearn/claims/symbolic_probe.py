"""The right-hand side of section 3, F(k) = V.y + sum_h c_h k t_h / (1 + k t_h), as an exact symbolic value."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from exactlearn.model import Head, MultiHeadAttention, TokenSequence, as_token_sequence, dot
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.symbolic_value import SymbolicValue


def pole(model: MultiHeadAttention, head: Head, x: Sequence[int], y: Sequence[int]) -> SymbolicValue:
    """The pole parameter exp(x^T W y) of one head of `model`."""
    if model.weights == "rational":
        exponent = dot([dot(row, [fmpq(b) for b in y]) for row in head.W], [fmpq(a) for a in x])
        return SymbolicValue.exp(exponent, model.unit)
    unit = model.unit.rational
    assert unit is not None  # noqa: S101  # the model's constructor saw to it
    product = SymbolicValue.of(1)
    for a, row in zip(x, head.W, strict=True):
        for b, entry in zip(y, row, strict=True):
            exponent = unit * a * b
            if exponent and entry != 1:
                product *= SymbolicValue.power(entry, exponent)
    return product


def copy_count_formula(
    model: MultiHeadAttention, poles: Sequence[SymbolicValue], x: Sequence[int], y: Sequence[int], copies: int
) -> SymbolicValue:
    """V.y + sum_h (v_h.x) k t_h / (1 + k t_h) with the given poles, one for each head of `model`."""
    total = SymbolicValue.of(value_at_zero(model, y))
    for head, t in zip(model.heads, poles, strict=True):
        residue = dot(head.v, [fmpq(a) for a in x])
        total += SymbolicValue.of(residue * copies) * t / (SymbolicValue.of(1) + SymbolicValue.of(copies) * t)
    return total


def value_at_zero(model: MultiHeadAttention, y: Sequence[int]) -> fmpq:
    """F(0) = V.y."""
    return dot(model.value_sum, [fmpq(b) for b in y])


def poles_of(model: MultiHeadAttention, x: Sequence[int], y: Sequence[int]) -> list[SymbolicValue]:
    """The pole parameters of all heads."""
    return [pole(model, head, x, y) for head in model.heads]


def probe_sequence(x: IntegerToken, y: IntegerToken, copies: int) -> TokenSequence:
    """The tokens of a probe: k copies of x + y, then y."""
    both = tuple(a + b for a, b in zip(x, y, strict=True))
    return as_token_sequence([both] * copies + [y], len(y))
