"""A finite family in parts of bounded size, so that both of its groupings are compared exactly in flat memory.

f on a sequence of one token x is V.x, V the sum of all v.  One token is chosen on which no two sums V of the family
agree, by exact whole numbers; so V is a function of the canonical form and of the values, and models with different
V are apart in both groupings.  A class of one V that is still too large is split by the image of its values modulo
the number of its pieces.  The image is linear in v for every W (checked on all single heads), hence a function of the
canonical form: equal forms are in one piece, and so are equal values.  No comparison is lost between parts.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq, fmpq_mat

from exactlearn.errors import OverBudgetError, UndecidedError
from exactlearn.exhaustive import GENERAL_LENGTHS, Grouping, general_sequences, images_of
from exactlearn.exhaustive_family import Family
from exactlearn.files.model_file import model_to_text
from exactlearn.files.numerals import parse_number
from exactlearn.model import Vector, WeightKind, dot
from exactlearn.oracle import IntegerSequence
from exactlearn.places.protocol import IntegerToken
from exactlearn.sweeps.instance import ExhaustivePart
from exactlearn.verdict import Fails

MOST_SINGLES = 50_000
"""Single heads (W, v) of a family: each is evaluated once in every worker."""

MOST_VALUE_LISTS = 200_000
"""Unordered lists of the v alone: every part goes through them."""

MOST_MODELS = 10**10
"""Models of a family, beyond which no sweep would end."""


@dataclass(frozen=True)
class Piece:
    """The models with this sum of all v and with image congruent to `residue` modulo `pieces`."""

    total: Vector
    residue: int
    pieces: int


@dataclass(frozen=True)
class PartResult:
    """What was found in one part.

    Attributes:
        counts: Models, functions and so on, to be added up over the parts.
        why: What was compared, in words.
        failure: Why it fails, or None.
        models_text: Model files of the two models that clash, one after the other; or None.
    """

    counts: dict[str, int]
    why: str
    failure: str | None = None
    models_text: str | None = None


def family_size(heads: int, dim: int, entries: int, values: int) -> int:
    """The number of unordered lists of at most `heads` raw heads, from the numbers of entries; nothing is listed.

    Raises:
        OverBudgetError: When a sweep of that size would not end.
    """
    singles = entries ** (dim * dim) * values**dim if dim * dim * max(entries, values).bit_length() < 200 else None
    if singles is None or singles > MOST_SINGLES:
        raise OverBudgetError(f"the family has more than {MOST_SINGLES} single heads (W, v)")
    lists = sum(math.comb(values**dim + count - 1, count) for count in range(heads + 1))
    if lists > MOST_VALUE_LISTS:
        raise OverBudgetError(f"the family has {lists} unordered lists of v, more than {MOST_VALUE_LISTS}")
    size = sum(math.comb(singles + count - 1, count) for count in range(heads + 1))
    if size > MOST_MODELS:
        raise OverBudgetError(f"the family has {size} models, more than {MOST_MODELS}")
    return size


@lru_cache(maxsize=8)
def plan(
    heads: int, dim: int, entries: tuple[str, ...], values: tuple[str, ...], most: int
) -> tuple[tuple[Piece, ...], ...]:
    """The parts of a family, each with about `most` models at the most; the same plan on every machine."""
    sizes = _class_sizes(heads, len(set(entries)) ** (dim * dim), _vectors(dim, values))
    parts: list[tuple[Piece, ...]] = []
    small: list[Piece] = []
    room = most
    for total, size in sorted(sizes.items()):
        pieces = -(-size // most)
        if pieces > 1:
            parts += [(Piece(total, residue, pieces),) for residue in range(pieces)]
            continue
        if size > room:
            parts.append(tuple(small))
            small, room = [], most
        small.append(Piece(total, 0, 1))
        room -= size
    return (*parts, tuple(small)) if small else tuple(parts)


def check_part(part: ExhaustivePart) -> PartResult:
    """Both groupings of one part.

    Raises:
        UndecidedError: When the values of single heads are not linear in v, which would be a fault of the place.
    """
    setting = _setting(part.heads, part.dim, part.weights, part.entries, part.values, part.seed)
    pieces = plan(part.heads, part.dim, part.entries, part.values, part.part_models)[part.part]
    grouping, images, modulus = Grouping(setting.family), setting.images, setting.modulus
    for piece in pieces:
        for members in setting.members(piece.total):
            image = sum(images[index] for index in members) % modulus
            if image % piece.pieces == piece.residue:
                grouping.add(members, image)
    report = grouping.report(setting.sequences, 0.0)
    counts = {
        "models": report.models,
        "functions": report.functions,
        "value_classes": report.value_classes,
        "canonical": report.canonical,
        "merged": report.merged,
        "dropped": report.dropped,
    }
    if isinstance(report.verdict, Fails):
        clash = report.counterexample or ()
        return PartResult(counts, "", report.verdict.why, "".join(map(model_to_text, clash)))
    return PartResult(
        counts,
        f"{report.models} models, {report.functions} functions: the grouping by canonical form is the grouping by "
        f"images of exact values on {len(setting.sequences)} sequences; no "
        "other part holds an equal form or equal values",
    )


@dataclass(frozen=True)
class _Setting:
    """What all parts of one family share in a worker."""

    family: Family
    sequences: tuple[IntegerSequence, ...]
    images: list[int]
    modulus: int

    def members(self, total: Vector) -> Iterator[tuple[int, ...]]:
        """Every model whose v sum to `total`, as an ascending tuple of indices into the single heads."""
        matrices, each = range(len(self.family.matrices)), len(self.family.vectors)
        for chosen in _multisets(self.family.heads, self.family.vectors):
            if _sum(self.family.dim, [self.family.vectors[v] for v in chosen]) != total:
                continue
            counted = Counter(chosen).items()
            choices = [list(itertools.combinations_with_replacement(matrices, count)) for _, count in counted]
            for of_each in itertools.product(*choices):
                pairs = zip(counted, of_each, strict=True)
                yield tuple(sorted(W * each + v for (v, _), Ws in pairs for W in Ws))


@lru_cache(maxsize=1)
def _setting(  # noqa: PLR0917  # a cache takes no other form
    heads: int, dim: int, weights: WeightKind, entries: tuple[str, ...], values: tuple[str, ...], seed: int
) -> _Setting:
    rows = list(itertools.product(sorted({parse_number(entry) for entry in entries}), repeat=dim))
    family = Family(heads, dim, weights, False, tuple(itertools.product(rows, repeat=dim)), _vectors(dim, values))  # noqa: FBT003
    sequences = ((_telling_token(family),), *general_sequences(dim, GENERAL_LENGTHS, seed))
    images, modulus = images_of(family.singles, sequences, seed)
    _require_linear(family, images, modulus)
    return _Setting(family, sequences, images, modulus)


def _telling_token(family: Family) -> IntegerToken:
    """A token x = (1, K, K^2, ...) with different V.x for all sums V of the family; a large K always does."""
    sums = _class_sizes(family.heads, 1, family.vectors)
    for base in itertools.count(2):
        x = tuple(base**a for a in range(family.dim))
        if len({dot(total, [fmpq(entry) for entry in x]) for total in sums}) == len(sums):
            return x
    raise AssertionError("unreachable: K has no end")  # pragma: no cover


def _require_linear(family: Family, images: Sequence[int], modulus: int) -> None:
    """For every W the image is linear in v: it is fixed by its values on as many v as there are dimensions.

    So the image of a model is a function of its canonical form.
    """
    each, dim = len(family.vectors), family.dim
    relations = _relations(family.vectors, dim)
    for start in range(0, len(images), each):
        for v, denominator, combination in relations:
            combined = sum(factor * images[start + index] for index, factor in combination)
            if (denominator * images[start + v] - combined) % modulus:
                raise UndecidedError("the values of single heads are not linear in v")


def _relations(vectors: Sequence[Vector], dim: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """For every v: whole numbers with denominator * v = sum of factor * (vector at index), a basis on the right."""
    basis: list[int] = []
    for index, v in enumerate(vectors):
        rows = [vectors[known] for known in basis] + [v]
        if any(v) and fmpq_mat([list(row) for row in rows]).rank() == len(rows):
            basis.append(index)
    if not basis:
        return [(index, 1, []) for index in range(len(vectors))]
    pivots = _pivot_coordinates([vectors[index] for index in basis], dim)
    matrix = fmpq_mat([[vectors[index][a] for index in basis] for a in pivots])
    relations = []
    for index, vector in enumerate(vectors):
        column = matrix.solve(fmpq_mat(len(pivots), 1, [vector[a] for a in pivots])).entries()
        denominator = math.lcm(*(int(entry.q) for entry in column))
        whole = [int((entry * denominator).p) for entry in column]
        relations.append((index, denominator, list(zip(basis, whole, strict=True))))
    return relations


def _pivot_coordinates(rows: Sequence[Vector], dim: int) -> list[int]:
    """Coordinates in which these independent rows are a square matrix of full rank."""
    chosen: list[int] = []
    for a in range(dim):
        columns = [*chosen, a]
        if fmpq_mat([[row[b] for b in columns] for row in rows]).rank() == len(columns):
            chosen = columns
    return chosen


def _vectors(dim: int, values: Sequence[str]) -> tuple[Vector, ...]:
    return tuple(itertools.product(sorted({parse_number(value) for value in values}), repeat=dim))


def _multisets(heads: int, vectors: Sequence[Vector]) -> Iterator[tuple[int, ...]]:
    for count in range(heads + 1):
        yield from itertools.combinations_with_replacement(range(len(vectors)), count)


def _class_sizes(heads: int, matrices: int, vectors: Sequence[Vector]) -> dict[Vector, int]:
    """For every sum of all v, how many models have it."""
    dim, sizes = len(vectors[0]), Counter[Vector]()
    for chosen in _multisets(heads, vectors):
        models = math.prod(math.comb(matrices + count - 1, count) for count in Counter(chosen).values())
        sizes[_sum(dim, [vectors[v] for v in chosen])] += models
    return dict(sizes)


def _sum(dim: int, chosen: Sequence[Vector]) -> Vector:
    return tuple(sum((v[a] for v in chosen), fmpq(0)) for a in range(dim))
