"""Tests of the table of claims and its runner: every claim holds and every control fails, on models of all kinds."""

from __future__ import annotations

import dataclasses
from unittest import mock

import pytest
from cli_run import attention_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.claims import CLAIMS, ClaimResult, verify, verify_controls
from exactlearn.errors import OverBudgetError
from exactlearn.model import MultiHeadAttention
from exactlearn.strategies import shaped_models, units
from exactlearn.verdict import Fails, Holds, Undecided

NEEDS_HEADS = {"rational-form", "determination", "jacobian", "canonical", "merging", "lower-bound"}
ALWAYS = {"recovery", "probability-one", "query-count"}


def expected_names(model: MultiHeadAttention) -> set[str]:
    """Which claims apply, from the number of canonical heads and the dimension alone (no orthogonal blocks)."""
    heads = len(canonical_form(model).heads)
    names = ALWAYS | (NEEDS_HEADS if heads else set())
    if heads == 1:
        names |= {"single-head"}
    if heads >= 2 and model.dim >= 2:
        names |= {"matching"}
    return names


def assert_all(results: tuple[ClaimResult, ...], kind: type[Holds | Fails]) -> None:
    """Every verdict is of one kind, with words that say what was checked."""
    for result in results:
        assert isinstance(result.verdict, kind), (result.name, result.verdict)
        assert result.checked
        assert "\n" not in result.checked
        assert result.seconds >= 0


@pytest.mark.parametrize("name", attention_examples())
def test_examples(name: str) -> None:
    """On every bundled model the claims that apply hold and their controls fail."""
    model = examples.load(name)
    results, controls = verify(model, draws=20), verify_controls(model, draws=20)
    assert {result.name for result in results} == {result.name for result in controls}
    assert {result.name for result in results} - {"stability"} == expected_names(model)
    assert_all(results, Holds)
    assert_all(controls, Fails)


@given(st.data(), st.sampled_from(["rational", "log-rational"]))
@settings(max_examples=25)
def test_random_models(data: st.DataObject, weights: str) -> None:
    """Raw heads of all shapes, both kinds of weights, all units: claims hold, controls fail."""
    unit = data.draw(units(weights))  # type: ignore[arg-type]
    model = data.draw(shaped_models(weights, dims=(1, 3), max_heads=3, unit=unit))  # type: ignore[arg-type]
    seed = data.draw(st.integers(0, 3))
    results, controls = verify(model, seed=seed, draws=5), verify_controls(model, seed=seed, draws=5)
    assert {result.name for result in results} >= expected_names(model)
    assert_all(results, Holds)
    assert_all(controls, Fails)


def test_names_are_the_table_of_the_design() -> None:
    """Names are unique, and every statement differs from its altered form."""
    names = [claim.name for claim in CLAIMS]
    assert names == [
        "rational-form", "determination", "jacobian", "canonical", "merging", "matching", "recovery", "probability-one",
        "query-count", "single-head", "orthogonal", "lower-bound", "stability",
    ]  # fmt: skip
    assert all(claim.statement != claim.altered for claim in CLAIMS)


def test_deterministic() -> None:
    """The same seed gives the same words; another seed asks other probes."""
    model = examples.load("true-e")

    def without_time(seed: int) -> list[ClaimResult]:
        return [dataclasses.replace(result, seconds=0.0) for result in verify(model, seed=seed, draws=10)]

    assert without_time(1) == without_time(1)
    assert without_time(1) != without_time(2)


def test_progress_names_each_claim_first() -> None:
    """Progress is told the name of every claim that is checked, in order."""
    seen: list[str] = []
    results = verify(examples.load("empty"), progress=seen.append)
    assert seen == [result.name for result in results]


def test_a_budget_is_no_verdict() -> None:
    """When a check cannot be finished its claim is undecided, and the others are checked all the same."""
    model = examples.load("two-heads")
    with mock.patch("exactlearn.claims.rational_form.evaluate", side_effect=OverBudgetError("too long")):
        results = {result.name: result for result in verify(model, draws=5)}
    assert results["rational-form"].verdict == Undecided("too long")
    assert results["rational-form"].checked == "too long"
    assert all(result.verdict.holds for name, result in results.items() if name != "rational-form")
