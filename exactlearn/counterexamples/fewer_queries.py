"""Kind fewer-queries: one query fewer than there are parameters leaves two models (DESIGN sections 6, 7).

The learner here is the most economical one that needs no sum probes to know its numbers: the d values V.e_j; then
V.x is known, so 2H - 1 copy counts for each probe of column 1; then the residues are known, so H copy counts for
each other probe.  These are  d + d (2H - 1) + d (d - 1) H = H d^2 + H d  queries; the last one is not asked.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from flint import fmpq, fmpq_mat

from exactlearn.counterexamples.building import (
    ascending,
    constant,
    log_rational,
    plural,
    probe_sequences,
    single,
    unit,
    with_entry,
)
from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.counterexamples.partial_fractions import coprime, split_terms
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Head, MultiHeadAttention, TokenSequence

_TRIES = 200


def build(request: Request) -> Counterexample:
    """Two models with the same H d^2 + H d - 1 answers; the query that was left out parts them."""
    H, d = request.heads_from(1), request.dim_from(1)
    generator = request.random()
    models = _in_one_dimension(H, generator) if d == 1 else _in_last_entry(H, d, generator)
    asked, left_out = queries(H, d)
    parameters = H * d**2 + H * d
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=(
            f"with H = {H} and d = {d} there are {parameters} parameters. Asked: {plural(len(asked), 'query')}, one "
            "fewer, which two canonical models answer alike: "
            + (
                f"F of the copy count k agrees for k < {2 * H - 1}, and at k = {2 * H - 1} no more"
                if d == 1
                else f"they differ in the entries T[{d}][{d}] alone, which only the probe x = y = e_{d} sees, and "
                f"{plural(H - 1, 'copy count')} there cannot determine {plural(H, 'pole')}"
            )
        ),
        models=models,
        agree_on=asked,
        differ_on=left_out,
    )


def queries(H: int, d: int) -> tuple[tuple[TokenSequence, ...], TokenSequence]:
    """The H d^2 + H d - 1 queries that are asked, and the one that is left out."""
    asked = [single(unit(d, j)) for j in range(d)]
    for j, i in itertools.product(range(d), range(d)):
        copies = 2 * H - 1 if j == 0 else H
        asked += probe_sequences(unit(d, i), unit(d, j), range(1, copies + 1))
    return tuple(asked[:-1]), asked[-1]


def _in_one_dimension(H: int, generator: random.Random | None) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    """Poles and residues both differ; the residues have one sum V.  The probe (e_1, e_1) lacks its last copy count."""
    first, second = split_terms(ascending(2 * H, generator), 2 * H - 2, range(0, 2 * H, 2))
    return (
        log_rational([Head([[t]], [c]) for t, c in first], 1),
        log_rational([Head([[t]], [c]) for t, c in second], 1),
    )


def _in_last_entry(H: int, d: int, generator: random.Random | None) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    numbers, residues = _shared_residues(H, generator)
    models = []
    for offset in range(2):
        heads = []
        for h, c in enumerate(residues):
            t = fmpq(1, numbers[2 * h + offset])
            heads.append(Head(with_entry(constant(d, h + 1), d - 1, d - 1, t), [1] * (d - 1) + [c]))
        models.append(log_rational(heads, d))
    return models[0], models[1]


def _shared_residues(H: int, generator: random.Random | None) -> tuple[list[int], list[fmpq]]:
    """Numbers m and residues c with sum_h c_h k (1/(k + m_2h) - 1/(k + m_(2h+1))) = 0 for 0 < k < H alone of k <= H.

    H - 1 linear equations in H residues: the solution is taken when no entry of it is zero.
    """
    for attempt in range(_TRIES):
        numbers = ascending(2 * H, generator or (random.Random(attempt) if attempt else None))
        residues = _solution(numbers, H)
        if all(residues) and sum((c * _change(numbers, h, H) for h, c in enumerate(residues)), fmpq(0)):
            return numbers, residues
    raise AssertionError("unreachable: a generic choice is good")  # pragma: no cover


def _solution(numbers: Sequence[int], H: int) -> list[fmpq]:
    """The residues up to a factor; the last is 1, or all are 0 when it cannot be."""
    if H == 1:
        return [fmpq(1)]
    square = fmpq_mat([[_change(numbers, h, k) for h in range(H - 1)] for k in range(1, H)])
    right = fmpq_mat([[-_change(numbers, H - 1, k)] for k in range(1, H)])
    if not square.det():
        return [fmpq(0)] * H
    return coprime([*square.solve(right).entries(), fmpq(1)])


def _change(numbers: Sequence[int], h: int, k: int) -> fmpq:
    return fmpq(1, k + numbers[2 * h]) - fmpq(1, k + numbers[2 * h + 1])


KIND = Kind("fewer-queries", "at least as many queries as parameters, H d^2 + H d (here one fewer)", build)
