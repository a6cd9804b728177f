"""A black box that counts for itself which sequences were asked: a second opinion on the oracle's tally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from exactlearn.places.protocol import Answer, BlackBox, IntegerToken
from exactlearn.places.residues import ResidueRing


@dataclass
class CountingBlackBox:
    """Hands every question on, and remembers the sequences as a set: asking one again is no new query.

    Attributes:
        probed: (x, y, k) for every sequence of k copies of x + y followed by y.
        sequences: Every other sequence.
    """

    _inner: BlackBox = field(repr=False)
    probed: set[tuple[IntegerToken, IntegerToken, int]] = field(default_factory=set)
    sequences: set[tuple[IntegerToken, ...]] = field(default_factory=set)

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """The inner box's answer, noted."""
        self.sequences.add(tuple(tokens))
        return self._inner.value(tokens, ring)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """The inner box's answers, noted."""
        self.probed |= {(x, y, k) for k in counts}
        return self._inner.copies(x, y, counts, ring)

    @property
    def queries(self) -> int:
        """How many different sequences were asked."""
        return len(self.probed) + len(self.sequences)

    @property
    def longest_probe(self) -> int:
        """Tokens in the longest probe sequence: the largest copy count and the final token."""
        return max((k for _, _, k in self.probed), default=0) + 1
