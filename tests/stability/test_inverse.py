"""Tests of the closed form of a probe's inverse Jacobian, against matrix inversion."""

from __future__ import annotations

from flint import arb, fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.stability.inverse import probe_inverse

numbers = st.builds(fmpq, st.integers(1, 40), st.integers(1, 9))


@st.composite
def probes(draw: st.DrawFn) -> tuple[list[fmpq], list[fmpq]]:
    """Residues and distinct poles of one to four heads."""
    poles = draw(st.lists(numbers, min_size=1, max_size=4, unique_by=str))
    return [draw(numbers) * draw(st.sampled_from([1, -1])) for _ in poles], poles


def jacobian(residues: list[fmpq], poles: list[fmpq]) -> fmpq_mat:
    """D(1), ..., D(2H) by c and by s = log t, from their definition."""
    copies = range(1, 2 * len(poles) + 1)
    return fmpq_mat(
        [
            [k * t / (1 + k * t) for t in poles]
            + [c * k * t / (1 + k * t) ** 2 for c, t in zip(residues, poles, strict=True)]
            for k in copies
        ]
    )


@given(probes())
def test_closed_form_is_the_inverse(probe: tuple[list[fmpq], list[fmpq]]) -> None:
    """Columns 1..2H are J^-1, column 0 is what a common shift does, and the residues' sum has its own row."""
    residues, poles = probe
    found = probe_inverse(residues, poles)
    rows = found.of_residues + found.of_log_poles
    assert fmpq_mat([list(row[1:]) for row in rows]) == jacobian(residues, poles).inv()
    assert all(sum(row, fmpq(0)) == 0 for row in (*rows, found.of_sum))
    assert tuple(sum(column, fmpq(0)) for column in zip(*found.of_residues, strict=True)) == found.of_sum


@given(probes())
def test_balls_hold_the_rationals(probe: tuple[list[fmpq], list[fmpq]]) -> None:
    """The same formulas on balls enclose the exact entries."""
    residues, poles = probe
    exact = probe_inverse(residues, poles)
    balls = probe_inverse([arb(c.p) / c.q for c in residues], [arb(t.p) / t.q for t in poles])
    exact_rows, ball_rows = (found.of_residues + found.of_log_poles for found in (exact, balls))
    for row, ball_row in zip(exact_rows, ball_rows, strict=True):
        assert all((ball * entry.q).contains(entry.p) for entry, ball in zip(row, ball_row, strict=True))


def test_balls_stay_narrow_at_huge_poles() -> None:
    """A pole e^(10^12) costs the digits of its exponent and no more."""
    found = probe_inverse([arb(2), arb(-3)], [arb(10**12).exp(), arb(-(10**11)).exp()])
    for row in (*found.of_residues, *found.of_log_poles, found.of_sum):
        assert all(entry.rel_accuracy_bits() > 5 for entry in row)
