"""The real place: f as a ball that contains the true value, for any model and any tokens (DESIGN section 2).

A ball here has a midpoint and a radius (arb), and its radius is as small as was asked for.  Balls are no images under a
ring homomorphism, so this place has no `see`: the learner on balls is `exactlearn.enclosures.learner`.  Its laws are
those of the other places with "overlap" for "are equal".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from flint import arb, ctx, fmpq

from exactlearn.common_field import with_tokens_over_common_field
from exactlearn.errors import OverBudgetError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.model import MultiHeadAttention, TokenSequence, Unit, as_token_sequence, dot
from exactlearn.places.protocol import IntegerToken

MOST_BITS = 1 << 17
"""Working precision at which a value that is still too wide is given up."""

_SPARE_BITS = 32

RealMatrix = tuple[tuple[arb, ...], ...]


def as_ball(value: Scalar) -> arb:
    """A rational or an element of a number field as a ball at the working precision."""
    return value.ball() if isinstance(value, FieldElement) else arb(value.p) / arb(value.q)


def unit_as_ball(unit: Unit) -> arb:
    """The unit as a ball at the working precision."""
    return as_ball(unit.square).sqrt() * unit.sign if unit.rational is None else as_ball(unit.rational)


def weights_as_balls(model: MultiHeadAttention) -> tuple[RealMatrix, ...]:
    """W_h of every head at the working precision: unit times the entries, or unit times log T."""
    unit, is_log = unit_as_ball(model.unit), model.weights == "log-rational"
    return tuple(
        tuple(tuple(unit * (as_ball(entry).log() if is_log else as_ball(entry)) for entry in row) for row in head.W)
        for head in model.heads
    )


def evaluate(model: MultiHeadAttention, tokens: TokenSequence | Iterable[Iterable[Scalar]], bits: int) -> arb:
    """f(X) as a ball of radius at most 2^-`bits` that contains it.

    Args:
        model: Any model; its heads are taken as they are, not in canonical form.
        tokens: n >= 1 tokens with `model.dim` entries, rationals or elements of a number field; the last one is the
            final token.
        bits: May be negative.

    Raises:
        UnusableInputError: When the tokens do not fit the model; the place is ``tokens[i]``.
        OverBudgetError: When `MOST_BITS` of working precision do not give so small a radius.
    """
    model, sequence = with_tokens_over_common_field(model, as_token_sequence(tokens, model.dim))
    return RealBlackBox(model, bits).of_sequence(sequence)


@dataclass
class RealBlackBox:
    """A model's values as balls.

    Attributes:
        bits: Every answer has a radius of at most 2^-bits.
    """

    _model: MultiHeadAttention = field(repr=False)
    bits: int
    _weights: dict[int, tuple[RealMatrix, ...]] = field(default_factory=dict, repr=False)

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        """F of a sequence of whole tokens."""
        return self.of_sequence(as_token_sequence(tokens, self._model.dim))

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int]) -> list[arb]:
        """F of k copies of x + y followed by y, for each k of `counts`."""
        both, final = (as_token_sequence([token], self._model.dim)[0] for token in (_sum(x, y), y))
        return [self._refined(Counter({both: k}) + Counter([final]), final) for k in counts]

    def of_sequence(self, sequence: TokenSequence) -> arb:
        """F of a sequence of tokens with entries in the field of the model."""
        return self._refined(Counter(sequence), sequence[-1])

    def _refined(self, counts: Counter[tuple[Scalar, ...]], final: tuple[Scalar, ...]) -> arb:
        """The value with ever more working precision, until its radius is small enough."""
        bits, wanted = max(self.bits, 0) + _SPARE_BITS, arb(2) ** -self.bits
        while bits <= MOST_BITS:
            with ctx.workprec(bits):
                value = self._at_working_precision(counts, final)
                if value.is_finite() and value.rad() <= wanted:
                    return value
            bits *= 2
        raise OverBudgetError(f"{MOST_BITS} bits of working precision do not give a radius of 2^-{self.bits}")

    def _at_working_precision(self, counts: Counter[tuple[Scalar, ...]], final: tuple[Scalar, ...]) -> arb:
        """Scores relative to the final token, the largest of them taken off before the exponential."""
        if ctx.prec not in self._weights:
            self._weights[ctx.prec] = weights_as_balls(self._model)
        total, multiplicities = arb(0), [arb(count) for count in counts.values()]
        relative = [[as_ball(a - b) for a, b in zip(token, final, strict=True)] for token in counts]
        ends = [as_ball(b) for b in final]
        for head, W in zip(self._model.heads, self._weights[ctx.prec], strict=True):
            image = [_dot(row, ends) for row in W]
            scores = [_dot(image, token) for token in relative]
            top = max((score.mid() for score in scores), default=arb(0))
            weights = [m * (score - top).exp() for m, score in zip(multiplicities, scores, strict=True)]
            readouts = [as_ball(dot(head.v, token)) for token in counts]
            total += _dot(weights, readouts) / sum(weights, arb(0))
        return total


def _dot(left: Sequence[arb], right: Sequence[arb]) -> arb:
    return sum((a * b for a, b in zip(left, right, strict=True)), arb(0))


def _sum(x: IntegerToken, y: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(x, y, strict=True))


def exact_ends(value: arb) -> tuple[fmpq, fmpq]:
    """The lower and the upper end of a finite ball, exactly: midpoint and radius are dyadic rationals."""
    middle, radius = _dyadic(value.mid()), _dyadic(value.rad())
    return middle - radius, middle + radius


def _dyadic(number: arb) -> fmpq:
    mantissa, exponent = number.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)
