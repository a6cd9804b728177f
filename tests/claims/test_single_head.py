"""Tests of the predecessor's learners: one head, and heads on orthogonal coordinate blocks."""

from __future__ import annotations

import pytest
from cli_run import attention_examples
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.claims import orthogonal, single_head, verify, verify_controls
from exactlearn.claims.context import Context
from exactlearn.claims.single_head_learner import learn_single_head, probing_tokens
from exactlearn.errors import NotAttentionError
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.oracle import oracle_of
from exactlearn.strategies import heads, units
from exactlearn.verdict import Fails, Holds

KINDS = ["rational", "log-rational"]


@given(st.data(), st.sampled_from(KINDS), st.integers(1, 4))
@settings(max_examples=50)
def test_one_head(data: st.DataObject, kind: WeightKind, dim: int) -> None:
    """Recovered exactly for every unit, with d + d^2 queries of at most two tokens, as the general learner does."""
    unit = data.draw(units(kind))
    model = MultiHeadAttention([data.draw(heads(dim, kind))], weights=kind, unit=unit)
    oracle = oracle_of(model)
    assert learn_single_head(oracle, range(dim)) == model.heads[0]
    assert (oracle.tally.queries, oracle.tally.max_length) == (dim + dim**2, 2)
    assert learn(oracle_of(model), heads=1).model == model
    context = Context(model)
    assert isinstance(single_head.check(context), Holds)
    assert isinstance(single_head.control(context), Fails)


@given(st.data(), st.sampled_from(KINDS), st.integers(1, 3))
@settings(max_examples=25)
def test_second_model(data: st.DataObject, kind: WeightKind, dim: int) -> None:
    """The second model has another canonical form; all queries but one are listed as kept."""
    model = MultiHeadAttention([data.draw(heads(dim, kind))], weights=kind, unit=data.draw(units(kind)))
    other, kept, last = single_head.second_model(Context(model))
    assert canonical_form(other) != canonical_form(model)
    assert len({*kept, last}) == dim + dim**2


def test_not_one_head() -> None:
    """Two heads answer otherwise, and the zero function shows no head."""
    model = examples.load("two-heads")
    try:
        found = learn_single_head(oracle_of(model), range(2))
    except NotAttentionError:
        found = None
    assert found not in model.heads
    with pytest.raises(NotAttentionError, match="v is zero"):
        learn_single_head(oracle_of(examples.load("empty")), range(2))
    with pytest.raises(NotAttentionError, match="v is zero"):
        probing_tokens((fmpq(0),), 1)


@st.composite
def block_models(draw: st.DrawFn) -> MultiHeadAttention:
    """Two or three heads on disjoint blocks of shuffled coordinates, every number of a block in use."""
    kind: WeightKind = draw(st.sampled_from(["rational", "log-rational"]))
    sizes = draw(st.lists(st.integers(1, 2), min_size=2, max_size=3))
    axes = draw(st.permutations(range(sum(sizes))))
    neutral, raw = fmpq(int(kind == "log-rational")), []
    for size in sizes:
        block, axes = axes[:size], axes[size:]
        inner = draw(heads(size, kind).filter(lambda head: all(head.v)))
        W = [[neutral] * sum(sizes) for _ in range(sum(sizes))]
        v = [fmpq(0)] * sum(sizes)
        for i, a in enumerate(block):
            v[a] = inner.v[i]
            for j, b in enumerate(block):
                W[a][b] = inner.W[i][j]
        raw.append(Head(W, v))
    return MultiHeadAttention(raw, weights=kind, unit=draw(units(kind)))


@given(block_models())
@settings(max_examples=40)
def test_orthogonal_heads(model: MultiHeadAttention) -> None:
    """The claim applies when no two heads have equal W, holds with sum (r + r^2) queries, and its control fails."""
    context = Context(model)
    if context.heads < len(model.heads):
        return  # heads with W = 0 on their blocks merge
    assert orthogonal.applies(context)
    blocks = orthogonal.blocks_of(context.canonical)
    verdict = orthogonal.check(context)
    assert isinstance(verdict, Holds), verdict
    assert f"{sum(len(b) + len(b) ** 2 for b in blocks)} queries" in verdict.why
    assert isinstance(orthogonal.control(context), Fails)


def test_orthogonal_in_the_table() -> None:
    """The runner takes the claim up for such a model, and leaves it out for all bundled ones."""
    model = MultiHeadAttention([([[2, 0], [0, 0]], [1, 0]), ([[0, 0], [0, -1]], [0, 3])])
    assert {r.name: type(r.verdict) for r in verify(model, draws=5)}["orthogonal"] is Holds
    assert {r.name: type(r.verdict) for r in verify_controls(model, draws=5)}["orthogonal"] is Fails
    assert not any(orthogonal.applies(Context(examples.load(name))) for name in attention_examples())


@pytest.mark.parametrize("name", ["two-heads", "one-dimensional", "empty", "equal-w"])
def test_orthogonal_does_not_apply(name: str) -> None:
    """Overlapping blocks, or fewer than two heads."""
    assert not orthogonal.applies(Context(examples.load(name)))
