"""Matching on balls: a head's partner is the only one whose balls allow it (DESIGN section 4).

Two ways.  By poles: the sum probe is enclosed as any other, and poles and residues that can't add up exclude a partner.
By values: where the sum probe is too coarse for that, each way to match all heads predicts its values; what misses an
answer is excluded.  That needs no inversion, so it holds out longer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from flint import arb

from exactlearn.enclosures.probe import EnclosedProbe
from exactlearn.errors import NotAttentionError, TooCoarseError


def match_enclosures(
    left: EnclosedProbe, right: EnclosedProbe, both: EnclosedProbe, name: str, *, same_x: bool
) -> list[int]:
    """The index on the right of each head on the left.

    Head h on the left and g on the right are one head only if some pole l of the sum probe has s_h + s_g = s_l, and
    residues that agree: c_h = c_g = c_l when the probes share x, c_h + c_g = c_l when they share y.  The true one is
    always a candidate, so a single one is the true one.

    Args:
        left: The probe whose order of heads is kept.
        right: The other probe.
        both: The sum probe.
        name: Its name.
        same_x: Whether the probes share x and the sum is one of the y.

    Raises:
        TooCoarseError: When a head has several candidates; it names them.
        NotAttentionError: When a head has none: then some ball does not hold the value of an attention model.
    """
    partner = []
    for h in range(len(left.log_poles)):
        candidates = [
            g for g in range(len(right.log_poles)) if _is_candidate(left, h, right, g, both, same_x=same_x)
        ]
        if not candidates:
            raise NotAttentionError(
                f"no partner for head {h + 1} at {name}: the answers with their error bars are not those of an "
                "attention model with so many heads"
            )
        if len(candidates) > 1:
            heads = " or ".join(str(g + 1) for g in candidates)
            raise TooCoarseError("wrong match", name, f"head {h + 1} could be matched with {heads}")
        partner.append(candidates[0])
    if len(set(partner)) < len(partner):
        raise NotAttentionError(f"two heads with one partner at {name}")
    return partner


MOST_MATCHINGS = 720
"""Ways to match all heads that are tried by values."""


def match_by_values(
    left: EnclosedProbe, right: EnclosedProbe, answers: Sequence[arb], value_at_zero: arb, *, same_x: bool
) -> list[int] | None:
    """The only way to match all heads whose predicted values agree with the answers of the sum probe.

    Args:
        left: The probe whose order of heads is kept.
        right: The other probe.
        answers: The balls of F(1), ..., F(2H) of the sum probe.
        value_at_zero: Its F(0).
        same_x: As in `match_enclosures`.

    Returns:
        The partners, or None when several ways agree, or there are too many to try.
    """
    heads = range(len(left.log_poles))
    options = [[g for g in heads if not same_x or left.residues[h].overlaps(right.residues[g])] for h in heads]
    if math.factorial(len(heads)) > MOST_MATCHINGS:
        return None
    terms = [[_terms(left, h, right, g, len(answers), same_x=same_x) for g in heads] for h in heads]
    agreeing = [
        partner
        for partner in itertools.permutations(heads)
        if all(g in candidates for g, candidates in zip(partner, options, strict=True))
        and all(
            sum((terms[h][g][k] for h, g in enumerate(partner)), value_at_zero).overlaps(answer)
            for k, answer in enumerate(answers)
        )
    ]
    return list(agreeing[0]) if len(agreeing) == 1 else None


def _terms(left: EnclosedProbe, h: int, right: EnclosedProbe, g: int, most: int, *, same_x: bool) -> list[arb]:
    """What heads h and g, were they one, add to F(1), ..., F(most) of the sum probe."""
    residue = left.residues[h] if same_x else left.residues[h] + right.residues[g]
    inverse = (-left.log_poles[h] - right.log_poles[g]).exp()
    return [residue / (1 + inverse / k) for k in range(1, most + 1)]


def _is_candidate(
    left: EnclosedProbe, h: int, right: EnclosedProbe, g: int, both: EnclosedProbe, *, same_x: bool
) -> bool:
    log_pole = left.log_poles[h] + right.log_poles[g]
    if same_x and not left.residues[h].overlaps(right.residues[g]):
        return False
    residue = left.residues[h] if same_x else left.residues[h] + right.residues[g]
    return any(
        log_pole.overlaps(s) and residue.overlaps(c) for s, c in zip(both.log_poles, both.residues, strict=True)
    )
