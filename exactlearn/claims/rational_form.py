"""Claim rational-form: F is the rational function of DESIGN section 3, for every model and every x, y."""

from __future__ import annotations

import itertools

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.claims.symbolic_probe import copy_count_formula, poles_of, probe_sequence
from exactlearn.model import abbreviate, as_token_sequence
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds, Verdict

PROBES = 3


def check(context: Context) -> Verdict:
    """The value by definition on the raw heads against the formula on the canonical heads, decided by structure."""
    return _compare(context, adds_final_token=True)


def control(context: Context) -> Verdict:
    """The copied token is x in place of x + y."""
    return _compare(context, adds_final_token=False)


def _compare(context: Context, *, adds_final_token: bool) -> Verdict:
    most = 2 * context.heads + 1
    for x, y in itertools.islice(context.small_probes(), PROBES):
        if not adds_final_token:  # x - y is to be a multiple of what the place asks for, as x is
            y = tuple(context.place.token_multiple * b for b in y)  # noqa: PLW2901  # the same probe, scaled
        poles = poles_of(context.canonical, x, y)
        for k in range(most + 1):
            tokens = probe_sequence(x, y, k) if adds_final_token else as_token_sequence([x] * k + [y], context.dim)
            value, formula = evaluate(context.model, tokens), copy_count_formula(context.canonical, poles, x, y, k)
            if value != formula:
                both = f"f is {abbreviate(str(value))}, the formula {abbreviate(str(formula))}"
                return Fails((x, y, k), f"at x = {x}, y = {y}, {k} copies {both}")
    return Holds(
        f"f by definition on the raw heads equals the formula on the canonical heads at {PROBES} probes for "
        f"0 to {most} copies, exactly (symbolic values, equality by structure)"
    )


CLAIM = Claim(
    "rational-form",
    "for every x, y and k: f of k copies of x + y followed by y is V.y + sum_h c_h k t_h / (1 + k t_h), with "
    "t_h = exp(x^T W_h y) and c_h = v_h.x",
    "the same with copies of x in place of x + y",
    has_heads,
    check,
    control,
)
