"""Learning log-rational models from tokens with denominators: the same heads, from radical answers."""

from __future__ import annotations

import itertools

import pytest
from flint import fmpq, fmpz
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactlearn.auditing import contradicted_answer
from exactlearn.canonical import canonical_form
from exactlearn.denominators import learn_on_fractions, radical_oracle
from exactlearn.errors import NotAttentionError, NotAtThisPlaceError, OverBudgetError, UnusableInputError
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.oracle import oracle_of
from exactlearn.places.conformance import check_place
from exactlearn.places.radical import RadicalPlace, seen_on_fractions, seen_on_whole_tokens
from exactlearn.places.radical_rings import RadicalRing, RadicandsNotSquaresError, is_square, see_radicals
from exactlearn.places.residues import ResidueRing
from exactlearn.places.symbolic import evaluate
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.strategies import models, positive_rationals, token_sequences

MODEL = MultiHeadAttention(
    [([[2, 3], [5, 7]], [1, 2]), ([[3, 1], [2, fmpq(5, 6)]], [3, -1])], weights="log-rational"
)


@settings(max_examples=20)
@given(models("log-rational", dims=(1, 2), max_heads=2, unit=None), st.integers(1, 6), st.integers(0, 20))
def test_the_same_heads(model: MultiHeadAttention, denominator: int, seed: int) -> None:
    """With every denominator the canonical heads come back, with the stated number of queries."""
    canonical = canonical_form(model)
    H, d = len(canonical.heads), model.dim
    result = learn_on_fractions(radical_oracle(model, denominator), denominator, heads=H, seed=seed, box=6)
    assert result.model == canonical
    assert (result.queries, result.max_length) == (4 * H * d * d - 2 * H + 1, 2 * H + 1)


def test_answers_are_irrational() -> None:
    """The control: what the learner is told is mostly no rational number, and is f of the fractional tokens."""
    oracle = radical_oracle(MODEL, 2)
    learn_on_fractions(oracle, 2, max_heads=3)
    answers = [(key, values) for key, values in oracle.exact_answers().items() if not isinstance(key, tuple)]
    irrational = sum(value.rational is None for _, values in answers for value in values)
    assert irrational > 40
    key, values = answers[0]
    half = [fmpq(1, 2) * (a + b) for a, b in zip(key.x, key.y, strict=True)]
    assert values[0] == evaluate(MODEL, [half, [fmpq(b, 2) for b in key.y]])


@given(models("log-rational", dims=(1, 2), max_heads=2), st.integers(1, 5), st.data())
@settings(max_examples=40)
def test_fractions_are_seen_on_whole_tokens(model: MultiHeadAttention, denominator: int, data: st.DataObject) -> None:
    """The scaled model has on whole tokens the values that the model has on fractions; scaling back is the inverse."""
    tokens = data.draw(token_sequences(model.dim, max_length=3))
    seen = seen_on_fractions(model, denominator)
    assert seen_on_whole_tokens(seen, denominator) == model
    fractions = [[fmpq(a, denominator) for a in token] for token in tokens]
    assert evaluate(seen, tokens) == evaluate(model, fractions)


@given(st.lists(st.tuples(positive_rationals(12), st.fractions(-2, 2, max_denominator=6)), min_size=2, max_size=4))
def test_images_are_homomorphisms(factors: list[tuple[fmpq, object]]) -> None:
    """The images of radicals add and multiply, and fix the rationals."""
    values = [SymbolicValue.power(number, exponent) for number, exponent in factors]
    ring: ResidueRing = ResidueRing.seeded(1)
    while True:
        try:
            images = [see_radicals(value.sum, ring) for value in values]
            product, total = values[0] * values[1] + 3, values[0] / (values[0] + values[1])
            seen = see_radicals(product.sum, ring), see_radicals(total.sum, ring)
        except RadicandsNotSquaresError as error:
            ring = error.next_ring(ring)
        else:
            break
    assert (images[0] * images[1] + 3 - seen[0]) % ring.modulus == 0
    assert (seen[1] * (images[0] + images[1]) - images[0]) % ring.modulus == 0
    assert see_radicals(SymbolicValue.of(fmpq(3, 7)).sum, ring) == ring.reduce(fmpq(3, 7))


