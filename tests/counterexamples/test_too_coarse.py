"""Tests of the kind too-coarse, recomputed from its tables alone."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from flint import fmpq

from exactlearn.counterexamples import counterexample
from exactlearn.errors import TooCoarseError
from exactlearn.model import MultiHeadAttention
from exactlearn.stability.approximate_learner import read_probe


def fractions(texts: list[str]) -> list[fmpq]:
    """The numbers of a column."""
    return [fmpq(value.numerator, value.denominator) for value in map(Fraction, texts)]


@pytest.mark.parametrize(("heads", "seed"), [(2, None), (3, None), (2, 1), (4, 2)])
def test_complex_poles(heads: int, seed: int | None) -> None:
    """The exact outputs are read back, those with an error are within the stated delta and have no heads."""
    found = counterexample("too-coarse", heads=heads, dim=1, seed=seed)
    rows = found.tables[0].rows
    exact, wrong = (fractions([row[column] for row in rows]) for column in (1, 2))
    head_count = len(read_probe("P(1,1)", fmpq(heads), [fmpq(heads) + value for value in exact]).log_poles)
    assert head_count == heads
    with pytest.raises(TooCoarseError, match="complex poles"):
        read_probe("P(1,1)", fmpq(0), wrong)
    stated = re.search(r"within delta = (\S+) of the exact ones, past delta_0 = (\S+) of", found.why)
    assert stated is not None
    delta, delta_0 = fractions([stated[1], stated[2]])
    assert delta_0 < max(abs(a - b) for a, b in zip(exact, wrong, strict=True)) <= delta


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_two_models(seed: int | None) -> None:
    """The models agree up to the stated number at every query of the probe, and their v are far apart."""
    found = counterexample("too-coarse", case="two-models", dim=1, seed=seed)
    models = [model for model in found.models if isinstance(model, MultiHeadAttention)]

    def value(model: int, k: int) -> fmpq:
        heads = models[model].heads
        return sum((head.v[0] * k * head.W[0][0] / (1 + k * head.W[0][0]) for head in heads), fmpq(0))

    differences = [abs(value(0, k) - value(1, k)) for k in range(1, 5)]
    assert differences == fractions([row[1] for row in found.tables[0].rows])
    gap = abs(models[0].heads[0].v[0] - models[1].heads[0].v[0])
    assert max(differences) * 50 < gap
