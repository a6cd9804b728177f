"""Tests of the learner of layers and of its schedules: exact recovery, exact counts, false assumptions noticed."""

from __future__ import annotations

import random

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form
from exactlearn.errors import ConditionFailsError, NotAttentionError, UnusableInputError
from exactlearn.layers.canonical import canonical_layer
from exactlearn.layers.learner import learn_with_schedule
from exactlearn.layers.oracle import vector_oracle_of
from exactlearn.layers.schedules import Schedule
from exactlearn.learner import learn
from exactlearn.model import AttentionLayer, Head, LayerHead, MultiHeadAttention, Unit, WeightKind
from exactlearn.oracle import oracle_of


def _matrix(generator: random.Random, rows: int, columns: int, *, positive: bool = False) -> list[list[fmpq]]:
    low = 1 if positive else -9
    return [[fmpq(generator.randint(low, 9), generator.randint(1, 3)) for _ in range(columns)] for _ in range(rows)]


def _layer(
    seed: int, heads: int, dim: int, outputs: int, *, log: bool = False, rank: int | None = None
) -> AttentionLayer:
    """Distinct heads with biases; [W | p] of the given rank when there is one."""
    generator = random.Random(seed)
    made = []
    for _ in range(heads):
        if rank is None:
            scores = _matrix(generator, dim, dim + 1, positive=log)
        else:
            left, right = _matrix(generator, dim, rank), _matrix(generator, rank, dim + 1)
            scores = [[sum((a * b for a, b in zip(row, c, strict=True)), fmpq(0)) for c in zip(*right, strict=True)]
                      for row in left]  # fmt: skip
        W, p = [row[:dim] for row in scores], [row[dim] for row in scores]
        made.append(LayerHead(W, p, _matrix(generator, outputs, dim), _matrix(generator, 1, outputs)[0]))
    kind: WeightKind = "log-rational" if log else "rational"
    return AttentionLayer(made, dim=dim, outputs=outputs, s=_matrix(generator, 1, outputs)[0], weights=kind)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("heads", "dim", "outputs"), [(0, 2, 2), (1, 1, 1), (1, 3, 2), (2, 2, 1), (3, 2, 3)])
def test_paper_and_lean_counts_with_biases(heads: int, dim: int, outputs: int, log: bool) -> None:
    """1 + 2H(2d^2 + 2d - 1) queries, lean 1 + 2H(2d - 1) + (2H - 1) d^2, and every number comes back."""
    layer = _layer(heads, heads, dim, outputs, log=log)
    H, d = heads, dim
    counts = {"paper": 1 + 2 * H * (2 * d * d + 2 * d - 1), "lean": 1 + 2 * H * (2 * d - 1) + max(2 * H - 1, 0) * d * d}
    for schedule, count in counts.items():
        result = learn_with_schedule(vector_oracle_of(layer), schedule, heads=heads)
        assert result.model == canonical_layer(layer)
        assert result.queries == result.predicted_queries == count
        assert result.paper_queries == counts["paper"]
        assert result.max_length == result.predicted_max_length == 2 * H + 1


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_counts_without_biases(heads: int, dim: int) -> None:
    """Plain models: lean asks 1 + 2H(2d - 1) + (2H - 1) d (d - 1); adaptive pays for the bound in one probe only."""
    layer = _layer(7 * heads + dim, heads, dim, 1)
    model = MultiHeadAttention([Head(head.W, head.V[0]) for head in layer.heads])
    H, H0, d = heads, heads + 2, dim
    lean = learn_with_schedule(vector_oracle_of(model), "lean", heads=heads)
    assert lean.model == canonical_form(model)
    assert lean.queries == lean.predicted_queries == 1 + 2 * H * (2 * d - 1) + (2 * H - 1) * d * (d - 1)
    adaptive = learn_with_schedule(vector_oracle_of(model), "adaptive", max_heads=H0)
    assert adaptive.model == canonical_form(model)
    assert adaptive.queries == adaptive.predicted_queries == 1 + 2 * H0 + 2 * H * (2 * d * d - 2)
    assert adaptive.paper_queries == 1 + 2 * H0 * (2 * d * d - 1)


@pytest.mark.parametrize(("dim", "rank", "heads"), [(3, 1, 2), (4, 2, 2), (5, 2, 1), (4, 3, 1), (3, 3, 2)])
def test_low_rank_counts(dim: int, rank: int, heads: int) -> None:
    """With biases 1 + 2H(4dr + 2r - 2r^2 - 1) queries; a larger rank is named; a smaller one does no harm."""
    layer = _layer(dim * rank, heads, dim, 2, rank=rank)
    result = learn_with_schedule(vector_oracle_of(layer), f"low-rank:{rank}", heads=heads)
    assert result.model == canonical_layer(layer)
    count = 4 * dim * rank + 2 * rank - 2 * rank**2 - 1
    assert result.queries == result.predicted_queries == 1 + 2 * heads * count
    assert result.rank_queries == (2 * heads if rank < dim else 0)
    if rank < dim:
        larger = learn_with_schedule(vector_oracle_of(layer), f"lean+low-rank:{rank + 1}", heads=heads)
        assert larger.model == canonical_layer(layer)
        assert larger.queries == larger.predicted_queries
    if rank > 1:
        with pytest.raises(ConditionFailsError, match=rf"rank of \[W \| p\] is larger than {rank - 1}"):
            learn_with_schedule(vector_oracle_of(layer), f"low-rank:{rank - 1}", heads=heads)


