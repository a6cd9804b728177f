"""Tests of choosing draws: what is chosen before a query does not look at the model, and what is promised is kept."""

from __future__ import annotations

import pytest
from flint import fmpq

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.model import Head
from exactlearn.stability import stability
from exactlearn.stability.choosing import _informed, _reference, choose_draw, seeded_draw
from exactlearn.stability.model_values import ModelValues


def test_the_first_choice_is_blind_to_the_model() -> None:
    """Models of one size and kind get the same draw before a query is asked; after column 1 it may differ."""
    one, other = (canonical_form(examples.load(name)) for name in ("two-heads", "shared-v"))
    first, second = (choose_draw(model, 0, 2, 6) for model in (one, other))
    assert first.by_queries.draw == second.by_queries.draw
    assert first.conditioned.draw == second.conditioned.draw


def test_constants_are_the_models_own() -> None:
    """What is reported for a candidate is C of the model at its draw, and the best one is the smallest."""
    model = canonical_form(examples.load("two-heads"))
    choice = choose_draw(model, 0, 1, 5)
    assert [candidate.draw for candidate in choice.candidates] == [seeded_draw(model, seed, 1) for seed in range(5)]
    for candidate in choice.candidates:
        if candidate.constant is not None:
            exact = stability(model, candidate.draw).largest_constant
            assert (candidate.constant * exact.q).contains(exact.p)
            assert choice.best.constant is not None
            assert choice.best.constant <= candidate.constant or candidate is choice.best
    assert choice.adaptive.draw.Y[0] == choice.by_queries.draw.Y[0]
    assert choice.extra_queries == 2 * 2 * (2 * 2 - 1)


def test_it_helps() -> None:
    """With tokens up to 5 the choices are better than the draw in the middle by many orders of magnitude."""
    for name in ("two-heads", "golden-ratio", "rank-one"):
        choice = choose_draw(canonical_form(examples.load(name)), 0, 5, 8)
        assert choice.median.constant is not None
        for chosen in (choice.by_queries.constant, choice.adaptive.constant):
            assert chosen is not None
            assert chosen * 10**3 < choice.median.constant


@pytest.mark.parametrize("name", ["two-heads", "true-e", "golden-ratio"])
def test_informed_references_know_column_1_and_no_more(name: str) -> None:
    """They have the model's W_h y_1 and v_h (to 48 bits), and are otherwise their own."""
    model = canonical_form(examples.load(name))
    y, reference = (2, -1), _reference(2, 2, 0)
    informed = _informed(reference, model, y)
    for x in ((1, 0), (0, 1)):
        poles = (ModelValues(one, is_exact=False).poles(x, y) for one in (model, informed))
        for mine, theirs in zip(*poles, strict=True):
            assert abs((mine / theirs).log()) < fmpq(1, 2**40)
    other = model.with_heads([Head([[entry * 4 for entry in row] for row in head.W], head.v) for head in model.heads])
    assert _informed(reference, other, y) != informed
