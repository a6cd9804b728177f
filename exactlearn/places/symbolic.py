"""The symbolic place: f(X) itself, for both kinds of weights and any rational tokens (DESIGN section 2).

Scores are taken relative to the final token, (x_i - x_n)^T W x_n, which leaves the softmax as it is; equal tokens
are grouped, so that long repetitive sequences cost no more than their distinct tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from flint import fmpq, fmpz

from exactlearn.common_field import with_tokens_over_common_field
from exactlearn.errors import OverBudgetError
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Head, Matrix, MultiHeadAttention, TokenSequence, Vector, as_token_sequence, dot
from exactlearn.places.exponential_sums import ExponentialSum, Monomial
from exactlearn.places.quotient_sums import Quotient
from exactlearn.places.radicals import (
    MAXIMAL_POWER_BITS,
    Base,
    bounded_power,
    coprime_base,
    exponents_over,
    power_product,
)
from exactlearn.places.symbolic_fields import quotients_over_field
from exactlearn.places.symbolic_value import SymbolicValue, unit_base, unit_exponent

Term = tuple[Monomial, fmpq]

Powers = Sequence[Sequence[fmpq]]
"""The exponents e_ab of one token, as a d x d matrix."""

MAXIMAL_TOTAL_BITS = 2**26
"""All powers of one value together have at most this many bits."""


def evaluate(model: MultiHeadAttention, tokens: TokenSequence | Iterable[Iterable[Scalar]]) -> SymbolicValue:
    """f(X) = sum_h sum_i softmax_i(x_i^T W_h x_n) v_h.x_i, exactly.

    Args:
        model: Any model; its heads are taken as they are, not in canonical form.
        tokens: n >= 1 tokens with `model.dim` entries, rationals or elements of a number field; the last one is the
            final token.

    Returns:
        The value; 0 for a model without heads; a rational (in K, over a number field K) when all powers of T are whole.

    Raises:
        UnusableInputError: When the tokens do not fit the model; the place is ``tokens[i]``.
        NotAtThisPlaceError: For powers of T over a number field that are not whole.
        OverBudgetError: When powers of T (log-rational weights) would be too long.
    """
    model, sequence = with_tokens_over_common_field(model, as_token_sequence(tokens, model.dim))
    if model.field is not None:
        terms_over_field, field = quotients_over_field(model, sequence)
        return SymbolicValue.from_quotients(terms_over_field, field=field)
    final, counts = sequence[-1], Counter(sequence)
    distinct = list(counts)
    if model.weights == "rational":
        base, scores = _exponentials(model, distinct, final)
    else:
        base, scores = _powers(model, distinct, final)
    quotients = []
    for head, terms in zip(model.heads, scores, strict=True):
        weighted = [(monomial, counts[x] * c) for x, (monomial, c) in zip(distinct, terms, strict=True)]
        values = [(monomial, dot(head.v, x) * c) for x, (monomial, c) in zip(distinct, weighted, strict=True)]
        quotients.append(Quotient(ExponentialSum.collect(values), ExponentialSum.collect(weighted)))
    return SymbolicValue.from_quotients(quotients, base)


def _relative(x: Vector, final: Vector) -> Vector:
    return tuple(a - b for a, b in zip(x, final, strict=True))


def _exponentials(
    model: MultiHeadAttention, distinct: Sequence[Vector], final: Vector
) -> tuple[Base, list[list[Term]]]:
    """For each head and token the monomial e^{c (x_i - x_n)^T W x_n}."""
    base = unit_base(model.unit)
    unit = unit_exponent(fmpq(1), model.unit, base)
    scores = []
    for head in model.heads:
        image = [dot(row, final) for row in head.W]
        exponents = (dot(_relative(x, final), image) for x in distinct)
        scores.append([(Monomial(tuple((rad, r * c) for rad, c in unit if r), ()), fmpq(1)) for r in exponents])
    return base, scores


def _powers(model: MultiHeadAttention, distinct: Sequence[Vector], final: Vector) -> tuple[Base, list[list[Term]]]:
    """For each head and token the radical prod T_ab^{u (x_i - x_n)_a (x_n)_b}."""
    u = model.unit.rational
    assert u is not None  # noqa: S101  # the model's constructor saw to it
    powers = [[[u * a * b for b in final] for a in _relative(x, final)] for x in distinct]
    _check_size(model.heads, powers)
    base = _base_of_fractional_powers(model.heads, powers)
    return base, [[_power(head.W, exponents, base) for exponents in powers] for head in model.heads]


def _factors(T: Matrix, exponents: Powers) -> list[tuple[fmpq, fmpq]]:
    """The pairs (T_ab, e_ab) that are not 1."""
    return [
        (entry, exponent)
        for row, row_of_exponents in zip(T, exponents, strict=True)
        for entry, exponent in zip(row, row_of_exponents, strict=True)
        if exponent and entry != 1
    ]


def _check_size(heads: Sequence[Head], powers: Sequence[Powers]) -> None:
    """Bound the size of all powers before the first is taken."""
    total = 0
    for head in heads:
        for exponents in powers:
            bits = sum(
                int(entry.height_bits()) * int(abs(exponent).ceil()) for entry, exponent in _factors(head.W, exponents)
            )
            total += bits
            if bits > MAXIMAL_POWER_BITS or total > MAXIMAL_TOTAL_BITS:
                raise OverBudgetError(
                    f"the powers of T in this value take more than {MAXIMAL_POWER_BITS} bits for one token, "
                    f"or {MAXIMAL_TOTAL_BITS} in all"
                )


def _base_of_fractional_powers(heads: Sequence[Head], powers: Sequence[Powers]) -> Base:
    """A coprime base for the entries of T that are raised to a power that is not whole; empty when there is none."""
    entries = {
        entry
        for head in heads
        for exponents in powers
        for entry, exponent in _factors(head.W, exponents)
        if exponent.q != 1
    }
    return coprime_base(part for entry in entries for part in (entry.p, entry.q))


def _power(T: Matrix, exponents: Powers, base: Base) -> Term:
    """The product of the T_ab^{e_ab}, as a rational factor and a radical; with whole powers nothing is factored."""
    factor = fmpq(1)
    fractional: dict[fmpz, fmpq] = {}
    for entry, exponent in _factors(T, exponents):
        if exponent.q == 1:
            factor *= bounded_power(entry, exponent.p)
            continue
        for element, multiplicity in exponents_over(entry, base).items():
            fractional[element] = fractional.get(element, fmpq(0)) + multiplicity * exponent
    whole, radical = power_product(fractional)
    return Monomial((), radical), factor * whole
