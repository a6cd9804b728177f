"""Tests of the approximate learner: on exact outputs it finds the model, on wrong ones it says what went wrong."""

from __future__ import annotations

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.errors import DegenerateDrawError, TooCoarseError, UndecidedError
from exactlearn.stability import PerturbedRuns, stability
from exactlearn.stability.approximate_learner import ApproximateProbe, match, read_probe
from exactlearn.stability.choosing import seeded_draw

numbers = st.builds(fmpq, st.integers(1, 30), st.integers(1, 7))


def values_of(poles: list[fmpq], residues: list[fmpq], at_zero: fmpq) -> list[fmpq]:
    """F(1), ..., F(2H) by the definition."""
    return [
        sum((c * k * t / (1 + k * t) for c, t in zip(residues, poles, strict=True)), at_zero)
        for k in range(1, 2 * len(poles) + 1)
    ]


@given(st.lists(numbers, min_size=1, max_size=4, unique_by=str), st.data())
def test_a_probe_is_read_back(poles: list[fmpq], data: st.DataObject) -> None:
    """Exact values give log t in ascending order, and the residues with them."""
    poles = sorted(poles)
    residues = [data.draw(numbers) * data.draw(st.sampled_from([1, -1])) for _ in poles]
    with ctx.workprec(300):
        seen = read_probe("P(1,1)", fmpq(5), values_of(poles, residues, fmpq(5)))
        for t, c, log_pole, residue in zip(poles, residues, seen.log_poles, seen.residues, strict=True):
            assert (log_pole.exp() * t.q).contains(t.p)
            assert (residue * c.q).contains(c.p)
            assert residue.rel_accuracy_bits() > 100


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([fmpq(1), fmpq(1)], "negative pole|no such function"),
        ([fmpq(-1), fmpq(1)], "negative pole"),
        ([fmpq(0), fmpq(0)], "no such function"),
        ([fmpq(4), fmpq(8), fmpq(11), fmpq(14)], "complex poles|negative pole|no such function"),
    ],
)
def test_no_attention_is_named(values: list[fmpq], what: str) -> None:
    """Values that no heads have are refused, and the probe is named."""
    with pytest.raises(TooCoarseError, match=rf"({what}) at P\(1,2\)"):
        read_probe("P(1,2)", fmpq(0), values)


def test_complex_poles() -> None:
    """Q = 1 + k + k^2 has no real root."""
    values = [fmpq(k) / (1 + k + k**2) for k in range(1, 5)]
    with pytest.raises(TooCoarseError, match="complex poles"):
        read_probe("P(1,1)", fmpq(0), values)


def test_two_heads_with_one_partner() -> None:
    """A sum probe that fits one partner only is a wrong match."""

    def probe(*log_poles: int) -> ApproximateProbe:
        return ApproximateProbe([arb(s) for s in log_poles], [arb(1) for _ in log_poles])

    assert match("S(2,1)", probe(0, 10), probe(1, 5), probe(5, 11)) == [1, 0]
    with pytest.raises(TooCoarseError, match=r"wrong match at S\(2,1\)"):
        match("S(2,1)", probe(0, 0), probe(1, 5), probe(1, 1))


@pytest.mark.parametrize("name", ["one-dimensional", "two-heads", "shared-v", "rank-one", "true-e", "sqrt-unit"])
def test_without_errors_it_finds_the_model(name: str) -> None:
    """With errors 2^-400 every entry is right to many digits."""
    model = canonical_form(examples.load(name))
    for seed in range(20):
        draw = seeded_draw(model, seed, 1)
        try:
            found = stability(model, draw)
        except (DegenerateDrawError, UndecidedError):
            continue
        outcome = PerturbedRuns(found).run(fmpq(1, 2**400), {})
        assert outcome.failure is None
        assert all(error < arb(2) ** -200 for error in outcome.errors.values())
        return
    raise AssertionError("no good draw")
