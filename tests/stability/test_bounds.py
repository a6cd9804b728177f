"""Tests of (delta_0, C): no perturbed run breaks it, half of it is broken, and each condition is what it says."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import pytest
from flint import ctx, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw
from exactlearn.errors import DegenerateDrawError, UndecidedError
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.oracle import oracle_of
from exactlearn.stability import PerturbedRuns, Stability, stability
from exactlearn.stability.arithmetic import ball, rational_above, rational_below
from exactlearn.stability.bounds import _constants, first_order_bound
from exactlearn.stability.choosing import seeded_draw
from exactlearn.stability.margins import CONDITIONS
from exactlearn.stability.model_values import ModelValues
from exactlearn.stability.schedule_constants import ScheduleConstants
from exactlearn.strategies import shaped_models

SMALL = ["one-dimensional", "equal-w", "cancelling-pair", "two-heads", "true-e", "golden-ratio"]


def delta_0_of(found: Stability) -> fmpq:
    """Rounded down."""
    value = rational_below(found.delta_0)
    assert value is not None
    return value


def hold_against_runs(found: Stability, generator: random.Random, runs_each: int) -> int:
    """Runs at delta_0 and fractions of it, with random and with the worst signs; returns how many there were."""
    runs, count = PerturbedRuns(found), 0
    for part in (1, 2, 1024):
        delta = delta_0_of(found) / part
        patterns = [runs.worst_signs(found.first_order.worst(group)) for group in ("W", "v")]
        patterns += [runs.random_signs(generator) for _ in range(runs_each)]
        for signs in patterns:
            assert runs.violations(delta, runs.run(delta, signs)) == []
            count += 1
    return count


@pytest.mark.parametrize("name", SMALL)
def test_no_run_breaks_the_bounds(name: str) -> None:
    """Every parameter stays within its bound, at delta_0 and below."""
    model = canonical_form(examples.load(name))
    found = stability(model, seeded_draw(model, 0, 1))
    assert hold_against_runs(found, random.Random(name), 6) == 24


@given(st.data(), st.sampled_from(["rational", "log-rational"]), st.integers(0, 20))
@settings(max_examples=15)
def test_no_run_breaks_the_bounds_of_random_models(data: st.DataObject, weights: str, seed: int) -> None:
    """The same on random models, where a draw of small tokens is good."""
    model = canonical_form(data.draw(shaped_models(weights, dims=(1, 2), max_heads=2)))  # type: ignore[arg-type]
    assume(model.heads)
    try:
        found = stability(model, seeded_draw(model, seed, 1))
    except (DegenerateDrawError, UndecidedError):
        assume(condition=False)
    assume(rational_below(found.delta_0) is not None)
    assume(delta_0_of(found) > fmpq(1, 2**2000))
    hold_against_runs(found, random.Random(seed), 1)


@pytest.mark.long
def test_ten_thousand_runs() -> None:
    """The same 10,000 times over all shapes of the benchmark."""
    path = Path(__file__).parents[2] / "benchmarks" / "stability_runs.py"
    specification = importlib.util.spec_from_file_location("stability_runs", path)
    assert specification is not None
    assert specification.loader is not None
    benchmark = importlib.util.module_from_spec(specification)
    sys.modules["stability_runs"] = benchmark  # its dataclasses look themselves up
    specification.loader.exec_module(benchmark)
    generator, count = random.Random(1), 0
    for _, found in benchmark.instances(1):
        count += hold_against_runs(found, generator, 30)
        if count >= 10_000:
            return


@pytest.mark.parametrize("name", SMALL)
def test_half_of_c_is_broken(name: str) -> None:
    """No constant below the first-order one will do: the worst signs break C/2."""
    model = canonical_form(examples.load(name))
    found = stability(model, seeded_draw(model, 0, 1))
    runs, delta = PerturbedRuns(found), delta_0_of(found)
    for group in ("W", "v"):
        outcome = runs.run(delta, runs.worst_signs(found.first_order.worst(group)))
        assert outcome.errors[group] > ball(found.constant(group) * delta / 2)
        assert outcome.errors[group] <= ball(found.constant(group) * delta)


def test_the_draw_is_that_of_learn() -> None:
    """The probes are those that `learn` asks with the same seed, every pole and residue its own."""
    model = examples.load("two-heads")
    result = learn(oracle_of(model), heads=2, seed=3)
    found = stability(model, result.draw)
    assert result.redraws or found.schedule.draw == seeded_draw(model, 3, result.box)
    assert len(found.schedule.probes) == 2 * model.dim**2 - 1


def test_balls_and_rationals_agree() -> None:
    """The constants of a log-rational model in balls hold its exact ones, and C alone is the same number."""
    model = canonical_form(examples.load("two-heads"))
    draw = seeded_draw(model, 0, 2)
    exact = stability(model, draw)
    with ctx.workprec(256):
        balls = _constants(ModelValues(model, is_exact=False), draw, 256)
    assert exact.is_exact
    assert balls is not None
    alone = first_order_bound(model, draw)
    assert alone is not None
    pairs = [(exact.delta_0, balls.delta_0), (exact.curvature, balls.curvature), (exact.largest_constant, alone)]
    pairs += [(exact.constant(group), balls.constant(group)) for group in ("W", "v")]
    for rational, enclosure in pairs:
        assert (enclosure * rational.q - rational.p).contains(0)


def test_conditions_by_their_definitions() -> None:
    """One probe, one head: every number from the formulas by hand, and delta_0 is the least of the limits."""
    model = MultiHeadAttention([Head([[2]], [3])], weights="log-rational")
    found = stability(model, Draw(((1,),), ((1,),)))
    (constants,) = found.schedule.probes
    t, c = fmpq(2), fmpq(3)
    J = [[k * t / (1 + k * t), c * k * t / (1 + k * t) ** 2] for k in (1, 2)]
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    rows = [[J[1][1] / det, -J[0][1] / det], [-J[1][0] / det, J[0][0] / det]]
    weights = [sum(map(abs, row), fmpq(0)) + abs(sum(row, fmpq(0))) for row in rows]
    assert [*constants.residue_weights, *constants.log_pole_weights] == weights
    bounds = [fmpq(9, 7) * k * t / (1 + k * t) ** 2 for k in (1, 2)]
    m, n = max(min(b, fmpq(1, 4)) for b in bounds), max(min(b, fmpq(1, 10)) for b in bounds)
    curvature = m * weights[0] * weights[1] + n * c * weights[1] ** 2 / 2
    assert constants.curvature == curvature
    assert found.delta_0 == min(3 / (16 * curvature), 3 / (16 * weights[1]), 3 * c / (8 * weights[0]))
    assert found.constant("W") == fmpq(4, 3) * weights[1]
    assert found.constant("v") == fmpq(4, 3) * weights[0]
    assert {limit.condition for limit in found.limits} == {"curvature", "shift", "residue"}


def test_every_condition_is_looked_at() -> None:
    """Two heads in two dimensions have all of them, and none is below delta_0."""
    model = canonical_form(examples.load("two-heads"))
    found = stability(model, seeded_draw(model, 0, 1))
    assert tuple(found.conditions) == CONDITIONS
    assert all(limit.delta >= found.delta_0 for limit in found.limits)
    assert found.limiting.delta == found.delta_0


def test_bounds_below_delta_0_are_sharper() -> None:
    """The factor 1 + 16/9 M delta is 4/3 at most at delta_0, and near 1 far below."""
    model = canonical_form(examples.load("equal-w"))
    found = stability(model, seeded_draw(model, 0, 1))
    delta = delta_0_of(found)
    assert found.error_bound("W", delta) <= found.constant("W") * delta
    small = delta / 10**9
    assert found.error_bound("W", small) * 10**8 <= found.first_order_constant("W") * small * (10**8 + 1)


def test_curvature_is_below_the_maximum_norm_one() -> None:
    """M <= w^2 K / 2 at every probe: the weighted condition is the milder one."""
    model = canonical_form(examples.load("two-heads"))
    for constants in stability(model, seeded_draw(model, 0, 1)).schedule.probes:
        w = max(*constants.residue_weights, *constants.log_pole_weights)
        assert constants.curvature <= w * w * constants.second_derivatives / 2
        assert constants.beta <= w


@pytest.mark.parametrize("is_exact", [True, False])
def test_bad_draws_have_no_constants(*, is_exact: bool) -> None:
    """Where two poles meet (y_1 = 0) or a residue vanishes there is no bound, in rationals and in balls."""
    model = canonical_form(examples.load("two-heads"))
    for draw in (Draw(((1, 0), (0, 1)), ((0, 0), (0, 1))), Draw(((2, -1), (0, 1)), ((1, 0), (0, 1)))):
        assert _constants(ModelValues(model, is_exact=is_exact), draw, 0) is None


def test_a_bad_draw_is_named() -> None:
    """The model two-heads has v_0.x = 0 at x = (2, -1): the message says what may have vanished."""
    model = canonical_form(examples.load("two-heads"))
    with pytest.raises(DegenerateDrawError, match="residue vanishes"):
        stability(model, Draw(((2, -1), (0, 1)), ((1, 0), (0, 1))))


def test_scaling_all_values_scales_the_errors() -> None:
    """With v times 10 C_W is a tenth, C_v stays, delta_0 is ten times as large (a law of the units of the outputs)."""
    model = canonical_form(examples.load("two-heads"))
    larger = model.with_heads([Head(head.W, [10 * entry for entry in head.v]) for head in model.heads])
    draw = seeded_draw(model, 0, 1)
    small, large = stability(model, draw), stability(larger, draw)
    assert large.constant("W") == small.constant("W") / 10
    assert large.constant("v") == small.constant("v")
    assert large.delta_0 == 10 * small.delta_0


def test_the_order_of_the_heads_does_not_matter() -> None:
    """Constants of the schedule are the same with the heads permuted."""
    model = canonical_form(examples.load("two-heads"))
    swapped = model.with_heads(model.heads[::-1])
    draw = seeded_draw(model, 0, 1)
    first, second = (ScheduleConstants(ModelValues(m, is_exact=True), draw) for m in (model, swapped))
    assert first.zero_error(draw.Y[1]) == second.zero_error(draw.Y[1])
    assert rational_above(first.probes[0].curvature) == rational_above(second.probes[0].curvature)
