"""Cauchy interpolation over Q: the rational function of given degrees through given points, or why there is none.

Euclid's algorithm on (M, g), M = prod (z - z_i), g the interpolating polynomial, stopped at the first remainder of
degree at most the numerator's; then the candidate is evaluated again at every point, since a common factor can
make it miss one (an unattainable point).  DESIGN section 3; TRAPS "interpolation and reconstruction".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly


@dataclass(frozen=True)
class RationalFunction:
    """numerator / denominator in lowest terms, the denominator monic."""

    numerator: fmpq_poly
    denominator: fmpq_poly

    def __call__(self, point: fmpq) -> fmpq:
        """The value at `point`; raises ZeroDivisionError at a pole."""
        return fmpq(self.numerator(point)) / fmpq(self.denominator(point))


@dataclass(frozen=True)
class Found:
    """The one rational function of this type through all points."""

    function: RationalFunction


@dataclass(frozen=True)
class Unattainable:
    """No rational function of this type goes through all points; these ones are missed by the only candidate."""

    points: tuple[fmpq, ...]


@dataclass(frozen=True)
class Underdetermined:
    """Fewer points than the type has degrees of freedom: `missing` more are needed."""

    missing: int


@dataclass(frozen=True)
class DuplicateNode:
    """The same point was given twice."""

    node: fmpq


Interpolation = Found | Unattainable | Underdetermined | DuplicateNode
"""What an interpolation can come to; never a bare function."""


def cauchy_interpolation(
    nodes: Sequence[fmpq], values: Sequence[fmpq], numerator_degree: int, denominator_degree: int
) -> Interpolation:
    """The rational function P/Q with deg P <= `numerator_degree`, deg Q <= `denominator_degree` through the points.

    Args:
        nodes: Where it is known, pairwise distinct.
        values: As many values.
        numerator_degree: At least 0, or -1 for the zero numerator alone.
        denominator_degree: At least 0.
    """
    seen: set[fmpq] = set()
    for node in nodes:
        if node in seen:
            return DuplicateNode(node)
        seen.add(node)
    freedom = numerator_degree + denominator_degree + 1
    if len(nodes) < freedom:
        return Underdetermined(freedom - len(nodes))
    # The first numerator_degree + denominator_degree + 1 points determine the candidate; all points judge it.
    candidate = _candidate(nodes[:freedom], values[:freedom], numerator_degree)
    missed = tuple(
        node
        for node, value in zip(nodes, values, strict=True)
        if candidate.denominator(node) == 0 or candidate(node) != value
    )
    return Unattainable(missed) if missed else Found(candidate)


def _candidate(nodes: Sequence[fmpq], values: Sequence[fmpq], numerator_degree: int) -> RationalFunction:
    one = fmpq_poly([1])
    master = one
    for node in nodes:
        master *= fmpq_poly([-node, 1])
    remainder, cofactor = _interpolating_polynomial(master, nodes, values), one
    previous, previous_cofactor = master, fmpq_poly()
    while remainder.degree() > numerator_degree:
        quotient, rest = divmod(previous, remainder)
        previous, remainder = remainder, rest
        previous_cofactor, cofactor = cofactor, previous_cofactor - quotient * cofactor
    common = remainder.gcd(cofactor)
    numerator, denominator = remainder // common, cofactor // common
    leading = denominator[denominator.degree()]
    return RationalFunction(numerator / leading, denominator / leading)


def _interpolating_polynomial(master: fmpq_poly, nodes: Sequence[fmpq], values: Sequence[fmpq]) -> fmpq_poly:
    derivative = master.derivative()
    total = fmpq_poly()
    for node, value in zip(nodes, values, strict=True):
        total += master // fmpq_poly([-node, 1]) * (value / fmpq(derivative(node)))
    return total
