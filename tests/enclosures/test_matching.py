"""Tests of matching on balls: the true partner is never excluded, and what can't be told is named."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.enclosures.matching import match_by_values, match_enclosures
from exactlearn.enclosures.probe import EnclosedProbe
from exactlearn.errors import NotAttentionError, TooCoarseError

SIXTEENTHS = st.integers(-48, 48).map(lambda n: arb(n) / 16)


def _wide(entries: list[arb], radius: float) -> tuple[arb, ...]:
    return tuple(entry + arb(0, radius) for entry in entries)


def _probe(log_poles: list[arb], residues: list[arb], radius: float = 0.0) -> EnclosedProbe:
    return EnclosedProbe(_wide(log_poles, radius), _wide(residues, radius), sum(residues, arb(0)) + arb(0, 9 * radius))


def _values(log_poles: list[arb], residues: list[arb], at_zero: arb) -> list[arb]:
    return [
        sum((c / (1 + (-s).exp() / k) for s, c in zip(log_poles, residues, strict=True)), at_zero)
        for k in range(1, 2 * len(log_poles) + 1)
    ]


@st.composite
def _matchings(draw: st.DrawFn) -> tuple[list[arb], list[arb], list[arb], list[arb], list[int], bool]:
    """Left log-poles and residues, right ones in the order of the left, a shuffle, and whether x is shared."""
    H, same_x = draw(st.integers(1, 4)), draw(st.booleans())
    column = st.lists(SIXTEENTHS, min_size=H, max_size=H)
    left, right, residues = draw(column), draw(column), draw(column)
    others = residues if same_x else draw(column)
    return left, residues, right, others, draw(st.permutations(range(H))), same_x


@given(_matchings(), st.sampled_from([0.0, 0.001, 0.05]))
def test_the_true_partner_survives(
    matching: tuple[list[arb], list[arb], list[arb], list[arb], list[int], bool], radius: float
) -> None:
    """Whatever the balls, a matching that is returned by either way is the true one."""
    left, residues, right, others, shuffle, same_x = matching
    with ctx.workprec(200):
        both_poles = [a + b for a, b in zip(left, right, strict=True)]
        both_residues = residues if same_x else [a + b for a, b in zip(residues, others, strict=True)]
        shuffled = _probe([right[h] for h in shuffle], [others[h] for h in shuffle], radius)
        truth = [shuffle.index(h) for h in range(len(left))]
        first, both = _probe(left, residues, radius), _probe(both_poles, both_residues, radius)
        with contextlib.suppress(TooCoarseError):
            assert match_enclosures(first, shuffled, both, "S(1,2)", same_x=same_x) == truth
        answers = [value + arb(0, radius) for value in _values(both_poles, both_residues, arb(1))]
        assert match_by_values(first, shuffled, answers, arb(1), same_x=same_x) in (None, truth)


def test_both_ways_decide() -> None:
    """Narrow balls with no coincidence are matched by poles and by values, for every order of the right side."""
    left, right, residues = [arb(0), arb(1), arb(3)], [arb(5), arb("0.5"), arb(2)], [arb(1), arb(2), arb(-1)]
    both = [a + b for a, b in zip(left, right, strict=True)]
    with ctx.workprec(200):
        for order in itertools.permutations(range(3)):
            shuffled = _probe([right[h] for h in order], [residues[h] for h in order])
            truth = [order.index(h) for h in range(3)]
            first = _probe(left, residues)
            assert match_enclosures(first, shuffled, _probe(both, residues), "S", same_x=True) == truth
            answers = [value + arb(0, 1e-9) for value in _values(both, residues, arb(0))]
            assert match_by_values(first, shuffled, answers, arb(0), same_x=True) == truth


def test_an_ambiguous_match_is_named() -> None:
    """Equal residues and poles whose sums coincide: the head and its candidates are named, and values don't tell."""
    ones = [arb(1), arb(1)]
    left, right = _probe([arb(0), arb(1)], ones), _probe([arb(0), arb(1)], ones)
    both = EnclosedProbe((arb(0.5, 0.6), arb(1.5, 0.6)), tuple(ones), arb(2))
    with pytest.raises(TooCoarseError, match=r"wrong match at S\(2,1\): head 1 could be matched with 1 or 2"):
        match_enclosures(left, right, both, "S(2,1)", same_x=True)
    answers = [arb(0, 10)] * 4
    assert match_by_values(left, right, answers, arb(0), same_x=True) is None


def test_a_contradiction_is_no_attention_model() -> None:
    """No partner at all, or one partner for two heads, cannot be with true balls."""
    ones = [arb(1), arb(1)]
    left, right = _probe([arb(0), arb(1)], ones), _probe([arb(0), arb(1)], ones)
    with pytest.raises(NotAttentionError, match="no partner for head 1 at S"):
        match_enclosures(left, right, _probe([arb(7), arb(8)], ones), "S", same_x=True)
    left, right = _probe([arb(0), arb(5)], ones), _probe([arb(1), arb(100)], ones)
    with pytest.raises(NotAttentionError, match="two heads with one partner at S"):
        match_enclosures(left, right, _probe([arb(1), arb(6)], ones), "S", same_x=True)


def test_too_many_heads_for_values() -> None:
    """Seven heads have more ways to be matched than are tried."""
    ones = [arb(1)] * 7
    probe = _probe([arb(h) for h in range(7)], ones)
    assert match_by_values(probe, probe, [arb(0, 100)] * 14, arb(0), same_x=True) is None
