"""Kind fixed-probes: for any list of probes that is fixed beforehand there are two models that agree on all of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from flint import fmpq, fmpz_mat

from exactlearn.canonical import canonical_form
from exactlearn.counterexamples.blind_spots import BlindSpot, IntegerMatrix, blind_spots
from exactlearn.counterexamples.building import PRIMES, plural, probe, schedule_pairs, single, small_difference, units
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.fixed_draw import draw_table, learner_says, read_fixed_draw, vanishing_table
from exactlearn.counterexamples.request import Kind, ProbePair, Request
from exactlearn.draws import Draw
from exactlearn.errors import UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, TokenSequence, WeightKind
from exactlearn.places.protocol import IntegerToken

MOST_HEADS = 64
MOST_EXPONENT = 4000
"""Weights log T with T = 2^E up to this exponent of a value; beyond, W = E and true e, whose values are symbolic."""

MOST_SEQUENCES = 400


def build(request: Request) -> Counterexample:
    """Two models that agree on the given probes, by default the schedule's on the unit vectors, at every copy count."""
    probes = request.probes
    if probes is None:
        dim = request.dim_from(2, "in one dimension every probe with x, y not zero parts all heads")
        probes = tuple(schedule_pairs(Draw(units(dim), units(dim))))
    dim = len(probes[0][0])
    if request.dim is not None and request.dim != dim:
        raise UnusableInputError(f"the probes have dimension {dim}, not {request.dim}", "dim")
    draw = draw_from(probes, dim)
    everything = list(dict.fromkeys([*probes, *(schedule_pairs(draw) if draw else ())]))
    spot = _chosen(blind_spots(everything, dim), request.heads)
    models = _models(spot, everything, request)
    H = len(models[0].heads)
    tables = [_probe_table(probes)]
    if draw is not None:
        tables += [draw_table(draw), vanishing_table(models[0], draw), _learner_table(models, draw, H)]
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=_why(spot, len(probes), H, draw),
        models=models,
        agree_on=_sequences(probes, H),
        differ_on=small_difference(*models),
        tables=tuple(tables),
    )


def draw_from(probes: Sequence[ProbePair], dim: int) -> Draw | None:
    """The first independent x and y of a list, as a draw of the schedule; None when they do not span."""
    X, Y = (_first_independent([pair[side] for pair in probes], dim) for side in (0, 1))
    return Draw(X, Y) if len(X) == len(Y) == dim else None


def _first_independent(tokens: Sequence[IntegerToken], dim: int) -> tuple[IntegerToken, ...]:
    found: list[IntegerToken] = []
    for token in tokens:
        if len(found) < dim and fmpz_mat([list(row) for row in [*found, token]]).rank() > len(found):
            found.append(token)
    return tuple(found)


def _chosen(spots: Sequence[BlindSpot], heads: int | None) -> BlindSpot:
    """The blind spot with the most heads up to the wanted number; left out, the one with the fewest."""
    if not spots:
        raise UnusableInputError(
            "in one dimension every probe with x, y not zero parts all heads: no list of them is bad", "probes"
        )
    least = spots[0].heads
    if least > MOST_HEADS:
        raise UnusableInputError(f"two models that agree on all of them would have {least} heads or more", "probes")
    if heads is None:
        return spots[0]
    fitting = [spot for spot in spots if spot.heads <= heads]
    if not fitting or heads > MOST_HEADS:
        raise UnusableInputError(
            f"two models that agree on all these probes are built with {least} to {MOST_HEADS} heads, not {heads}",
            "heads",
        )
    return fitting[-1]


def _models(
    spot: BlindSpot, probes: Sequence[ProbePair], request: Request
) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    """The two models, with heads in common up to the number that is wanted."""
    dim, generator = len(spot.v), request.random()
    matrices = spot.exponents()
    largest = max(abs(_form(E, x, y)) for E in itertools.chain(*matrices) for x, y in probes)
    entries = max(abs(entry) for E in itertools.chain(*matrices) for row in E for entry in row)
    base = 2 if generator is None else generator.choice(PRIMES[:3])
    is_log = max(largest, entries) <= MOST_EXPONENT
    weights: WeightKind = "log-rational" if is_log else "rational"
    common = []
    for n in range((request.heads or spot.heads) - spot.heads):
        number = fmpq(PRIMES[3 + n]) if n + 3 < len(PRIMES) else fmpq(PRIMES[-1] + 2 * n)
        common.append(Head([[number] * dim] * dim, [1] * dim))
    left, right = (
        MultiHeadAttention([*(_head(E, spot.v, base, is_log=is_log) for E in model), *common], dim=dim, weights=weights)
        for model in matrices
    )
    if len(canonical_form(left).heads) != len(left.heads) or len(canonical_form(right).heads) != len(right.heads):
        raise UnusableInputError("the models for these probes have heads in common that merge", "probes")
    return left, right


def _head(E: IntegerMatrix, v: tuple[int, ...], base: int, *, is_log: bool) -> Head:
    return Head([[fmpq(base) ** entry if is_log else entry for entry in row] for row in E], v)


def _form(E: IntegerMatrix, x: IntegerToken, y: IntegerToken) -> int:
    return sum(a * entry * b for a, row in zip(x, E, strict=True) for entry, b in zip(row, y, strict=True))


def _sequences(probes: Sequence[ProbePair], H: int) -> tuple[TokenSequence, ...]:
    """Each y alone and each probe with 1, 2, ..., 2H copies; fewer copies when these would be too many."""
    copies = max(1, min(2 * H, MOST_SEQUENCES // len(probes)))
    sequences = [single(y) for _, y in probes]
    sequences += [probe(x, y, k) for x, y in probes for k in range(1, copies + 1)]
    return tuple(dict.fromkeys(sequences))


def _why(spot: BlindSpot, count: int, H: int, draw: Draw | None) -> str:
    groups = len(spot.directions)
    told = (
        f"the list of {plural(count, 'probe')} was fixed before the model: two canonical models with "
        f"{plural(H, 'head')} agree on all of it, at every copy count. "
    )
    if groups == 1:
        told += "There is a matrix A, not zero, with x^T A y = 0 wherever v.x is not 0, and the log-poles differ by A"
    else:
        told += (
            f"The probes fall into {groups} groups, each blind to a matrix A_g; sums of evenly many A_g are the "
            "weights of one model's heads, sums of oddly many those of the other's"
        )
    if draw is None:
        return told + ". Its x or its y do not span the space, so it holds no draw of the schedule"
    return told + ". The schedule on the bases in the list is no better; only tokens drawn after the model are"


def _probe_table(probes: Sequence[ProbePair]) -> Table:
    rows = tuple((str(n), _text(x), _text(y)) for n, (x, y) in enumerate(probes))
    return Table("the probes", ("", "x", "y"), rows)


def _learner_table(models: Sequence[MultiHeadAttention], draw: Draw, H: int) -> Table:
    rows = []
    for index, model in enumerate(models):
        rows.append((str(index), "on the fixed tokens", str(read_fixed_draw(model, draw, H))))
        rows.append((str(index), "on draws of its own", learner_says(model, H)))
    return Table("what the learner says", ("model", "when", "the learner"), tuple(rows))


def _text(token: IntegerToken) -> str:
    return f"({', '.join(map(str, token))})"


KIND = Kind("fixed-probes", "the probes are drawn at random, after the model (here a list is fixed first)", build)
