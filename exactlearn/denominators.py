"""Learning log-rational models from tokens with denominators, where every answer is a radical."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import Oracle
from exactlearn.places.radical import RadicalPlace, seen_on_fractions, seen_on_whole_tokens
from exactlearn.result import LearnResult


def radical_oracle(model: MultiHeadAttention, denominator: int) -> Oracle:
    """A log-rational model as a black box on tokens X / N, asked by their whole numerators X.

    Raises:
        UnusableInputError: For a denominator out of range.
        NotAtThisPlaceError: For models that are not log-rational over Q.
    """
    seen = seen_on_fractions(model, denominator)
    place = RadicalPlace(seen.unit, denominator)
    return Oracle(place, model.dim, place.black_box(seen))


def learn_on_fractions(
    oracle: Oracle,
    denominator: int,
    *,
    heads: int | None = None,
    max_heads: int | None = None,
    seed: int = 0,
    box: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LearnResult:
    """`learn` from tokens with the denominator N, their numerators in [-box, box].

    Args:
        oracle: What `radical_oracle` makes.
        denominator: N, as given to `radical_oracle`.
        heads: As in `learn`.
        max_heads: As in `learn`.
        seed: As in `learn`.
        box: The numerators lie in [-box, box].
        progress: As in `learn`.

    Returns:
        The result with the recovered model itself; `draw` holds the numerators of the tokens.
    """
    found = learn(oracle, heads=heads, max_heads=max_heads, seed=seed, box=box, progress=progress)
    return on_fractions(found, denominator)


def on_fractions(result: LearnResult, denominator: int) -> LearnResult:
    """A result about whole tokens X as one about the tokens X / N."""
    return replace(result, model=seen_on_whole_tokens(result.model, denominator))
