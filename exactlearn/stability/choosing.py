"""Better draws: of several seeded ones the one with the smallest C to be expected, before a query is asked (section 8).

C depends on the model, which the learner does not know.  What depends on the queries alone is what C is for models like
it: a few seeded reference models with as many heads, weights of size 1.  After column 1 the learner knows v_h and
W_h y_1; the reference models are then made to have exactly these, and X and the other y_j are chosen anew, y_1 kept.
That costs the queries of column 1 once more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, ctx, fmpq, fmpq_mat, fmpz

from exactlearn.draws import Draw, TokenSource
from exactlearn.model import Head, MultiHeadAttention, dot
from exactlearn.oracle import place_of
from exactlearn.places.protocol import IntegerToken
from exactlearn.stability.arithmetic import Real
from exactlearn.stability.bounds import first_order_bound
from exactlearn.stability.model_values import ModelValues, as_ball
from exactlearn.stability.schedule_constants import inverse_of_rows

REFERENCES = 5
"""Reference models that a draw is tried on."""

KNOWN_BITS = 48
"""W_h y_1 is rounded to so many bits after the point for the reference models."""


@dataclass(frozen=True)
class Candidate:
    """One draw with its seed, and the model's own C there (None on the bad set)."""

    seed: int
    draw: Draw
    constant: Real | None


@dataclass(frozen=True)
class Choice:
    """What choosing gives.

    Attributes:
        candidates: All seeded draws.
        conditioned: The seeded draw with the smallest ||X^-T||_inf ||Y^-T||_inf.
        by_queries: The one that is best on the reference models.
        adaptive: X and the later y_j chosen after column 1 of `by_queries`; its seed is that of X.
        extra_queries: What column 1 costs once more.
    """

    candidates: tuple[Candidate, ...]
    conditioned: Candidate
    by_queries: Candidate
    adaptive: Candidate
    extra_queries: int

    @property
    def best(self) -> Candidate:
        """The seeded draw with the smallest C, known in hindsight only."""
        return _least(self.candidates, [candidate.constant for candidate in self.candidates])

    @property
    def median(self) -> Candidate:
        """The seeded draw in the middle."""
        known = [candidate for candidate in self.candidates if candidate.constant is not None]
        return sorted(known, key=lambda candidate: _key(candidate.constant))[len(known) // 2]


def seeded_draw(model: MultiHeadAttention, seed: int, box: int) -> Draw:
    """The draw that `learn` begins with for this seed."""
    return TokenSource(model.dim, seed, 0, box, place_of(model).token_multiple).draw()


def choose_draw(canonical: MultiHeadAttention, seed: int, box: int, count: int) -> Choice:
    """Choose among the draws of the seeds `seed`, ..., `seed` + `count` - 1.

    Args:
        canonical: The canonical model, with at least one head.  The first choice looks at its size alone, the second
            one at v_h and W_h y_1 besides; the constants that are reported are its own.
        seed: The first seed.
        box: Token entries are drawn from [-box, box].
        count: How many, at least one.
    """
    H, d = len(canonical.heads), canonical.dim
    draws = [seeded_draw(canonical, seed + n, box) for n in range(count)]
    candidates = tuple(Candidate(seed + n, draw, _constant(canonical, draw)) for n, draw in enumerate(draws))
    conditioned = _least(candidates, [_condition(draw) for draw in draws])
    references = [_reference(H, d, n) for n in range(REFERENCES)]
    by_queries = _least(candidates, [_score(references, draw) for draw in draws])
    y_1 = by_queries.draw.Y[0]
    informed = [_informed(reference, canonical, y_1) for reference in references]
    Ys = [Y for draw in draws for Y in [(y_1, *draw.Y[1:])] if _is_basis(Y)]
    X = _best([draw.X for draw in draws], lambda X: _score(informed, Draw(X, by_queries.draw.Y)))
    Y = _best(Ys, lambda Y: _score(informed, Draw(X, Y)))
    chosen = Draw(X, Y)
    seed_of_x = next(candidate.seed for candidate in candidates if candidate.draw.X == X)
    adaptive = Candidate(seed_of_x, chosen, _constant(canonical, chosen))
    return Choice(candidates, conditioned, by_queries, adaptive, 2 * H * (2 * d - 1))


def _constant(model: MultiHeadAttention, draw: Draw) -> Real | None:
    return first_order_bound(model, draw)


def _score(references: Sequence[MultiHeadAttention], draw: Draw) -> Real | None:
    """The product of C over the reference models; None when the draw is bad for one of them."""
    product = arb(1)
    for reference in references:
        constant = _constant(reference, draw)
        if constant is None:
            return None
        product *= constant
    return product


def _condition(draw: Draw) -> Real:
    """||X^-T||_inf ||Y^-T||_inf."""
    return row_norm(inverse_of_rows(draw.X)) * row_norm(inverse_of_rows(draw.Y))


def row_norm(matrix: Sequence[Sequence[fmpq]]) -> fmpq:
    """The largest sum of absolute values in a row."""
    return max(sum((abs(entry) for entry in row), fmpq(0)) for row in matrix)


def _reference(heads: int, dim: int, number: int) -> MultiHeadAttention:
    """A model with true e; entries of W and v are sixteenths between -1 and 1, v not zero."""
    generator = random.Random(f"reference {heads} {dim} {number}")

    def entries() -> list[fmpq]:
        return [fmpq(generator.choice([-1, 1]) * generator.randint(1, 16), 16) for _ in range(dim)]

    return MultiHeadAttention([Head([entries() for _ in range(dim)], entries()) for _ in range(heads)], dim=dim)


def _informed(reference: MultiHeadAttention, model: MultiHeadAttention, y: IntegerToken) -> MultiHeadAttention:
    """The reference with the model's v_h and with W_h y as the model has it: W + (W_h y - W y) y^T / y.y."""
    token = [fmpq(b) for b in y]
    norm = dot(token, token)
    with ctx.workprec(192):
        weights = ModelValues(model, is_exact=False).weights
        known = [[_rounded(sum((w * b for w, b in zip(row, y, strict=True)), arb(0))) for row in W] for W in weights]
        values = [[_rounded(as_ball(entry)) for entry in head.v] for head in model.heads]
    heads = []
    for head, q, v in zip(reference.heads, known, values, strict=True):
        rows = [
            [entry + (target - dot(row, token)) * b / norm for entry, b in zip(row, token, strict=True)]
            for row, target in zip(head.W, q, strict=True)
        ]
        heads.append(Head(rows, v))
    return reference.with_heads(heads)


def _rounded(value: arb) -> fmpq:
    return fmpq((value * 2**KNOWN_BITS).mid().floor().unique_fmpz() or 0, fmpz(1) << KNOWN_BITS)


def _is_basis(tokens: Sequence[IntegerToken]) -> bool:
    return fmpq_mat([[fmpq(entry) for entry in token] for token in tokens]).det() != 0


def _best(
    options: Sequence[tuple[IntegerToken, ...]], score: Callable[[tuple[IntegerToken, ...]], Real | None]
) -> tuple[IntegerToken, ...]:
    return min(options, key=lambda option: _key(score(option)))


def _least(candidates: Sequence[Candidate], scores: Sequence[Real | None]) -> Candidate:
    return candidates[min(range(len(candidates)), key=lambda n: _key(scores[n]))]


def _key(value: Real | None) -> tuple[bool, Real]:
    """None comes last; balls are ordered by their midpoints, which is enough to choose."""
    if value is None:
        return True, 0
    return False, value.mid() if isinstance(value, arb) else value
