"""Hunts: what is found is false and smallest; what raises is told apart; nothing found claims no more than it tried."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, same_function
from exactlearn.counterexamples import hunt
from exactlearn.counterexamples.claim_file import load_claim
from exactlearn.counterexamples.claims.agree_on_length_two import agree_on_length_two
from exactlearn.counterexamples.hunting import number_of_models
from exactlearn.counterexamples.search_space import model_pairs, small_models
from exactlearn.counterexamples.shrinking import moves, shrink
from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

Model = MultiHeadAttention
KINDS: tuple[WeightKind, ...] = ("rational", "log-rational")


@pytest.mark.parametrize("seed", range(4))
def test_same_v_same_weights_is_false(seed: int) -> None:
    """Two heads with v = 1 in one dimension: nothing smaller breaks it."""
    (model,) = hunt(load_claim("same_v_same_weights"), seed=seed).models
    assert (model.dim, len(model.heads)) == (1, 2)
    assert model.heads[0].v == model.heads[1].v == (1,)


@pytest.mark.parametrize("weights", KINDS)
def test_agreement_on_length_two_is_not_enough(weights: WeightKind) -> None:
    """A pair in one dimension, three or four heads in all; values agree on pairs of tokens and differ on three."""
    report = hunt(load_claim("agree_on_length_two"), weights=weights)
    assert report.outcome == "counterexample"
    first, second = report.models
    assert first.dim == 1
    assert len(first.heads) + len(second.heads) in {3, 4}
    for x, y in itertools.product(range(-2, 3), repeat=2):
        assert evaluate(first, [[x], [y]]) == evaluate(second, [[x], [y]])
    verdict = same_function(first, second)
    assert isinstance(verdict, Fails)
    assert len(verdict.witness) >= 3


def test_the_sum_of_values_is_identifiable() -> None:
    """Nothing is found, and the report says among how many models of which sizes."""
    report = hunt(load_claim("sum_of_values_from_length_one"), max_examples=150)
    assert (report.outcome, report.models, report.why) == ("nothing-found", (), "")
    assert 50 < report.total <= 150
    assert {size.weights for size, _ in report.tried} == set(KINDS)
    assert {size.dim for size, _ in report.tried} == {1, 2}


@pytest.mark.parametrize("weights", KINDS)
def test_rank_one_on_fixed_probes(weights: WeightKind) -> None:
    """Zero weights in two dimensions: T or W may change at (2, 2), unseen by the first row and column."""
    report = hunt(load_claim("rank_one_needs_fewer_queries"), weights=weights)
    (model,) = report.models
    nothing = 0 if weights == "rational" else 1
    assert model.heads == (Head([[nothing] * 2] * 2, [1, 1]),)
    assert "the same answers has Head(" in report.why


@given(st.sampled_from(KINDS).flatmap(model_pairs))
def test_agreement_on_length_two_is_decided_rightly(pair: tuple[Model, Model]) -> None:
    """The claim's own decision against values: agreement at some pairs of tokens, disagreement at one of them."""
    first, second = pair
    units = [[int(a == axis) for a in range(first.dim)] for axis in range(first.dim)]
    points = [*units, [1] * first.dim, [2, -1][: first.dim]]
    sequences = [[y] for y in units] + [[x, y] for x in points for y in points if x != y]
    same = all(evaluate(first, tokens) == evaluate(second, tokens) for tokens in sequences)
    if agree_on_length_two(first, second):
        assert same
    else:
        assume(not same)  # a finite list of sequences may happen to agree


def raises(model: Model) -> bool:
    """A claim with a fault that shows for two heads or more."""
    return bool(1 / (len(model.heads) < 2))


def test_a_claim_that_raises() -> None:
    """It is no counterexample: the exception and the smallest model for which it is raised."""
    report = hunt(raises)
    assert (report.outcome, report.why) == ("raised", "ZeroDivisionError: division by zero")
    assert [len(model.heads) for model in report.models] == [2]


def leaves(model: Model) -> bool:
    """A claim that would end the program."""
    del model
    sys.exit(0)


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (lambda model: len(model.heads), "it returned int, neither a bool nor a Verdict"),
        (lambda model: None, "it returned NoneType"),  # noqa: ARG005
        (leaves, "SystemExit: 0"),
    ],
)
def test_answers_that_are_none(claim: Any, why: str) -> None:
    """What is neither a bool nor a verdict is reported as such."""
    report = hunt(claim, max_examples=20)
    assert report.outcome == "raised"
    assert report.why.startswith(why)


def verdict(model: Model) -> Verdict:
    """A claim that says Holds, Fails and Undecided."""
    if len(model.heads) == 2 and model.weights == "rational":
        return Fails(model, "two rational heads")
    return Undecided("one head") if len(model.heads) == 1 else Holds()


def test_verdicts() -> None:
    """Fails is a counterexample with its reason; Undecided is counted and breaks nothing."""
    report = hunt(verdict)
    assert (report.outcome, report.why) == ("counterexample", "two rational heads")
    report = hunt(verdict, max_heads=1, max_examples=60)
    assert report.outcome == "nothing-found"
    assert 0 < report.undecided <= report.total


