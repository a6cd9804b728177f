"""Every check can fail: a wrong result, a bad draw, a wrong count or a lying evaluation is noticed by its claim."""

from __future__ import annotations

import dataclasses
from typing import Any
from unittest import mock

import pytest
from flint import fmpq

from exactlearn import examples
from exactlearn.claims import canonical, matching, merging, probability_one, query_count, rational_form, recovery
from exactlearn.claims.context import Context, Run
from exactlearn.draws import Draw
from exactlearn.errors import NotAttentionError
from exactlearn.places import symbolic
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.verdict import Fails, Holds

NAMES = ["two-heads", "true-e"]


def with_result(context: Context, *, is_exact: bool = True, **changes: Any) -> Context:
    """A context whose run of the learner came out differently."""
    bound = context.heads if is_exact else context.heads + 1
    run = context.run(bound, is_exact=is_exact)
    changed = Run(dataclasses.replace(run.result, **changes), run.counter)
    fresh = Context(context.model, context.seed, draws=2)
    fresh._runs[bound, is_exact] = changed
    return fresh


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_exact", [True, False])
def test_recovery_compares_every_number(name: str, *, is_exact: bool) -> None:
    """One changed entry of one head is noticed, in either run."""
    context = Context(examples.load(name))
    wrong = next(iter(canonical.neighbours(context.canonical)))
    assert isinstance(recovery.check(context), Holds)
    assert isinstance(recovery.check(with_result(context, is_exact=is_exact, model=wrong)), Fails)


def test_recovery_fails_when_the_learner_refuses() -> None:
    """A learner that gives up on an attention model has not recovered it."""
    with mock.patch("exactlearn.claims.context.learn", side_effect=NotAttentionError("no")):
        assert recovery.check(Context(examples.load("two-heads"))) == Fails(None, "no")


@pytest.mark.parametrize("name", NAMES)
def test_bad_draws_are_noticed(name: str) -> None:
    """With y_1 = 0 all poles meet: matching is ambiguous and the polynomials vanish."""
    context = Context(examples.load(name), draws=2)
    draw = context.learned.result.draw
    bad = with_result(context, draw=Draw(draw.X, ((0, 0), draw.Y[1])))
    for check in (matching.check, probability_one.check):
        assert isinstance(check(context), Holds)
        assert isinstance(check(bad), Fails)


@pytest.mark.parametrize("changes", [{"queries": 28}, {"max_length": 6}, {"audit_queries": 4}])
@pytest.mark.parametrize("is_exact", [True, False])
def test_counts_are_checked_twice(changes: dict[str, int], *, is_exact: bool) -> None:
    """A tally that is off by one is noticed, and so is one that the second counter does not confirm."""
    context = Context(examples.load("true-e"))
    assert isinstance(query_count.check(context), Holds)
    assert isinstance(query_count.check(with_result(context, is_exact=is_exact, **changes)), Fails)


def test_a_lying_evaluation_is_noticed() -> None:
    """When f is off by a little on some sequences, the claims about its form fail."""

    def lying(model: Any, tokens: Any) -> SymbolicValue:
        return symbolic.evaluate(model, tokens) + (fmpq(1, 10**30) if len(tokens) == 3 and len(model.heads) > 3 else 0)

    context = Context(examples.load("true-e"))
    with mock.patch("exactlearn.claims.canonical.evaluate", lying):
        assert isinstance(canonical.check(context), Fails)

    def always_lying(model: Any, tokens: Any) -> SymbolicValue:
        return symbolic.evaluate(model, tokens) + (fmpq(1, 10**30) if len(tokens) == 3 else 0)

    with mock.patch("exactlearn.claims.merging.evaluate", always_lying):
        assert isinstance(merging.check(context), Fails)
    with mock.patch("exactlearn.claims.rational_form.evaluate", always_lying):
        assert isinstance(rational_form.check(context), Fails)


def test_a_wrong_comparison_of_models_is_noticed() -> None:
    """`same_function` that always says yes, always says no, or gives a sequence that does not separate."""
    context = Context(examples.load("two-heads"))
    zero = ((fmpq(0), fmpq(0)),)
    for answer in (Holds(), Fails(zero, ""), Fails(None, "")):
        with mock.patch("exactlearn.claims.canonical.same_function", return_value=answer):
            assert isinstance(canonical.check(context), Fails)
    with mock.patch("exactlearn.claims.canonical.same_function", side_effect=[Holds(), Fails(zero, "")]):
        assert isinstance(canonical.check(context), Fails)
