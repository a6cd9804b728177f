"""The learner on tokens that somebody else has chosen: it may not draw anew, so it says what is bad about them."""

from __future__ import annotations

from exactlearn.counterexamples.building import plural
from exactlearn.counterexamples.counterexample import Table
from exactlearn.draws import BadDraw, Draw, TokenSource
from exactlearn.errors import (
    DegenerateDrawError,
    ExactlearnError,
    NotAttentionError,
    PrecisionTooLowError,
    UnluckyPrimeError,
)
from exactlearn.genericity import BadSet
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.oracle import oracle_of, place_of
from exactlearn.places.residues import ResidueRing
from exactlearn.reading import DrawReading, Question, Rejection

_LOOKS = 12
"""Rings tried: other primes, or more digits."""


class FixedTokens(TokenSource):
    """The tokens of a given draw; none can be drawn anew."""

    @classmethod
    def of(cls, draw: Draw) -> FixedTokens:
        """The tokens of `draw`."""
        names = {f"{side}{i}": t for side, tokens in (("x", draw.X), ("y", draw.Y)) for i, t in enumerate(tokens)}
        return cls(len(draw.X), 0, 0, 1, _tokens=names)

    def redraw(self, *names: str) -> None:
        """Refused."""
        raise DegenerateDrawError(f"the tokens are fixed, {', '.join(names)} among them")


def read_fixed_draw(model: MultiHeadAttention, draw: Draw, heads: int) -> MultiHeadAttention | str:
    """What the learner, told this number of heads, reads from the black box on this draw: a model, or why it has none.

    Args:
        model: The black box.
        draw: Both X and Y linearly independent.
        heads: The number of heads that the learner is told.
    """
    ring, rejections = ResidueRing.seeded(0), list[Rejection]()
    for _ in range(_LOOKS):
        question = Question(model.dim, heads, is_exact=True)
        reading = DrawReading(oracle_of(model), FixedTokens.of(draw), ring, question, rejections, lambda _: None)
        try:
            found: list[Head] = reading.read()
        except UnluckyPrimeError:
            ring = ring.with_next_prime()
        except PrecisionTooLowError:
            ring = ring.finer()
        except DegenerateDrawError:
            return f"bad draw: {rejections[-1].reason}"
        except BadDraw as bad:
            return f"bad draw: {bad}"
        except NotAttentionError as error:
            return f"not attention: {error}"
        else:
            place = place_of(model)
            return MultiHeadAttention(found, dim=model.dim, weights=place.weights, unit=place.unit)
    return "undecided: no ring was good enough"


def learner_says(model: MultiHeadAttention, heads: int, seed: int = 0) -> str:
    """What the learner, which draws for itself, says when it is told this number of heads; one line."""
    try:
        result = learn(oracle_of(model), heads=heads, seed=seed)
    except NotAttentionError as error:
        return f"not attention with so few heads: {error}"
    except ExactlearnError as error:
        return str(error)
    return f"recovered {plural(result.heads_found, 'head')}"


def vanishing_table(model: MultiHeadAttention, draw: Draw) -> Table:
    """Which polynomials of DESIGN section 5 vanish at the draw."""
    rows = tuple((str(p), p.probe or "the draw") for p in BadSet(model).vanishing(draw))
    return Table("polynomials that vanish at this draw, for the first model", ("polynomial", "at"), rows)


def draw_table(draw: Draw) -> Table:
    """The tokens of a draw."""
    rows = tuple((str(i + 1), _token(x), _token(y)) for i, (x, y) in enumerate(zip(draw.X, draw.Y, strict=True)))
    return Table("the draw", ("i", "x_i", "y_i"), rows)


def _token(token: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, token))})"
