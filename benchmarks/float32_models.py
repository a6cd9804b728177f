"""Random attention models whose entries are float32 numbers, taken exactly."""

from __future__ import annotations

import random
import struct

from flint import fmpq

from exactlearn.model import MultiHeadAttention
from exactlearn.rationals import exact_float


def float32_model(heads: int, dim: int, seed: int) -> MultiHeadAttention:
    """Gaussian entries of the size that training gives, rounded to float32."""
    generator = random.Random(seed)

    def number() -> fmpq:
        rounded = struct.unpack("<f", struct.pack("<f", generator.gauss(0, 1) / dim**0.5))[0]
        return exact_float(float(rounded))

    return MultiHeadAttention(
        [([[number() for _ in range(dim)] for _ in range(dim)], [number() for _ in range(dim)]) for _ in range(heads)]
    )