def test_low_rank_count_without_biases() -> None:
    """1 + 2H(4dr - 2r^2 - 1) queries on heads of rank r."""
    layer = _layer(5, 2, 4, 1, rank=2)
    model = MultiHeadAttention([Head(head.W, head.V[0]) for head in layer.heads])
    result = learn_with_schedule(vector_oracle_of(model), "low-rank:2", heads=2)
    assert result.model == canonical_form(model)
    assert result.queries == result.predicted_queries == 1 + 4 * (4 * 4 * 2 - 2 * 4 - 1)


def test_ties_cost_sum_probes_that_are_counted() -> None:
    """Heads with one and the same V are still told apart, for 2H - 1 more queries a later probe."""
    layer = _layer(9, 2, 2, 2)
    twins = layer.with_heads([LayerHead(h.W, h.p, layer.heads[0].V) for h in layer.heads], layer.s)
    result = learn_with_schedule(vector_oracle_of(twins), "lean", heads=2)
    assert result.model == canonical_layer(twins)
    assert result.tied_rows == (0, 1)
    assert result.queries == result.predicted_queries == 1 + 4 * 3 + 2 * 3 * 4


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2))
def test_splitting_merging_and_permuting_change_nothing(seed: int, heads: int, dim: int, outputs: int) -> None:
    """The learner returns one canonical layer, whichever raw heads a function is written with."""
    layer = _layer(seed, heads, dim, outputs)
    canonical = canonical_layer(layer)
    half = [LayerHead(h.W, h.p, [[a / 2 for a in row] for row in h.V]) for h in canonical.heads]
    split = canonical.with_heads([*reversed(half), *half], canonical.s)
    assert canonical_layer(split) == canonical
    for schedule in ("paper", "adaptive+lean"):
        asked = len(canonical.heads)
        assert learn_with_schedule(vector_oracle_of(split), schedule, heads=asked).model == canonical


def test_the_paper_schedule_of_plain_models_is_that_of_the_first_learner() -> None:
    """Same draw, same counts, same model: p = 0, s = 0 agrees with the plain code; so does the embedded layer."""
    model = MultiHeadAttention([([[1, 2], [0, 1]], [1, 2]), ([[0, 1], [1, 1]], [3, 1])], unit=Unit.sqrt(fmpq(1, 2)))
    plain = learn(oracle_of(model), heads=2, seed=3)
    same = learn_with_schedule(vector_oracle_of(model), "paper", heads=2, seed=3)
    assert (same.model, same.queries, same.draw) == (plain.model, plain.queries, plain.draw)
    embedded = learn_with_schedule(vector_oracle_of(AttentionLayer.of(model)), "paper", heads=2, seed=3)
    assert embedded.model == canonical_layer(AttentionLayer.of(plain.model))


def test_refusals() -> None:
    """Too few heads told, unknown schedules, ranks out of range and low rank of log T end in a named error."""
    layer = _layer(2, 2, 2, 2)
    with pytest.raises(NotAttentionError, match="other poles than a functional"):
        learn_with_schedule(vector_oracle_of(layer), "paper", heads=1)
    for text, reason in (("fast", "no schedule"), ("low-rank:3", "from 1 to 2"), ("lean+lean", "named twice")):
        with pytest.raises(UnusableInputError, match=reason):
            learn_with_schedule(vector_oracle_of(layer), text, heads=2)
    with pytest.raises(UnusableInputError, match="rational weights"):
        learn_with_schedule(vector_oracle_of(_layer(2, 1, 2, 1, log=True)), "low-rank:1", heads=1)


@given(st.integers(1, 40), st.integers(0, 9), st.integers(1, 40))
def test_the_general_count_is_the_published_formulas(dim: int, heads: int, rank: int) -> None:
    """The one formula of the code against each formula that is stated, for all sizes."""
    r = min(rank, dim)
    paper = Schedule(dim, heads)
    assert paper.predicted_queries(heads) == 4 * heads * dim**2 - 2 * heads + 1 == paper.paper_queries
    affine = Schedule(dim, heads, has_biases=True)
    assert affine.predicted_queries(heads) == 1 + 2 * heads * (2 * dim**2 + 2 * dim - 1) == affine.paper_queries
    low = Schedule(dim, heads, rank=r)
    assert low.predicted_queries(heads) == 1 + 2 * heads * (4 * dim * r - 2 * r**2 - 1)
    both = Schedule(dim, heads, has_biases=True, rank=r)
    assert both.predicted_queries(heads) == 1 + 2 * heads * (4 * dim * r + 2 * r - 2 * r**2 - 1)
