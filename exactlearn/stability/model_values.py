"""The model's own poles and residues at the tokens of a draw: exact rationals where they are short, else balls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb, fmpq

from exactlearn.errors import NotAtThisPlaceError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Head, MultiHeadAttention, dot
from exactlearn.places.protocol import IntegerToken
from exactlearn.stability.arithmetic import Real, ball


@dataclass(frozen=True)
class ModelValues:
    """Poles and residues of a canonical model.

    Attributes:
        model: The model.
        is_exact: Whether numbers are `fmpq` (log-rational weights over Q with a whole exponent), else balls at the
            working precision of the moment.
    """

    model: MultiHeadAttention
    is_exact: bool

    @cached_property
    def weights(self) -> list[list[list[arb]]]:
        """W_h of true e and, for balls, of log-rational weights, unit included."""
        unit = self.model.unit
        factor = ball(unit.square).sqrt() * unit.sign
        if unit.rational is not None:
            factor = ball(unit.rational)
        is_log = self.model.weights == "log-rational"
        return [
            [[factor * (as_ball(entry).log() if is_log else as_ball(entry)) for entry in row] for row in head.W]
            for head in self.model.heads
        ]

    def poles(self, x: IntegerToken, y: IntegerToken) -> tuple[Real, ...]:
        """t_h(x, y) of every head."""
        if self.is_exact:
            return tuple(self._exact_pole(head, x, y) for head in self.model.heads)
        rows = [[sum((w * b for w, b in zip(row, y, strict=True)), arb(0)) for row in W] for W in self.weights]
        return tuple(sum((w * a for w, a in zip(row, x, strict=True)), arb(0)).exp() for row in rows)

    def residues(self, x: IntegerToken) -> tuple[Real, ...]:
        """v_h.x of every head."""
        values = [dot(head.v, [fmpq(a) for a in x]) for head in self.model.heads]
        return tuple(value if self.is_exact else as_ball(value) for value in values)

    def value_at_zero(self, y: IntegerToken) -> Real:
        """F(0) = V.y."""
        value = dot(self.model.value_sum, [fmpq(b) for b in y])
        return value if self.is_exact else as_ball(value)

    def number(self, value: fmpq) -> Real:
        """A rational as a number of this kind."""
        return value if self.is_exact else ball(value)

    def _exact_pole(self, head: Head, x: IntegerToken, y: IntegerToken) -> fmpq:
        unit = self.model.unit.rational
        total = fmpq(1)
        for a, row in zip(x, head.W, strict=True):
            for b, entry in zip(y, row, strict=True):
                exponent = fmpq(a * b) * (fmpq(1) if unit is None else unit)
                if exponent.q != 1:
                    raise NotAtThisPlaceError("the unit makes an exponent fractional, so this pole is no rational")
                total *= entry ** int(exponent.p)
        return total


def pole_bits(model: MultiHeadAttention, xs: Sequence[IntegerToken], ys: Sequence[IntegerToken]) -> int:
    """About the most bits of a pole of a log-rational model at these tokens."""
    heads = [
        [[int(max(entry.p.bit_length(), entry.q.bit_length())) if entry != 1 else 0 for entry in row] for row in head.W]
        for head in model.heads
    ]
    size_x, size_y = (
        [max(abs(token[a]) for token in tokens) for a in range(model.dim)] for tokens in (xs, ys)
    )
    return max(
        (
            sum(bits * size_x[a] * size_y[b] for a, row in enumerate(W) for b, bits in enumerate(row))
            for W in heads
        ),
        default=0,
    )


def as_ball(value: Scalar) -> arb:
    """A rational or an element of a number field as a ball."""
    return value.ball() if isinstance(value, FieldElement) else ball(value)
