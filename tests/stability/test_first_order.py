"""Tests of the first-order map against differences of the learner itself, and of its worst signs."""

from __future__ import annotations

import random

import pytest
from flint import ctx, fmpq

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.stability import Parameter, PerturbedRuns, Stability, stability
from exactlearn.stability.approximate_learner import learn_approximately
from exactlearn.stability.arithmetic import ball
from exactlearn.stability.choosing import seeded_draw
from exactlearn.stability.first_order import AT_Y1, Signs


def at(name: str, box: int = 1, seed: int = 0) -> Stability:
    """The constants of an example at a seeded draw."""
    model = canonical_form(examples.load(name))
    return stability(model, seeded_draw(model, seed, box))


def predicted(found: Stability, parameter: Parameter, errors: dict[str, list[fmpq]]) -> fmpq:
    """The first-order error for these errors, summed output by output: of unit errors one at a time."""
    total = fmpq(0)
    for name, values in errors.items():
        for k, value in enumerate(values):
            total += value * coefficient(found, parameter, name, k)
    return total


def coefficient(found: Stability, parameter: Parameter, name: str, k: int) -> fmpq:
    """The derivative of a parameter by one output, by the learner's own difference quotient."""
    runs, step = PerturbedRuns(found), fmpq(1, 10**60)
    exact = runs.exact_outputs()
    with ctx.workprec(1000):
        order = sorted(range(len(found.schedule.model.heads)), key=lambda h: found.schedule.first_column[0].poles[h])
        changed = {probe: list(values) for probe, values in exact.items()}
        results = []
        for sign in (1, -1):
            changed[name][k] = exact[name][k] + sign * step
            head = learn_approximately(changed, found.schedule.draw)[order.index(parameter.head)]
            column = parameter.column
            results.append(head.v[parameter.row] if column is None else head.W[parameter.row][column])
        slope = (results[0] - results[1]) / ball(2 * step)
        return fmpq(int((slope * 10**20).mid().floor().unique_fmpz() or 0), 10**20)


@pytest.mark.parametrize("name", ["one-dimensional", "equal-w", "two-heads"])
def test_constants_are_those_of_the_learner(name: str) -> None:
    """The absolute difference quotients of all outputs sum to the constant, for a W and a v; sum probes have none."""
    found = at(name)
    runs = PerturbedRuns(found)
    outputs = runs.exact_outputs()
    for group in ("W", "v"):
        parameter = found.first_order.worst(group)
        signs = runs.worst_signs(parameter)
        total = fmpq(0)
        for probe, values in outputs.items():
            for k in range(len(values)):
                slope = coefficient(found, parameter, probe, k)
                if probe not in signs:
                    assert abs(slope) < fmpq(1, 10**6)
                    continue
                total += abs(slope)
                assert slope * signs[probe][k] > -fmpq(1, 10**6)
        constant = found.first_order.constants[parameter]
        assert abs(total - constant) * 10**6 < constant


@pytest.mark.parametrize("name", ["two-heads", "true-e", "golden-ratio"])
def test_worst_signs_reach_the_constant(name: str) -> None:
    """Far below delta_0 the worst signs make an error of nearly constant * delta; with some turned it is smaller."""
    found = at(name)
    runs, delta = PerturbedRuns(found), fmpq(1, 2**200)
    parameter = found.first_order.worst("W")
    signs = runs.worst_signs(parameter)

    def share(of: Signs) -> fmpq:
        outcome = runs.run(delta, of)
        assert outcome.failure is None
        scaled = outcome.errors["W"] / ball(delta * found.first_order_constant("W")) * 10**6
        return fmpq(int(scaled.mid().floor().unique_fmpz() or 0), 10**6)

    assert abs(share(signs) - 1) <= fmpq(1, 10**5)
    turned = {**signs, "P(1,1)": tuple(-s for s in signs["P(1,1)"])}
    assert share(turned) < share(signs)


def test_random_signs_cover_every_output() -> None:
    """Base probes, sum probes and the one query of length 1 all get errors."""
    found = at("two-heads")
    signs = PerturbedRuns(found).random_signs(random.Random(0))
    assert set(signs) == {AT_Y1, *(constants.name for constants in found.schedule.probes)}
    assert all(len(values) == (1 if name == AT_Y1 else 4) for name, values in signs.items())
