"""Tests of the claim determination: the pair that agrees on too few values, and checks that can fail."""

from __future__ import annotations

from unittest import mock

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.claims import determination
from exactlearn.claims.context import Context
from exactlearn.copy_count import CopyCountFunction
from exactlearn.interpolation import copy_count_function
from exactlearn.strategies import positive_rationals
from exactlearn.verdict import Fails


@given(st.data(), st.integers(1, 4))
@settings(max_examples=60)
def test_agreeing_pair(data: st.DataObject, heads: int) -> None:
    """Both have H distinct positive poles and no zero residue; they agree at 0..copies and nowhere beyond."""
    poles = data.draw(st.lists(positive_rationals(), min_size=heads, max_size=heads, unique=True))
    copies = data.draw(st.integers(0, 2 * heads - 1))
    left, right = determination.agreeing_pair(poles, copies)
    assert len(set(left.poles)) == len(set(right.poles)) == heads
    assert set(left.poles) == set(poles)
    assert not set(left.poles) & set(right.poles)
    assert all(t > 0 for t in right.poles)
    assert all(left.residues)
    assert all(right.residues)
    assert [left(k) == right(k) for k in range(copies + 6)] == [k <= copies for k in range(copies + 6)]


@given(st.lists(positive_rationals(), min_size=1, max_size=3, unique=True))
@settings(max_examples=25)
def test_one_value_more_tells_the_pair_apart(poles: list[fmpq]) -> None:
    """Interpolation from 2H values finds each of the two."""
    for function in determination.agreeing_pair(poles, 2 * len(poles) - 1):
        samples = [function(k) for k in range(1, 2 * len(poles) + 1)]
        expected = sorted(zip(function.poles, function.residues, strict=True))
        found = copy_count_function(fmpq(0), samples)
        assert list(zip(found.poles, found.residues, strict=True)) == expected


@pytest.mark.parametrize("name", ["two-heads", "true-e"])
def test_check_can_fail(name: str) -> None:
    """Wrong residues of the instance, or a pair that does not agree, are noticed."""
    context = Context(examples.load(name))
    x, y = context.separated_probe
    with mock.patch.object(Context, "residues", lambda _self, x: [fmpq(7)] * len(x)):
        object.__setattr__(context, "separated_probe", (x, y))
        assert isinstance(determination.check(context), Fails)
    other = CopyCountFunction(fmpq(0), (fmpq(1), fmpq(2)), (fmpq(1), fmpq(1)))
    for pair in ((other, other), (other, CopyCountFunction(fmpq(1), other.poles, other.residues))):
        with mock.patch.object(determination, "agreeing_pair", return_value=pair):
            assert isinstance(determination.check(context), Fails)
            assert not isinstance(determination.control(context), Fails)
