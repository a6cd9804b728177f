"""Tests of the canonical form and of equality of functions, judged by real balls, rational values and p-adic images."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import flint
import pytest
from flint import arb, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, reduce_heads, same_function, separating_sequence
from exactlearn.errors import UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Unit, WeightKind
from exactlearn.oracle import place_of
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import rationals, same_function_models, shaped_models, token_sequences
from exactlearn.verdict import Fails, Holds

KINDS: list[WeightKind] = ["rational", "log-rational"]
kinds = st.sampled_from(KINDS)


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def _ball(model: MultiHeadAttention, tokens: Sequence[Sequence[fmpq]]) -> arb:
    """F by its definition in real balls: rigorous, and blind to how the package decides anything."""
    total = arb(0)
    for head in model.heads:
        exponentials = [_score(model, head, x, tokens[-1]).exp() for x in tokens]
        readouts = [sum((arb(v) * arb(a) for v, a in zip(head.v, x, strict=True)), arb(0)) for x in tokens]
        total += sum((e * r for e, r in zip(exponentials, readouts, strict=True)), arb(0)) / sum(exponentials, arb(0))
    return total


def _score(model: MultiHeadAttention, head: Head, x: Sequence[fmpq], y: Sequence[fmpq]) -> arb:
    score = arb(0)
    for a, row in zip(x, head.W, strict=True):
        for b, w in zip(y, row, strict=True):
            score += arb(a) * arb(b) * (arb(w).log() if model.weights == "log-rational" else arb(w))
    return score * arb(model.unit.square).sqrt() * model.unit.sign


def _certainly_differ(left: MultiHeadAttention, right: MultiHeadAttention, tokens: Sequence[Sequence[fmpq]]) -> bool:
    """Whether the balls of both values are apart, at some precision up to 20,000 bits."""
    for bits in (100, 1000, 20_000):
        with _precision(bits):
            if not _ball(left, tokens).overlaps(_ball(right, tokens)):
                return True
    return False


@given(st.data(), kinds)
def test_canonical_form(data: st.DataObject, weights: WeightKind) -> None:
    """Pairwise distinct W, no zero v, sorted, of the same kind; a canonical model is its own canonical form."""
    model = data.draw(shaped_models(weights, unit=None))
    canonical = canonical_form(model)
    assert len({head.W for head in canonical.heads}) == len(canonical.heads)
    assert all(any(head.v) for head in canonical.heads)
    assert list(canonical.heads) == sorted(canonical.heads, key=lambda head: (head.W, head.v))
    assert canonical_form(canonical) == canonical
    assert (canonical.dim, canonical.weights, canonical.unit) == (model.dim, model.weights, model.unit)
    for head in canonical.heads:
        merged = [raw.v for raw in model.heads if raw.W == head.W]
        assert head.v == tuple(sum(column, fmpq(0)) for column in zip(*merged, strict=True))


@given(st.data(), kinds)
def test_other_raw_heads(data: st.DataObject, weights: WeightKind) -> None:
    """Splitting, permuting and cancelling change nothing; changing one entry of one v does."""
    model = data.draw(shaped_models(weights, unit=None))
    other = data.draw(same_function_models(model))
    assert canonical_form(other) == canonical_form(model)
    assert isinstance(same_function(model, other), Holds)
    assert separating_sequence(model, other) is None
    first = other.heads[0]
    changed = other.with_heads([Head(first.W, [first.v[0] + fmpq(1, 10**40), *first.v[1:]]), *other.heads[1:]])
    assert canonical_form(changed) != canonical_form(model)
    assert isinstance(same_function(model, changed), Fails)


@given(st.data(), kinds)
def test_reduction_explained(data: st.DataObject, weights: WeightKind) -> None:
    """The groups partition the raw heads; merges and drops are what they say."""
    model = data.draw(shaped_models(weights))
    reduction = reduce_heads(model)
    assert sorted(itertools.chain(*(group.members for group in reduction.groups))) == list(range(len(model.heads)))
    for group in reduction.groups:
        assert {model.heads[index].W for index in group.members} == {group.head.W}
        assert group.is_dropped == (not any(group.head.v))
    assert set(reduction.drops) == {group for group in reduction.groups if group.is_dropped}
    assert all(len(group.members) > 1 for group in reduction.merges)
    kept = [group for group in reduction.groups if not group.is_dropped]
    assert sorted((g.head.W, g.head.v) for g in kept) == [(head.W, head.v) for head in reduction.model.heads]
    assert set(reduction.merges) == {group for group in kept if len(group.members) > 1}


@settings(max_examples=150)
@given(st.data(), kinds, kinds)
def test_separating_sequences_separate(data: st.DataObject, left_kind: WeightKind, right_kind: WeightKind) -> None:
    """Models of any two kinds and units are equal functions, or their values differ on the witness, as balls prove."""
    left = data.draw(shaped_models(left_kind, dims=(1, 2), max_heads=2, unit=None))
    right = data.draw(shaped_models(right_kind, dims=(left.dim, left.dim), max_heads=2, unit=None))
    verdict = same_function(left, right)
    if isinstance(verdict, Holds):
        tokens = data.draw(token_sequences(left.dim))
        assert not _certainly_differ(left, right, [[fmpq(a) for a in token] for token in tokens])
    else:
        assert isinstance(verdict, Fails)
        assert verdict.witness == separating_sequence(left, right)
        assert _certainly_differ(left, right, verdict.witness)
        assert all(len(token) == left.dim for token in verdict.witness)
        assert set(verdict.witness[:-1]) <= {verdict.witness[0]}  # one token, or copies and a final one


@given(st.data(), kinds)
def test_witnesses_at_the_exact_places(data: st.DataObject, weights: WeightKind) -> None:
    """With unit 1 both models have rational values (or p-adic images) on the witness: different ones."""
    left = data.draw(shaped_models(weights))
    right = data.draw(shaped_models(weights, dims=(left.dim, left.dim)))
    witness = separating_sequence(left, right)
    assume(witness is not None)
    assert witness
    tokens = [tuple(int(a.p) for a in token) for token in witness]
    assert all(a.q == 1 for token in witness for a in token)
    place, ring = place_of(left), ResidueRing.seeded(0)
    assert place.black_box(left).value(tokens, ring) != place.black_box(right).value(tokens, ring)


@given(st.data())
def test_commensurable_units(data: st.DataObject) -> None:
    """W in the unit c is the same function as W/r in the unit r c, also for irrational c."""
    model = data.draw(shaped_models("rational", unit=None))
    factor = data.draw(rationals().filter(bool))
    unit = Unit(model.unit.square * factor**2, model.unit.sign * (1 if factor > 0 else -1))
    heads = [Head([[entry / factor for entry in row] for row in head.W], head.v) for head in model.heads]
    scaled = MultiHeadAttention(heads, unit=unit)
    assert isinstance(same_function(model, scaled), Holds)
    assert isinstance(same_function(scaled, model), Holds)


@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_powers_of_positive_entries(data: st.DataObject, power: int, root: int) -> None:
    """T^n with the unit u/n is the same function as T with u, as T^m is with u/m."""
    model = data.draw(shaped_models("log-rational", unit=None))
    unit = model.unit.rational
    assert unit is not None

    def raised(n: int) -> MultiHeadAttention:
        heads = [Head([[entry**n for entry in row] for row in head.W], head.v) for head in model.heads]
        return MultiHeadAttention(heads, weights="log-rational", unit=unit / n)

    assert isinstance(same_function(raised(power), raised(root)), Holds)
    assert isinstance(same_function(raised(power), model), Holds)


def _one(W: object, **options: object) -> MultiHeadAttention:
    return MultiHeadAttention([([[W]], [1])], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (_one(2, weights="log-rational"), _one(4, weights="log-rational", unit=fmpq(1, 2)), True),
        (_one(2, weights="log-rational"), _one(fmpq(1, 2), weights="log-rational", unit=-1), True),
        (_one(8, weights="log-rational", unit=fmpq(1, 3)), _one(4, weights="log-rational", unit=fmpq(1, 2)), True),
        (_one(2, weights="log-rational"), _one(4, weights="log-rational", unit=fmpq(1, 3)), False),
        (_one(2, unit=Unit.sqrt(2)), _one(4, unit=Unit.sqrt(fmpq(1, 2))), True),
        (_one(2, unit=Unit.sqrt(2)), _one(-2, unit=Unit(fmpq(2), -1)), True),
        (_one(2, unit=Unit.sqrt(2)), _one(2, unit=Unit(fmpq(2), -1)), False),
        (_one(1, unit=Unit.sqrt(2)), _one(fmpq(141421356237, 10**11)), False),
        (_one(0), _one(1, weights="log-rational"), True),
        (_one(0, unit=Unit.sqrt(2)), _one(0, unit=3), True),
        (_one(1), _one(3, weights="log-rational"), False),
        (_one(1), _one(fmpq(27182818284590452353602874, 10**25), weights="log-rational"), False),
        (MultiHeadAttention([], dim=1), MultiHeadAttention([], dim=1, weights="log-rational"), True),
        (MultiHeadAttention([], dim=1), _one(0), False),
        (_one(1), _one(-1), False),
        (MultiHeadAttention([([[1]], [1]), ([[-1]], [-1])]), MultiHeadAttention([], dim=1), False),
        (MultiHeadAttention([([[1]], [1]), ([[-1]], [1])]), MultiHeadAttention([([[0]], [2])]), False),
    ],
)  # fmt: skip
def test_across_kinds_and_units(left: MultiHeadAttention, right: MultiHeadAttention, equal: bool) -> None:
    """Equality is decided across units and kinds; close numbers are different, and balls prove the witness."""
    for a, b in ((left, right), (right, left)):
        verdict = same_function(a, b)
        assert verdict.holds is equal
        if isinstance(verdict, Fails):
            assert _certainly_differ(a, b, verdict.witness)


def test_symmetric_pairs() -> None:
    """W and -W with equal v sum to v.x + v.y on one copy (t/(1+t) and its mirror image): more copies are needed."""
    left = MultiHeadAttention([([[1]], [1]), ([[-1]], [1])])
    right = MultiHeadAttention([([[2]], [1]), ([[-2]], [1])])
    witness = separating_sequence(left, right)
    assert witness is not None
    assert len(witness) == 3
    assert _certainly_differ(left, right, witness)
    assert not _certainly_differ(left, right, witness[1:])


def test_different_dimensions() -> None:
    """Different dimensions: different functions, without a witness; asking for a sequence is refused."""
    left, right = MultiHeadAttention([], dim=1), MultiHeadAttention([], dim=2)
    verdict = same_function(left, right)
    assert isinstance(verdict, Fails)
    assert verdict.witness is None
    assert "dimensions differ: 1 and 2" in verdict.why
    with pytest.raises(UnusableInputError, match="dimensions differ: 1 and 2"):
        separating_sequence(left, right)


def test_short_witnesses() -> None:
    """One token when the sums of v differ, else the shortest probe with unit vectors that will do."""
    one = separating_sequence(_one(1), MultiHeadAttention([([[1]], [2])]))
    assert one == ((fmpq(1),),)
    two = separating_sequence(_one(1), _one(2))
    assert two == ((fmpq(2),), (fmpq(1),))
