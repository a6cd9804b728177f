"""Models of a sweep: what their parameters promise, the same every time."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, reduce_heads
from exactlearn.claims.orthogonal import blocks_of
from exactlearn.errors import UnusableInputError
from exactlearn.log_weights import LogWeights
from exactlearn.sweeps.axes import AXES, fits
from exactlearn.sweeps.building import build_model, number_bits
from exactlearn.sweeps.instance import ModelInstance


@st.composite
def instances(draw: st.DrawFn) -> ModelInstance:
    """Combinations that can be."""
    chosen: dict[str, Any] = {
        "heads": draw(st.integers(0, 4)),
        "dim": draw(st.integers(1, 4)),
        "weights": draw(st.sampled_from(["log-rational", "rational", "float32"])),
        "unit": draw(st.sampled_from(["1", "-1/2", "sqrt(2)"])),
        "bits": draw(st.integers(3, 70)),
        "denominator_bits": draw(st.integers(0, 9)),
        "share_weights": draw(st.integers(0, 3)),
        "share_values": draw(st.integers(0, 2)),
        "cancel": draw(st.integers(0, 2)),
        "rank": draw(st.sampled_from([0, 0, 1, 2])),
        "orthogonal": draw(st.sampled_from([0, 0, 0, 1])),
        "schedule": "paper",
        "place": draw(st.sampled_from(["rational", "padic"])),
        "seed": draw(st.integers(0, 10**6)),
    }
    fitting = fits(chosen, {"bits": (chosen["bits"],), "denominator_bits": (chosen["denominator_bits"],)})
    if fitting is None:
        chosen.update({name: AXES[name][0] for name in ("share_weights", "share_values", "cancel", "rank")})
        chosen.update(orthogonal=0, unit="1", place="rational" if chosen["weights"] == "log-rational" else "padic")
        fitting = fits(chosen, {"bits": (chosen["bits"],), "denominator_bits": (chosen["denominator_bits"],)})
    assert fitting is not None
    return ModelInstance(**fitting, draws=1, boxes=())


@given(instances())
def test_models_are_as_their_parameters_say(instance: ModelInstance) -> None:
    """H canonical heads; so many merges, shared v and cancelling pairs; numbers of the size; W of the rank."""
    model = build_model(instance)
    assert model == build_model(instance)
    canonical = canonical_form(model)
    assert len(canonical.heads) == instance.heads
    assert len(model.heads) == instance.heads + instance.share_weights + 2 * instance.cancel
    reduction = reduce_heads(model)
    assert len(reduction.drops) == instance.cancel
    assert sum(len(group.members) - 1 for group in reduction.merges) == instance.share_weights
    if instance.share_values and not instance.share_weights:
        values = [head.v for head in canonical.heads]
        assert max(map(values.count, values)) >= instance.share_values + 1
    if instance.rank:
        packed = LogWeights.of(canonical)
        if instance.weights != "log-rational":
            assert all(fmpq_mat([list(row) for row in head.W]).rank() <= instance.rank for head in canonical.heads)
        assert packed is not None
    elif instance.bits:
        assert number_bits(model) <= 2 + instance.bits + instance.denominator_bits
    if instance.orthogonal:
        blocks = [axis for block in blocks_of(canonical) for axis in block]
        assert len(blocks) == len(set(blocks))


def test_log_rational_rank() -> None:
    """Log T of rank one: all 2 x 2 minors of the exponents of one number vanish."""
    parameters = {name: values[0] for name, values in AXES.items()}
    parameters.update(heads=2, dim=3, rank=1, bits=1, weights="log-rational", place="rational")
    for seed in range(20):
        model = build_model(ModelInstance(**{**parameters, "seed": seed}, draws=1, boxes=()))
        for head in model.heads:
            base = next((t if t > 1 else 1 / t for row in head.W for t in row if t != 1), fmpq(2))
            root = fmpq(2) if base.p % 2 == 0 else fmpq(3)
            exponents = [[_exponent(t, root) for t in row] for row in head.W]
            assert fmpq_mat(exponents).rank() <= 1


def test_other_seeds_are_other_models() -> None:
    """The seed alone changes the model; draws and boxes do not."""
    parameters = {name: values[0] for name, values in AXES.items()} | {"weights": "rational", "place": "padic"}
    one, other = (ModelInstance(**{**parameters, "seed": seed}, draws=1, boxes=()) for seed in (0, 1))
    assert build_model(one) != build_model(other)
    assert build_model(one) == build_model(ModelInstance(**parameters, draws=9, boxes=(2,)))


def test_too_few_numbers() -> None:
    """When there are not so many different W, the error says so."""
    parameters = {name: values[0] for name, values in AXES.items()}
    parameters.update(heads=9, dim=1, bits=1, weights="log-rational")
    with pytest.raises(UnusableInputError, match="do not give 9 different W"):
        build_model(ModelInstance(**parameters, draws=1, boxes=()))


def _exponent(t: fmpq, root: fmpq) -> int:
    exponent = 0
    while t > 1:
        t, exponent = t / root, exponent + 1
    while t < 1:
        t, exponent = t * root, exponent - 1
    assert t == 1
    return exponent
