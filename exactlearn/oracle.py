"""The black box as the learner holds it: it answers, it counts, and there is no way back to a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flint import fmpz

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.model import MultiHeadAttention
from exactlearn.places.padic import PadicPlace
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, Place
from exactlearn.places.rational import CallableBlackBox, RationalPlace
from exactlearn.places.residues import ResidueRing

IntegerSequence = tuple[IntegerToken, ...]


@dataclass(frozen=True)
class ProbeKey:
    """The queries (x + y)^k y for k = 1, ..., most."""

    x: IntegerToken
    y: IntegerToken
    most: int


@dataclass
class Tally:
    """How many value queries were asked, and the number of tokens in the longest of them."""

    queries: int = 0
    max_length: int = 0


@dataclass(frozen=True)
class Mark:
    """A point in the run to which the tally can be taken back: the tally then, and how many keys were asked."""

    tally: Tally
    asked: int


@dataclass
class Oracle:
    """Value queries to one black box at one place, counted.

    The same query seen again in a finer ring, or modulo another prime, is the same query and is not counted again.

    Attributes:
        place: Where the values are seen.
        dim: The dimension d of the tokens.
        tally: Counts since the last `new_tally`.
        seconds: Time spent inside the black box, in all.
    """

    place: Place
    dim: int
    _black_box: BlackBox = field(repr=False)
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    _asked: dict[ProbeKey | IntegerSequence, None] = field(default_factory=dict, repr=False)
    _transcript: dict[ProbeKey | IntegerSequence, list[Answer]] = field(default_factory=dict, repr=False)
    _discarded: dict[ProbeKey | IntegerSequence, list[Answer]] = field(default_factory=dict, repr=False)

    def new_tally(self) -> Tally:
        """Start counting afresh, as if nothing had been asked before; returns the new tally."""
        self.recount()
        self._transcript, self._discarded = {}, {}
        return self.tally

    def recount(self) -> None:
        """Start counting afresh and keep the answers: a query used again counts once, and is not asked again."""
        self.tally, self._asked = Tally(), {}

    def mark(self) -> Mark:
        """This point in the run, for `discard_since`."""
        return Mark(replace(self.tally), len(self._asked))

    def discard_since(self, mark: Mark) -> int:
        """Take the tally back to what it was at `mark`; returns how many queries were asked since.

        Should one of them be asked again, it counts again.
        """
        wasted = self.tally.queries - mark.tally.queries
        self.tally = replace(mark.tally)
        for key in list(self._asked)[mark.asked :]:
            del self._asked[key]
            if key in self._transcript:
                self._discarded[key] = self._transcript.pop(key)
        return wasted

    def copies(self, x: IntegerToken, y: IntegerToken, most: int, ring: ResidueRing) -> list[fmpz]:
        """The images of F(1), ..., F(most), where F(k) is f of k copies of x + y followed by y."""
        return self._ask(
            ProbeKey(x, y, most), most, most + 1, lambda: self._black_box.copies(x, y, range(1, most + 1), ring), ring
        )

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> fmpz:
        """The image of f on one sequence."""
        key = tuple(tokens)
        return self._ask(key, 1, len(key), lambda: [self._black_box.value(key, ring)], ring)[0]

    def exact_answers(self) -> dict[ProbeKey | IntegerSequence, list[Answer]]:
        """All that was asked since `new_tally` with its answers, where answers are exact values; else empty."""
        return self._discarded | self._transcript

    def _ask(
        self,
        key: ProbeKey | IntegerSequence,
        queries: int,
        length: int,
        ask: Callable[[], list[Answer]],
        ring: ResidueRing,
    ) -> list[fmpz]:
        answers = self._transcript.get(key)
        if answers is None:
            started = time.perf_counter()
            answers = ask()
            self.seconds += time.perf_counter() - started
            if self.place.answers_are_exact:
                self._transcript[key] = answers
        if key not in self._asked:
            self._asked[key] = None
            self.tally.queries += queries
            self.tally.max_length = max(self.tally.max_length, length if queries else 0)
        return self.place.see(answers, ring)


def place_of(model: MultiHeadAttention) -> Place:
    """The exact place that sees this kind of model: rational for log-rational weights, p-adic for true e."""
    if model.weights == "log-rational":
        return RationalPlace(model.unit, field=model.field)
    return PadicPlace(model.unit, field=model.field)


def oracle_of(model: MultiHeadAttention) -> Oracle:
    """A model as a black box at its exact place."""
    place = place_of(model)
    return Oracle(place, model.dim, place.black_box(model))


def oracle_of_function(
    function: Callable[[IntegerSequence], Any], dim: int, field: NumberField | None = None
) -> Oracle:
    """A user's own function, tokens in and an exact rational out, as a black box at the rational place.

    Args:
        function: The function.
        dim: The dimension d of the tokens.
        field: A number field whose elements the function returns instead.
    """
    if not callable(function):
        raise UnusableInputError("a black box is a function of a token sequence, or an Oracle")
    return Oracle(RationalPlace(field=field), dim, CallableBlackBox(function))
