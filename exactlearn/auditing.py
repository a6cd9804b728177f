"""Checks of a recovered model after the fact: against every exact answer, and on sequences that are no probes.

A black box that is no attention model can imitate one on the probes alone (with d = 1 and one head three answers
always fit).  So the result is audited on further sequences, counted apart.
"""

from __future__ import annotations

import random

from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import Oracle, ProbeKey
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.residues import ResidueRing

AUDIT_LENGTHS = (1, 2, 3, 3, 5)
"""Lengths of the audited sequences; the second of length 3 is the first with its non-final tokens exchanged."""

AUDIT_BOX = 3
"""Small entries: at the rational place an audited value then costs no more than an answer."""


def contradicted_answer(oracle: Oracle, model: MultiHeadAttention) -> str | None:
    """The first query whose exact answer is not the model's, in words, or None; exact places only.

    Every answer of the run is recomputed from the recovered model in exact arithmetic, so agreement here, with the
    uniqueness of Cauchy interpolation, proves that the model is right at every copy count of every probe.
    """
    answers = oracle.exact_answers()
    if not answers:
        return None
    box = RationalBlackBox(model)
    for key, values in answers.items():
        if isinstance(key, ProbeKey):
            if not box.copy_count_function(key.x, key.y).goes_through(values):
                return f"the answers to the probe x = {key.x}, y = {key.y}"
        elif box.value(key) != values[0]:
            return f"the answer to the sequence {key}"
    return None


def failed_audit(
    oracle: Oracle, model: MultiHeadAttention, ring: ResidueRing, *, seed: int
) -> tuple[IntegerToken, ...] | None:
    """The first audited sequence on which black box and model differ, or None.

    At the rational place the exact values are compared, elsewhere images, where agreement by chance is as rare as
    p^-k.
    """
    place = oracle.place
    expected = place.black_box(model)
    for tokens in audit_sequences(model.dim, seed=seed, multiple=place.token_multiple):
        expected_image = place.see([expected.value(tokens, ring)], ring)[0]
        if oracle.value(tokens, ring) != expected_image:
            return tokens
        if place.answers_are_exact and oracle.exact_answers()[tokens] != [expected.value(tokens, ring)]:
            return tokens
    return None


def audit_sequences(dim: int, *, seed: int, multiple: int) -> list[tuple[IntegerToken, ...]]:
    """Seeded random sequences of the audited lengths; all differences of tokens are multiples of `multiple`."""
    generator = random.Random(f"audit {seed}")
    sequences: list[tuple[IntegerToken, ...]] = []
    for length in AUDIT_LENGTHS:
        if sequences and length == len(sequences[-1]) == 3:
            first, second, final = sequences[-1]
            sequences.append((second, first, final))
            continue
        offset = [generator.randint(-AUDIT_BOX, AUDIT_BOX) for _ in range(dim)]
        sequences.append(
            tuple(tuple(a + multiple * generator.randint(-AUDIT_BOX, AUDIT_BOX) for a in offset) for _ in range(length))
        )
    return sequences
