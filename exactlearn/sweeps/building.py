"""From an instance's parameters to its exact model: seeded, the same on every machine."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import parse_unit
from exactlearn.model import Head, Matrix, MultiHeadAttention, Vector, WeightKind
from exactlearn.rationals import exact_float
from exactlearn.sweeps.instance import ModelInstance

_TRIES = 1000


def build_model(instance: ModelInstance) -> MultiHeadAttention:
    """The raw model of an instance; its canonical form has exactly `heads` heads.

    Raises:
        UnusableInputError: When so many different W cannot be found among numbers of this size.
    """
    generator = random.Random(f"sweep {instance.model_text}")
    matrices = _distinct(_matrices(instance, generator), instance.heads + instance.cancel)
    values = [_value(instance, generator) for _ in range(instance.heads)]
    for shared in range(1, instance.share_values + 1):
        values[shared] = values[0]
    heads = [Head(W, v) for W, v in zip(matrices, values, strict=False)]
    if instance.orthogonal:
        heads = [_on_own_coordinates(head, index, instance) for index, head in enumerate(heads)]
    heads += _merging(instance, generator, matrices, values)
    for W in matrices[instance.heads :]:
        v = _value(instance, generator)
        heads += [Head(W, v), Head(W, [-entry for entry in v])]
    generator.shuffle(heads)
    weights: WeightKind = "log-rational" if instance.weights == "log-rational" else "rational"
    return MultiHeadAttention(heads, dim=instance.dim, weights=weights, unit=parse_unit(instance.unit))


def number_bits(model: MultiHeadAttention) -> int:
    """The most bits in a numerator or denominator of the model."""
    entries = (entry for head in model.heads for row in (*head.W, head.v) for entry in row)
    return max((int(entry.height_bits()) for entry in entries), default=0)


def _on_own_coordinates(head: Head, index: int, instance: ModelInstance) -> Head:
    """The same head with no weight and no value outside the coordinates index, index + H, index + 2H, ..."""
    own = range(index, instance.dim, instance.heads)
    neutral = fmpq(1 if instance.weights == "log-rational" else 0)
    v = [entry if a in own else fmpq(0) for a, entry in enumerate(head.v)]
    W = [[entry if a in own and b in own else neutral for b, entry in enumerate(row)] for a, row in enumerate(head.W)]
    # W and v stay what they were where they are not neutral; one entry of each is made so when all are.
    first = own[0]
    v[first] = v[first] or fmpq(1)
    W[first][first] = W[first][first] if W[first][first] != neutral else neutral + 1
    return Head(W, v)


def _merging(
    instance: ModelInstance, generator: random.Random, matrices: list[Matrix], values: list[Vector]
) -> list[Head]:
    """Heads that merge with one of the H heads; no sum of v becomes zero."""
    sums, heads = list(values), []
    for extra in range(instance.share_weights):
        index = extra % instance.heads
        for v in _tries(lambda: _value(instance, generator)):
            total = tuple(a + b for a, b in zip(sums[index], v, strict=True))
            if any(total):
                break
        sums[index] = total
        heads.append(Head(matrices[index], v))
    return heads


def _distinct(candidates: Iterator[Matrix], count: int) -> list[Matrix]:
    found: dict[Matrix, None] = {}
    for _ in range(_TRIES + count):
        if len(found) == count:
            return list(found)
        found[next(candidates)] = None
    raise UnusableInputError(f"numbers of this size do not give {count} different W", "bits")


def _matrices(instance: ModelInstance, generator: random.Random) -> Iterator[Matrix]:
    d, rank = instance.dim, instance.rank
    positive = instance.weights == "log-rational"
    draw = _number_source(instance, generator, positive=positive)
    while True:
        if not rank:
            yield _square(d, lambda _i, _j: draw())
        elif positive:  # log T = sum_k log c_k a_k b_k^T
            scales = [draw() + 1 for _ in range(rank)]
            left, right = (
                [[generator.randint(-1, 2) for _ in range(rank)] for _ in range(d)] for _ in range(2)
            )
            yield _square(d, lambda i, j: _product(scales, left[i], right[j]))  # noqa: B023  # used at once
        else:
            a, b = ([[draw() for _ in range(rank)] for _ in range(d)] for _ in range(2))
            yield _square(d, lambda i, j: sum((p * q for p, q in zip(a[i], b[j], strict=True)), fmpq(0)))  # noqa: B023


def _product(scales: list[fmpq], left: list[int], right: list[int]) -> fmpq:
    total = fmpq(1)
    for scale, a, b in zip(scales, left, right, strict=True):
        total *= scale ** (a * b)
    return total


def _square(dim: int, entry: Callable[[int, int], fmpq]) -> Matrix:
    return tuple(tuple(entry(i, j) for j in range(dim)) for i in range(dim))


def _value(instance: ModelInstance, generator: random.Random) -> Vector:
    draw = _number_source(instance, generator, positive=False)
    v: Vector = ()
    for v in _tries(lambda: tuple(draw() for _ in range(instance.dim))):
        if any(v):
            break
    return v


def _tries(draw: Callable[[], Vector]) -> Iterator[Vector]:
    for _ in range(_TRIES):
        yield draw()
    raise UnusableInputError("numbers of this size do not give a value vector that is not zero", "bits")


def _number_source(instance: ModelInstance, generator: random.Random, *, positive: bool) -> Callable[[], fmpq]:
    if instance.weights == "float32":
        scale = instance.dim**0.5
        return lambda: exact_float(_float32(generator.gauss(0, 1) / scale))
    most, denominators = 2**instance.bits, 2**instance.denominator_bits
    least = 1 if positive else -most
    return lambda: fmpq(generator.randint(least, most), generator.randint(1, denominators))


def _float32(value: float) -> float:
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded
