"""The predecessor's learner of one head: r queries of length 1 and r^2 of length 2 inside r coordinates.

f(e_a) = v_a.  Then x_1..x_r are chosen with v.x_i not zero, y_j = e_j, and f of (x_i + y_j, y_j) is
v.y_j + (v.x_i) t / (1 + t), so t = exp(x_i^T W y_j) is read off and W = X^-T (log t) (arXiv 2601.16873).
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpz

from exactlearn.errors import NotAttentionError, PrecisionTooLowError, UnluckyPrimeError
from exactlearn.learner import MAX_DIGITS, MAX_PRIMES
from exactlearn.model import Head, Vector
from exactlearn.oracle import Oracle
from exactlearn.places.field_rings import first_ring
from exactlearn.places.protocol import IntegerToken, TokenBasis, field_of
from exactlearn.places.residues import ResidueRing


def learn_single_head(oracle: Oracle, axes: Sequence[int], *, seed: int = 0, most_digits: int = MAX_DIGITS) -> Head:
    """The one head that shows on tokens supported in the coordinates `axes`, as a head in all d dimensions.

    Args:
        oracle: Counts the queries: len(axes) + len(axes)^2 of them.
        axes: The coordinates of the head's subspace, counting from 0; W and v are zero (T is one) elsewhere.
        seed: The prime comes from it.
        most_digits: Numbers that need more digits base p are given up; refusing takes as long as these digits do.

    Raises:
        NotAttentionError: When the answers are not those of one head with v not zero.
    """
    ring, primes = first_ring(field_of(oracle.place), seed), 1
    while True:
        try:
            return _read(oracle, axes, ring)
        except PrecisionTooLowError:
            if ring.digits >= most_digits:
                raise NotAttentionError("the answers fit no head with rational numbers of reasonable length") from None
            ring = ring.finer()
        except UnluckyPrimeError as error:
            if primes == MAX_PRIMES:
                raise NotAttentionError(f"modulo every prime tried: {error}") from None
            ring, primes = ring.with_next_prime(), primes + 1


def probing_tokens(value: Vector, multiple: int) -> tuple[IntegerToken, ...]:
    """A basis x_1, ..., x_r of multiples of `multiple` with v.x_i not zero: e_i, or e_i + e_a where v_i = 0."""
    size = len(value)
    anchor = next((a for a in range(size) if value[a]), None)
    if anchor is None:
        raise NotAttentionError("v is zero: no head shows")
    return tuple(
        tuple(multiple * int(b == i or (b == anchor and not value[i])) for b in range(size)) for i in range(size)
    )


def unit_tokens(size: int) -> tuple[IntegerToken, ...]:
    """The unit vectors."""
    return tuple(tuple(int(b == j) for b in range(size)) for j in range(size))


def _read(oracle: Oracle, axes: Sequence[int], ring: ResidueRing) -> Head:
    place, dim, modulus = oracle.place, oracle.dim, ring.modulus
    Y = unit_tokens(len(axes))
    images = [oracle.value((_embedded(y, axes, dim),), ring) for y in Y]
    value = tuple(ring.read_numbers(images, modulus))
    X = probing_tokens(value, place.token_multiple)
    poles = []
    for x in X:
        residue = sum((a * b for a, b in zip(images, x, strict=True)), fmpz(0))
        row = []
        for j, y in enumerate(Y):
            answer = oracle.copies(_embedded(x, axes, dim), _embedded(y, axes, dim), 1, ring)[0]
            share = answer - images[j]
            row.append(share * ring.inverse((residue - share) % modulus) % modulus)
        poles.append(row)
    if any(t % ring.prime == 0 for row in poles for t in row):
        raise UnluckyPrimeError("a pole parameter vanishes mod p")
    inner = place.weights_from_poles(TokenBasis(ring, X, Y), poles)
    neutral = fmpq(1) if place.weights == "log-rational" else fmpq(0)
    W = [[neutral] * dim for _ in range(dim)]
    v = [fmpq(0)] * dim
    for i, a in enumerate(axes):
        v[a] = value[i]
        for j, b in enumerate(axes):
            W[a][b] = inner[i][j]
    return Head(W, v)


def _embedded(token: IntegerToken, axes: Sequence[int], dim: int) -> IntegerToken:
    entries = dict(zip(axes, token, strict=True))
    return tuple(entries.get(a, 0) for a in range(dim))
