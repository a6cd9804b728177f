"""Separating sequences: given two different functions, tokens on which they differ, shown without evaluation.

The difference of two models is an attention model with canonical heads (W_g, u_g).  On a probe (x, y) with k
copies it is  U.y + sum_g (u_g.x) k t_g / (1 + k t_g),  t_g = exp(x^T W_g y),  U = sum_g u_g.  Whether that is zero
is decided by the independence of the terms: for exponents c*r with distinct r > 0 and one k, the numbers
1 / (1 + k e^{c r}) and 1 are linearly independent over Q (Lindemann-Weierstrass; as functions of e^{c/D} they have
different poles).  For k = 1 the exponents r and -r are tied by  t/(1+t) + (1/t)/(1+1/t) = 1.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

from exactlearn.exponents import EntryKey, WeightKey
from exactlearn.model import TokenSequence, Vector, dot

_UNIT_VECTOR_PAIRS = 4096
"""How many pairs (e_i, e_j) are tried first: they give the sequences that are easiest to read."""


@dataclass(frozen=True)
class SignedHead:
    """One canonical head of a difference of two models: its true weights in normal form and its value vector."""

    weights: WeightKey
    value: Vector


def find_separating_sequence(difference: Sequence[SignedHead], dim: int) -> TokenSequence:
    """Tokens on which a non-zero difference does not vanish: one token when that is enough, else a probe.

    Args:
        difference: At least one head; pairwise distinct weights, no value vector zero.
        dim: The dimension d.
    """
    total = tuple(sum((head.value[a] for head in difference), fmpq(0)) for a in range(dim))
    for axis in range(dim):
        if total[axis]:
            return (_unit_vector(dim, axis),)
    scale = _integrality(difference)
    for x, y in _candidate_pairs(dim, scale):
        for copies in range(1, 2 * len(difference) + 2):
            if not _vanishes(difference, x, y, copies):
                both = tuple(a + b for a, b in zip(x, y, strict=True))
                return (both,) * copies + (y,)
    raise AssertionError("unreachable: the candidates do not end")  # pragma: no cover


def _vanishes(difference: Sequence[SignedHead], x: Vector, y: Vector, copies: int) -> bool:
    """Whether the difference is zero on `copies` copies of x + y and the final token y."""
    constant = sum((dot(head.value, y) for head in difference), fmpq(0))
    independent: dict[tuple[object, fmpq], fmpq] = {}
    for head in difference:
        residue = dot(head.value, x)
        rational_pole, exponents = _exponent(head.weights, x, y)
        if not exponents:
            constant += residue * copies * rational_pole / (1 + copies * rational_pole)
            continue
        (unit, exponent), sign = exponents, 1
        if copies == 1 and exponent < 0:
            constant += residue
            exponent, sign = -exponent, -1
        independent[unit, exponent] = independent.get((unit, exponent), fmpq(0)) + sign * residue
    return not constant and not any(independent.values())


def _exponent(weights: WeightKey, x: Vector, y: Vector) -> tuple[fmpq, tuple[object, fmpq] | None]:
    """exp(x^T W y) as a rational pole (exponent None), or as e^{c r} with r != 0 (exponent (c, r))."""
    pole, unit, exponent = fmpq(1), None, fmpq(0)
    for a, row in zip(x, weights, strict=True):
        for b, entry in zip(y, row, strict=True):
            kind, base, factor = entry
            if kind == "e":
                unit, exponent = base, exponent + a * b * factor
            elif kind == "log":
                power = a * b * factor
                pole *= base ** int(power.p)  # type: ignore[operator]
    return pole, ((unit, exponent) if exponent else None)


def _integrality(difference: Sequence[SignedHead]) -> int:
    """The smallest factor on x that makes every exponent of a rational pole a whole number."""
    scale = fmpq(1).q
    for head in difference:
        for kind, _, factor in itertools.chain.from_iterable(head.weights):
            if kind == "log":
                scale = scale.lcm(factor.q)
    return int(scale)


def _candidate_pairs(dim: int, scale: int) -> Iterator[tuple[Vector, Vector]]:
    """Pairs (x, y): unit vectors first, then seeded random integer vectors from growing boxes, without end."""
    for i, j in itertools.islice(itertools.product(range(dim), repeat=2), _UNIT_VECTOR_PAIRS):
        yield _unit_vector(dim, i, scale), _unit_vector(dim, j)
    generator = random.Random(0)
    for box in itertools.count(1):
        for _ in range(4):
            x = tuple(fmpq(scale * generator.randint(-box, box)) for _ in range(dim))
            y = tuple(fmpq(generator.randint(-box, box)) for _ in range(dim))
            yield x, y


def _unit_vector(dim: int, axis: int, length: int = 1) -> Vector:
    return tuple(fmpq(length if a == axis else 0) for a in range(dim))


__all__ = ["EntryKey", "SignedHead", "find_separating_sequence"]
