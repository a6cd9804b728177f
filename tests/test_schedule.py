"""Tests of the schedule "paper": its probes and its counts, against a literal listing of DESIGN section 4."""

from __future__ import annotations

import pytest

from exactlearn.draws import TokenSource
from exactlearn.schedule import PaperSchedule, base_probe, sum_probe


@pytest.mark.parametrize("dim", range(1, 9))
@pytest.mark.parametrize("heads", range(9))
def test_counts(dim: int, heads: int) -> None:
    """The predicted counts are the formula, and the number of probes that the section lists."""
    schedule = PaperSchedule(dim, heads)
    base = [(i, j) for i in range(1, dim + 1) for j in range(1, dim + 1)]
    sums = [(i, 1) for i in range(2, dim + 1)] + [(i, j) for i in range(1, dim + 1) for j in range(2, dim + 1)]
    assert schedule.predicted_probes == len(base) + len(sums) == 2 * dim**2 - 1
    assert schedule.predicted_queries == 1 + 2 * heads * len(base + sums) == 4 * heads * dim**2 - 2 * heads + 1
    assert schedule.predicted_max_length == 2 * heads + 1
    assert schedule.name == "paper"


def test_probes() -> None:
    """P(i,j) = (x_i, y_j), S(i,1) = (x_1 + x_i, y_1), S(i,j) = (x_i, y_1 + y_j), named with indices from 1."""
    source = TokenSource(3, 0, 0, 9)
    draw = source.draw()

    def add(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    for i in range(3):
        for j in range(3):
            probe = base_probe(source, i, j)
            assert (probe.name, probe.x, probe.y) == (f"P({i + 1},{j + 1})", draw.X[i], draw.Y[j])
            probe = sum_probe(source, i, j)
            expected = (add(draw.X[0], draw.X[i]), draw.Y[0]) if j == 0 else (draw.X[i], add(draw.Y[0], draw.Y[j]))
            assert (probe.name, probe.x, probe.y) == (f"S({i + 1},{j + 1})", *expected)
