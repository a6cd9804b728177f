"""The black box of a layer as its learner holds it: one query answers in all m coordinates and counts once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import fmpz

from exactlearn.model import AttentionLayer, MultiHeadAttention
from exactlearn.oracle import Mark, Oracle, Tally, oracle_of
from exactlearn.places.protocol import IntegerToken, Place
from exactlearn.places.residues import ResidueRing


@dataclass(frozen=True)
class VectorOracle:
    """Value queries to a function with values in R^m, counted.

    Attributes:
        coordinates: One oracle for each coordinate; all are asked the same queries, so the counts of one are those
            of all.  The tokens of a layer are homogeneous, [x, 1].
        dim: The dimension d of the tokens as a user has them.
        has_biases: Whether the tokens are homogeneous.
    """

    coordinates: tuple[Oracle, ...]
    dim: int
    has_biases: bool

    @property
    def place(self) -> Place:
        """Where the values are seen."""
        return self.coordinates[0].place

    @property
    def outputs(self) -> int:
        """The number m."""
        return len(self.coordinates)

    @property
    def tally(self) -> Tally:
        """Counts since the last `new_tally`, as they are now."""
        return replace(self.coordinates[0].tally)

    @property
    def seconds(self) -> float:
        """Time spent inside the black box."""
        return sum(oracle.seconds for oracle in self.coordinates)

    def new_tally(self) -> None:
        """Start counting afresh, as if nothing had been asked before."""
        for oracle in self.coordinates:
            oracle.new_tally()

    def recount(self) -> None:
        """Start counting afresh and keep the answers."""
        for oracle in self.coordinates:
            oracle.recount()

    def mark(self) -> list[Mark]:
        """This point in the run, for `discard_since`."""
        return [oracle.mark() for oracle in self.coordinates]

    def discard_since(self, marks: list[Mark]) -> int:
        """Take the counts back to what they were; returns how many queries were asked since."""
        wasted = [oracle.discard_since(mark) for oracle, mark in zip(self.coordinates, marks, strict=True)]
        return wasted[0]

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> list[fmpz]:
        """The image of f on one sequence, coordinate by coordinate."""
        return [oracle.value(tokens, ring) for oracle in self.coordinates]

    def copies(self, x: IntegerToken, y: IntegerToken, most: int, ring: ResidueRing) -> list[list[fmpz]]:
        """For each coordinate the images of F(1), ..., F(most)."""
        return [oracle.copies(x, y, most, ring) for oracle in self.coordinates]


def vector_oracle_of(model: MultiHeadAttention | AttentionLayer) -> VectorOracle:
    """A model of either form as a black box at its exact place."""
    if isinstance(model, MultiHeadAttention):
        return VectorOracle((oracle_of(model),), model.dim, has_biases=False)
    return VectorOracle(tuple(map(oracle_of, model.readings)), model.dim, has_biases=True)
