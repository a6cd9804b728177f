"""Value queries to a Transformer, counted by what they were asked for; all that its learner may hold.

Negating every token leaves the softmax as it is and turns every z_j into -z_j, so f(X) - f(-X) is odd and
f(X) + f(-X) even; each of their values costs two value queries.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from exactlearn.model import Transformer
from exactlearn.oracle import place_of
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, Place
from exactlearn.places.residues import ResidueRing
from exactlearn.transformers.black_box import transformer_black_box

Query = tuple[IntegerToken, IntegerToken, int]


@dataclass
class TransformerOracle:
    """A Transformer as the learner holds it.

    The same query seen in a finer ring is the same query and is not counted again.

    Attributes:
        place: Where the values are seen.
        dim: The dimension d of the tokens.
        counts: Value queries by purpose.
        max_length: Tokens in the longest query.
        seconds: Time spent in the black box.
    """

    place: Place
    dim: int
    _black_box: BlackBox = field(repr=False)
    counts: dict[str, int] = field(default_factory=dict)
    max_length: int = 0
    seconds: float = 0.0
    _asked: dict[tuple[IntegerToken, ...] | Query, str] = field(default_factory=dict, repr=False)

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing, purpose: str) -> Answer:
        """The answer to one value query, as the place gives it."""
        key = tuple(tokens)
        self._count(key, 1, len(key), purpose)
        started = time.perf_counter()
        answer = self._black_box.value(key, ring)
        self.seconds += time.perf_counter() - started
        return answer

    def copies(
        self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing, purpose: str
    ) -> list[Answer]:
        """The answers for k copies of x + y followed by y, k from `counts`."""
        for k in counts:
            self._count((x, y, k), 1, k + 1, purpose)
        started = time.perf_counter()
        answers = self._black_box.copies(x, y, counts, ring)
        self.seconds += time.perf_counter() - started
        return answers

    def recount(self, purpose: str, other: str) -> None:
        """What was asked for one purpose was wasted: count it under another, and anew when it is asked again."""
        self.counts[other] = self.counts.get(other, 0) + self.counts.pop(purpose, 0)
        self._asked = {key: why for key, why in self._asked.items() if why != purpose}

    def _count(self, key: tuple[IntegerToken, ...] | Query, queries: int, length: int, purpose: str) -> None:
        if key in self._asked:
            return
        self._asked[key] = purpose
        self.counts[purpose] = self.counts.get(purpose, 0) + queries
        self.max_length = max(self.max_length, length)


class OddPart:
    """f(X) - f(-X) as a black box for the learner of attention models."""

    def __init__(self, oracle: TransformerOracle) -> None:
        self._oracle = oracle

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """The odd part of one sequence."""
        positive = self._oracle.value(tokens, ring, "odd")
        return self._difference(positive, self._oracle.value([negated(token) for token in tokens], ring, "odd"), ring)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """The odd part of k copies of x + y followed by y."""
        positive = self._oracle.copies(x, y, counts, ring, "odd")
        negative = self._oracle.copies(negated(x), negated(y), counts, ring, "odd")
        return [self._difference(a, b, ring) for a, b in zip(positive, negative, strict=True)]

    def _difference(self, left: Answer, right: Answer, ring: ResidueRing) -> Answer:
        return left - right if self._oracle.place.answers_are_exact else (left - right) % ring.modulus


def negated(token: IntegerToken) -> IntegerToken:
    """-x."""
    return tuple(-entry for entry in token)


def transformer_oracle(model: Transformer) -> TransformerOracle:
    """A Transformer as a black box at the exact place of its weights."""
    return TransformerOracle(place_of(model.odd_part), model.dim, transformer_black_box(model))
