"""Tests of verdicts: three words, no truth value."""

from __future__ import annotations

import pytest

from exactlearn.verdict import Fails, Holds, Undecided, Verdict


@pytest.mark.parametrize(
    ("verdict", "holds"), [(Holds("seen"), True), (Fails(1, "found"), False), (Undecided("too long"), False)], ids=str
)
def test_verdicts(verdict: Verdict, holds: bool) -> None:
    """Only a statement that holds holds, and no verdict can be mistaken for a bool."""
    assert verdict.holds is holds
    with pytest.raises(TypeError, match=r"ask for \.holds"):
        bool(verdict)
    with pytest.raises(TypeError, match="not a bool"):
        assert not verdict


def test_undecided_is_no_no() -> None:
    """Undecided neither holds nor fails."""
    assert not isinstance(Undecided("why"), Fails | Holds)
    assert Fails(1) == Fails(1) != Fails(2)
