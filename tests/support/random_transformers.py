"""Random Transformers, for tests in several folders."""

from __future__ import annotations

import random

from flint import fmpq

from exactlearn.model import Transformer


def random_transformer(
    seed: int,
    *,
    heads: int = 2,
    dim: int = 2,
    units: int = 3,
    width: int = 3,
    weights: str = "log-rational",
    size: int = 5,
) -> Transformer:
    """Seeded numbers with small numerators and denominators; T positive."""
    generator = random.Random(seed)

    def number() -> fmpq:
        return fmpq(generator.randint(-size, size), generator.randint(1, 3))

    def weight() -> fmpq:
        return fmpq(generator.randint(1, 3), generator.randint(1, 3)) if weights == "log-rational" else number()

    def matrix(rows: int, columns: int) -> list[list[fmpq]]:
        return [[number() for _ in range(columns)] for _ in range(rows)]

    layers = [([[weight() for _ in range(dim)] for _ in range(dim)], matrix(width, dim)) for _ in range(heads)]
    return Transformer(
        layers,
        matrix(units, width),
        [number() for _ in range(units)],
        dim=dim,
        weights=weights,  # type: ignore[arg-type]
    )
