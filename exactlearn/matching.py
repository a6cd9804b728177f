"""Matching: which pole of one probe belongs to the same head as which pole of another (DESIGN section 4).

log t is additive along rows and columns: t_h of the one and t_g of the other belong together when their product is
a pole parameter of the sum probe.  Decided mod p; a false agreement there is as rare as 1/p and shows later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpz, nmod_poly


@dataclass(frozen=True)
class Matched:
    """`partner[h]` is the index on the right of head h on the left."""

    partner: list[int]


@dataclass(frozen=True)
class NoCandidate:
    """Head `head` on the left has no partner of its own: impossible for attention when both probes show every head."""

    head: int


@dataclass(frozen=True)
class SeveralCandidates:
    """Heads that could be matched in several ways: the linear form of a false match vanishes at this draw."""

    head: int
    candidates: tuple[int, ...]


Matching = Matched | NoCandidate | SeveralCandidates


def match_heads(
    left: Sequence[fmpz], right: Sequence[fmpz], sum_denominator: nmod_poly, prime: int, *, aligned: bool
) -> Matching:
    """Match the poles of two probes through the sum probe's denominator R.

    Args:
        left: The images of t_h at one probe, in the order of the heads.
        right: The images of t_g at the other, as many.
        sum_denominator: R = prod (T - t) of the sum probe mod p, of as many roots.
        prime: p.
        aligned: Whether `right` is expected in the order of `left`; then R's roots are found at once.
    """
    left_mod_p, right_mod_p = [int(t % prime) for t in left], [int(t % prime) for t in right]
    poles: set[int] = set()
    if aligned:
        products = {t * s % prime for t, s in zip(left_mod_p, right_mod_p, strict=True)}
        if len(products) == len(left) and not any(int(sum_denominator(t)) for t in products):
            poles = products
    if not poles:
        products = {t * s % prime for t in left_mod_p for s in right_mod_p}
        poles = {t for t in products if not int(sum_denominator(t))}
    partner = []
    for head, t in enumerate(left_mod_p):
        candidates = tuple(g for g, s in enumerate(right_mod_p) if t * s % prime in poles)
        if not candidates:
            return NoCandidate(head)
        if len(candidates) > 1:
            return SeveralCandidates(head, candidates)
        partner.append(candidates[0])
    if len(set(partner)) < len(partner):
        # The true partner is always a candidate, so this can't be a matching of heads.
        return NoCandidate(next(h for h, g in enumerate(partner) if g in partner[:h]))
    return Matched(partner)
