"""Tests of the measured digits: the family of models, and the rows."""

from __future__ import annotations

import pytest
from flint import fmpq

from exactlearn.enclosures.digits import Setting, measure, seeded_model, settings
from exactlearn.enclosures.output_formats import FLOAT64, decimal_format
from exactlearn.model import dot

X, Y = [fmpq(1), fmpq(-2)], [fmpq(3), fmpq(1)]


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_is_the_distance_of_the_log_poles(seed: int) -> None:
    """A gap of 1/100 puts the log-poles of the same two heads a hundredth as far apart; v is the same."""
    distances = []
    for gap in (fmpq(1), fmpq(1, 100)):
        first, second = seeded_model(Setting("gap", gap=gap), seed).heads
        log_poles = [dot(X, [dot(row, Y) for row in head.W]) for head in (first, second)]
        distances.append(log_poles[0] - log_poles[1])
    assert distances[0] == 100 * distances[1]
    assert [head.v for head in seeded_model(Setting("gap"), seed).heads] == [first.v, second.v]


def test_settings() -> None:
    """One axis after the other, the others at 2, 2 and 1."""
    assert settings([3], [4], [fmpq(1, 2)]) == [
        Setting("heads", 3, 2, fmpq(1)),
        Setting("dim", 2, 4, fmpq(1)),
        Setting("gap", 2, 2, fmpq(1, 2)),
    ]


def test_a_row() -> None:
    """Every model counts; with 40 decimals all are enclosed, and the proved digits do not exceed the true ones."""
    row = measure(Setting("heads", heads=1), decimal_format(40), 0, 4)
    assert (row.models, row.enclosed, row.estimated, row.exact) == (4, 4, 4, 4)
    assert 30 < row.proved[0] <= row.estimate[0] <= 41
    assert measure(Setting("heads", heads=5), FLOAT64, 0, 1).proved == (0.0, 0.0)
