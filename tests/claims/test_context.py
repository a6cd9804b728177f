"""Tests of what the claims share: pole images, separated probes, and the second counter."""

from __future__ import annotations

from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.claims.context import Context
from exactlearn.claims.counting import CountingBlackBox
from exactlearn.model import ONE
from exactlearn.oracle import place_of
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import shaped_models, tokens, units


@given(st.data())
@settings(max_examples=40)
def test_pole_images_of_rational_poles(data: st.DataObject) -> None:
    """Log-rational weights: the images are those of the rational poles."""
    model = data.draw(shaped_models("log-rational", dims=(1, 2), unit=data.draw(units("log-rational"))))
    context = Context(model)
    x = data.draw(tokens(model.dim, multiple=context.place.token_multiple))
    y = data.draw(tokens(model.dim))
    poles = context.rational_poles(x, y)
    assert poles is not None
    assert [context.ring.reduce(t) for t in poles] == context.pole_images(x, y)


@given(st.data())
@settings(max_examples=40)
def test_pole_images_multiply(data: st.DataObject) -> None:
    """True e: t(x + x', y) = t(x, y) t(x', y), t(0, y) = 1, and log_U t is the exponent."""
    model = data.draw(shaped_models("rational", dims=(1, 2), unit=data.draw(units("rational"))))
    context, d = Context(model), model.dim
    ring, weights = context.ring, context.bad_set.weights
    x, other, y = data.draw(tokens(d)), data.draw(tokens(d)), data.draw(tokens(d))
    both = tuple(a + b for a, b in zip(x, other, strict=True))
    products = zip(context.pole_images(x, y), context.pole_images(other, y), strict=True)
    assert [t * s % ring.modulus for t, s in products] == context.pole_images(both, y)
    for h, t in enumerate(context.pole_images(x, y)):
        # U^q = (1 + p)^q since omega has order q, so log t^q = q r log(1 + p).
        exponent = ring.reduce(ring.half_order * weights.form(h, x, y)[0])
        principal = ring.log(pow(t, ring.half_order, ring.modulus))
        assert principal == exponent * ring.log(fmpz(1 + ring.prime)) % ring.modulus


@given(st.data(), st.sampled_from(["rational", "log-rational"]), st.integers(0, 5))
@settings(max_examples=40)
def test_separated_probe(data: st.DataObject, kind: str, seed: int) -> None:
    """All symbolic poles are different and no residue is zero."""
    context = Context(data.draw(shaped_models(kind, dims=(1, 2), unit=ONE)), seed)  # type: ignore[arg-type]
    x, y = context.separated_probe
    assert all(context.residues(x))
    assert len({tuple(context.bad_set.weights.form(h, x, y)) for h in range(context.heads)}) == context.heads
    assert len(set(context.pole_images(x, y))) == context.heads


def test_counter_counts_sequences_once() -> None:
    """Asking again, or in a finer ring, is no new query; values and probes are told apart."""
    model = examples.load("two-heads")
    counter, ring = CountingBlackBox(place_of(model).black_box(model)), ResidueRing.seeded(0)
    assert (counter.queries, counter.longest_probe) == (0, 1)
    counter.copies((1, 0), (0, 1), [1, 2, 3], ring)
    counter.copies((1, 0), (0, 1), [3, 4], ring.finer())
    assert counter.value([(1, 2)], ring) == fmpq(1 + 4 + 3 - 2)
    counter.value([(1, 2)], ring)
    assert (counter.queries, counter.longest_probe) == (5, 5)
