"""Kind base-probes-alone: without sum probes the heads can be put together falsely (DESIGN sections 4, 7).

A base probe (x_i, y_j) shows the pairs (t_h, c_h) without the heads' names, and c_h = v_h.x_i depends on i.  Rename the
heads in one row i, for all j at once: every base probe and every sequence of one token has the same answer.
"""

from __future__ import annotations

import itertools
import random

from exactlearn.counterexamples.building import (
    first_difference,
    log_rational,
    probe_sequences,
    single,
    units,
)
from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Head


def build(request: Request) -> Counterexample:
    """The last rows of T and v go round among the heads; the sum probe of the first and the last row tells."""
    H = request.heads_from(2, "one head cannot be put together falsely")
    d = request.dim_from(2, "in one dimension there is one base probe, and nothing to put together")
    heads = _heads(H, d, request.random())
    recombined = [_with_last_row_of(head, heads[(h + 1) % H]) for h, head in enumerate(heads)]
    left, right = log_rational(heads, d), log_rational(recombined, d)
    tokens = units(d)
    copies = range(1, 2 * H + 1)
    both = tuple(a + b for a, b in zip(tokens[0], tokens[-1], strict=True))
    base = itertools.chain.from_iterable(probe_sequences(x, y, copies) for y in tokens for x in tokens)
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=(
            f"with X = Y = the unit vectors, all {d * d} base probes have the same poles and residues in both models, "
            f"{H} different ones each, so they agree at every copy count, not only up to {2 * H}; but the last rows of "
            f"T and v have moved from each head to another. The sum probe ({_sum(d)}, e_1) sees products of poles of "
            "one and the same head, and tells"
        ),
        models=(left, right),
        agree_on=(*map(single, tokens), *base),
        differ_on=first_difference(left, right, probe_sequences(both, tokens[0], copies)),
    )


def _heads(H: int, d: int, generator: random.Random | None) -> list[Head]:
    """Heads whose entries of T differ at every (i, j), so that no base probe is degenerate."""
    if generator is None:
        return [Head([[h + 1] * d] * d, [h + 1] * (d - 1) + [H - h]) for h in range(H)]
    T = [[generator.sample(range(1, 3 * H + 3), H) for _ in range(d)] for _ in range(d)]
    v = [generator.sample([n for n in range(-H - 3, H + 4) if n], H) for _ in range(d)]
    return [Head([[T[i][j][h] for j in range(d)] for i in range(d)], [v[i][h] for i in range(d)]) for h in range(H)]


def _with_last_row_of(head: Head, other: Head) -> Head:
    return Head([*head.W[:-1], other.W[-1]], [*head.v[:-1], other.v[-1]])


def _sum(d: int) -> str:
    return f"e_1 + e_{d}"


KIND = Kind("base-probes-alone", "sum probes are asked beside the base probes", build)
