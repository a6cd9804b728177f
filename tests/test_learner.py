"""Tests of the learner: exact counts for all sizes, all shapes of heads, bounds, tiny primes, determinism."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form
from exactlearn.errors import UnusableInputError
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention, Unit, WeightKind
from exactlearn.oracle import oracle_of
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import HUGE, SHAPES, TINY, Shape, models, same_function_models

KINDS: list[WeightKind] = ["rational", "log-rational"]
SIZES = range(1, 9)


def _random_model(weights: WeightKind, heads: int, dim: int, seed: int = 0) -> MultiHeadAttention:
    """A canonical model with so many heads and small entries."""
    generator = random.Random(f"{weights} {heads} {dim} {seed}")

    def entry() -> fmpq:
        return fmpq(generator.randint(1, 4), generator.choice([1, 1, 2, 3])) * (
            1 if weights == "log-rational" else generator.choice([1, -1])
        )

    while True:
        raw = [
            ([[entry() for _ in range(dim)] for _ in range(dim)], [generator.randint(-3, 3) or 1 for _ in range(dim)])
            for _ in range(heads)
        ]
        model = canonical_form(MultiHeadAttention(raw, weights=weights))
        if len(model.heads) == heads:
            return model


def _formula(dim: int, bound: int) -> tuple[int, int]:
    """DESIGN section 4: 4 H d^2 - 2 H + 1 queries, the longest of 2 H + 1 tokens."""
    return 4 * bound * dim**2 - 2 * bound + 1, 2 * bound + 1


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("heads", SIZES)
@pytest.mark.parametrize("dim", SIZES)
def test_exact_counts(weights: WeightKind, heads: int, dim: int) -> None:
    """Every (H, d) from 1 to 8 is learned exactly, with the stated number of queries and the stated length."""
    model = _random_model(weights, heads, dim)
    result = learn(oracle_of(model), heads=heads)
    assert result.model == model
    assert result.heads_found == heads
    assert (result.queries, result.max_length) == _formula(dim, heads)
    assert (result.predicted_queries, result.predicted_max_length) == _formula(dim, heads)
    assert result.place == {"rational": "padic", "log-rational": "rational"}[weights]
    assert result.schedule == "paper"


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize(("heads", "dim"), [(0, 1), (0, 3), (1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (5, 1), (8, 2)])
@pytest.mark.parametrize("extra", range(4))
def test_upper_bounds(weights: WeightKind, heads: int, dim: int, extra: int) -> None:
    """With a bound H0 = H, ..., H + 3 the model is the same, and the counts are those of H0."""
    model = _random_model(weights, heads, dim) if heads else MultiHeadAttention([], dim=dim, weights=weights)
    result = learn(oracle_of(model), max_heads=heads + extra)
    assert result.model == model
    assert (result.queries, result.max_length) == _formula(dim, heads + extra)


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("options", [{"heads": 0}, {"max_heads": 0}, {"max_heads": 2}], ids=str)
def test_no_heads(weights: WeightKind, dim: int, options: dict[str, int]) -> None:
    """The zero function, with no raw heads or with heads that all cancel, is learned as the empty model."""
    head = _random_model(weights, 1, dim).heads[0]
    minus = [-entry for entry in head.v]
    empty = MultiHeadAttention([], dim=dim, weights=weights)
    for raw in ([], [(head.W, [0] * dim)], [(head.W, head.v), (head.W, minus)]):
        result = learn(oracle_of(MultiHeadAttention(raw, dim=dim, weights=weights)), **options)  # type: ignore[arg-type]
        assert result.model == empty
        assert (result.queries, result.max_length) == _formula(dim, max(options.values()))


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15)
@given(data=st.data())
def test_shapes(weights: WeightKind, shape: Shape, data: st.DataObject) -> None:
    """Whatever the raw heads share or cancel, split or permuted, the canonical model is recovered with exact counts."""
    dims, most = ((1, 2), 2) if (weights, shape) == ("log-rational", "huge and tiny") else ((1, 3), 3)
    model = data.draw(models(weights, shape=shape, dims=dims, max_heads=most))
    canonical = canonical_form(model)
    raw = data.draw(same_function_models(model))
    extra = data.draw(st.integers(0, 2))
    seed = data.draw(st.integers(0, 99))
    result = learn(oracle_of(raw), heads=len(canonical.heads), seed=seed)
    assert result.model == canonical
    assert (result.queries, result.max_length) == _formula(model.dim, len(canonical.heads))
    bounded = learn(oracle_of(raw), max_heads=len(canonical.heads) + extra, seed=seed)
    assert bounded.model == canonical
    assert (bounded.queries, bounded.max_length) == _formula(model.dim, len(canonical.heads) + extra)


@pytest.mark.parametrize("weights", KINDS)
def test_extremes_side_by_side(weights: WeightKind) -> None:
    """Entries 1e30 and 1e-30 in one matrix and one vector come back to the last digit."""
    W = [[HUGE, TINY], [TINY + 1, HUGE + fmpq(1, 7)]]
    model = canonical_form(MultiHeadAttention([(W, [HUGE, -TINY]), (W[::-1], [TINY, 1])], weights=weights))
    assert learn(oracle_of(model), heads=2).model == model
    assert learn(oracle_of(model), max_heads=3).model == model


@pytest.mark.parametrize(
    ("weights", "unit"),
    [
        ("rational", Unit.of(-1)), ("rational", Unit.of(fmpq(3, 7))), ("rational", Unit.sqrt(fmpq(1, 2))),
        ("rational", Unit(fmpq(5), -1)), ("log-rational", Unit.of(fmpq(1, 2))), ("log-rational", Unit.of(fmpq(-2, 3))),
        ("log-rational", Unit.of(3)),
    ],
    ids=str,
)  # fmt: skip
def test_units(weights: WeightKind, unit: Unit) -> None:
    """The unit is part of the place: the stored W (or T) come back, not multiples of them."""
    plain = _random_model(weights, 2, 2)
    model = MultiHeadAttention(plain.heads, weights=weights, unit=unit)
    result = learn(oracle_of(model), heads=2)
    assert result.model == model
    assert result.model.unit == unit


@pytest.mark.parametrize("prime", [5, 7, 11, 23, 47, 59, 83])
@pytest.mark.parametrize("weights", KINDS)
def test_tiny_primes(monkeypatch: pytest.MonkeyPatch, prime: int, weights: WeightKind) -> None:
    """A run that begins with a tiny prime notices when it is unlucky, and ends with the right model and counts."""

    def tiny(_seed: int, digits: int = 5) -> ResidueRing:
        return ResidueRing(prime, digits)

    monkeypatch.setattr(ResidueRing, "seeded", tiny)
    stayed = 0
    for heads, dim, extra, seed in [(1, 1, 0, 0), (1, 2, 0, 1), (2, 1, 1, 2), (2, 2, 0, 3), (2, 2, 2, 4), (3, 3, 0, 5)]:
        for variant in range(2):
            model = _random_model(weights, heads, dim, variant)
            options = {"max_heads": heads + extra} if extra else {"heads": heads}
            result = learn(oracle_of(model), seed=seed, **options)  # type: ignore[arg-type]
            assert result.model == model
            assert (result.queries, result.max_length) == _formula(dim, heads + extra)
            stayed += result.ring.prime == prime
    assert stayed or prime < 23  # the control: tiny primes are used, not just replaced


@pytest.mark.parametrize("weights", KINDS)
def test_determinism(weights: WeightKind) -> None:
    """The same seed gives the same result; another seed gives other tokens and the same model."""
    model = _random_model(weights, 2, 3)
    first, again, other = (learn(oracle_of(model), heads=2, seed=seed) for seed in (5, 5, 6))
    assert first == again
    assert first.draw == again.draw
    assert first.draw != other.draw
    assert first.model == other.model == model


def _recorded(model: MultiHeadAttention) -> tuple[Callable[[Any], fmpq], list[tuple[IntegerToken, ...]]]:
    """A function that answers as the model does, and the list of the calls that it sees."""
    box, calls = RationalBlackBox(model), list[tuple[IntegerToken, ...]]()

    def function(tokens: tuple[IntegerToken, ...]) -> fmpq:
        calls.append(tokens)
        return fmpq(box.value(tokens))

    return function, calls


def test_same_seed_same_transcript() -> None:
    """The same seed asks the same questions in the same order; another seed asks others."""
    model = _random_model("log-rational", 2, 2)
    transcripts = []
    for seed in (1, 1, 2):
        function, calls = _recorded(model)
        assert learn(function, 2, heads=2, seed=seed).model == model
        transcripts.append(calls)
    assert transcripts[0] == transcripts[1]
    assert transcripts[0] != transcripts[2]


@pytest.mark.parametrize("options", [{"heads": 2}, {"max_heads": 3}], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_calls_are_the_queries(options: dict[str, int], seed: int) -> None:
    """A function sees exactly the counted queries: those of the draw, of the audit and of discarded tokens."""
    model = _random_model("log-rational", 2, 2, seed)
    function, calls = _recorded(model)
    result = learn(function, 2, seed=seed, **options)  # type: ignore[arg-type]
    assert result.model == model
    assert len(calls) == result.queries + result.audit_queries + result.redraw_queries
    assert result.queries == _formula(2, max(options.values()))[0]
    assert result.audit_queries > 0
    assert max(map(len, calls[: result.queries + result.redraw_queries])) == result.max_length


def test_progress() -> None:
    """Progress counts probes up to the predicted number of them, in order."""
    seen: list[tuple[int, int]] = []
    model = _random_model("rational", 2, 3)
    learn(oracle_of(model), heads=2, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2 * 3**2 - 1, 2 * 3**2 - 1)
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {17}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"heads": 1, "max_heads": 1}, "^heads: give the exact number of heads or an upper bound"),
        ({}, "^heads: give the exact number of heads or an upper bound"),
        ({"heads": -1}, "^heads: a whole number from 0 on is expected, not -1"),
        ({"max_heads": True}, "^max_heads: a whole number from 0 on is expected, not True"),
        ({"heads": 1.0}, "^heads: a whole number"),
        ({"heads": 1, "box": 0}, "^box: a whole number from 1 on"),
        ({"heads": 1, "seed": "x"}, "^seed: a whole number is expected"),
        ({"heads": 1, "dim": 3}, "^dim: the oracle has dimension 2, not 3"),
        ({"heads": 1, "dim": 0}, "^dim: a whole number from 1 on"),
    ],
)
def test_arguments(options: dict[str, Any], sentence: str) -> None:
    """An argument out of range is named."""
    with pytest.raises(UnusableInputError, match=sentence):
        learn(oracle_of(_random_model("rational", 1, 2)), **options)


def test_arguments_of_functions() -> None:
    """A function does not tell its dimension, and what is no function is refused."""
    with pytest.raises(UnusableInputError, match=r"^dim: a black box does not tell its dimension"):
        learn(len, heads=1)
    with pytest.raises(UnusableInputError, match="a black box is a function"):
        learn(3, 1, heads=1)  # type: ignore[arg-type]
