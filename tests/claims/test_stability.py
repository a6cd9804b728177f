"""Tests of the claim stability: it can fail, its control does, and it knows where it does not apply."""

from __future__ import annotations

from unittest import mock

import pytest
from flint import arb, fmpq

from exactlearn import examples
from exactlearn.claims import stability
from exactlearn.claims.context import Context
from exactlearn.errors import TooCoarseError
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.stability.perturbed_runs import PerturbedRuns, RunOutcome
from exactlearn.verdict import Fails, Holds


@pytest.mark.parametrize("name", ["two-heads", "true-e", "one-dimensional", "equal-w"])
def test_it_holds_and_its_half_does_not(name: str) -> None:
    """Runs stay within C delta; C/2 is broken by the worst signs."""
    context = Context(examples.load(name))
    assert stability.applies(context)
    assert isinstance(stability.check(context), Holds)
    control = stability.control(context)
    assert isinstance(control, Fails)
    assert "W is wrong by" in control.why


@pytest.mark.parametrize(
    "outcome",
    [RunOutcome({}, TooCoarseError("complex poles", "P(1,1)")), RunOutcome({"W": arb(1), "v": arb(0)})],
)
def test_wrong_runs_are_noticed(outcome: RunOutcome) -> None:
    """A run that fails, or an error too large, makes the claim fail."""
    context = Context(examples.load("two-heads"))
    with mock.patch.object(PerturbedRuns, "run", return_value=outcome):
        assert isinstance(stability.check(context), Fails)


def test_where_it_does_not_apply() -> None:
    """Without heads, for large models, and where delta_0 has more digits than can be run."""
    assert not stability.applies(Context(examples.load("empty")))
    huge = MultiHeadAttention([Head([[fmpq(10) ** 30]], [1])])
    assert not stability.applies(Context(huge))
    large = MultiHeadAttention([Head([[h] * 12 for _ in range(12)], [1] * 12) for h in range(1, 9)])
    assert not stability.applies(Context(large))
