"""Tests of draws: independent tokens from a box, reproducible, redrawn one by one."""

from __future__ import annotations

import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.draws import MAX_TOKEN_DRAWS, MOST_GROWTH, BadDraw, TokenSource
from exactlearn.errors import DegenerateDrawError

sources = st.builds(
    TokenSource,
    st.integers(1, 4), st.integers(-9, 9), st.integers(0, 3), st.integers(1, 5), st.integers(1, 3), grows=st.booleans(),
)  # fmt: skip


def _independent(tokens: tuple[tuple[int, ...], ...]) -> bool:
    return bool(fmpz_mat([list(token) for token in tokens]).det())


@given(sources)
def test_draws(source: TokenSource) -> None:
    """Both sides are bases with entries in the box; the x_i are multiples; the same arguments draw the same."""
    draw = source.draw()
    assert _independent(draw.X)
    assert _independent(draw.Y)
    assert all(abs(a) <= source.box for token in draw.Y for a in token)
    assert all(a % source.multiple == 0 and abs(a) <= source.box * source.multiple for token in draw.X for a in token)
    again = TokenSource(source.dim, source.seed, source.attempt, source.box, source.multiple, grows=source.grows)
    assert again.draw() == draw


@given(sources, st.data())
def test_redraws(source: TokenSource, data: st.DataObject) -> None:
    """After any redraws both sides are bases still, from a box that grows as promised; earlier tokens stay."""
    before = source.draw()
    for _ in range(data.draw(st.integers(1, 6))):
        index = data.draw(st.integers(0, source.dim - 1))
        source.redraw(data.draw(st.sampled_from("xy")) + str(index))
        draw = source.draw()
        assert _independent(draw.X)
        assert _independent(draw.Y)
        most = source.box * (2 + MOST_GROWTH) // 2 if source.grows else source.box
        assert all(abs(a) <= most for token in draw.Y for a in token)
    source.redraw(f"x{source.dim - 1}")
    assert source.draw().X[: source.dim - 1] == draw.X[: source.dim - 1]
    assert source.draw().Y == draw.Y
    del before


def test_redrawn_tokens_differ() -> None:
    """In a box that is not tiny a redraw gives another token."""
    source = TokenSource(2, 0, 0, 1000)
    first = source.y(1)
    source.redraw("y1")
    assert source.y(1) != first


def test_seeds_and_attempts() -> None:
    """Another seed and another attempt draw other tokens."""
    draws = [TokenSource(2, seed, attempt, 1000).draw() for seed in (0, 1) for attempt in (0, 1)]
    assert len({(draw.X, draw.Y) for draw in draws}) == 4


def test_giving_up() -> None:
    """A token that is bad again and again is given up."""
    source = TokenSource(2, 0, 0, 9)
    for _ in range(MAX_TOKEN_DRAWS):
        source.x(0)
        source.redraw("x0")
    with pytest.raises(DegenerateDrawError, match=f"{MAX_TOKEN_DRAWS} draws in a row were bad"):
        source.redraw("x0")


def test_other_tokens() -> None:
    """Tokens aside depend on their name, lie in their box and are multiples."""
    source = TokenSource(3, 0, 0, 2, 5)
    assert source.other_token("a") == source.other_token("a") != source.other_token("b")
    assert all(a % 5 == 0 and abs(a) <= 20 for a in source.other_token("c", 4, 5))


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (BadDraw("v_h.x", "P(2,1)", "1 of 2"), "v_h.x = 0 at P(2,1): 1 of 2"),
        (BadDraw("hidden head", "", "why", is_whole=True), "a hidden head: why"),
    ],
)
def test_names(bad: BadDraw, text: str) -> None:
    """A bad draw says which polynomial vanished, at which probe."""
    assert str(bad) == text
