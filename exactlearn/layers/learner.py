"""The learner of layers with biases and vector outputs, and of plain models under the other schedules (DESIGN 10).

As `exactlearn.learner` it holds an oracle and nothing else; the model found is checked before it is returned: at
the rational place against every answer, and everywhere on further sequences.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from exactlearn.auditing import audit_sequences, audit_shapes, contradicted_answer
from exactlearn.canonical import canonical_form
from exactlearn.draws import BadDraw, Draw, TokenSource
from exactlearn.errors import (
    DegenerateDrawError,
    NotAttentionError,
    PrecisionTooLowError,
    UnluckyPrimeError,
    UnusableInputError,
)
from exactlearn.fields.scalars import Scalar, bit_length
from exactlearn.layers.assembly import HeadNumbers
from exactlearn.layers.canonical import canonical_layer
from exactlearn.layers.oracle import VectorOracle
from exactlearn.layers.probing import Functional
from exactlearn.layers.reading import LayerReading
from exactlearn.layers.schedules import Schedule, parse_schedule
from exactlearn.layers.tokens import HomogeneousSource
from exactlearn.learner import MAX_DIGITS, MAX_DRAWS, MAX_PRIMES, MOST_HEADS, NO_RATIONALS
from exactlearn.model import AttentionLayer, Head, LayerHead, MultiHeadAttention
from exactlearn.places.field_rings import first_ring
from exactlearn.places.protocol import field_of
from exactlearn.places.radical_rings import next_ring
from exactlearn.places.residues import DIGITS, ResidueRing
from exactlearn.reading import Rejection


@dataclass(frozen=True)
class ScheduledResult:
    """What `learn_with_schedule` found, and how.

    Attributes:
        model: The recovered canonical model: a layer when the oracle answers for one, else an attention model.
        schedule: The schedule, with what it assumes.
        queries: Value queries of the accepted draw; equals `predicted_queries`.
        predicted_queries: What the schedule states, given how many heads show and which residues are equal.
        paper_queries: What the paper's schedule would have asked with the same bound.
        max_length: Tokens in the longest query.
        predicted_max_length: What the schedule states.
        tied_rows: The rows in which heads had equal residues, so that the lean schedule asked sum probes.
        rank_queries: Queries that tested the assumed rank, counted apart.
        audit_queries: Queries that audited the result, counted apart.
        rejections: Tokens or draws that were bad, with their costs.
        place: Name of the place.
        seed: What draws and primes came from.
        box: Size of the box of the first draw of each token.
        draw: The accepted tokens, homogeneous ones for a layer.
        ring: The ring in which the numbers were read off.
        oracle_seconds: Time spent in the black box.
        learner_seconds: All the rest.
    """

    model: AttentionLayer | MultiHeadAttention
    schedule: Schedule
    queries: int
    predicted_queries: int
    paper_queries: int
    max_length: int
    predicted_max_length: int
    tied_rows: tuple[int, ...]
    rank_queries: int
    audit_queries: int
    rejections: tuple[Rejection, ...]
    place: str
    seed: int
    box: int
    draw: Draw = field(repr=False)
    ring: ResidueRing = field(repr=False)
    oracle_seconds: float = field(repr=False, compare=False)
    learner_seconds: float = field(repr=False, compare=False)


def learn_with_schedule(
    oracle: VectorOracle,
    schedule: str = "paper",
    *,
    heads: int | None = None,
    max_heads: int | None = None,
    seed: int = 0,
    box: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScheduledResult:
    """Recover every canonical head (W, p, V) and s, or (W, v), from value queries alone.

    Args:
        oracle: As `vector_oracle_of` makes it.
        schedule: "paper", or one or more of "lean", "adaptive" and "low-rank:R" joined by "+".
        heads: The exact number H of canonical heads.  Give this or `max_heads`.
        max_heads: An upper bound H0 >= H instead.
        seed: Draws and primes come from it.
        box: Token entries lie in [-box, box]; left out, the place chooses.
        progress: Called with (probes read, probes in all) now and then.

    Raises:
        ConditionFailsError: When a head has a larger rank than the schedule assumes.
        NotAttentionError: When the outputs are not those of an attention model with so few heads.
        DegenerateDrawError: When every draw tried was bad.
        UnusableInputError: For arguments out of range.
    """
    if (heads is None) == (max_heads is None):
        raise UnusableInputError("give the exact number of heads or an upper bound on it, one of the two", "heads")
    bound = heads if heads is not None else max_heads
    if isinstance(bound, bool) or not isinstance(bound, int) or not 0 <= bound <= MOST_HEADS:
        raise UnusableInputError(f"a whole number from 0 to {MOST_HEADS} is expected, not {bound!r}", "heads")
    plan = parse_schedule(schedule, oracle.dim, bound, has_biases=oracle.has_biases)
    if plan.rank is not None and oracle.place.weights != "rational":
        raise UnusableInputError("low-rank takes rational weights: the rank of log T shows at no place", "--schedule")
    first_box = oracle.place.default_box(bound, plan.columns) if box is None else box
    if isinstance(first_box, bool) or not isinstance(first_box, int) or first_box < 1:
        raise UnusableInputError(f"a whole number from 1 on is expected, not {box!r}", "box")
    if first_box > oracle.place.largest_box:
        raise UnusableInputError(f"at most {oracle.place.largest_box} at the {oracle.place.name} place", "box")
    return _Run(oracle, plan, heads is not None, seed, first_box, box is None, progress).learn()


@dataclass
class _Run:
    oracle: VectorOracle
    plan: Schedule
    is_exact: bool
    seed: int
    box: int
    box_grows: bool
    progress: Callable[[int, int], None] | None

    def learn(self) -> ScheduledResult:
        started, oracle_started = time.perf_counter(), self.oracle.seconds
        rejections: list[Rejection] = []
        for attempt in range(MAX_DRAWS):
            source = self._source(attempt)
            self.oracle.new_tally()
            ring = first_ring(field_of(self.oracle.place), self.seed)
            try:
                model, reading = self._read(source, rejections, ring)
                asked = self.oracle.tally
                model, reading = self._settle(model, reading, rejections)
            except BadDraw as bad:
                rejections.append(Rejection(str(bad), self.oracle.tally.queries))
                continue
            oracle_seconds = self.oracle.seconds - oracle_started
            tied = tuple(reading.tied_rows)
            tied_probes = sum(i < self.plan.rows_of(j) for i in tied for j in range(1, self.plan.columns))
            return ScheduledResult(
                model=model,
                schedule=self.plan,
                queries=asked.queries,
                predicted_queries=self.plan.predicted_queries(reading.heads_seen, tied_probes),
                paper_queries=self.plan.paper_queries,
                max_length=asked.max_length,
                predicted_max_length=self.plan.predicted_max_length,
                tied_rows=tied,
                rank_queries=reading.rank_queries,
                audit_queries=self.oracle.tally.queries - asked.queries,
                rejections=tuple(rejections),
                place=self.oracle.place.name,
                seed=self.seed,
                box=source.box,
                draw=source.draw(),
                ring=reading.ring,
                oracle_seconds=oracle_seconds,
                learner_seconds=time.perf_counter() - started - oracle_seconds,
            )
        raise NotAttentionError(
            f"{MAX_DRAWS} draws gave no attention model with at most {self.plan.bound} heads: {rejections[-1].reason}"
        )

    def _source(self, attempt: int) -> TokenSource:
        multiple = self.oracle.place.token_multiple
        box = self.box * (2 + attempt) // 2 if self.box_grows else self.box
        kind = HomogeneousSource if self.plan.has_biases else TokenSource
        return kind(self.plan.columns, self.seed, attempt, box, multiple, grows=self.box_grows)

    def _read(
        self, source: TokenSource, rejections: list[Rejection], ring: ResidueRing
    ) -> tuple[AttentionLayer | MultiHeadAttention, LayerReading]:
        """Read one draw, with another prime or more digits when these are wanting."""
        primes = 1
        while True:
            reading = self._reading(source, ring, rejections)
            try:
                heads, constant = reading.read()
            except UnluckyPrimeError as error:
                if primes == MAX_PRIMES:
                    raise NotAttentionError(f"modulo every prime tried: {error}") from None
                ring, primes = next_ring(ring, error), primes + error.is_accident
                self.oracle.recount()
            except PrecisionTooLowError:
                ring = self._with_more_digits(ring)
            except DegenerateDrawError as error:
                advice = ""
                if self.is_exact:
                    advice = "; perhaps there are fewer canonical heads: give an upper bound on them instead"
                raise DegenerateDrawError(f"{error}{advice}") from None
            else:
                return self._model(heads, constant, ring), reading

    def _reading(self, source: TokenSource, ring: ResidueRing, rejections: list[Rejection]) -> LayerReading:
        done = 0

        def advance(probes: int) -> None:
            nonlocal done
            done += probes
            if self.progress:
                self.progress(done, self.plan.probes)

        functional = Functional.seeded(self.oracle.outputs, self.seed, source.attempt)
        return LayerReading(self.oracle, source, ring, self.plan, functional, self.is_exact, rejections, advance)

    def _model(
        self, heads: list[HeadNumbers], constant: list[Scalar], ring: ResidueRing
    ) -> AttentionLayer | MultiHeadAttention:
        place, dim = self.oracle.place, self.plan.dim
        kind: dict[str, Any] = {"dim": dim, "weights": place.weights, "unit": place.unit, "field": ring.number_field}
        if not self.plan.has_biases:
            return canonical_form(MultiHeadAttention([Head(head.W, head.V[0]) for head in heads], **kind))
        found = [LayerHead([row[:dim] for row in h.W[:dim]], [row[dim] for row in h.W[:dim]], h.V) for h in heads]
        return canonical_layer(AttentionLayer(found, outputs=self.oracle.outputs, s=constant, **kind))

    def _with_more_digits(self, ring: ResidueRing) -> ResidueRing:
        if ring.modulus.bit_length() < self._most_bits():
            return ring.finer()
        if ring.is_small:  # what was read may be a chance coincidence
            return ring.with_next_prime().with_digits(DIGITS)
        if not self.is_exact:
            raise BadDraw("hidden head", "", NO_RATIONALS, is_whole=True)
        raise NotAttentionError(f"{NO_RATIONALS}: not an attention model with so few heads")

    def _most_bits(self) -> int:
        """At the rational place T is no longer than the answers; elsewhere a fixed bound."""
        lists = [values for oracle in self.oracle.coordinates for values in oracle.exact_answers().values()]
        longest = max((bit_length(value) for values in lists for value in values), default=0)
        return min(MAX_DIGITS * 60, 256 + 8 * longest) if longest else MAX_DIGITS * 60

    def _settle(
        self, model: AttentionLayer | MultiHeadAttention, reading: LayerReading, rejections: list[Rejection]
    ) -> tuple[AttentionLayer | MultiHeadAttention, LayerReading]:
        """The model once nothing contradicts it; a contradiction is believed when twice the digits give the same."""
        while contradiction := self._contradiction(model, reading.ring):
            finer, reading = self._read(reading.source, rejections, reading.ring.finer())
            if finer == model:
                reason = f"the only candidate with so many heads contradicts {contradiction}"
                if self.is_exact:
                    raise NotAttentionError(reason)
                raise BadDraw("hidden head", "", reason, is_whole=True)
            model = finer
        return model, reading

    def _contradiction(self, model: AttentionLayer | MultiHeadAttention, ring: ResidueRing) -> str | None:
        coordinates = model.readings if isinstance(model, AttentionLayer) else (model,)
        for oracle, coordinate in zip(self.oracle.coordinates, coordinates, strict=True):
            contradiction = contradicted_answer(oracle, coordinate)
            if contradiction is not None:
                return contradiction
        ring = ring.with_next_prime().with_digits(DIGITS)
        for _ in range(MAX_PRIMES):
            try:
                return self._failed_audit(coordinates, ring)
            except UnluckyPrimeError as error:
                ring = next_ring(ring, error)
        raise NotAttentionError("modulo every prime tried something vanishes in the audit")

    def _failed_audit(self, coordinates: tuple[MultiHeadAttention, ...], ring: ResidueRing) -> str | None:
        """The first audited sequence on which the model is not the black box; exact values where there are any."""
        place = self.oracle.place
        boxes = [place.black_box(model) for model in coordinates]
        shapes = audit_shapes(self.plan.bound, is_thorough=place.answers_are_exact)
        last = (1,) * self.plan.has_biases
        for plain in audit_sequences(self.plan.dim, shapes, seed=self.seed, multiple=place.token_multiple):
            tokens = tuple((*token, *last) for token in plain)
            seen = self.oracle.value(tokens, ring)
            for oracle, box, image in zip(self.oracle.coordinates, boxes, seen, strict=True):
                answer = box.value(tokens, ring)
                is_exact = place.answers_are_exact
                if place.see([answer], ring)[0] != image or (is_exact and oracle.exact_answers()[tokens] != [answer]):
                    return f"the audit on {plain}"
        return None
