"""Models whose outputs are wrong by known amounts, for the tests of the learner on balls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from flint import arb, ctx, fmpq

from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw, TokenSource
from exactlearn.model import Head, MultiHeadAttention, Unit, WeightKind
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.real import RealBlackBox

EXACT_BITS = 600


@dataclass
class PerturbedBlackBox:
    """Outputs wrong by at most delta, every other time by exactly delta, told with the radius `told`."""

    model: MultiHeadAttention
    delta: fmpq
    told: fmpq
    generator: random.Random
    _exact: RealBlackBox = field(init=False)

    def __post_init__(self) -> None:
        self._exact = RealBlackBox(self.model, EXACT_BITS)

    def value(self, tokens: Sequence[IntegerToken]) -> arb:
        """One wrong output."""
        return self._wrong(self._exact.value(tokens))

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int]) -> list[arb]:
        """Wrong outputs."""
        return [self._wrong(value) for value in self._exact.copies(x, y, counts)]

    def _wrong(self, value: arb) -> arb:
        size = self.generator.choice((2**20, self.generator.randint(0, 2**20)))
        shift = self.generator.choice((-1, 1)) * self.delta * fmpq(size, 2**20)
        with ctx.workprec(2 * EXACT_BITS):
            return value + _ball(shift) + arb(0, _ball(self.told).upper())


def random_model(
    generator: random.Random, heads: int, dim: int, weights: WeightKind = "rational", unit: Unit | None = None
) -> MultiHeadAttention:
    """A canonical model with small weights."""

    def small() -> fmpq:
        return fmpq(generator.randint(-16, 16), 16)

    def entry() -> fmpq:
        return small() if weights == "rational" else fmpq(generator.randint(4, 16), generator.randint(4, 16))

    while True:
        made = [
            Head([[entry() for _ in range(dim)] for _ in range(dim)], [small() for _ in range(dim)])
            for _ in range(heads)
        ]
        model = canonical_form(MultiHeadAttention(made, weights=weights, unit=unit or Unit.of(1)))
        if len(model.heads) == heads:
            return model


def random_draw(seed: int, dim: int, box: int = 1) -> Draw:
    """The first draw of a seed, good or bad."""
    return TokenSource(dim, seed, 0, box).draw()


def _ball(value: fmpq) -> arb:
    return arb(value.p) / arb(value.q)
