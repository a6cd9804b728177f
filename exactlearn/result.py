"""What a run of the learner found, and how: the recovered model, the counts, the redraws, the tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

from exactlearn.draws import Draw
from exactlearn.model import MultiHeadAttention
from exactlearn.places.residues import ResidueRing
from exactlearn.reading import Rejection


@dataclass(frozen=True)
class LearnResult:
    """What `learn` found, and how.

    Attributes:
        model: The recovered canonical model.
        queries: Value queries of the accepted draw; equals `predicted_queries`.
        max_length: Tokens in the longest of them.
        predicted_queries: What the schedule states.
        predicted_max_length: Likewise.
        rejections: The tokens or whole draws that were bad and drawn anew, with their reasons and costs.
        audit_queries: Queries asked afterwards to audit the result, counted apart.
        place: Name of the place.
        schedule: Name of the schedule.
        draw: The accepted tokens.
        seed: What draws and primes came from.
        box: Size of the box of the first draw of each token.
        ring: The ring in which the numbers were read off.
        oracle_seconds: Time spent in the black box, for all of this.
        learner_seconds: All the rest.
    """

    model: MultiHeadAttention
    queries: int
    max_length: int
    predicted_queries: int
    predicted_max_length: int
    rejections: tuple[Rejection, ...]
    audit_queries: int
    place: str
    schedule: str
    seed: int
    box: int
    draw: Draw = field(repr=False)
    ring: ResidueRing = field(repr=False)
    oracle_seconds: float = field(repr=False, compare=False)
    learner_seconds: float = field(repr=False, compare=False)

    @property
    def heads_found(self) -> int:
        """The number of canonical heads."""
        return len(self.model.heads)

    @property
    def redraws(self) -> int:
        """How many times tokens were drawn anew."""
        return len(self.rejections)

    @property
    def redraw_queries(self) -> int:
        """Queries spent on tokens that were bad, counted apart."""
        return sum(rejection.queries for rejection in self.rejections)
