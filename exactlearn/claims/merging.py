"""Claim merging: heads with equal W show as one pole whose residues add; a zero sum takes the pole away."""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.claims.symbolic_probe import copy_count_formula, poles_of, probe_sequence, value_at_zero
from exactlearn.interpolation import probe_interpolation
from exactlearn.model import Head, MultiHeadAttention, Vector
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds, Verdict

_ZERO = fmpq(0)


def check(context: Context) -> Verdict:
    """A head is added with the W of the first: once with a v that adds up, once with one that cancels."""
    doubled, cancelled = _beside(context, lambda v: v), _beside(context, lambda v: tuple(-a for a in v))
    x, y = context.separated_probe
    merged = _with_first_value(context.canonical, tuple(2 * a for a in context.canonical.heads[0].v))
    without = context.canonical.with_heads(context.canonical.heads[1:])
    for raw, expected in ((doubled, merged), (cancelled, without)):
        copies = _differing_copies(raw, expected, x, y)
        if copies is not None:
            return Fails((raw, x, y, copies), f"at {copies} copies this is not {len(expected.heads)} poles")
        seen = _poles_seen(context, raw, x, y)
        if seen != len(expected.heads):
            return Fails((raw, x, y), f"{seen} poles show, not {len(expected.heads)}")
    H = context.heads
    return Holds(
        f"with a second head of equal W, F(0), ..., F({2 * H + 2}) at a separated probe are exactly those of {H} poles "
        f"with added residues, and with opposite v those of H - 1 = {H - 1} (symbolic values; 2(H + 1) values "
        "determine a function with at most H + 1 poles); interpolation mod p^k sees as many"
    )


def control(context: Context) -> Verdict:
    """The residues do not add: the pole has the first head's alone (F(0) is left as it is)."""
    x, y = context.separated_probe
    doubled = _beside(context, lambda v: v)
    at_zero = value_at_zero(doubled, y) - value_at_zero(context.canonical, y)
    copies = _differing_copies(doubled, context.canonical, x, y, at_zero)
    if copies is None:
        return Holds("the values are those of the first head's residue alone")
    return Fails((doubled, x, y, copies), f"at {copies} copies the value differs from that of the first residue alone")


def _beside(context: Context, value: Callable[[Vector], Vector]) -> MultiHeadAttention:
    first = context.canonical.heads[0]
    return context.canonical.with_heads([*context.canonical.heads, Head(first.W, value(first.v))])


def _with_first_value(canonical: MultiHeadAttention, value: Vector) -> MultiHeadAttention:
    return canonical.with_heads([Head(canonical.heads[0].W, value), *canonical.heads[1:]])


def _differing_copies(
    raw: MultiHeadAttention, expected: MultiHeadAttention, x: IntegerToken, y: IntegerToken, shift: fmpq = _ZERO
) -> int | None:
    """The first k at which f of `raw` is not the formula for `expected`, plus `shift`."""
    poles = poles_of(expected, x, y)
    for k in range(2 * len(raw.heads) + 1):
        if evaluate(raw, probe_sequence(x, y, k)) != copy_count_formula(expected, poles, x, y, k) + shift:
            return k
    return None


def _poles_seen(context: Context, raw: MultiHeadAttention, x: IntegerToken, y: IntegerToken) -> int:
    ring, bound = context.ring, len(raw.heads)
    box = context.place.black_box(raw)
    at_zero, *samples = context.place.see(box.copies(x, y, range(2 * bound + 1), ring), ring)
    return len(probe_interpolation(ring, bound).read(at_zero, samples).poles)


CLAIM = Claim(
    "merging",
    "heads with equal W have one pole and their residues add; when these sum to zero the pole is gone",
    "of heads with equal W the pole has the residue of the first alone",
    has_heads,
    check,
    control,
)
