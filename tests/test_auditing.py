"""Tests of the checks after the fact: a right model passes, a wrong one is caught, and where."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.auditing import audit_sequences, audit_shapes, contradicted_answer, failed_audit
from exactlearn.canonical import canonical_form
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.oracle import oracle_of, oracle_of_function
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import shaped_models

RING = ResidueRing.seeded(0)
KINDS: list[WeightKind] = ["rational", "log-rational"]


@given(st.data(), st.sampled_from(KINDS), st.integers(0, 99))
def test_audit(data: st.DataObject, weights: WeightKind, seed: int) -> None:
    """The true model passes; a model of another function fails, on a sequence where it is wrong."""
    model = data.draw(shaped_models(weights, max_heads=2))
    oracle = oracle_of(model)
    assert failed_audit(oracle, canonical_form(model), RING, seed=seed, bound=2) is None
    first = model.heads[0]
    wrong = model.with_heads([Head(first.W, [first.v[0] + fmpq(1, 10**30), *first.v[1:]]), *model.heads[1:]])
    tokens = failed_audit(oracle, wrong, RING, seed=seed, bound=2)
    shapes = audit_shapes(2, is_thorough=weights == "log-rational")
    sequences = audit_sequences(model.dim, shapes, seed=seed, multiple=oracle.place.token_multiple)
    assume(any(token[0] for sequence in sequences for token in sequence))
    assert tokens in sequences


def test_wrong_weights() -> None:
    """A wrong W is caught on a sequence of several tokens; swapped order and length are looked at as well."""
    model = MultiHeadAttention([([[1, 2], [3, 1]], [1, 2])], weights="log-rational")
    wrong = MultiHeadAttention([([[1, 2], [2, 1]], [1, 2])], weights="log-rational")
    tokens = failed_audit(oracle_of(model), wrong, RING, seed=0, bound=2)
    assert tokens
    assert len(tokens) > 1
    box = RationalBlackBox(model)
    for late in (
        lambda t: box.value(t) + (t[0] != t[-1]),
        lambda t: box.value(t) + (len(t) == 5),
        lambda t: box.value(t) + (0 if len(t) < 3 else 3 * (t[0] > t[1])),
    ):
        assert failed_audit(oracle_of_function(late, 2), model, RING, seed=1, bound=2) is not None


def test_equal_images_are_not_enough() -> None:
    """At the rational place values are compared, not images: a difference of p^k is seen."""
    model = MultiHeadAttention([([[2]], [1])], weights="log-rational")
    box = RationalBlackBox(model)
    oracle = oracle_of_function(lambda tokens: box.value(tokens) + RING.modulus, 1)
    assert failed_audit(oracle, model, RING, seed=0, bound=2) is not None


@pytest.mark.parametrize("multiple", [1, 3])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_sequences(dim: int, multiple: int) -> None:
    """Lengths as asked; one of length 3 swaps its predecessor; no final token is zero; differences are multiples."""
    shapes = audit_shapes(2, is_thorough=True)
    sequences = audit_sequences(dim, shapes, seed=4, multiple=multiple)
    assert [len(sequence) for sequence in sequences] == [length for length, _ in shapes]
    assert sequences[3] == (sequences[2][1], sequences[2][0], sequences[2][2])
    for sequence in sequences:
        assert any(sequence[-1])
        assert all(len(token) == dim for token in sequence)
        assert all((a - b) % multiple == 0 for token in sequence for a, b in zip(token, sequence[0], strict=True))
    assert sequences == audit_sequences(dim, shapes, seed=4, multiple=multiple)
    assert sequences != audit_sequences(dim, shapes, seed=5, multiple=multiple)


def test_lengths_beyond_the_probes() -> None:
    """Lengths around and beyond the longest probe of 2H + 1 tokens are audited, short ones with small tokens."""
    for bound in range(5):
        lengths = {length for length, _ in audit_shapes(bound, is_thorough=True)}
        assert {1, 2, 3, 4, 2 * bound + 2, 2 * bound + 3, 2 * bound + 4, 4 * bound + 7} <= lengths


def test_contradicted_answers() -> None:
    """Every exact answer is held against the model, discarded ones too, and the first contradiction is named."""
    model = MultiHeadAttention([([[2]], [1])], weights="log-rational")
    wrong = MultiHeadAttention([([[3]], [1])], weights="log-rational")
    oracle = oracle_of(model)
    assert contradicted_answer(oracle, wrong) is None  # nothing asked yet
    mark = oracle.mark()
    oracle.copies((1,), (2,), 2, RING)
    oracle.discard_since(mark)
    assert contradicted_answer(oracle, model) is None
    assert contradicted_answer(oracle, wrong) == "the answers to the probe x = (1,), y = (2,)"
    other = oracle_of(model)
    other.value(((1,), (2,)), RING)
    assert contradicted_answer(other, model) is None
    assert contradicted_answer(other, wrong) == "the answer to the sequence ((1,), (2,))"


def test_nothing_exact_at_the_padic_place() -> None:
    """Images are no exact answers, so nothing is contradicted there: the audit is what judges."""
    model = MultiHeadAttention([([[2]], [1])])
    wrong = MultiHeadAttention([([[3]], [1])])
    oracle = oracle_of(model)
    oracle.copies((1,), (2,), 2, RING)
    assert contradicted_answer(oracle, wrong) is None
    assert failed_audit(oracle, wrong, RING, seed=0, bound=2) is not None
