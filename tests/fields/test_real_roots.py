"""Real roots by Sturm and Newton, against FLINT's complex roots; close roots take no long time."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from flint import acb, arb, fmpq, fmpz, fmpz_poly
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError
from exactlearn.fields import NumberField
from exactlearn.fields.real_roots import count_roots, isolating_intervals, root_ball, roots_above

polynomials = st.lists(st.integers(-20, 20), min_size=3, max_size=9).filter(lambda c: c[-1] != 0)


@given(polynomials, st.integers(-40, 40), st.integers(1, 5), st.sampled_from([20, 64, 300]))
def test_against_complex_roots(coefficients: list[int], top: int, bottom: int, precision: int) -> None:
    """Counts, intervals and balls of an irreducible polynomial are those of its complex roots that are real."""
    whole = fmpz_poly(coefficients)
    assume(sum(m for _, m in whole.factor()[1]) == 1)
    roots: Any = whole.complex_roots()
    known = sorted(
        (acb(root).real for root, _ in roots if acb(root).imag.is_zero()),
        key=lambda ball: float(ball.mid()),
    )
    rational = tuple(fmpq(c) for c in coefficients)
    bound = fmpq(top, bottom)
    assert roots_above(rational, None) == len(known)
    assert roots_above(rational, bound) == sum(bool(ball > arb(top) / bottom) for ball in known)
    intervals = isolating_intervals(rational)
    assert len(intervals) == len(known)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(intervals))
    for ends, ball in zip(intervals, known, strict=True):
        assert count_roots(rational, ends) == 1
        found = root_ball(rational, ends, precision)
        assert found.overlaps(ball)
        assert found.rel_accuracy_bits() >= precision - 2


def test_close_roots_take_no_long_time() -> None:
    """Two roots that agree to 500 digits are told apart in a moment."""
    started, size = time.perf_counter(), fmpz(10) ** 100
    field = NumberField([-2, 4 * size, -2 * size**2, *[0] * 5, 1], [fmpq(1, size), 1])
    assert field.root_index == 2
    assert (field.generator - fmpq(1, size)).sign() == 1
    assert time.perf_counter() - started < 3


def test_too_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """Roots that no reasonable number of halvings parts are refused in one line."""
    monkeypatch.setattr("exactlearn.fields.real_roots.MOST_HALVINGS", 50)
    with pytest.raises(OverBudgetError, match="too close to each other"):
        isolating_intervals(tuple(fmpq(c) for c in (-2, 4 * 10**30, -2 * 10**60, 0, 0, 0, 0, 1)))


def test_degree_one() -> None:
    """A polynomial of degree 1 has its root exactly."""
    line = (fmpq(-3), fmpq(2))
    assert isolating_intervals(line) == ((fmpq(3, 2), fmpq(3, 2)),)
    assert root_ball(line, (fmpq(0), fmpq(9)), 64) == arb(3) / 2
    assert [count_roots(line, ends) for ends in ((fmpq(0), fmpq(1)), (fmpq(1), fmpq(2)))] == [0, 1]
