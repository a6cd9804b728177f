"""The canonical form of a Transformer: its odd part, and its units up to their signs (DESIGN section 9).

f(X) = (1/2) sum_j u_j z_j(X) + (1/2) sum_j u_j |z_j(X)|.  The first sum is an attention model, with a canonical form
of its own.  In the second the |z| of units that are no multiples of each other are linearly independent functions
(each has a kink where the others have none), so what is determined is, for every z up to a factor, the sum of its
u_j |factor_j|.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from exactlearn.canonical import canonical_form
from exactlearn.model import Head, Matrix, MultiHeadAttention, Transformer, Vector


@dataclass(frozen=True)
class TransformerUnit:
    """One term sign * |z(X)| of the even part.

    Attributes:
        sign: s = 1 or -1.
        z: A canonical attention model, |u| absorbed; of z and -z the one whose first non-zero value is positive.
    """

    sign: int
    z: MultiHeadAttention


@dataclass(frozen=True)
class TransformerForm:
    """What a Transformer determines as a function, and what determines it.

    Attributes:
        odd: The canonical form of sum_j u_j z_j = f(X) - f(-X).
        units: f(X) + f(-X) = sum of sign * |z|: pairwise no multiples of each other, in a fixed order.
    """

    odd: MultiHeadAttention
    units: tuple[TransformerUnit, ...]


@dataclass(frozen=True)
class TransformerReduction:
    """A canonical form and what became of every raw unit.

    Attributes:
        form: The canonical form.
        dead: Indices of the raw units with u_j = 0 or z_j = 0.
        groups: For each direction of z the raw units along it, with the unit of the form, or None when they cancel.
    """

    form: TransformerForm
    dead: tuple[int, ...]
    groups: tuple[tuple[tuple[int, ...], TransformerUnit | None], ...]


def reduce_transformer(model: Transformer) -> TransformerReduction:
    """The canonical form and how it came about."""
    dead, members, sums, directions = [], dict[object, list[int]](), dict[object, fmpq](), dict[object, Direction]()
    for j, (u, raw) in enumerate(zip(model.u, model.preactivations, strict=True)):
        z = canonical_form(raw)
        if not u or not z.heads:
            dead.append(j)
            continue
        direction, length = normalized(z)
        key = tuple((head.W, head.v) for head in direction.heads)
        members.setdefault(key, []).append(j)
        sums[key] = sums.get(key, fmpq(0)) + u * length
        directions[key] = direction
    units = {key: unit_of(directions[key], total) for key, total in sums.items() if total}
    form = TransformerForm(canonical_form(model.odd_part), in_order(units.values()))
    return TransformerReduction(form, tuple(dead), tuple((tuple(js), units.get(key)) for key, js in members.items()))


Direction = MultiHeadAttention


def normalized(z: MultiHeadAttention) -> tuple[Direction, fmpq]:
    """A canonical non-zero z as (direction, length): z = +-length * direction, the first non-zero value being 1."""
    first = next(entry for head in z.heads for entry in head.v if entry)
    return scaled(z, 1 / first), abs(first)


def unit_of(direction: Direction, coefficient: fmpq) -> TransformerUnit:
    """The unit of coefficient * |direction|."""
    return TransformerUnit(1 if coefficient > 0 else -1, scaled(direction, abs(coefficient)))


def scaled(model: MultiHeadAttention, factor: fmpq | int) -> MultiHeadAttention:
    """The multiple factor * model, for a factor other than 0."""
    return model.with_heads([Head(head.W, [factor * entry for entry in head.v]) for head in model.heads])


def in_order(units: Iterable[TransformerUnit]) -> tuple[TransformerUnit, ...]:
    """The units in the order of their heads."""
    return tuple(sorted(units, key=lambda unit: (unit.sign, [(head.W, head.v) for head in unit.z.heads])))


def canonical_transformer(model: Transformer) -> TransformerForm:
    """The canonical form: for Transformers with one unit and kind of weights, equal iff they are one function."""
    return reduce_transformer(model).form


def transformer_of(form: TransformerForm) -> tuple[Transformer, bool]:
    """A Transformer with this canonical form: sum_j s_j ReLU(+-z_j), and a linear part as ReLUs if one is left.

    Returns:
        The Transformer, and whether its units alone are enough: l = (odd - sum_j s_j z_j) / 2 vanishes for a choice of
        signs of the z_j; otherwise l = ReLU(l) - ReLU(-l) takes one unit more (when l is a multiple of a z_j) or two.
    """
    terms: list[tuple[int, MultiHeadAttention]] = [(unit.sign, unit.z) for unit in form.units]
    turns = _turns(form)
    if turns is not None:
        return _network(form.odd, [(s, scaled(z, turn)) for (s, z), turn in zip(terms, turns, strict=True)]), True
    rest = _combination(form.odd, [(fmpq(1, 2), form.odd), *((fmpq(-s, 2), z) for s, z in terms)])
    along = next((j for j, (_, z) in enumerate(terms) if _multiple(rest, z) is not None), None)
    if along is None:
        return _network(form.odd, [*terms, (1, rest), (-1, scaled(rest, -1))]), False
    # s ReLU(z) + c z = (s + c) ReLU(z) - c ReLU(-z)
    s, z = terms.pop(along)
    c = _multiple(rest, z)
    assert c is not None  # noqa: S101  # it was chosen so
    pair = [((1 if f > 0 else -1), scaled(z, n * abs(f))) for n, f in ((1, s + c), (-1, -c)) if f]
    return _network(form.odd, [*terms, *pair]), False


def values_by_weights(model: MultiHeadAttention) -> dict[Matrix, Vector]:
    """The value vector of each W of a canonical model."""
    return {head.W: head.v for head in model.heads}


def _turns(form: TransformerForm) -> tuple[int, ...] | None:
    """Signs e_j with odd = sum_j s_j e_j z_j, or None when there are none.

    Partial sums that agree in what is left to come are met once: coordinates that only the earlier units have must
    already be right.
    """
    target = _coordinates(form.odd)
    vectors = [{key: unit.sign * entry for key, entry in _coordinates(unit.z).items()} for unit in form.units]
    found: list[tuple[tuple[int, ...], dict[object, fmpq]]] = [((), target)]
    for index, vector in enumerate(vectors):
        later = {key for other in vectors[index + 1 :] for key in other}
        following = []
        for turns, rest in found:
            for turn in (1, -1):
                left = dict(rest)
                for key, entry in vector.items():
                    left[key] = left.get(key, fmpq(0)) - turn * entry
                left = {key: entry for key, entry in left.items() if entry}
                if all(key in later for key in left):
                    following.append(((*turns, turn), left))
        found = following[:MOST_PARTIAL_SUMS]
    return next((turns for turns, rest in found if not rest), None)


MOST_PARTIAL_SUMS = 1 << 14
"""With more units than about 14 the search for signs is cut off; a linear part then gets ReLUs of its own."""


def _coordinates(model: MultiHeadAttention) -> dict[object, fmpq]:
    return {(head.W, a): entry for head in model.heads for a, entry in enumerate(head.v) if entry}


def _combination(kind: MultiHeadAttention, terms: Iterable[tuple[fmpq, MultiHeadAttention]]) -> MultiHeadAttention:
    heads = [Head(head.W, [factor * entry for entry in head.v]) for factor, z in terms for head in z.heads]
    return canonical_form(kind.with_heads(heads))


def _multiple(left: MultiHeadAttention, right: MultiHeadAttention) -> fmpq | None:
    """The c with left = c right, None when there is none or it is 0."""
    first, second = _coordinates(left), _coordinates(right)
    if first.keys() != second.keys() or not first:
        return None
    key = next(iter(first))
    c = first[key] / second[key]
    return c if all(first[key] == c * entry for key, entry in second.items()) else None


def _network(kind: MultiHeadAttention, terms: Sequence[tuple[int, MultiHeadAttention]]) -> Transformer:
    """The sum of s ReLU(z) with B the identity: the rows of V_h are the value vectors of the z_j at W_h."""
    weights = sorted({head.W for _, z in terms for head in z.heads})
    zero = (fmpq(0),) * kind.dim
    values = [values_by_weights(z) for _, z in terms]
    heads = [(W, [value.get(W, zero) for value in values]) for W in weights]
    size = len(terms)
    identity = [[int(i == j) for j in range(size)] for i in range(size)]
    signs = [sign for sign, _ in terms]
    kept: dict[str, Any] = {"dim": kind.dim, "weights": kind.weights, "unit": kind.unit, "field": kind.field}
    return Transformer(heads, identity, signs, **kept)
