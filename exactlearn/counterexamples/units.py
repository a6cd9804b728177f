"""Kind units: ReLU units that cannot be told apart: a canonical form is recovered and not they (DESIGN 7, 9)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from flint import fmpq

from exactlearn.counterexamples.building import Rows, constant, probe, single, units, with_entry
from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Transformer
from exactlearn.transformers.evaluation import same_transformer
from exactlearn.verdict import Fails

Preactivation = Sequence[Sequence[int]]
"""z as one value vector for every head."""

_WHY = {
    "proportional": "ReLU(z) + ReLU(2z) = ReLU(3z): units with proportional z are one unit",
    "linear": "ReLU(a) - ReLU(-a) + ReLU(b) - ReLU(-b) = a + b = ReLU(a + b) - ReLU(-a - b): opposite units leave a "
    "linear part, and of a linear part no unit can be read off",
    "turned": "z3 = z1 + z2, so ReLU(z1) + ReLU(z2) + ReLU(-z3) and ReLU(-z1) + ReLU(-z2) + ReLU(z3) have one odd "
    "part, 0, and one even part: which of z and -z a unit has is determined only when the z are linearly independent",
    "single-tokens": "z1 and z2 have parallel m = (sum of the heads' values), so on one token ReLU(z1) + ReLU(z2) = "
    "ReLU(z1 + z2); on longer sequences z1 and z2 have different signs somewhere, and there it shows",
}


def build(request: Request) -> Counterexample:
    """Two Transformers with other units: the same function, or equal on all single tokens."""
    case = request.case or KIND.cases[0]
    H = request.heads_from(2 if case == "single-tokens" else 1, "one head has z(b) for one token alone")
    d = request.dim_from(2 if case in {"linear", "turned"} else 1, "two directions are needed")
    generator = request.random()
    weights = [_weights(h, d, generator) for h in range(H)]
    z = [_preactivation(j, H, d, generator) for j in range(2)]
    both = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(*z, strict=True)]
    differ_on = None
    terms: tuple[list[tuple[int, Preactivation]], ...]
    if case == "proportional":
        terms = [(1, z[0]), (1, _times(2, z[0]))], [(1, _times(3, z[0]))]
    elif case == "linear":
        terms = [(s, _times(s, one)) for one in z for s in (1, -1)], [(s, _times(s, both)) for s in (1, -1)]
    elif case == "turned":
        terms = tuple([(1, _times(s, z[0])), (1, _times(s, z[1])), (1, _times(-s, both))] for s in (1, -1))
    else:
        pair = _with_equal_sums(z[0])
        terms = [(1, one) for one in pair], [(1, _times(2, z[0]))]
    models = tuple(_transformer(weights, one, d) for one in terms)
    x, y = units(d)[0], units(d)[-1]
    agree_on = [single(y), single(x), single(tuple(-a for a in y))]
    if case == "single-tokens":
        differ_on = _separating(models)
    else:
        agree_on += [probe(x, y, 1), probe(x, y, 2)]
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=_WHY[case],
        models=models,
        agree_on=tuple(agree_on),
        differ_on=differ_on,
        case=case,
        canonical=False,
    )


def _transformer(weights: Sequence[Rows], terms: Sequence[tuple[int, Preactivation]], d: int) -> Transformer:
    """The sum of s ReLU(z), the rows of V_h being the values of the z at head h, and B the identity."""
    heads = [(W, [z[h] for _, z in terms]) for h, W in enumerate(weights)]
    identity = [[int(i == j) for j in range(len(terms))] for i in range(len(terms))]
    return Transformer(heads, identity, [s for s, _ in terms], dim=d, weights="log-rational")


def _weights(h: int, d: int, generator: random.Random | None) -> Rows:
    if generator is None:
        return constant(d, h + 2)
    return with_entry([[generator.randint(1, 9) for _ in range(d)] for _ in range(d)], 0, 0, h + 2)


def _preactivation(j: int, H: int, d: int, generator: random.Random | None) -> Preactivation:
    """z_j with values that are no multiples of each other for d >= 2."""
    if generator is None:
        return [[h + 1 if a == j % d else 0 for a in range(d)] for h in range(H)]
    rows = [[generator.randint(-9, 9) for _ in range(d)] for _ in range(H)]
    rows[0][j % d] = 10 + j
    return rows


def _times(factor: int, z: Preactivation) -> Preactivation:
    return [[factor * entry for entry in row] for row in z]


def _with_equal_sums(z: Preactivation) -> tuple[Preactivation, Preactivation]:
    """Two z with the sum 2z and one and the same m: something is moved between the first two heads."""
    amount = 1 + max(abs(entry) for row in z for entry in row)
    moved = [[entry + {0: 8, 1: -8}.get(h, 0) * amount for entry in row] for h, row in enumerate(z)]
    back = [[entry - {0: 8, 1: -8}.get(h, 0) * amount for entry in row] for h, row in enumerate(z)]
    return moved, back


def _separating(models: Sequence[Transformer]) -> tuple[tuple[fmpq, ...], ...]:
    verdict = same_transformer(*models)
    assert isinstance(verdict, Fails)  # noqa: S101  # z1 and z2 are no multiples of each other
    witness: tuple[tuple[fmpq, ...], ...] = verdict.witness
    return witness


KIND = Kind(
    "units",
    "a Transformer has canonical units: no proportional z, no linear part, m_j not parallel",
    build,
    ("proportional", "linear", "turned", "single-tokens"),
)
