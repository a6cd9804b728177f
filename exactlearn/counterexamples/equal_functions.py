"""Kind equal-functions: other raw heads, the same function: raw heads are not identifiable (DESIGN sections 1, 7)."""

from __future__ import annotations

import random

from exactlearn.counterexamples.building import constant, log_rational, probe, single, units, with_entry
from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Head

_WHY = {
    "merge": "heads 0 and 1 of the first model have equal W, so their softmaxes are equal and their v add: "
    "{H} canonical head{s} either way",
    "cancel": "the last two heads of the first model have equal W and opposite v, so they cancel: "
    "{H} canonical head{s} either way",
    "permute": "the same heads in another order: a sum does not know the order of its terms",
}


def build(request: Request) -> Counterexample:
    """Two models with different lists of heads that agree on every sequence."""
    case = request.case or KIND.cases[0]
    least = 2 if case == "permute" else 1
    H, d = request.heads_from(least, "one head has one order"), request.dim_from(1)
    generator = request.random()
    heads = [_head(h, d, generator) for h in range(H)]
    if case == "merge":
        part = [1] + [0] * (d - 1)
        rest = [v - a for v, a in zip(heads[0].v, part, strict=True)]
        raw = [Head(heads[0].W, part), Head(heads[0].W, rest), *heads[1:]]
    elif case == "cancel":
        extra = _head(H, d, generator)
        raw = [*heads, extra, Head(extra.W, [-v for v in extra.v])]
    else:
        raw = heads[1:] + heads[:1]
    x, y = units(d)[0], units(d)[-1]
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=_WHY[case].format(H=H, s="s" if H > 1 else "") + "; so no query whatever can tell the two lists apart",
        models=(log_rational(raw, d), log_rational(heads, d)),
        agree_on=(single(y), probe(x, y, 1), probe(x, y, 2)),
        case=case,
        canonical=False,
    )


def _head(h: int, d: int, generator: random.Random | None) -> Head:
    """Heads with different T: all entries h + 2, or random ones with a first entry of their own."""
    if generator is None:
        return Head(constant(d, h + 2), [3] * d)
    T = with_entry([[generator.randint(1, 9) for _ in range(d)] for _ in range(d)], 0, 0, h + 2)
    return Head(T, [generator.randint(2, 9), *(generator.randint(-9, 9) for _ in range(d - 1))])


KIND = Kind(
    "equal-functions",
    "the heads are canonical: equal W merged, zero v dropped, any order",
    build,
    ("merge", "cancel", "permute"),
)
