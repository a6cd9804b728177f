"""Claim matching: on a good draw the sum probes match the right heads and no others (DESIGN section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from exactlearn.claims.claim import Claim
from exactlearn.claims.context import Context
from exactlearn.draws import Draw
from exactlearn.genericity_polynomials import ProbeIndices, matching_triples
from exactlearn.verdict import Fails, Holds, Verdict

Tables = list[list[list[tuple[fmpq, ...]]]]
"""For every head the exact x_i^T W_h y_j, as coordinates over Q-independent units."""


def applies(context: Context) -> bool:
    """At least two canonical heads in at least two dimensions; else there is nothing to match."""
    return context.heads >= 2 and context.dim >= 2


def check(context: Context) -> Verdict:
    """At the learner's draw, for every triple and every two heads, in the exact exponents."""
    return _compare(context, 1)


def control(context: Context) -> Verdict:
    """The sum probes take the second token twice."""
    return _compare(context, 2)


def _compare(context: Context, times: int) -> Verdict:
    draw = context.learned.result.draw
    tables = _tables(context, draw)
    triples = matching_triples(context.dim)
    for left, right, total in triples:
        poles = {_log_pole(table, total, times) for table in tables}
        for h, table in enumerate(tables):
            a = _log_pole(table, left)
            candidates = [g for g, other in enumerate(tables) if _add(a, _log_pole(other, right)) in poles]
            if candidates != [h]:
                seen = [g + 1 for g in candidates]
                return Fails((total.name, h), f"head {h + 1} is matched with heads {seen} through {total.name}")
    H = context.heads
    return Holds(
        f"at the learner's draw, all {len(triples)} triples of probes and all {H}^2 pairs of heads: t_h t_g is a pole "
        "of the sum probe for g = h and no other g (log-poles exact, as vectors over Q-independent units)"
    )


def _tables(context: Context, draw: Draw) -> Tables:
    form = context.bad_set.weights.form
    return [[[form(h, x, y) for y in draw.Y] for x in draw.X] for h in range(context.heads)]


def _log_pole(table: list[list[tuple[fmpq, ...]]], place: ProbeIndices, times: int = 1) -> tuple[fmpq, ...]:
    """The log-pole at a probe; of a sum probe the second token counts `times` times."""
    entries = [table[i][j] for i in place.xs for j in place.ys]
    return entries[0] if len(entries) == 1 else _add(entries[0], tuple(times * b for b in entries[1]))


def _add(left: Sequence[fmpq], right: Sequence[fmpq]) -> tuple[fmpq, ...]:
    return tuple(a + b for a, b in zip(left, right, strict=True))


CLAIM = Claim(
    "matching",
    "on a good draw t_h t_g is a pole parameter of the sum probe for g = h and for no other g",
    "the same with sum probes at x_1 + 2 x_i and y_1 + 2 y_j",
    applies,
    check,
    control,
)
