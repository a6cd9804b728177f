"""Kind too-few-copies: F(0) and 2H - 1 copy counts of a probe leave two models with H heads (DESIGN sections 3, 7)."""

from __future__ import annotations

import random

from flint import fmpq

from exactlearn.counterexamples.building import (
    ascending,
    constant,
    log_rational,
    probe,
    probe_sequences,
    single,
    unit,
    with_entry,
)
from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.counterexamples.partial_fractions import Term, split_terms
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Head, MultiHeadAttention

ONE_DIMENSION = "in one dimension F(0) = V y tells V and so F(infinity), which is the missing value"


def build(request: Request) -> Counterexample:
    """H heads against H heads on the probe (e_1, e_2): F(0), ..., F(2H - 1) agree, F(2H) does not."""
    H, d = request.heads_from(1), request.dim_from(2, ONE_DIMENSION)
    generator = request.random()
    copies = 2 * H - 1
    numbers = ascending(2 * H, generator)
    parts = split_terms(numbers, copies, range(0, 2 * H, 2))
    elsewhere = [_elsewhere(d, generator) for _ in range(H)]
    models = tuple(_model(terms, elsewhere, d) for terms in parts)
    x, y = unit(d, 0), unit(d, 1)
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=(
            f"on the probe x = e_1, y = e_2 the two functions F of the copy count differ by a multiple of "
            f"k {' '.join(f'(k - {i})' for i in range(1, copies + 1))} / "
            f"{''.join(f'(k + {m})' for m in numbers)}, "
            f"which vanishes for k <= {copies} and at no other k: {2 * H} copy counts are needed"
        ),
        models=models,
        agree_on=(single(y), *probe_sequences(x, y, range(1, copies + 1))),
        differ_on=probe(x, y, 2 * H),
    )


def _elsewhere(d: int, generator: random.Random | None) -> Head:
    """The entries that this probe does not see: they are the same in both models."""
    if generator is None:
        return Head(constant(d, 1), [0] * d)
    T = [[fmpq(generator.randint(1, 9), generator.randint(1, 3)) for _ in range(d)] for _ in range(d)]
    return Head(T, [generator.randint(-5, 5) for _ in range(d)])


def _model(terms: list[Term], elsewhere: list[Head], d: int) -> MultiHeadAttention:
    heads = [Head(with_entry(rest.W, 0, 1, t), [c, *rest.v[1:]]) for (t, c), rest in zip(terms, elsewhere, strict=True)]
    return log_rational(heads, d)


KIND = Kind("too-few-copies", "2H copy counts are asked for each probe (here 2H - 1)", build)
