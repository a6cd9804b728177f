"""Claim lower-bound: fewer than H d^2 + H d queries leave other models with the same answers (DESIGN section 6).

H d^2 + H d queries of the schedule are picked whose differentials at this model are independent.  Of these any
n = H d^2 + H d - 1 leave, by the implicit function theorem, a curve of models with the same n answers through this one.
"""

from __future__ import annotations

import itertools

from flint import fmpz, nmod_mat

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.claims.single_head import control as leaves_out_one_query
from exactlearn.errors import OverBudgetError
from exactlearn.places.protocol import IntegerToken
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

MAX_PARAMETERS = 3000
"""Larger determinants mod p take more than seconds."""

MOST_FIRST_COUNTS = 4
"""At special models the differentials of the first copy counts are dependent; then the counts start at 2, and so on."""


def check(context: Context) -> Verdict:
    """The determinant of the differential modulo p: not zero mod p, not zero in truth."""
    prime = context.ring.prime
    for first in range(1, MOST_FIRST_COUNTS + 1):
        rows = differentials(context, first)
        if int(_matrix(rows, prime).det()):
            break
    parameters = len(rows)
    if not int(_matrix(rows, prime).det()):
        return Undecided(f"modulo {prime} the differentials of the {parameters} queries are dependent")
    if context.heads == 1 and not isinstance(leaves_out_one_query(context), Fails):
        return Fails(None, "the explicit second model has other answers")
    explicit = (
        f"for {parameters - 1} queries of length 1 and 2 a second model was written down, its answers equal exactly"
        if context.heads == 1
        else "the second model is not written down"
    )
    return Holds(
        f"H d^2 + H d = {parameters} queries (2H copy counts from {first} on at the base probes of column 1, H at the "
        f"others) have independent differentials at this model (determinant not zero mod p, hence not zero); "
        f"any {parameters - 1} of them leave a curve of models with the same answers (implicit function theorem); "
        f"{explicit}"
    )


def control(context: Context) -> Verdict:
    """The last query is left out."""
    rows, prime = differentials(context), context.ring.prime
    rank = int(_matrix(rows[:-1], prime).rank()) if rows[:-1] else 0
    if rank < len(rows):
        return Fails(rank, f"{len(rows) - 1} queries reach rank {rank}, there are {len(rows)} parameters")
    return Holds(f"{len(rows) - 1} queries reach rank {rank}")


def queries(context: Context, first: int = 1) -> list[tuple[IntegerToken, IntegerToken, int]]:
    """As many queries (x, y, copies) at base probes as there are parameters, copies from `first` on.

    2H copy counts show residues and poles at the base probes of column 1; H are enough for the poles at the others.

    Raises:
        OverBudgetError: When there are more than `MAX_PARAMETERS`.
    """
    H, draw = context.heads, context.learned.result.draw
    parameters = H * context.dim * (context.dim + 1)
    if parameters > MAX_PARAMETERS:
        raise OverBudgetError(f"a determinant of size {parameters} is over the bound of {MAX_PARAMETERS}")
    return [
        (x, y, k)
        for j, y in enumerate(draw.Y)
        for x in draw.X
        for k in range(first, (H if j else 2 * H) + first)
    ]


def differentials(context: Context, first: int = 1) -> list[list[int]]:
    """One row for each of the `queries`, mod p: the derivatives by all v_h, then by all W_h by rows.

    F(k) = V.y + sum_h c_h s_h with s = k t / (1 + k t):  dF/dv_h = y + s_h x,  dF/dW_h = c_h s_h (1 - s_h) x y^T.
    """
    prime, rows = context.ring.prime, []
    for (x, y), group in itertools.groupby(queries(context, first), key=lambda query: query[:2]):
        poles = context.pole_images(x, y)
        residues = context.ring.reduce_all(context.residues(x))
        products = [a * b for a in x for b in y]
        for _, _, k in group:
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


def _matrix(rows: list[list[int]], prime: int) -> nmod_mat:
    return nmod_mat(len(rows), len(rows[0]), list(itertools.chain.from_iterable(rows)), prime)


CLAIM = Claim(
    "lower-bound",
    "H d^2 + H d queries of the schedule have independent differentials at this model, and when one of them is left "
    "out there are other models with the same answers",
    "H d^2 + H d - 1 queries of the schedule determine all parameters to first order",
    has_heads,
    check,
    control,
)
