"""What the generators are built from: unit tokens, sequences of probes and schedules, matrices T, small numbers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from flint import fmpq

from exactlearn.canonical import separating_sequence
from exactlearn.draws import Draw
from exactlearn.genericity_polynomials import Indices, probes
from exactlearn.model import Head, MultiHeadAttention, TokenSequence, as_token_sequence
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.symbolic import evaluate

Rows = list[list[fmpq | int]]
_SMALL_SEQUENCES = 400
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)


def unit(dim: int, axis: int) -> IntegerToken:
    """e_(axis+1)."""
    return tuple(int(a == axis) for a in range(dim))


def units(dim: int) -> tuple[IntegerToken, ...]:
    """The unit vectors."""
    return tuple(unit(dim, axis) for axis in range(dim))


def added(tokens: Sequence[IntegerToken], indices: Indices) -> IntegerToken:
    """The sum of some of the tokens."""
    return tuple(sum(column) for column in zip(*(tokens[i] for i in indices), strict=True))


def single(y: IntegerToken) -> TokenSequence:
    """The sequence of the one token y."""
    return as_token_sequence([y], len(y))


def probe(x: IntegerToken, y: IntegerToken, copies: int) -> TokenSequence:
    """`copies` copies of x + y, then y."""
    both = tuple(a + b for a, b in zip(x, y, strict=True))
    return as_token_sequence([both] * copies + [y], len(y))


def probe_sequences(x: IntegerToken, y: IntegerToken, copies: Iterable[int]) -> list[TokenSequence]:
    """The probe (x, y) at several copy counts."""
    return [probe(x, y, k) for k in copies]


def schedule_pairs(draw: Draw) -> list[tuple[IntegerToken, IntegerToken]]:
    """The pairs (x, y) of all probes of the schedule "paper" on a draw."""
    return [(added(draw.X, place.xs), added(draw.Y, place.ys)) for place in probes(len(draw.X))]


def schedule_sequences(draw: Draw, most_copies: int) -> tuple[TokenSequence, ...]:
    """All the queries of the schedule "paper" on a draw: y_1 alone, and every probe with up to so many copies."""
    pairs = schedule_pairs(draw)
    sequences = [single(draw.Y[0]), *(probe(x, y, k) for x, y in pairs for k in range(1, most_copies + 1))]
    return tuple(dict.fromkeys(sequences))


def log_rational(heads: Iterable[Head], dim: int) -> MultiHeadAttention:
    """A model with weights log T, so that its values are rational."""
    return MultiHeadAttention(heads, dim=dim, weights="log-rational")


def constant(dim: int, number: fmpq | int) -> Rows:
    """The d x d matrix with equal entries."""
    return [[number] * dim for _ in range(dim)]


def with_entry(rows: Iterable[Iterable[fmpq | int]], i: int, j: int, number: fmpq | int) -> Rows:
    """The matrix with another entry at (i, j), counting from 0."""
    changed = [list(row) for row in rows]
    changed[i][j] = number
    return changed


def powers(base: int, exponents: Iterable[Iterable[int]]) -> Rows:
    """The powers of `base` with these exponents, entry by entry."""
    return [[fmpq(base) ** exponent for exponent in row] for row in exponents]


def ascending(count: int, generator: random.Random | None) -> list[int]:
    """Distinct positive whole numbers, ascending: 1, 2, 3, ... or a random choice."""
    if generator is None:
        return list(range(1, count + 1))
    return sorted(generator.sample(range(1, 3 * count + 3), count))


def first_difference(
    left: MultiHeadAttention, right: MultiHeadAttention, candidates: Iterable[TokenSequence]
) -> TokenSequence | None:
    """The first of the candidates on which the two models differ, exactly; None when they agree on all."""
    return next((tokens for tokens in candidates if evaluate(left, tokens) != evaluate(right, tokens)), None)


def small_difference(left: MultiHeadAttention, right: MultiHeadAttention) -> TokenSequence | None:
    """A sequence on which two models differ, with small entries where there is one; None for one function."""
    d = left.dim
    tokens = [token for size in (1, 2) for token in itertools.product(range(size + 1), repeat=d)]
    pairs = itertools.islice(((z, y) for y in tokens[1:] for z in tokens if z != y), _SMALL_SEQUENCES)
    found = first_difference(left, right, (as_token_sequence(pair, d) for pair in pairs))
    return found or separating_sequence(left, right)


def plural(count: int, noun: str) -> str:
    """The number and the noun: 1 head, 2 heads, 3 queries."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"
