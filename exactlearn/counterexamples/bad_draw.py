"""Kind bad-draw: one polynomial of DESIGN section 5 vanishes, and two models agree on every query of the schedule.

All cases take the unit vectors as tokens (det X and det Y but for one), with E_h = log T_h the table of log-poles.  Two
models agree on the whole schedule, at every copy count, when each probe sees the same set of pairs (t_h, c_h):

* det X = 0: no x sees the last row of T; det Y = 0: no y sees the last column.
* v_h.x_1 = 0: the head is hidden at (x_1, y_j) and at (x_1, y_1 + y_j), so its T[1][j], j > 1, are not seen.
* Two poles meet at P(1,1), the v equal: the heads cannot be followed from P(1,1), and nothing else ties column 1 to
  the rest of row 1.  With E_1 - E_2 = 0 at (1,1), that rest may be exchanged between the two heads.
* False match: with first rows a = (0, 1, 2) and second ones b = (1, 2, 0), the sums a_h + b_h are 1, 3, 2, and so are,
  in another order, a_h + b_(h+1).  The second row may go round among the three heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exactlearn.counterexamples.building import (
    PRIMES,
    constant,
    log_rational,
    powers,
    schedule_sequences,
    small_difference,
    units,
    with_entry,
)
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.fixed_draw import draw_table, learner_says, read_fixed_draw, vanishing_table
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.draws import Draw
from exactlearn.errors import UnusableInputError
from exactlearn.model import Head, MultiHeadAttention

Heads = list[Head]
_OTHER_BASES = (2, 41, 43, 47, 53)
_NEVER_ASKED = "never asks this draw: a token that depends on those before it is drawn anew, at no cost"


@dataclass(frozen=True)
class Case:
    """One polynomial: from which sizes on it can vanish, why that is bad, the special heads of the two models."""

    least_heads: int
    least_dim: int
    why: str
    pair: Callable[[int, int], tuple[Heads, Heads]]


def build(request: Request) -> Counterexample:
    """Two models that agree on every query of the schedule on a draw where the case's polynomial vanishes."""
    name = request.case or KIND.cases[0]
    case = CASES[name]
    H = request.heads_from(case.least_heads, "it is about so many different heads")
    d = request.dim_from(case.least_dim, "in one dimension it vanishes for the zero token alone: det-x, det-y")
    generator = request.random()
    base = 2 if generator is None else generator.choice(_OTHER_BASES)
    first, second = case.pair(d, base)
    others = [Head(constant(d, PRIMES[h]), _ones(d)) for h in range(len(first), H)]
    models = log_rational([*first, *others], d), log_rational([*second, *others], d)
    draw = _draw(name, d)
    table = vanishing_table(models[0], draw)
    if not table.rows:  # pragma: no cover  # by construction
        raise UnusableInputError("no polynomial vanishes at this draw", "draw")
    return Counterexample(
        kind=KIND.name,
        case=name,
        dropped=KIND.dropped,
        why=case.why + "; the two models agree on all queries of the schedule, at every copy count",
        models=models,
        agree_on=schedule_sequences(draw, 2 * H),
        differ_on=small_difference(*models),
        tables=(draw_table(draw), table, _learner_table(models, draw, H, name)),
    )


def _draw(name: str, d: int) -> Draw:
    tokens = units(d)
    dependent = (*tokens[:-1], tokens[0]) if d > 1 else ((0,),)
    return Draw(dependent if name == "det-x" else tokens, dependent if name == "det-y" else tokens)


def _learner_table(models: tuple[MultiHeadAttention, ...], draw: Draw, H: int, name: str) -> Table:
    rows = []
    for index, model in enumerate(models):
        on_draw = _NEVER_ASKED if name.startswith("det") else str(read_fixed_draw(model, draw, H))
        rows.append((str(index), "on this draw", on_draw))
        rows.append((str(index), "on draws of its own", learner_says(model, H)))
    return Table("what the learner says", ("model", "when", "the learner"), tuple(rows))


def _ones(d: int) -> list[int]:
    return [1] * d


def _hidden_row(d: int, base: int) -> tuple[Heads, Heads]:
    """The last row of T."""
    T: list[list[int]] = [*[[1] * d] * (d - 1), [base] * d]
    return [Head(constant(d, 1), _ones(d))], [Head(T, _ones(d))]


def _hidden_column(d: int, base: int) -> tuple[Heads, Heads]:
    """The last column of T."""
    T = [[*row[1:], base] for row in constant(d, 1)]
    return [Head(constant(d, 1), _ones(d))], [Head(T, _ones(d))]


def _hidden_head(d: int, base: int) -> tuple[Heads, Heads]:
    v = [0, *_ones(d - 1)]
    return [Head(constant(d, 1), v)], [Head(with_entry(constant(d, 1), 0, 1, base), v)]


def _meeting_poles(d: int, base: int) -> tuple[Heads, Heads]:
    """E_1 and E_2: the rest of row 1 is where E_1 has ones, then where E_2 has them."""
    none, others = [0] * d, [[1] * d] * (d - 1)
    row = [0, *_ones(d - 1)]
    first = [[row, *others], [none] * d]
    second = [[none, *others], [row, *[none] * (d - 1)]]
    return _heads(base, first), _heads(base, second)


def _false_match(d: int, base: int) -> tuple[Heads, Heads]:
    """Rows h, then h + 1 or h + 2 modulo 3, then h again: for three heads h = 0, 1, 2."""
    first, second = ([[[h] * d, [(h + shift) % 3] * d, *[[h] * d] * (d - 2)] for h in range(3)] for shift in (1, 2))
    return _heads(base, first), _heads(base, second)


def _heads(base: int, exponents: Sequence[Sequence[Sequence[int]]]) -> Heads:
    return [Head(powers(base, E), _ones(len(E))) for E in exponents]


CASES = {
    "v-x": Case(
        1, 2,
        "v_1.x_1 = 0 hides head 1 at every probe with x = x_1, so nothing sees what T_1 is at (x_1, y_j) for j > 1",
        _hidden_head,
    ),
    "poles-meet": Case(
        2, 2,
        "x_1^T (W_1 - W_2) y_1 = 0: two poles meet at P(1,1), from where heads are followed to column 1 and to row 1, "
        "so which part of row 1 belongs to which part of the other rows is not seen",
        _meeting_poles,
    ),
    "false-match": Case(
        3, 2,
        "x_1^T W_h y_1 + x_2^T W_g y_1 = (x_1 + x_2)^T W_l y_1 for heads h, g, l that are not one: the sum probe "
        "S(2,1) allows two ways to match row 1 with row 2",
        _false_match,
    ),
    "det-x": Case(1, 1, "det X = 0: no x of the draw, and no sum of two, sees the last row of T", _hidden_row),
    "det-y": Case(1, 1, "det Y = 0: no y of the draw, and no sum of two, sees the last column of T", _hidden_column),
}  # fmt: skip

KIND = Kind(
    "bad-draw",
    "the draw is good: none of the genericity polynomials vanishes at it",
    build,
    tuple(CASES),
)
