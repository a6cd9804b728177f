"""The exact learner: every head of an attention model from value queries alone (DESIGN section 4).

It holds an oracle and nothing else.  A draw is read in one ring; a bad draw is named and drawn anew, an unlucky
prime is replaced, digits are added until every number stands out, and the model found is checked before it is
returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from exactlearn.auditing import contradicted_answer, failed_audit
from exactlearn.canonical import canonical_form
from exactlearn.draws import BadDraw, TokenSource
from exactlearn.errors import (
    DegenerateDrawError,
    NotAttentionError,
    PrecisionTooLowError,
    UnluckyPrimeError,
    UnusableInputError,
)
from exactlearn.fields.scalars import bit_length
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import Oracle, oracle_of_function
from exactlearn.places.field_rings import first_ring
from exactlearn.places.protocol import IntegerToken, field_of
from exactlearn.places.radical_rings import next_ring
from exactlearn.places.residues import DIGITS, ResidueRing
from exactlearn.reading import DrawReading, Question, Rejection
from exactlearn.result import LearnResult
from exactlearn.schedule import PaperSchedule

MAX_DRAWS = 6
"""Whole draws tried before giving up; single bad tokens are redrawn within a draw."""

MOST_HEADS = 256
"""The interpolation of a probe takes time and memory with the square of the number of heads."""

MAX_UNREADABLE = 3
"""Whole draws tried that end without rational parameters, each after long calculations."""

NO_RATIONALS = "the parameters that fit the answers are no rational numbers of reasonable length"

MAX_DIGITS = 640
"""Digits base p, of 61 bits, after which numbers are held to be no rationals of any use: about 39,000 bits."""

MAX_PRIMES = 4
"""A collapse modulo this many primes in a row is no accident of the prime."""


def learn(
    oracle: Oracle | Callable[..., Any],
    dim: int | None = None,
    *,
    heads: int | None = None,
    max_heads: int | None = None,
    seed: int = 0,
    box: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LearnResult:
    """Recover every canonical head (W, v) of an attention model from value queries.

    Args:
        oracle: An `Oracle`, or any function from a tuple of integer tokens (tuples of ints) to an exact rational
            (int, Fraction, fmpq), which is then seen at the rational place.
        dim: The dimension d of the tokens; may be left out with an `Oracle`.
        heads: The exact number H of canonical heads.  Give this or `max_heads`.
        max_heads: An upper bound H0 >= H instead.
        seed: Draws and primes come from it.
        box: Token entries lie in [-box, box]; left out, the place chooses, and a redraw enlarges it.
        progress: Called with (probes read, probes in all) now and then.

    Returns:
        The recovered model with its exact counts.  At the rational place every answer was recomputed from it.

    Raises:
        NotAttentionError: When the outputs are not those of an attention model with so few heads.
        DegenerateDrawError: When every draw tried was bad.
        UnusableInputError: For arguments out of range.
    """
    if dim is None and isinstance(oracle, Oracle):
        dim = oracle.dim
    if dim is None:
        raise UnusableInputError("a black box does not tell its dimension: give dim", "dim")
    dim = _whole(dim, "dim", 1)
    if not isinstance(oracle, Oracle):
        oracle = oracle_of_function(oracle, dim)
    elif oracle.dim != dim:
        raise UnusableInputError(f"the oracle has dimension {oracle.dim}, not {dim}", "dim")
    if (heads is None) == (max_heads is None):
        raise UnusableInputError("give the exact number of heads or an upper bound on it, one of the two", "heads")
    bound = _whole(heads, "heads", 0) if heads is not None else _whole(max_heads, "max_heads", 0)
    question = Question(dim, bound, is_exact=heads is not None)
    if bound > MOST_HEADS:
        raise UnusableInputError(f"at most {MOST_HEADS} heads can be told apart here, not {bound}", "heads")
    first_box = oracle.place.default_box(bound, dim) if box is None else _whole(box, "box", 1)
    if first_box > oracle.place.largest_box:
        raise UnusableInputError(f"at most {oracle.place.largest_box} at the {oracle.place.name} place", "box")
    return _Run(oracle, question, _whole(seed, "seed", None), first_box, box is None, progress).learn()


@dataclass
class _Run:
    oracle: Oracle
    question: Question
    seed: int
    box: int
    box_grows: bool
    progress: Callable[[int, int], None] | None

    @property
    def schedule(self) -> PaperSchedule:
        return PaperSchedule(self.question.dim, self.question.bound)

    def learn(self) -> LearnResult:
        started, oracle_started = time.perf_counter(), self.oracle.seconds
        rejections: list[Rejection] = []
        for attempt in range(MAX_DRAWS):
            source = self._source(attempt)
            self.oracle.new_tally()
            try:
                model, ring = self._read(source, rejections, first_ring(field_of(self.oracle.place), self.seed))
                asked = replace(self.oracle.tally)
                model, ring = self._settle(model, ring, source, rejections)
            except BadDraw as bad:
                rejections.append(Rejection(str(bad), self.oracle.tally.queries))
                if sum(NO_RATIONALS in rejection.reason for rejection in rejections) == MAX_UNREADABLE:
                    break
                continue
            oracle_seconds = self.oracle.seconds - oracle_started
            return LearnResult(
                model=model,
                queries=asked.queries,
                max_length=asked.max_length,
                predicted_queries=self.schedule.predicted_queries,
                predicted_max_length=self.schedule.predicted_max_length,
                rejections=tuple(rejections),
                audit_queries=self.oracle.tally.queries - asked.queries,
                place=self.oracle.place.name,
                schedule=self.schedule.name,
                seed=self.seed,
                box=source.box,
                draw=source.draw(),
                ring=ring,
                oracle_seconds=oracle_seconds,
                learner_seconds=time.perf_counter() - started - oracle_seconds,
            )
        raise self._gave_up(attempt + 1, rejections[-1].reason)

    def _gave_up(self, draws: int, reason: str) -> NotAttentionError | DegenerateDrawError:
        """With an upper bound a hidden head and another kind of function look alike, but for the odds of the draws."""
        told = f"{draws} draws gave no attention model with at most {self.question.bound} heads: {reason}"
        if self.box < self.oracle.place.default_box(self.question.bound, self.question.dim):
            return DegenerateDrawError(f"{told}; tokens from a larger box than {self.box} would be bad less often")
        return NotAttentionError(told)

    def _source(self, attempt: int) -> TokenSource:
        multiple = self.oracle.place.token_multiple
        box = self.box * (2 + attempt) // 2 if self.box_grows else self.box
        return TokenSource(self.question.dim, self.seed, attempt, box, multiple, grows=self.box_grows)

    def _read(
        self, source: TokenSource, rejections: list[Rejection], ring: ResidueRing
    ) -> tuple[MultiHeadAttention, ResidueRing]:
        """Read one draw in this ring, with another prime or more digits when these are wanting."""
        primes = 1
        while True:
            try:
                heads = self._reading(source, ring, rejections).read()
            except UnluckyPrimeError as error:
                if primes == MAX_PRIMES:
                    raise NotAttentionError(f"modulo every prime tried: {error}") from None
                ring, primes = next_ring(ring, error), primes + error.is_accident
                self.oracle.recount()
            except PrecisionTooLowError:
                ring = self._with_more_digits(ring)
            except DegenerateDrawError as error:
                advice = ""
                if self.question.is_exact:
                    advice = "; perhaps there are fewer canonical heads: give an upper bound on them instead"
                raise DegenerateDrawError(f"{error}{advice}") from None
            else:
                place = self.oracle.place
                dim, field = self.question.dim, ring.number_field
                found = MultiHeadAttention(heads, dim=dim, weights=place.weights, unit=place.unit, field=field)
                return canonical_form(found), ring

    def _with_more_digits(self, ring: ResidueRing) -> ResidueRing:
        if ring.modulus.bit_length() < self._most_bits():
            return ring.finer()
        if ring.is_small:  # what was read may be a chance coincidence
            return _fresh(ring)
        if not self.question.is_exact:
            raise BadDraw("hidden head", "", NO_RATIONALS, is_whole=True)
        raise NotAttentionError(f"{NO_RATIONALS}: not an attention model with so few heads")

    def _most_bits(self) -> int:
        """At the rational place T is no longer than the answers; elsewhere a fixed bound."""
        answers = self.oracle.exact_answers().values()
        longest = max((bit_length(v) for values in answers for v in values), default=0)
        most = MAX_DIGITS * 60
        return min(most, 256 + 8 * longest) if longest else most

    def _reading(self, source: TokenSource, ring: ResidueRing, rejections: list[Rejection]) -> DrawReading:
        total, done = self.schedule.predicted_probes, 0

        def advance(probes: int) -> None:
            nonlocal done
            done += probes
            if self.progress:
                self.progress(done, total)

        return DrawReading(self.oracle, source, ring, self.question, rejections, advance)

    def _settle(
        self, model: MultiHeadAttention, ring: ResidueRing, source: TokenSource, rejections: list[Rejection]
    ) -> tuple[MultiHeadAttention, ResidueRing]:
        """The model once nothing contradicts it.

        A contradiction is believed only when twice the digits give the same model: a number may have been read off
        too early.
        """
        while contradiction := self._contradiction(model, ring):
            finer_model, ring = self._read(source, rejections, ring.finer())
            if finer_model == model:
                reason = f"the only candidate with so many heads contradicts {contradiction}"
                if self.question.is_exact:
                    raise NotAttentionError(reason)
                raise BadDraw("hidden head", "", reason, is_whole=True)
            model = finer_model
        return model, ring

    def _contradiction(self, model: MultiHeadAttention, ring: ResidueRing) -> str | None:
        contradiction = contradicted_answer(self.oracle, model)
        if contradiction is None:
            # Another prime: what agrees by chance modulo the one does not agree modulo the other.
            tokens = self._failed_audit(model, _fresh(ring))
            contradiction = f"the audit on {tokens}" if tokens else None
        return contradiction

    def _failed_audit(self, model: MultiHeadAttention, ring: ResidueRing) -> tuple[IntegerToken, ...] | None:
        primes = 1
        while True:
            try:
                return failed_audit(self.oracle, model, ring, seed=self.seed, bound=self.question.bound)
            except UnluckyPrimeError as error:
                if primes == MAX_PRIMES:
                    raise NotAttentionError(f"modulo every prime tried: {error}") from None
                ring, primes = next_ring(ring, error), primes + error.is_accident


def _fresh(ring: ResidueRing) -> ResidueRing:
    """Another prime, with as many digits as a run begins with."""
    return ring.with_next_prime().with_digits(DIGITS)


def _whole(value: Any, name: str, least: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number from {least} on"
        raise UnusableInputError(f"{wanted} is expected, not {value!r}", name)
    return value
