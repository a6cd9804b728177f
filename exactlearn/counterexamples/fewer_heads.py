"""Kind fewer-heads: the learner is told H0 < H heads (DESIGN sections 3, 7).

With H0 >= 0 and H >= H0 + 2 there is even a model with H0 heads that agrees with one of H heads on everything that the
learner asks on the draw X = Y = the unit vectors: T_h = t_h at the entry (1,1) and 1 elsewhere, v_h = (c_h, 0, ...),
so that every probe sees the pairs (t_h, c_h), or one pole 1 with the residue V_1, or nothing.  The (t, c) of both come
from a product with zeros at k = 1, ..., 2 H0 (partial_fractions.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from exactlearn.canonical import same_function
from exactlearn.counterexamples.building import (
    ascending,
    constant,
    log_rational,
    plural,
    probe,
    schedule_sequences,
    unit,
    units,
    with_entry,
)
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.fixed_draw import draw_table, learner_says, read_fixed_draw
from exactlearn.counterexamples.partial_fractions import Term, split_terms
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.draws import Draw
from exactlearn.model import Head, MultiHeadAttention


def build(request: Request) -> Counterexample:
    """H heads, and H - 2 heads with the same answers to what a learner asks that expects H - 2."""
    H, d = request.heads_from(2, "H0 = H - 2 heads are fewer than none", smallest=3), request.dim_from(1)
    fewer = H - 2
    numbers = ascending(H + fewer, request.random())
    few, many = split_terms(numbers, 2 * fewer, range(1, 2 * fewer, 2))
    models = _model(many, d), _model(few, d)
    draw = Draw(units(d), units(d))
    first = unit(d, 0)
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=(
            f"told H0 = {fewer}, a learner asks 2 H0 = {2 * fewer} copy counts of each probe. On this draw a model "
            f"with {plural(fewer, 'head')} has the same answers as the one with {H}, so what was asked cannot show "
            "that there are more heads; the next copy count does"
        ),
        models=models,
        agree_on=schedule_sequences(draw, 2 * fewer),
        differ_on=probe(first, first, 2 * fewer + 1),
        tables=(draw_table(draw), _learner_table(models, draw, fewer, H)),
    )


def _model(terms: Sequence[Term], d: int) -> MultiHeadAttention:
    heads = [Head(with_entry(constant(d, 1), 0, 0, t), [c, *[0] * (d - 1)]) for t, c in terms]
    return log_rational(heads, d)


def _learner_table(models: Sequence[MultiHeadAttention], draw: Draw, fewer: int, H: int) -> Table:
    found = read_fixed_draw(models[0], draw, fewer)
    on_draw = found
    if isinstance(found, MultiHeadAttention):
        which = "the second one" if same_function(found, models[1]).holds else "neither of these"
        on_draw = f"a model with {plural(len(found.heads), 'head')}, {which}"
    rows = [(str(fewer), "on this draw, before any audit", str(on_draw))]
    rows += [(str(told), "the whole run, on draws of its own", learner_says(models[0], told)) for told in range(H + 1)]
    return Table("what the learner says of the first model", ("told heads", "when", "the learner"), tuple(rows))


KIND = Kind("fewer-heads", "the learner knows H, or an upper bound on it (here H0 = H - 2)", build)
