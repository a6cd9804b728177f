"""Claim lower-bound: fewer than H d^2 + H d queries leave other models with the same answers (DESIGN section 6).

The differential of the query map at this model has, for the schedule's queries, full column rank H d^2 + H d.  Take
n = H d^2 + H d - 1 of them with independent differentials: by the implicit function theorem the models with the
same n answers form a curve through this one.
"""

from __future__ import annotations

import itertools

from flint import fmpz, nmod_mat

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.claims.single_head import control as leaves_out_one_query
from exactlearn.genericity_polynomials import Indices, probes
from exactlearn.places.protocol import IntegerToken
from exactlearn.verdict import Fails, Holds, Undecided, Verdict


def check(context: Context) -> Verdict:
    """Ranks of the differential modulo p; a rank mod p never exceeds the true one."""
    rows, prime = differentials(context), context.ring.prime
    parameters = context.heads * context.dim * (context.dim + 1)
    matrix = nmod_mat(len(rows), parameters, list(itertools.chain.from_iterable(rows)), prime)
    independent = _independent_rows(matrix)
    if len(independent) < parameters:
        return Undecided(f"modulo {prime} the rank is {len(independent)}, not {parameters}")
    fewer = independent[: parameters - 1]
    rank = _rank([rows[index] for index in fewer], parameters, prime)
    if rank != len(fewer):
        return Fails(fewer, f"{len(fewer)} rows chosen as independent have rank {rank}")
    if context.heads == 1 and not isinstance(leaves_out_one_query(context), Fails):
        return Fails(None, "the explicit second model has other answers")
    explicit = (
        f"for {len(fewer)} queries of length 1 and 2 a second model was written down, its answers equal exactly"
        if context.heads == 1
        else "the second model is not written down"
    )
    return Holds(
        f"the differential of the schedule's {len(rows)} queries at this model has rank {parameters} = H d^2 + H d "
        f"(rank mod p, a rigorous lower bound; no more columns than that); {len(fewer)} of them with independent "
        f"differentials leave a curve of models with the same answers (implicit function theorem); {explicit}"
    )


def control(context: Context) -> Verdict:
    """One query fewer than parameters: the first so many independent ones do not reach full rank."""
    rows, prime = differentials(context), context.ring.prime
    parameters = context.heads * context.dim * (context.dim + 1)
    matrix = nmod_mat(len(rows), parameters, list(itertools.chain.from_iterable(rows)), prime)
    fewer = _independent_rows(matrix)[: parameters - 1]
    rank = _rank([rows[index] for index in fewer], parameters, prime)
    if rank < parameters:
        return Fails(fewer, f"{len(fewer)} queries reach rank {rank}, there are {parameters} parameters")
    return Holds(f"{len(fewer)} queries reach rank {rank}")


def differentials(context: Context) -> list[list[int]]:
    """One row for each query of the schedule at the learner's draw, mod p: all v_h, then all W_h by rows.

    F(k) = V.y + sum_h c_h s_h with s = k t / (1 + k t):  dF/dv_h = y + s_h x,  dF/dW_h = c_h s_h (1 - s_h) x y^T.
    """
    draw, prime, H, d = context.learned.result.draw, context.ring.prime, context.heads, context.dim
    first = draw.Y[0]
    rows = [[a % prime for _ in range(H) for a in first] + [0] * (H * d * d)]
    for place in probes(d):
        x, y = _token(draw.X, place.xs), _token(draw.Y, place.ys)
        poles = context.pole_images(x, y)
        residues = context.ring.reduce_all(context.residues(x))
        products = [a * b for a in x for b in y]
        for k in range(1, 2 * H + 1):
            shares = [_share(k, int(t % prime), prime) for t in poles]
            row = [(b + s * a) % prime for s in shares for a, b in zip(x, y, strict=True)]
            for s, c in zip(shares, residues, strict=True):
                factor = int(c % prime) * s * (1 - s) % prime
                row += [factor * product % prime for product in products]
            rows.append(row)
    return rows


def _share(copies: int, pole: int, prime: int) -> int:
    weighted = copies * pole
    return weighted * int(pow(fmpz(1 + weighted), -1, prime)) % prime


def _token(tokens: tuple[IntegerToken, ...], indices: Indices) -> IntegerToken:
    return tuple(sum(tokens[i][a] for i in indices) for a in range(len(tokens[0])))


def _independent_rows(matrix: nmod_mat) -> list[int]:
    """Indices of rows that form a basis of the row space: the pivot columns of the transpose."""
    reduced, rank = matrix.transpose().rref()
    table = reduced.tolist()
    return [next(column for column, entry in enumerate(row) if int(entry)) for row in table[:rank]]


def _rank(rows: list[list[int]], columns: int, prime: int) -> int:
    return int(nmod_mat(len(rows), columns, list(itertools.chain.from_iterable(rows)), prime).rank())


CLAIM = Claim(
    "lower-bound",
    "H d^2 + H d queries of the schedule have independent differentials at this model, and with one fewer there are "
    "other models with the same answers",
    "H d^2 + H d - 1 queries of the schedule determine all parameters to first order",
    has_heads,
    check,
    control,
)
