"""Exhaustive small scope: every model of a finite family, grouped by canonical form and again by values (DESIGN 6).

f is the sum of its heads, so each single head is evaluated once on every sequence and models are added up.  Values
are seen modulo primes, a prime for each sequence, put together by the Chinese remainder theorem: different images are
different functions, without doubt.  Equal images are certified by the other grouping: equal canonical forms are the
same function.  So when the two groupings are the same, both are right on the whole family.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from exactlearn.errors import UnluckyPrimeError, UnusableInputError
from exactlearn.exhaustive_family import Family
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.oracle import IntegerSequence, place_of
from exactlearn.places.residues import ResidueRing
from exactlearn.rationals import Rational
from exactlearn.verdict import Fails, Holds, Verdict

GENERAL_LENGTHS = (1, 2, 3, 3, 4, 5)
"""Lengths of the sequences on which values are compared."""

_REPORT_EVERY = 20_000


@dataclass(frozen=True)
class ExhaustiveReport:
    """What was found in one family.

    Attributes:
        heads: Most raw heads of a model.
        dim: The dimension d.
        weights: Kind of weights.
        sequences: The sequences on which values were compared.
        models: Models in the family, that is unordered lists of raw heads.
        functions: Classes by canonical form.
        value_classes: Classes by values on the sequences.
        canonical: Models whose raw heads are canonical as they are.
        merged: Models with heads of equal W whose sum stays.
        dropped: Models that lose a W: its v is zero or its heads cancel.
        functions_by_heads: How many functions have 0, 1, ..., `heads` canonical heads.
        counterexample: Two canonical models, different but with the same values here (or one with two values);
            None when both groupings are the same.
        seconds: Time taken.
    """

    heads: int
    dim: int
    weights: WeightKind
    sequences: tuple[IntegerSequence, ...] = field(repr=False)
    models: int
    functions: int
    value_classes: int
    canonical: int
    merged: int
    dropped: int
    functions_by_heads: tuple[int, ...]
    counterexample: tuple[MultiHeadAttention, MultiHeadAttention] | None
    seconds: float = field(compare=False)

    @property
    def verdict(self) -> Verdict:
        """Holds when the grouping by canonical form is the grouping by values."""
        if self.counterexample is not None:
            return Fails(
                self.counterexample,
                f"{self.functions} canonical forms, {self.value_classes} classes by values: two different canonical "
                "models have the same values on these sequences",
            )
        return Holds(
            f"{self.models} models, {self.functions} functions: the grouping by canonical form is the grouping by "
            f"values on {len(self.sequences)} sequences (different images modulo primes are different functions; equal "
            "ones are certified by equal canonical forms)"
        )


def exhaustive(
    heads: int,
    dim: int,
    entries: Sequence[Rational],
    *,
    weights: WeightKind = "rational",
    values: Sequence[Rational] | None = None,
    exactly: bool = False,
    lengths: Sequence[int] = GENERAL_LENGTHS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ExhaustiveReport:
    """Group all models with at most `heads` raw heads whose numbers come from a finite set.

    Args:
        heads: Most raw heads, at least 0.
        dim: The dimension d >= 1.
        entries: Entries of W, or of T for log-rational weights.
        weights: ``"rational"`` (true e, seen through e -> U) or ``"log-rational"``.
        values: Entries of v; left out, `entries` for rational weights and -1, 0, 1 for log-rational ones.
        exactly: Models with exactly `heads` raw heads only.
        lengths: Lengths of the sequences; (1, 1) is the negative control, too short to tell weights apart.
        seed: Tokens and primes come from it.
        progress: Called with (models done, models in all) now and then.

    Raises:
        UnusableInputError: For numbers that cannot be taken.
        OverBudgetError: When the family has more than `MAX_MODELS` models (3,000,000).
    """
    started = time.perf_counter()
    family = Family.of(heads, dim, entries, weights, values, exactly=exactly)
    if not lengths or min(lengths) < 1:
        raise UnusableInputError("at least one length, and none below 1", "lengths")
    sequences = general_sequences(dim, lengths, seed)
    images, modulus = images_of(family.singles, sequences, seed)
    grouping = Grouping(family)
    for done, members in enumerate(family.members()):
        if progress and done % _REPORT_EVERY == 0:
            progress(done, family.size)
        grouping.add(members, sum(images[index] for index in members) % modulus)
    return grouping.report(sequences, time.perf_counter() - started)


def general_sequences(dim: int, lengths: Sequence[int], seed: int) -> tuple[IntegerSequence, ...]:
    """Seeded sequences of tokens with small whole entries, all tokens different: no probes."""
    generator = random.Random(f"exhaustive {seed}")
    return tuple(
        tuple(tuple(generator.randint(-9, 9) for _ in range(dim)) for _ in range(length)) for length in lengths
    )


class Grouping:
    """Both groupings at once.  A canonical form is one whole number, made of its ascending (W, sum of v) indices."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._vectors = list(family.vectors)
        self._ids = {v: index for index, v in enumerate(self._vectors)}
        self._sums: dict[tuple[int, int], int] = {}
        self._image_of: dict[int, int] = {}
        self._form_of: dict[int, int] = {}
        self._clash: tuple[int, int] | None = None
        self._counts = {"models": 0, "canonical": 0, "merged": 0, "dropped": 0}

    def add(self, members: Sequence[int], image: int) -> None:
        """Take one model with the image of its values."""
        each = len(self._family.vectors)
        total: dict[int, int] = {}
        for index in members:
            W, v = divmod(index, each)
            total[W] = self._sum(total[W], v) if W in total else v
        stays = [(W, v) for W, v in total.items() if any(self._vectors[v])]
        form = 1
        for W, v in sorted(stays):
            form = (form << 64) | (W << 32) | v
        counts = self._counts
        counts["models"] += 1
        counts["canonical"] += len(stays) == len(members)
        counts["merged"] += len(total) < len(members) and self._has_merged(members, dict(stays))
        counts["dropped"] += len(stays) < len(total)
        known_image, known_form = self._image_of.setdefault(form, image), self._form_of.setdefault(image, form)
        if self._clash is None and (known_image != image or known_form != form):
            self._clash = (known_form, form)

    def report(self, sequences: tuple[IntegerSequence, ...], seconds: float) -> ExhaustiveReport:
        """The counts, and the first clash as models."""
        by_heads = [0] * (self._family.heads + 1)
        for form in self._image_of:
            by_heads[form.bit_length() // 64] += 1
        clash = None if self._clash is None else (self._model(self._clash[0]), self._model(self._clash[1]))
        return ExhaustiveReport(
            heads=self._family.heads,
            dim=self._family.dim,
            weights=self._family.weights,
            sequences=sequences,
            **self._counts,
            functions=len(self._image_of),
            value_classes=len(self._form_of),
            functions_by_heads=tuple(by_heads),
            counterexample=clash,
            seconds=seconds,
        )

    def _sum(self, left: int, right: int) -> int:
        key = (left, right)
        if key not in self._sums:
            vector = tuple(a + b for a, b in zip(self._vectors[left], self._vectors[right], strict=True))
            if vector not in self._ids:
                self._ids[vector] = len(self._vectors)
                self._vectors.append(vector)
            self._sums[key] = self._ids[vector]
        return self._sums[key]

    def _has_merged(self, members: Sequence[int], stays: dict[int, int]) -> bool:
        """Whether a W that stays belongs to two members or more."""
        each = len(self._family.vectors)
        matrices = [index // each for index in members]
        return any(matrices.count(W) > 1 for W in stays)

    def _model(self, form: int) -> MultiHeadAttention:
        """The canonical model that a form stands for."""
        heads = []
        while form > 1:
            heads.append(Head(self._family.matrices[(form >> 32) & 0xFFFFFFFF], self._vectors[form & 0xFFFFFFFF]))
            form >>= 64
        return MultiHeadAttention(reversed(heads), dim=self._family.dim, weights=self._family.weights)


def images_of(
    singles: Sequence[MultiHeadAttention], sequences: Sequence[IntegerSequence], seed: int
) -> tuple[list[int], int]:
    """For each single head one number: its values on all sequences, each modulo a prime of its own."""
    ring = ResidueRing.seeded(seed, digits=1)
    combined, modulus = [0] * len(singles), 1
    for tokens in sequences:
        while True:
            try:
                column = [_image(model, tokens, ring) for model in singles]
                break
            except UnluckyPrimeError:
                ring = ring.with_next_prime()
        step = pow(modulus, -1, ring.prime)
        pairs = zip(combined, column, strict=True)
        combined = [known + modulus * ((value - known) * step % ring.prime) for known, value in pairs]
        modulus *= ring.prime
        ring = ring.with_next_prime()
    return combined, modulus


def _image(model: MultiHeadAttention, tokens: IntegerSequence, ring: ResidueRing) -> int:
    place = place_of(model)
    return int(place.see([place.black_box(model).value(tokens, ring)], ring)[0])
