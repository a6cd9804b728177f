"""One probe of a function with values in R^m: poles from a random functional of f, residues in every coordinate."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpz, fmpz_mat, nmod_mat

from exactlearn.errors import UnluckyPrimeError
from exactlearn.interpolation import ProbeInterpolation
from exactlearn.places.residues import ResidueRing, multiply_mod

_LARGEST_FACTOR = 1_000_003


class LeanInterpolation(ProbeInterpolation):
    """Interpolation from F(infinity), F(1), ..., F(2 bound - 1): the copy count infinity is the node T = 0."""

    def _nodes(self) -> list[fmpz]:
        counts = [fmpz(k) for k in range(1, 2 * self.bound)]
        return [fmpz(0), *(-inverse for inverse in self.ring.inverses(counts))] if self.bound else []


@lru_cache(maxsize=16)
def lean_interpolation(ring: ResidueRing, bound: int) -> LeanInterpolation:
    """The interpolation for this ring and bound, made once for all probes."""
    return LeanInterpolation(ring, bound)


@dataclass(frozen=True)
class Functional:
    """A linear functional of R^m with seeded whole coefficients: f in it has all the poles, but for bad luck."""

    coefficients: tuple[int, ...]

    @classmethod
    def seeded(cls, outputs: int, seed: int, attempt: int) -> Functional:
        """One output is looked at as it is."""
        if outputs == 1:
            return cls((1,))
        generator = random.Random(f"{seed} {attempt} functional")
        return cls(tuple(generator.randint(1, _LARGEST_FACTOR) for _ in range(outputs)))

    def __call__(self, values: Sequence[fmpz], ring: ResidueRing) -> fmpz:
        """The functional of one value."""
        return sum((c * v for c, v in zip(self.coefficients, values, strict=True)), fmpz(0)) % ring.modulus

    def of_samples(self, samples: Sequence[Sequence[fmpz]], ring: ResidueRing) -> list[fmpz]:
        """The functional of samples that are listed coordinate by coordinate."""
        return [self(values, ring) for values in zip(*samples, strict=True)]


def residues_of_coordinates(
    ring: ResidueRing, poles: Sequence[fmpz], at_zero: Sequence[fmpz], samples: Sequence[Sequence[fmpz]]
) -> list[list[fmpz]] | None:
    """V_h x for every head: entry [h][a], from F(k) - F(0) = sum_h c_h k t_h / (1 + k t_h), a linear system.

    Args:
        ring: Z/p^k.
        poles: The t_h, H of them.
        at_zero: F(0), coordinate by coordinate.
        samples: For each coordinate F(1), ..., F(n), n >= H.

    Returns:
        None when the further samples do not fit: a coordinate has other poles.

    Raises:
        UnluckyPrimeError: When something vanishes mod p that has to be inverted.
    """
    heads, outputs, modulus = len(poles), len(samples), ring.modulus
    count = len(samples[0])
    products = [k * t % modulus for k in range(1, count + 1) for t in poles]
    inverses = ring.inverses([1 + product for product in products])
    terms = [product * inverse % modulus for product, inverse in zip(products, inverses, strict=True)]
    system = fmpz_mat(count, heads, terms)
    differences = fmpz_mat([[(samples[a][k] - at_zero[a]) % modulus for a in range(outputs)] for k in range(count)])
    if not heads:
        return None if any(differences.entries()) else []
    square = fmpz_mat(heads, heads, terms[: heads * heads])
    first = fmpz_mat(heads, outputs, differences.entries()[: heads * outputs])
    found = multiply_mod(ring.inverse_matrix(square), first, modulus)
    if any((a - b) % modulus for a, b in zip((system * found).entries(), differences.entries(), strict=True)):
        return None
    return [[entry % modulus for entry in row] for row in found.tolist()]


def completed(ring: ResidueRing, exponents: fmpz_mat, rank: int) -> fmpz_mat | None:
    """A matrix of which only the first `rank` rows and columns are known, when its rank is that or less.

    C U^-1 R from the leading block of full rank; None when that block is singular although its rank is smaller,
    which is a matter of the draw.
    """
    modulus = ring.log_modulus
    rows, columns = exponents.nrows(), exponents.ncols()
    entries = exponents.tolist()
    leading = [row[:rank] for row in entries[:rank]]
    true_rank = _rank_mod_p(leading, ring)
    if true_rank == 0:
        return fmpz_mat(rows, columns)
    block = fmpz_mat([row[:true_rank] for row in entries[:true_rank]])
    try:
        inverse = ring.inverse_matrix(block)
    except UnluckyPrimeError:
        return None
    left = fmpz_mat([row[:true_rank] for row in entries])
    right = fmpz_mat(entries[:true_rank])
    product = multiply_mod(multiply_mod(left, inverse, modulus), right, modulus).tolist()
    return fmpz_mat(
        [
            [entries[i][j] if i < rank or j < rank else product[i][j] for j in range(columns)]
            for i in range(rows)
        ]
    )


def _rank_mod_p(rows: list[list[fmpz]], ring: ResidueRing) -> int:
    return int(nmod_mat([[int(entry % ring.prime) for entry in row] for row in rows], ring.prime).rank())
