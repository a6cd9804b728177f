"""Audits of a recovered Transformer: further sequences, where units that no single token tells apart would part."""

from __future__ import annotations

import random

from exactlearn.errors import ConditionFailsError
from exactlearn.model import Transformer
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.residues import ResidueRing
from exactlearn.transformers.black_box import transformer_black_box
from exactlearn.transformers.kinks import Kink, Line, just_below
from exactlearn.transformers.oracle import TransformerOracle

AUDIT = "audit"
RANDOM_AUDITS = 40
LARGEST_AUDITED = 400
DIFFERS = (
    "the Transformer that fits the probes differs elsewhere: two units whose m_j are parallel, a unit with z_j not "
    "zero but m_j zero, or a head whose odd part is zero"
)


def audit_transformer(  # noqa: PLR0917  # a step of the learner, its state handed over
    oracle: TransformerOracle,
    model: Transformer,
    line: Line,
    kinks: list[Kink],
    generator: random.Random,
    ring: ResidueRing,
) -> None:
    """Random sequences of several lengths, and sequences around every kink, where parallel units would part.

    Raises:
        ConditionFailsError: When the recovered Transformer has another value.
    """
    box = transformer_black_box(model)
    multiple, size = oracle.place.token_multiple, 3
    sequences = []
    for n in range(RANDOM_AUDITS):
        final = tuple(generator.randint(-size, size) for _ in range(oracle.dim))
        sequences.append(_around(final, 1 + n % 5, multiple, size, generator))
    for kink in kinks:
        final, _ = line.at(just_below(kink.tau))
        if not oracle.place.answers_are_exact or max(map(abs, final)) < LARGEST_AUDITED:
            sequences += [_around(final, length, multiple, size, generator) for length in (2, 2, 3, 4)]
    for sequence in sequences:
        answers = [oracle.value(sequence, ring, AUDIT), box.value(sequence, ring)]
        if answers[0] != answers[1]:
            raise ConditionFailsError(DIFFERS)


def _around(
    final: IntegerToken, length: int, multiple: int, size: int, generator: random.Random
) -> tuple[IntegerToken, ...]:
    """A sequence of tokens near its final token."""
    others = [tuple(entry + multiple * generator.randint(-size, size) for entry in final) for _ in range(length - 1)]
    return (*others, final)
