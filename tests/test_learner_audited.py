"""Black boxes that answer every probe as attention does and are none: the audit refuses them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from exactlearn.errors import ExactlearnError
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention
from exactlearn.places.rational import RationalBlackBox

Score = Callable[[int], int]


def _scored(score: Score, tokens: tuple[tuple[int, ...], ...]) -> Fraction:
    """A softmax to the base 2 of score(x_i . x_n), with the first coordinate as value."""
    weights = [Fraction(2) ** score(sum(a * b for a, b in zip(x, tokens[-1], strict=True))) for x in tokens]
    return sum((w * x[0] for w, x in zip(weights, tokens, strict=True)), Fraction(0)) / sum(weights)


NEARLY_SOFTMAX: dict[str, Score] = {
    "only the score 1 counts": lambda s: int(s == 1),
    "large scores are dropped": lambda s: s if abs(s) <= 3 else 0,
    "somewhat larger scores are dropped": lambda s: s if abs(s) <= 5 else 0,
    "clipped": lambda s: max(-1, min(1, s)),
    "modulo 4": lambda s: s % 4,
    "squares modulo 5": lambda s: s * s % 5,
}


@pytest.mark.parametrize("name", NEARLY_SOFTMAX)
@pytest.mark.parametrize("dim", [1, 2])
def test_a_function_that_differs_where_scores_are_small(name: str, dim: int) -> None:
    """Probes have large scores, so such functions can look like attention there; the audit tells."""
    for seed in range(25):
        with pytest.raises(ExactlearnError):
            learn(lambda tokens: _scored(NEARLY_SOFTMAX[name], tokens), dim, heads=1, seed=seed)


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("name", ["periodic in the length", "other beyond the probes", "other at even lengths"])
def test_a_function_that_differs_at_lengths_that_are_not_asked(name: str, heads: int) -> None:
    """Attention plus 1 at lengths that no probe has: audited lengths lie between and beyond those of the probes."""
    model = MultiHeadAttention(
        [([[h + 2, 3], [5, h + 1]], [h + 1, 2 - 3 * h]) for h in range(heads)], weights="log-rational"
    )
    box = RationalBlackBox(model)
    wrong: dict[str, Callable[[int], bool]] = {
        "periodic in the length": lambda length: length % (2 * heads + 2) == 0,
        "other beyond the probes": lambda length: length > 2 * heads + 1,
        "other at even lengths": lambda length: length > 2 and length % 2 == 0,
    }
    for seed in range(3):
        with pytest.raises(ExactlearnError):
            learn(lambda tokens: box.value(tokens) + wrong[name](len(tokens)), 2, heads=heads, seed=seed)
