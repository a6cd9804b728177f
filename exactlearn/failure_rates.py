"""How often a random draw is bad: the exact Schwartz-Zippel bound, and counts over seeded draws (DESIGN section 5)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from flint import fmpq

from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw
from exactlearn.errors import UnusableInputError
from exactlearn.genericity import BadSet
from exactlearn.genericity_polynomials import FAMILIES, Family
from exactlearn.model import MultiHeadAttention

SMALL_BOXES = (1, 2, 5, 25)
"""Boxes in which failures do occur for the bundled models, and one in which they become rare."""


@dataclass(frozen=True)
class FailureBound:
    """An upper bound on the probability that a draw, uniform in [-box, box]^(2 d^2), is bad.

    Attributes:
        box: B.
        by_family: For each family the sum of its degrees over 2B + 1, at most 1.
        total: The sum of all degrees over 2B + 1, at most 1.
    """

    box: int
    by_family: dict[Family, fmpq]
    total: fmpq


@dataclass(frozen=True)
class ObservedFailures:
    """What happened in `draws` seeded draws: how many were bad, and in how many each family had a zero.

    No query is asked for this; the polynomials are evaluated exactly from the model.
    """

    box: int
    draws: int
    seed: int
    failures: int
    by_family: dict[Family, int]

    @property
    def rate(self) -> fmpq:
        """The fraction of draws that were bad."""
        return fmpq(self.failures, self.draws)


@dataclass(frozen=True)
class GenericityReport:
    """Everything about one model's bad set that the command line shows.

    Attributes:
        counts: The number of polynomials of each family.
        degrees: The degree in each family.
        identically_zero: The name of a polynomial that vanishes identically; None, since the heads are canonical.
        rows: For each box the bound and what was observed.
    """

    counts: dict[Family, int]
    degrees: dict[Family, int]
    identically_zero: str | None
    rows: tuple[tuple[FailureBound, ObservedFailures], ...]


def schwartz_zippel_bound(model: MultiHeadAttention, box: int) -> FailureBound:
    """The exact bound for draws from a box, by Schwartz and Zippel over the 2B + 1 values of a coordinate.

    The bound is about all coordinates uniform and independent, before any token is drawn anew.  For log-rational
    weights the polynomials have real coefficients, which changes nothing.

    Raises:
        UnusableInputError: When `box` is no whole number from 1 on.
    """
    _check_positive(box, "box")
    bad_set = BadSet(canonical_form(model))
    degrees = {family: count * bad_set.degree(family) for family, count in bad_set.counts().items()}
    values = 2 * box + 1
    by_family = {family: min(fmpq(total, values), fmpq(1)) for family, total in degrees.items()}
    return FailureBound(box, by_family, min(fmpq(sum(degrees.values()), values), fmpq(1)))


def observed_failures(model: MultiHeadAttention, box: int, draws: int, seed: int = 0) -> ObservedFailures:
    """Evaluate the polynomials exactly on independent seeded draws from [-box, box]^(2 d^2), and count zeros.

    Raises:
        UnusableInputError: When `box` or `draws` is no whole number from 1 on.
    """
    _check_positive(box, "box")
    _check_positive(draws, "draws")
    bad_set = BadSet(canonical_form(model))
    failures, by_family = 0, dict.fromkeys(FAMILIES, 0)
    for index in range(draws):
        draw = uniform_draw(model.dim, box, f"{seed} {index}")
        vanished = {polynomial.family for polynomial in bad_set.vanishing(draw)}
        failures += bool(vanished)
        for family in vanished:
            by_family[family] += 1
    return ObservedFailures(box, draws, seed, failures, by_family)


def uniform_draw(dim: int, box: int, seed: str) -> Draw:
    """A draw with every coordinate uniform in [-box, box]; unlike the learner's, it may be linearly dependent."""
    generator = random.Random(f"draw {seed}")
    tokens = [tuple(generator.randint(-box, box) for _ in range(dim)) for _ in range(2 * dim)]
    return Draw(tuple(tokens[:dim]), tuple(tokens[dim:]))


def genericity_report(
    model: MultiHeadAttention, *, boxes: tuple[int, ...] = SMALL_BOXES, draws: int = 200, seed: int = 0
) -> GenericityReport:
    """Count the polynomials, certify each as non-zero, and set bound and observation side by side for every box."""
    bad_set = BadSet(canonical_form(model))
    zero = bad_set.identically_zero()
    rows = tuple((schwartz_zippel_bound(model, box), observed_failures(model, box, draws, seed)) for box in boxes)
    degrees = {family: bad_set.degree(family) for family in FAMILIES}
    return GenericityReport(bad_set.counts(), degrees, None if zero is None else str(zero), rows)


def _check_positive(number: int, name: str) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise UnusableInputError(f"a whole number from 1 on is expected, not {number!r}", name)
