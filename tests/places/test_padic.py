"""Tests of the p-adic place: the base U, values against their definition, and what it refuses."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import NotAttentionError, NotAtThisPlaceError, UnluckyPrimeError
from exactlearn.interpolation import ProbeInterpolation
from exactlearn.model import MultiHeadAttention, Unit, dot
from exactlearn.places.padic import PadicPlace
from exactlearn.places.protocol import IntegerToken, TokenBasis
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import shaped_models, token_sequences

seeded_rings = st.builds(ResidueRing.seeded, st.integers(0, 9), st.integers(1, 6))


def _base(ring: ResidueRing) -> fmpz:
    return ring.teichmuller_square * (1 + ring.prime) % ring.modulus


def _by_definition(model: MultiHeadAttention, tokens: tuple[IntegerToken, ...], ring: ResidueRing) -> fmpz:
    """The sum over heads of the softmax average, e^r as U to the power r modulo the order of U."""
    order = ring.half_order * ring.log_modulus
    rows = [[fmpq(a) for a in token] for token in tokens]
    total = fmpz(0)
    for head in model.heads:
        top, bottom = fmpz(0), fmpz(0)
        for row in rows:
            score = dot(row, [dot(line, rows[-1]) for line in head.W])
            power = pow(_base(ring), score.p * pow(score.q, -1, order) % order, ring.modulus)
            top += power * ring.reduce(dot(head.v, row))
            bottom += power
        total += top * ring.inverse(bottom)
    return total % ring.modulus


@given(seeded_rings)
def test_order_of_the_base(ring: ResidueRing) -> None:
    """U has order q p^(k-1): no proper divisor of it will do."""
    base, order = _base(ring), ring.half_order * ring.log_modulus
    assert pow(base, order, ring.modulus) == 1
    assert pow(base, order // ring.half_order, ring.modulus) != 1
    if ring.digits > 1:
        assert pow(base, order // ring.prime, ring.modulus) != 1


@given(st.data(), seeded_rings)
def test_values_by_definition(data: st.DataObject, ring: ResidueRing) -> None:
    """A value is what the definition of f gives with U in place of e."""
    model = data.draw(shaped_models("rational"))
    tokens = data.draw(token_sequences(model.dim))
    assert PadicPlace().black_box(model).value(tokens, ring) == _by_definition(model, tokens, ring)


@given(st.integers(-99, 99), st.integers(1, 12), seeded_rings)
def test_rational_exponents(numerator: int, denominator: int, ring: ResidueRing) -> None:
    """The image of e^(a/b) to the power b is the image of e^a."""
    part, whole = (
        _pole(MultiHeadAttention([([[W]], [1])]), ring) for W in (fmpq(numerator, denominator), fmpq(numerator))
    )
    assert pow(part, denominator, ring.modulus) == whole


def _pole(model: MultiHeadAttention, ring: ResidueRing) -> fmpz:
    start, *samples = PadicPlace().black_box(model).copies((1,), (1,), [0, 1, 2], ring)
    return ProbeInterpolation(ring, 1).read(start, samples).poles[0]


@pytest.mark.parametrize("seed", range(12))
def test_small_exponents_are_never_unlucky(seed: int) -> None:
    """With exponents like -1/2 no pole meets a copy count, whatever the prime; a base like 4 would fail here."""
    heads = [([[fmpq(n, d)]], [1]) for n in range(-12, 13) for d in (1, 2, 3, 4, 6)]
    box = PadicPlace().black_box(MultiHeadAttention(heads))
    assert len(box.copies((1,), (1,), range(1, 65), ResidueRing.seeded(seed))) == 64


@pytest.mark.parametrize("digits", [1, 2, 5])
def test_unlucky_denominators(digits: int) -> None:
    """A denominator of W divisible by p or q, or one of v divisible by p, is an unlucky prime, never an abort."""
    ring = ResidueRing.seeded(0, digits)
    for divisor in (ring.prime, ring.half_order):
        box = PadicPlace().black_box(MultiHeadAttention([([[fmpq(1, divisor)]], [1])]))
        with pytest.raises(UnluckyPrimeError, match="denominator in the exponents"):
            box.value(((1,), (2,)), ring)
    box = PadicPlace().black_box(MultiHeadAttention([([[1]], [fmpq(1, ring.prime)])]))
    with pytest.raises(UnluckyPrimeError, match="has to be inverted"):
        box.value(((1,), (2,)), ring)
    assert box.value(((1,), (2,)), ring.with_next_prime()) >= 0


@pytest.mark.parametrize("prime", [7, 11, 23, 47])
@pytest.mark.parametrize("digits", [1, 2, 9])
def test_tiny_primes(prime: int, digits: int) -> None:
    """With tiny primes a value is right or the prime is unlucky, and both happen."""
    ring, outcomes = ResidueRing(prime, digits), set()
    for W in range(-6, 7):
        model = MultiHeadAttention([([[W]], [1]), ([[fmpq(W, 2)]], [3])])
        for tokens in (((1,), (2,)), ((1,), (3,), (1,)), ((0,), (5,), (5,), (1,))):
            try:
                expected = _by_definition(model, tokens, ring)
            except UnluckyPrimeError:
                with pytest.raises(UnluckyPrimeError):
                    PadicPlace().black_box(model).value(tokens, ring)
                outcomes.add("unlucky")
            else:
                assert PadicPlace().black_box(model).value(tokens, ring) == expected
                outcomes.add("right")
    assert "right" in outcomes


def test_other_models_are_refused() -> None:
    """Log-rational weights and other units are not seen here."""
    for model in (
        MultiHeadAttention([([[2]], [1])], weights="log-rational"),
        MultiHeadAttention([([[2]], [1])], unit=Unit.sqrt(2)),
    ):
        with pytest.raises(NotAtThisPlaceError, match="rational weights in the same unit"):
            PadicPlace().black_box(model)


def test_no_power_of_the_base() -> None:
    """A pole that is no square mod p is no image of a power of e."""
    ring = ResidueRing.seeded(0)
    basis = TokenBasis(ring, ((1,),), ((1,),))
    assert PadicPlace().weights_from_poles(basis, [[_base(ring)]]) == ((fmpq(1),),)
    with pytest.raises(NotAttentionError, match="no power of e"):
        PadicPlace().weights_from_poles(basis, [[ring.modulus - _base(ring)]])
