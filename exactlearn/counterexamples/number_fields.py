"""Kind number-fields: where rational intuition fails, once weights or tokens lie in a number field (DESIGN section 7).

hidden-zero: x_1^2 - 2 x_2^2 vanishes at (sqrt(2), 1) and at no rational token but 0.
conjugate: sqrt(2) and -sqrt(2) satisfy the same equations over Q, and have the same images modulo primes.
cosines: 2 cos(2 pi/7), 2 cos(4 pi/7), 2 cos(6 pi/7) have the sum -1, and no other rational relation.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from flint import fmpq, fmpz

from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Head, MultiHeadAttention, TokenSequence
from exactlearn.oracle import place_of
from exactlearn.places.field_rings import FieldRing

ROOT_OF_2 = NumberField([-2, 0, 1], [1, 2])
COSINES = NumberField([-1, -2, 1, 1], [1, 2])
"""Q(2 cos(2 pi / 7))."""

_HIDDEN_ZERO = (
    "x^T W x = x_1^2 - 2 x_2^2 vanishes at the token (sqrt(2), 1) and at no rational token but 0: on its multiples "
    "every score is 0 in both models, so both give the mean; on multiples of a rational token the scores are not 0"
)
_CONJUGATE = (
    "the two W differ by the conjugation sqrt(2) -> -sqrt(2), so they satisfy the same equations over Q, and the image "
    "of the one modulo p is that of the other with the other root: a minimal polynomial without the interval of its "
    "root does not say which function it is"
)
_COSINES = (
    "2 cos(2 pi/7) + 2 cos(4 pi/7) + 2 cos(6 pi/7) = -1 is the only rational relation between them: for rational "
    "tokens the pole of W = diag of the three meets that of W = diag(-1, 0, 0) exactly when x_1 y_1 = x_2 y_2 = "
    "x_3 y_3, two equations, where real tokens have one"
)


def build(request: Request) -> Counterexample:
    """Two models over a number field that agree on some tokens in a line and differ on others."""
    return _CASES[request.case or KIND.cases[0]](request)


def _hidden_zero(request: Request) -> Counterexample:
    d = request.dim_from(2, "two coordinates make the form x_1^2 - 2 x_2^2")
    a = ROOT_OF_2.generator
    form = _diagonal([ROOT_OF_2(1), ROOT_OF_2(-2)], d, request)
    line = (a, ROOT_OF_2(1), *[fmpq(0)] * (d - 2))
    axis = (fmpq(1), *[fmpq(0)] * (d - 1))
    models = _models(ROOT_OF_2, form, [[2 * e for e in row] for row in form], request)
    return _counterexample(
        "hidden-zero", _HIDDEN_ZERO, models, agree_on=_on_line(line), differ_on=_on_line(axis)[1]
    )


def _conjugate(request: Request) -> Counterexample:
    d = request.dim_from(1)
    W = _diagonal([ROOT_OF_2.generator], d, request)
    conjugate = [[-e for e in row] for row in W]
    axis = (fmpq(1), *[fmpq(0)] * (d - 1))
    models = _models(ROOT_OF_2, W, conjugate, request)
    alone, two, _ = _on_line(axis)
    table = _images(models, tuple(tuple(map(_whole, token)) for token in two))
    return _counterexample("conjugate", _CONJUGATE, models, agree_on=(alone,), differ_on=two, tables=(table,))


def _cosines(request: Request) -> Counterexample:
    d = request.dim_from(3, "there are three cosines")
    c = COSINES.generator
    W = _diagonal([c, c * c - 2, c**3 - 3 * c], d, request)
    other = _diagonal([COSINES(-1)], d, request)
    line = (fmpq(1),) * 3 + (fmpq(0),) * (d - 3)
    axis = (fmpq(1), *[fmpq(0)] * (d - 1))
    models = _models(COSINES, W, other, request)
    return _counterexample("cosines", _COSINES, models, agree_on=_on_line(line), differ_on=_on_line(axis)[1])


def _diagonal(entries: list[FieldElement], dim: int, request: Request) -> list[list[Scalar]]:
    """A diagonal matrix, for a seed times a small number that is the same for both models."""
    generator = request.random()
    scale = fmpq(1) if generator is None else fmpq(generator.randint(1, 9), generator.randint(1, 9))
    known = [scale * e for e in entries] + [entries[0].field(0)] * (dim - len(entries))
    return [[known[i] if i == j else known[i].field(0) for j in range(dim)] for i in range(dim)]


def _models(
    field: NumberField, left: list[list[Scalar]], right: list[list[Scalar]], request: Request
) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    """Two models with one head each of its own, and further heads in common."""
    d, heads = len(left), request.heads_from(1)
    generator = random.Random(f"heads {request.seed}")
    value = [1] * d
    common = [
        Head([[fmpq(10 * h + generator.randint(0, 9))] * d for _ in range(d)], value) for h in range(1, heads)
    ]
    return (
        MultiHeadAttention([Head(left, value), *common], dim=d, field=field),
        MultiHeadAttention([Head(right, value), *common], dim=d, field=field),
    )


def _on_line(token: tuple[Scalar, ...]) -> tuple[TokenSequence, ...]:
    """Sequences of multiples of one token."""

    def times(factor: int) -> tuple[Scalar, ...]:
        return tuple(factor * e for e in token)

    return ((token,), (times(2), token), (times(3), times(3), times(-1), times(2)))


def _images(models: tuple[MultiHeadAttention, MultiHeadAttention], tokens: tuple[tuple[int, ...], ...]) -> Table:
    """The images of both values modulo a prime, for both roots of 2 there."""
    ring = FieldRing.of_field(ROOT_OF_2, 0, digits=1)
    other = FieldRing(ring.prime, 1, ROOT_OF_2, -ring.root_mod_p % ring.prime, -ring.root_mod_q % ring.half_order)
    rows = []
    for seen in (ring, other):
        images = [place_of(model).black_box(model).value(tokens, seen) for model in models]
        rows.append((str(seen.root_mod_p), *map(str, images)))
    title = f"images of the two values modulo p = {ring.prime}"
    return Table(title, ("sqrt(2) goes to", "model 0", "model 1"), tuple(rows))


def _whole(entry: fmpq) -> int:
    return int(fmpz(entry.p))


def _counterexample(
    case: str,
    why: str,
    models: tuple[MultiHeadAttention, MultiHeadAttention],
    *,
    agree_on: tuple[TokenSequence, ...],
    differ_on: TokenSequence,
    tables: tuple[Table, ...] = (),
) -> Counterexample:
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=why,
        models=models,
        agree_on=agree_on,
        differ_on=differ_on,
        case=case,
        tables=tables,
    )


_CASES: dict[str, Callable[[Request], Counterexample]] = {
    "hidden-zero": _hidden_zero,
    "conjugate": _conjugate,
    "cosines": _cosines,
}

KIND = Kind(
    "number-fields",
    "weights and tokens are rational, so that what is generic over Q is all there is",
    build,
    tuple(_CASES),
)