@given(st.sets(st.integers(2, 10**6), min_size=1, max_size=6))
def test_primes_with_square_roots(numbers: set[int]) -> None:
    """The prime taken after a missing root has it, whether or not the numbers are factored; so have the next ones."""
    first = ResidueRing.seeded(2)
    assume(any(not is_square(fmpz(n), first.prime) for n in numbers))
    ring = RadicandsNotSquaresError(map(fmpz, numbers)).next_ring(first)
    for each in (ring, ring.with_next_prime()):
        assert isinstance(each, RadicalRing)
        assert all(pow(n, each.half_order, each.prime) == 1 for n in numbers)
        assert fmpz(each.prime).is_prime()
        assert fmpz(each.half_order).is_prime()
        assert each.prime.bit_length() <= 62
    assert ring.with_next_prime().prime > ring.prime > first.prime


def test_too_many_square_roots(monkeypatch: pytest.MonkeyPatch) -> None:
    """When no prime is found, one line says so."""
    monkeypatch.setattr("exactlearn.places.radical_rings.MOST_CANDIDATES", 10)
    ring = RadicalRing(ResidueRing.seeded(0).prime, 1, (fmpz(2),))
    with pytest.raises(OverBudgetError, match="no prime was found modulo which 1 numbers are all squares"):
        ring.with_next_prime()


def test_the_place_conforms() -> None:
    """The radical place passes the laws of every place, where its ring has the roots."""
    models_ = [
        MultiHeadAttention([([[2, 3], [fmpq(3, 5), 1]], [1, 2])], weights="log-rational", unit=fmpq(1, 9)),
        MultiHeadAttention(
            [([[3, 1], [4, 2]], [1, -2]), ([[1, 1], [1, 1]], [0, 1])], weights="log-rational", unit=fmpq(1, 9)
        ),
    ]
    check_place(RadicalPlace(Unit.of(fmpq(1, 9)), 3), models_)


def test_a_wrong_model_is_contradicted() -> None:
    """Every radical answer is recomputed: a changed head contradicts one."""
    oracle = radical_oracle(MODEL, 2)
    learn(oracle, heads=2)
    seen = seen_on_fractions(MODEL, 2)
    assert contradicted_answer(oracle, seen) is None
    changed = seen.with_heads([Head(seen.heads[0].W, [2, 2]), seen.heads[1]])
    assert "the answer" in str(contradicted_answer(oracle, changed))


def test_refusals() -> None:
    """Denominators out of range, other models and too few heads are refused."""
    for wrong, model in itertools.product((0, -1, 65, True), (MODEL,)):
        with pytest.raises(UnusableInputError, match="a whole number from 1 to 64 is expected"):
            radical_oracle(model, wrong)
    with pytest.raises(NotAtThisPlaceError, match="for log-rational weights over Q"):
        radical_oracle(MultiHeadAttention([([[1]], [1])]), 2)
    with pytest.raises(NotAtThisPlaceError, match="sees log-rational weights over Q in that unit"):
        RadicalPlace().black_box(seen_on_fractions(MODEL, 2))
    with pytest.raises(NotAttentionError):
        learn_on_fractions(radical_oracle(MODEL, 2), 2, heads=1)


def test_as_at_the_rational_place() -> None:
    """With the denominator 1 the model is that of the rational place, from the same draw."""
    usual, radical = learn(oracle_of(MODEL), heads=2), learn_on_fractions(radical_oracle(MODEL, 1), 1, heads=2)
    assert (usual.model, usual.draw, usual.queries) == (radical.model, radical.draw, radical.queries)
