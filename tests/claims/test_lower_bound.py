"""Tests of the claim lower-bound: the differential by other ways, and the ranks it must and must not have."""

from __future__ import annotations

import itertools

from flint import fmpq, fmpz, nmod_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.claims import lower_bound
from exactlearn.claims.context import Context
from exactlearn.genericity_polynomials import probes
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.strategies import shaped_models
from exactlearn.verdict import Fails, Holds


def sums(tokens: tuple[tuple[int, ...], ...], indices: tuple[int, ...]) -> tuple[int, ...]:
    """The sum of the tokens with these indices."""
    return tuple(sum(entries) for entries in zip(*(tokens[i] for i in indices), strict=True))


def queries(context: Context) -> list[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """(x, y, k) of every query of the schedule, the one of length 1 first (k = 0)."""
    draw = context.learned.result.draw
    asked = [(draw.X[0], draw.Y[0], 0)]
    for place in probes(context.dim):
        x, y = (sums(draw.X, place.xs), sums(draw.Y, place.ys))
        asked += [(x, y, k) for k in range(1, 2 * context.heads + 1)]
    return asked


def image(context: Context, model: MultiHeadAttention, x: tuple[int, ...], y: tuple[int, ...], k: int) -> int:
    """F(k) of another model, mod p."""
    return int(context.place.see(context.place.black_box(model).copies(x, y, [k], context.ring), context.ring)[0])


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
@settings(max_examples=10)
def test_derivatives_by_the_values(data: st.DataObject, kind: str) -> None:
    """F is linear in v: its derivative is the difference of two values."""
    context = Context(data.draw(shaped_models(kind, dims=(1, 2), max_heads=2)))  # type: ignore[arg-type]
    rows, prime, d = lower_bound.differentials(context), context.ring.prime, context.dim
    for (x, y, k), row in zip(queries(context), rows, strict=True):
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
    for (x, y, k), row in zip(queries(context), rows, strict=True):
        for h, a, b in itertools.product(range(H), range(d), range(d)):
            heads = list(context.canonical.heads)
            W = [list(line) for line in heads[h].W]
            W[a][b] *= 1 + small
            heads[h] = Head(W, heads[h].v)
            moved = image(context, context.canonical.with_heads(heads), x, y, k)
            change = fmpz(moved - image(context, context.canonical, x, y, k)) % ring.modulus
            assert change % ring.prime == 0
            assert (change // ring.prime - row[H * d + (h * d + a) * d + b]) % ring.prime == 0


def test_rank_is_full_only_for_canonical_heads() -> None:
    """A query map that is blind to a parameter has not full rank: without later columns W is not determined."""
    context = Context(examples.load("true-e"))
    rows, H, d = lower_bound.differentials(context), context.heads, context.dim
    parameters = H * d * (d + 1)
    full = nmod_mat(len(rows), parameters, list(itertools.chain.from_iterable(rows)), context.ring.prime)
    assert full.rank() == parameters
    first_probe = list(itertools.chain.from_iterable(rows[: 1 + 2 * H]))
    partial = nmod_mat(1 + 2 * H, parameters, first_probe, context.ring.prime)
    assert partial.rank() <= 2 * H + 1 < parameters
    assert isinstance(lower_bound.check(context), Holds)
    assert isinstance(lower_bound.control(context), Fails)


def test_words_say_when_the_second_model_is_explicit() -> None:
    """Explicit for one head only, and said so."""
    one, two = (lower_bound.check(Context(examples.load(name))) for name in ("equal-w", "two-heads"))
    assert isinstance(one, Holds)
    assert isinstance(two, Holds)
    assert "a second model was written down" in one.why
    assert "the second model is not written down" in two.why
