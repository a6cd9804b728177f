"""What the claims about one instance share: its canonical form, runs of the learner, a probe that parts heads."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import fmpq, fmpz

from exactlearn.canonical import canonical_form
from exactlearn.claims.counting import CountingBlackBox
from exactlearn.claims.symbolic_probe import poles_of, value_at_zero
from exactlearn.genericity import BadSet
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, dot
from exactlearn.oracle import Oracle, place_of
from exactlearn.places.field_rings import first_ring
from exactlearn.places.protocol import IntegerToken, Place
from exactlearn.places.residues import ResidueRing
from exactlearn.result import LearnResult

_TRIES_PER_BOX = 16


@dataclass(frozen=True)
class Run:
    """One run of the learner, and what an independent counter at the black box saw of it."""

    result: LearnResult
    counter: CountingBlackBox


@dataclass(frozen=True)
class Context:
    """One instance.

    Attributes:
        model: The model as given, with raw heads.
        seed: Every random choice comes from it.
        draws: How many draws the claim probability-one observes for each box.
    """

    model: MultiHeadAttention
    seed: int = 0
    draws: int = 100
    _runs: dict[tuple[int, bool], Run] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def canonical(self) -> MultiHeadAttention:
        """The canonical form."""
        return canonical_form(self.model)

    @property
    def heads(self) -> int:
        """H, the number of canonical heads."""
        return len(self.canonical.heads)

    @property
    def dim(self) -> int:
        """The dimension d."""
        return self.model.dim

    @cached_property
    def place(self) -> Place:
        """The exact place of this kind of model."""
        return place_of(self.model)

    @cached_property
    def ring(self) -> ResidueRing:
        """Z/p^k for images; the prime comes from the seed, for a number field with roots of its polynomial."""
        return first_ring(self.model.field, self.seed)

    @cached_property
    def bad_set(self) -> BadSet:
        """The genericity polynomials of the canonical form."""
        return BadSet(self.canonical)

    @property
    def learned(self) -> Run:
        """The learner's run on the raw model, told the exact number of canonical heads."""
        return self.run(self.heads, is_exact=True)

    def run(self, bound: int, *, is_exact: bool) -> Run:
        """A run of the learner with this number of heads, or bound on it; kept for all claims.

        Raises:
            ExactlearnError: What the learner raises.
        """
        key = (bound, is_exact)
        if key not in self._runs:
            counter = CountingBlackBox(self.place.black_box(self.model))
            oracle = Oracle(self.place, self.dim, counter)
            heads, most = (bound, None) if is_exact else (None, bound)
            self._runs[key] = Run(learn(oracle, heads=heads, max_heads=most, seed=self.seed), counter)
        return self._runs[key]

    @cached_property
    def separated_probe(self) -> tuple[IntegerToken, IntegerToken]:
        """A probe (x, y) with small whole entries where all poles are distinct and no residue v_h.x is zero.

        Decided exactly in the exponents; exists since the heads are canonical (DESIGN section 5).
        """
        for x, y in self.small_probes():
            logs = {self.bad_set.weights.form(h, x, y) for h in range(self.heads)}
            if len(logs) == self.heads and all(self.residues(x)):
                return x, y
        raise AssertionError("unreachable: the probes do not end")  # pragma: no cover

    def small_probes(self) -> itertools.chain[tuple[IntegerToken, IntegerToken]]:
        """Seeded probes from growing boxes, without end; x is a multiple of what the place asks for."""
        generator = random.Random(f"probe {self.seed}")

        def token(box: int, multiple: int) -> IntegerToken:
            return tuple(multiple * generator.randint(-box, box) for _ in range(self.dim))

        return itertools.chain.from_iterable(
            ((token(box, self.place.token_multiple), token(box, 1)) for _ in range(_TRIES_PER_BOX))
            for box in itertools.count(1)
        )

    def residues(self, x: Sequence[int]) -> list[fmpq]:
        """c_h = v_h.x of the canonical heads."""
        token = [fmpq(a) for a in x]
        return [dot(head.v, token) for head in self.canonical.heads]

    def rational_poles(self, x: IntegerToken, y: IntegerToken) -> list[fmpq] | None:
        """The t_h(x, y) themselves when all are rational, or in the number field, as for log-rational weights."""
        if self.model.weights != "log-rational":
            return None
        values = [pole.algebraic for pole in poles_of(self.canonical, x, y)]
        return [value for value in values if value is not None] if None not in values else None

    def value_at_zero(self, y: Sequence[int]) -> fmpq:
        """F(0) = V.y."""
        return value_at_zero(self.canonical, y)

    def pole_images(self, x: IntegerToken, y: IntegerToken) -> list[fmpz]:
        """The images of t_h(x, y) in Z/p^k, from F(1) of one head whose v is known.

        With v.x = c not zero mod p:  F(1) - F(0) = c t / (1 + t).
        """
        if not any(x):
            return [fmpz(1)] * self.heads
        ring, base = self.ring, 2 * max(abs(a) for a in x) + 1
        value = [fmpq(base**a) for a in range(self.dim)]
        c, at_zero = (ring.reduce(dot(value, [fmpq(a) for a in token])) for token in (x, y))
        images = []
        for head in self.canonical.heads:
            box = self.place.black_box(self.model.with_heads([Head(head.W, value)]))
            share = (self.place.see(box.copies(x, y, [1], ring), ring)[0] - at_zero) * ring.inverse(c) % ring.modulus
            images.append(share * ring.inverse((1 - share) % ring.modulus) % ring.modulus)
        return images
