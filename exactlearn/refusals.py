"""Why samples are not those of a copy-count function: the exact reason over Q, for the message of a refusal."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpq_poly

from exactlearn.model import abbreviate
from exactlearn.rational_interpolation import Found, Unattainable, cauchy_interpolation

_MOST_BITS = 100_000
"""Euclid's algorithm over Q is run for an explanation only while the samples have fewer bits than this in all."""


def why_no_copy_count_function(value_at_zero: fmpq, samples: Sequence[fmpq]) -> str | None:
    """In words, why no F with at most len(samples)/2 poles and all t_h > 0 has F(0) and these F(1), F(2), ...

    Returns:
        The reason, exact; None when there is such a function after all, or the samples are too long to look.
    """
    if sum(value.p.bit_length() + value.q.bit_length() for value in samples) > _MOST_BITS:
        return None
    heads = len(samples) // 2
    nodes = [fmpq(k) for k in range(1, len(samples) + 1)]
    quotients = [(sample - value_at_zero) / k for sample, k in zip(samples, nodes, strict=True)]
    found = cauchy_interpolation(nodes, quotients, heads - 1, heads)
    if isinstance(found, Unattainable):
        counts = ", ".join(str(point) for point in found.points)
        return f"no rational function with {heads} poles or fewer goes through the samples: k = {counts} is missed"
    if not isinstance(found, Found):
        return None
    function = found.function
    if function.numerator.degree() >= function.denominator.degree():
        return "F(k) grows without bound with the number of copies"
    return _why_not_these_poles(function.denominator)


def _why_not_these_poles(denominator: fmpq_poly) -> str | None:
    """What keeps Q(k) from being a product of distinct factors 1 + k t with t > 0."""
    _, factors = denominator.factor()
    for factor, multiplicity in factors:
        if factor.degree() > 1:
            return f"the denominator of F has the factor {abbreviate(str(factor), 80)}, with no rational pole"
        pole = -fmpq(factor[0]) / fmpq(factor[1])
        if multiplicity > 1:
            return f"F has a pole of order {multiplicity}, at k = {abbreviate(str(pole))}"
        if not pole < 0:
            return f"F has a pole at k = {abbreviate(str(pole))}, where -1/t with t > 0 is expected"
    return None
