"""Checks of a recovered model after the fact: against every exact answer, and on sequences that are no probes.

A black box that is no attention model can imitate one on the probes alone (with d = 1 and one head three answers
always fit).  So the result is audited on further sequences, counted apart.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import Oracle, ProbeKey
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.residues import ResidueRing


def contradicted_answer(oracle: Oracle, model: MultiHeadAttention) -> str | None:
    """The first query whose exact answer is not the model's, in words, or None; exact places only.

    Every answer of the run is recomputed from the recovered model in exact arithmetic, so agreement here, with the
    uniqueness of Cauchy interpolation, proves that the model is right at every copy count of every probe.
    """
    answers = oracle.exact_answers()
    if not answers:
        return None
    box = oracle.place.black_box(model)
    for key, values in answers.items():
        if isinstance(key, ProbeKey):
            if not _goes_through(box, key, values):
                return f"the answers to the probe x = {key.x}, y = {key.y}"
        elif box.value(key, _NO_RING) != values[0]:
            return f"the answer to the sequence {key}"
    return None


def _goes_through(box: BlackBox, key: ProbeKey, values: list[Answer]) -> bool:
    """Whether the model has these values at 1, 2, ... copies; rationals are not reduced for it."""
    if isinstance(box, RationalBlackBox):
        return box.copy_count_function(key.x, key.y).goes_through(values)
    return box.copies(key.x, key.y, range(1, len(values) + 1), _NO_RING) == values


_NO_RING = ResidueRing.seeded(0)
"""Places with exact answers look at no ring."""


def failed_audit(
    oracle: Oracle, model: MultiHeadAttention, ring: ResidueRing, *, seed: int, bound: int
) -> tuple[IntegerToken, ...] | None:
    """The first audited sequence on which black box and model differ, or None.

    At the rational place the exact values are compared, elsewhere images, where agreement by chance is as rare as
    p^-k.
    """
    place = oracle.place
    expected = place.black_box(model)
    shapes = audit_shapes(bound, is_thorough=place.answers_are_exact)
    for tokens in audit_sequences(model.dim, shapes, seed=seed, multiple=place.token_multiple):
        expected_image = place.see([expected.value(tokens, ring)], ring)[0]
        if oracle.value(tokens, ring) != expected_image:
            return tokens
        if place.answers_are_exact and oracle.exact_answers()[tokens] != [expected.value(tokens, ring)]:
            return tokens
    return None


def audit_shapes(bound: int, *, is_thorough: bool) -> tuple[tuple[int, int], ...]:
    """(length, box) of each audited sequence, for at most `bound` heads.

    Lengths lie below, between and beyond those of the probes.  The boxes are small, since the probes' scores are
    large: a function that differs from a softmax only where scores are small shows here, and a value costs little.
    At the rational place the black box may be anybody's function, so the audit is thorough there.
    """
    beyond = 2 * bound + 2
    few = ((1, 3), (2, 1), (3, 2), (3, 2), (5, 3), (beyond + 1, 1))
    if not is_thorough:
        return few
    short = tuple((length, box) for box in (1, 1, 2, 3) for length in (2, 3, 3, 4))
    return few + short + ((beyond, 2), (beyond + 1, 2), (beyond + 2, 1), (4 * bound + 7, 2))


def audit_sequences(
    dim: int, shapes: Sequence[tuple[int, int]], *, seed: int, multiple: int
) -> list[tuple[IntegerToken, ...]]:
    """Seeded random sequences of the given lengths and boxes, no final token zero.

    All differences of tokens are multiples of `multiple`.  The second of two sequences of length 3 in a row is the
    first with its non-final tokens exchanged.
    """
    generator = random.Random(f"audit {seed}")
    sequences: list[tuple[IntegerToken, ...]] = []
    exchange = False
    for length, box in shapes:
        exchange = length == 3 and bool(sequences) and len(sequences[-1]) == 3 and not exchange
        if exchange:
            first, second, final = sequences[-1]
            sequences.append((second, first, final))
            continue
        final = _token(generator, dim, box)
        others = [
            tuple(f + multiple * (a - f) for f, a in zip(final, _token(generator, dim, box), strict=True))
            for _ in range(length - 1)
        ]
        sequences.append((*others, final))
    return sequences


def _token(generator: random.Random, dim: int, box: int) -> IntegerToken:
    """A token that is not zero."""
    token = tuple(generator.randint(-box, box) for _ in range(dim))
    return token if any(token) else _token(generator, dim, box)