def test_assume_sets_aside() -> None:
    """Models that the claim is not about are counted apart."""

    def claim(model: Model) -> bool:
        assume(model.dim == 1)
        return True

    report = hunt(claim, max_examples=60)
    assert report.outcome == "nothing-found"
    assert 0 < report.set_aside < report.total


def test_one_seed_one_hunt() -> None:
    """The same seed tries the same models and finds the same."""
    claim = load_claim("same_v_same_weights")
    reports = [hunt(claim, seed=seed) for seed in range(4)]
    assert reports == [hunt(claim, seed=seed) for seed in range(4)]
    assert len({report.tried for report in reports}) > 1


def test_time_ends_it() -> None:
    """After the time no further model is tried, and the report says so."""

    def slow(model: Model) -> bool:
        del model
        time.sleep(0.05)
        return True

    report = hunt(slow, seconds=0.3, max_examples=5000)
    assert report.out_of_time
    assert report.total < 20
    assert report.seconds < 5
    assert not hunt(lambda model: True, max_examples=20).out_of_time  # noqa: ARG005


def test_time_ends_shrinking() -> None:
    """What was found by then is what is returned: it breaks the claim, and may not be the smallest."""

    def slow(model: Model) -> bool:
        if len(model.heads) < 2:
            return True
        time.sleep(0.1)
        return False

    report = hunt(slow, seconds=0.3)
    assert (report.outcome, report.out_of_time) == ("counterexample", True)
    assert [len(model.heads) for model in report.models] == [2]


def test_a_claim_that_cannot_decide() -> None:
    """A claim is asked once for each model, so that a capricious one cannot break the search."""
    answers = itertools.cycle([True, True, False])
    report = hunt(lambda model: next(answers), max_examples=50)  # noqa: ARG005
    assert report.outcome == "counterexample"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (lambda: True, "one model or of two"),
        (lambda first, second, third: True, "one model or of two"),  # noqa: ARG005
        ("claim", "is a function"),
    ],
)
def test_what_is_no_claim(claim: Any, message: str) -> None:
    """The number of parameters says what a claim is about."""
    with pytest.raises(UnusableInputError, match=message):
        hunt(claim)


def test_number_of_models() -> None:
    """Parameters with a default, and *args, do not count."""
    assert number_of_models(lambda model, bound=3, *more: True) == 1  # noqa: ARG005
    assert number_of_models(lambda first, second: True) == 2  # noqa: ARG005


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_heads": 0}, "max_heads"),
        ({"max_dim": 7}, "max_dim: a whole number from 1 to 6"),
        ({"max_dim": True}, "max_dim"),
        ({"max_examples": 0}, "max_examples"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
    ],
)
def test_bounds(arguments: dict[str, Any], message: str) -> None:
    """Arguments out of range are named."""
    with pytest.raises(UnusableInputError, match=message):
        hunt(raises, **arguments)


@given(st.sampled_from(KINDS).flatmap(lambda weights: small_models(weights, max_dim=3, max_heads=4)))
def test_small_models_are_small(model: Model) -> None:
    """Within the bounds that were asked for."""
    assert model.dim <= 3
    assert len(model.heads) <= 4


@given(st.sampled_from(KINDS).flatmap(lambda weights: model_pairs(weights, max_dim=3, max_heads=3)))
def test_pairs_match(pair: tuple[Model, Model]) -> None:
    """One dimension, one kind of weights, within the bounds."""
    first, second = pair
    assert (first.dim, first.weights) == (second.dim, second.weights)
    assert max(len(first.heads), len(second.heads)) <= 3


@given(st.sampled_from(KINDS).flatmap(lambda weights: small_models(weights, max_dim=3, max_heads=3)))
def test_shrinking_ends_at_a_smallest_model(model: Model) -> None:
    """What is left is broken, and no move leaves it broken; the moves make models smaller, so it ends."""

    def is_broken(models: tuple[Model, ...]) -> bool:
        (one,) = models
        return bool(sum(abs(entry.p) for head in one.heads for entry in head.v) >= 3)

    assume(is_broken((model,)))
    (smallest,) = shrink((model,), is_broken)
    assert is_broken((smallest,))
    assert not any(is_broken(candidate) for candidate in moves((smallest,)))
    assert len(canonical_form(smallest).heads) <= len(smallest.heads) <= len(model.heads)


def test_shrinking_of_pairs() -> None:
    """A coordinate is left out of both models at once."""
    model = MultiHeadAttention([Head([[1, 2], [3, 4]], [5, 6])], weights="log-rational")
    first, second = shrink((model, model), lambda models: all(m.heads and any(m.heads[0].v) for m in models))
    assert (first.dim, second.dim) == (1, 1)
    assert first.heads == second.heads == (Head([[1]], [1]),)


def test_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    for module in [name for name in sys.modules if name.startswith("exactlearn.counterexamples.")]:
        if module.endswith(("hunting", "search_space")):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(MissingExtraError, match=r"needs the package hypothesis: .*exactlearn\[hunt\]"):
        __import__("exactlearn.counterexamples.hunting")


def test_the_report_is_a_value() -> None:
    """Seconds take no part in comparison."""
    report = hunt(raises, max_examples=30)
    assert replace(report, seconds=0.0) == report
