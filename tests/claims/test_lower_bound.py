"""Tests of the claim lower-bound: the differential by other ways, and the ranks it must and must not have."""

from __future__ import annotations

import itertools
from unittest import mock

import pytest
from flint import fmpq, fmpz, nmod_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.claims import lower_bound
from exactlearn.claims.context import Context
from exactlearn.errors import OverBudgetError
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.strategies import shaped_models
from exactlearn.verdict import Fails, Holds, Undecided


def image(context: Context, model: MultiHeadAttention, x: tuple[int, ...], y: tuple[int, ...], k: int) -> int:
    """F(k) of another model, mod p."""
    return int(context.place.see(context.place.black_box(model).copies(x, y, [k], context.ring), context.ring)[0])


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
@settings(max_examples=10)
def test_derivatives_by_the_values(data: st.DataObject, kind: str) -> None:
    """F is linear in v: its derivative is the difference of two values."""
    context = Context(data.draw(shaped_models(kind, dims=(1, 2), max_heads=2)))  # type: ignore[arg-type]
    rows, prime, d = lower_bound.differentials(context), context.ring.prime, context.dim
    for (x, y, k), row in zip(lower_bound.queries(context), rows, strict=True):
        for h, a in itertools.product(range(context.heads), range(d)):
            heads = list(context.canonical.heads)
            heads[h] = Head(heads[h].W, [entry + int(b == a) for b, entry in enumerate(heads[h].v)])
            moved = image(context, context.canonical.with_heads(heads), x, y, k)
            assert (moved - image(context, context.canonical, x, y, k) - row[h * d + a]) % prime == 0


def test_derivatives_by_the_weights() -> None:
    """Along T -> T (1 + e), e small p-adically, F changes by e times the derivative, up to e^2."""
    context = Context(examples.load("two-heads"))
    ring, d, H = context.ring, context.dim, context.heads
    small = fmpq(ring.prime)
    rows = lower_bound.differentials(context)
    for (x, y, k), row in zip(lower_bound.queries(context), rows, strict=True):
        for h, a, b in itertools.product(range(H), range(d), range(d)):
            heads = list(context.canonical.heads)
            W = [list(line) for line in heads[h].W]
            W[a][b] *= 1 + small
            heads[h] = Head(W, heads[h].v)
            moved = image(context, context.canonical.with_heads(heads), x, y, k)
            change = fmpz(moved - image(context, context.canonical, x, y, k)) % ring.modulus
            assert change % ring.prime == 0
            assert (change // ring.prime - row[H * d + (h * d + a) * d + b]) % ring.prime == 0


@pytest.mark.parametrize("name", ["two-heads", "true-e", "one-dimensional", "equal-w"])
def test_queries_are_some_of_the_schedule(name: str) -> None:
    """As many as parameters, all different, all among those that the learner asked; over Q mod p of full rank."""
    context = Context(examples.load(name))
    asked = lower_bound.queries(context)
    assert set(asked) <= context.learned.counter.probed
    assert len(set(asked)) == len(asked) == context.heads * context.dim * (context.dim + 1)
    rows = lower_bound.differentials(context)
    matrix = nmod_mat(len(rows), len(rows), list(itertools.chain.from_iterable(rows)), context.ring.prime)
    assert matrix.rank() == len(rows)
    assert isinstance(lower_bound.check(context), Holds)
    assert isinstance(lower_bound.control(context), Fails)


def test_dependent_queries_are_not_called_independent() -> None:
    """A query asked twice in place of another: undecided, since a rank mod p may be too small by accident."""
    context = Context(examples.load("true-e"))
    asked = lower_bound.queries(context)
    with mock.patch.object(lower_bound, "queries", return_value=[*asked[:-1], asked[-2]]):
        assert isinstance(lower_bound.check(context), Undecided)


def test_large_models_are_over_budget() -> None:
    """The determinant's size is bounded, and said."""
    context = Context(examples.load("true-e"))
    context.learned  # noqa: B018  # runs the learner
    with mock.patch.object(lower_bound, "MAX_PARAMETERS", 11), pytest.raises(OverBudgetError, match="size 12 is over"):
        lower_bound.check(context)


def test_words_say_when_the_second_model_is_explicit() -> None:
    """Explicit for one head only, and said so."""
    one, two = (lower_bound.check(Context(examples.load(name))) for name in ("equal-w", "two-heads"))
    assert isinstance(one, Holds)
    assert isinstance(two, Holds)
    assert "a second model was written down" in one.why
    assert "the second model is not written down" in two.why


@pytest.mark.parametrize("seed", range(40))
def test_unlucky_copy_counts_are_left(seed: int) -> None:
    """With T = 1 the differentials at copies 1 and 2 are dependent for some draws: then later counts are taken."""
    context = Context(MultiHeadAttention([Head([[1]], [-3])], weights="log-rational"), seed)
    assert isinstance(lower_bound.check(context), Holds)
