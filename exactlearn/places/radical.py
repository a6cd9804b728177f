"""The rational place for tokens with denominators: log-rational weights, whose values are then radicals.

Tokens X/N of a model (T, v, u) are seen as whole tokens X of the model (T, v/N, u/N^2): x^T W y is bilinear.  Values
are exact numbers of the symbolic place; the learner sees their images modulo primes for which the roots exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz

from exactlearn.errors import NotAtThisPlaceError, UnusableInputError
from exactlearn.model import ONE, Head, Matrix, MultiHeadAttention, Unit, WeightKind
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, TokenBasis
from exactlearn.places.radical_rings import see_radicals
from exactlearn.places.rational import RationalPlace
from exactlearn.places.residues import ResidueRing
from exactlearn.places.symbolic import evaluate

MOST_DENOMINATOR = 64


@dataclass(frozen=True)
class RadicalPlace:
    """Radical values of log-rational models on whole tokens, whatever the exponents.

    Attributes:
        unit: The models' unit, rational; u / N^2 for tokens with the denominator N.
        denominator: N, for information: it is already in the unit.
    """

    unit: Unit = ONE
    denominator: int = 1
    name: str = "radical"
    weights: WeightKind = "log-rational"
    token_multiple: int = 1
    answers_are_exact: bool = True
    largest_box: int = 1000

    def default_box(self, heads: int, dim: int) -> int:
        """As at the rational place."""
        return RationalPlace(self.unit).default_box(heads, dim)

    def black_box(self, model: MultiHeadAttention) -> BlackBox:
        """The model seen at this place; it has log-rational weights, this place's unit, and rational numbers."""
        if model.weights != "log-rational" or model.unit != self.unit or model.field is not None:
            raise NotAtThisPlaceError("the radical place with this unit sees log-rational weights over Q in that unit")
        return RadicalBlackBox(model)

    def see(self, answers: Sequence[Answer], ring: ResidueRing) -> list[fmpz]:
        """The images of the radicals, all roots among the squares.

        Raises:
            UnluckyPrimeError: When roots do not exist mod p.
        """
        return [see_radicals(answer.sum, ring) for answer in answers]

    def weights_from_poles(self, basis: TokenBasis, poles: Sequence[Sequence[fmpz]]) -> Matrix:
        """T from the images of t(x_i, y_j), as at the rational place, whose logarithms take any rational unit."""
        return RationalPlace(self.unit).weights_from_poles(basis, poles)


class RadicalBlackBox:
    """A log-rational model's exact values, as numbers of the symbolic place."""

    def __init__(self, model: MultiHeadAttention) -> None:
        self._model = model

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing | None = None) -> Answer:
        """F of the sequence."""
        del ring
        return evaluate(self._model, tokens)

    def copies(
        self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing | None = None
    ) -> list[Answer]:
        """F(k) for every k."""
        both = tuple(a + b for a, b in zip(x, y, strict=True))
        return [self.value((both,) * k + (y,), ring) for k in counts]


def seen_on_fractions(model: MultiHeadAttention, denominator: int) -> MultiHeadAttention:
    """The model whose value on whole tokens X is the given model's on X / N.

    Args:
        model: A log-rational model over Q.
        denominator: N >= 1.

    Raises:
        UnusableInputError: For a denominator out of range.
        NotAtThisPlaceError: For other models: with true e tokens with denominators give nothing new.
    """
    if isinstance(denominator, bool) or not isinstance(denominator, int) or not 1 <= denominator <= MOST_DENOMINATOR:
        raise UnusableInputError(f"a whole number from 1 to {MOST_DENOMINATOR} is expected", "denominator")
    if model.weights != "log-rational" or model.field is not None:
        raise NotAtThisPlaceError("tokens with denominators are drawn for log-rational weights over Q")
    return _scaled(model, fmpq(1, denominator))


def seen_on_whole_tokens(model: MultiHeadAttention, denominator: int) -> MultiHeadAttention:
    """The inverse of `seen_on_fractions`."""
    return _scaled(model, fmpq(denominator))


def _scaled(model: MultiHeadAttention, factor: fmpq) -> MultiHeadAttention:
    unit = model.unit.rational
    assert unit is not None  # noqa: S101  # the model's constructor saw to it
    heads = [Head(head.W, [factor * entry for entry in head.v]) for head in model.heads]
    return MultiHeadAttention(heads, dim=model.dim, weights=model.weights, unit=unit * factor * factor)
