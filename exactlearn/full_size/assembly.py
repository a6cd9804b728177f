"""From logarithms and values to exact parameters: [W | p] = X^-T E Y^-1, V = (V x_i) X^-1 (DESIGN sections 4, 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flint import fmpz, fmpz_mat, nmod_mat

from exactlearn.errors import NotAttentionError
from exactlearn.full_size.bridge import Bridge
from exactlearn.full_size.powers import base_u
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.full_size.schedules import RANK_PROBE, LayerSchedule
from exactlearn.full_size.state import byte_width, unpack
from exactlearn.places.residues import ResidueRing, multiply_mod

ReadBlock = Callable[[str], bytes]

_THIN = 6
"""A rank is small when it is at most this part of the size."""


@dataclass(frozen=True)
class HeadAssembly:
    """One head out of its logarithms.

    Attributes:
        ring: Z/p^k.
        head: h.
        x_inverse: X^-1 mod p^k.
        y_inverse: The inverse of the matrix with columns (y_j; 1) mod p^k.
    """

    ring: ResidueRing
    head: int
    x_inverse: fmpz_mat
    y_inverse: fmpz_mat

    def scores(self, schedule: LayerSchedule, bridge: Bridge, read: ReadBlock) -> ScaledMatrix:
        """[W | p], d x (d + 1).

        Raises:
            PrecisionTooLowError: When the numbers do not stand out mod p^(k-1).
            NotAttentionError: When the head's rank is larger than the schedule assumes.
        """
        modulus = self.ring.log_modulus
        left, right = self._factors(schedule, bridge, read)
        left = multiply_mod(self.x_inverse.transpose(), left, modulus)
        right = self.y_inverse if right is None else multiply_mod(right, self.y_inverse, modulus)
        return ScaledMatrix.read(multiply_mod(left, right, modulus), modulus)

    def values(self, rows: Iterable[list[fmpz]]) -> ScaledMatrix:
        """V, m x d, from the vectors V x_0, V x_1, ...

        Raises:
            PrecisionTooLowError: When the numbers do not stand out mod p^k.
        """
        modulus = self.ring.modulus
        asked = fmpz_mat(list(rows)).transpose()
        thin = thin_factors(asked, self.ring)
        if thin is None:
            return ScaledMatrix.read(multiply_mod(asked, self.x_inverse, modulus), modulus)
        left, right = thin
        return ScaledMatrix.read(
            multiply_mod(left, multiply_mod(right, self.x_inverse, modulus), modulus), modulus
        )

    def _factors(self, schedule: LayerSchedule, bridge: Bridge, read: ReadBlock) -> tuple[fmpz_mat, fmpz_mat | None]:
        """E, d x (d + 1), as it was asked; or C, d x r, and U^-1 [U R] with E = C U^-1 [U R]."""
        dim, full = schedule.dim, schedule.full_columns
        log = base_u(self.ring).log
        columns = [[log(row[self.head]) for row in bridge.poles]]
        narrow: list[list[fmpz]] = []
        for block in schedule.blocks_of_columns():
            part = columns if block.first < full else narrow
            part += self._columns_of(read(block.name), block.rows, block.last - block.first)
        known = fmpz_mat(columns).transpose()
        if schedule.rank is None:
            return known, None
        corner = known.tolist()[: schedule.rank]
        right = fmpz_mat([a + b for a, b in zip(corner, fmpz_mat(narrow).transpose().tolist(), strict=True)])
        through = self._through(fmpz_mat(corner), right)
        expected = unpack(read(RANK_PROBE), self.ring.log_modulus)[self.head]
        last = sum((known[dim - 1, a] * through[a, dim] for a in range(full)), fmpz(0))
        if (last - expected) % self.ring.log_modulus:
            raise NotAttentionError(f"a head has a rank larger than {schedule.rank}, which the schedule assumes")
        return known, through

    def _columns_of(self, content: bytes, rows: int, count: int) -> list[list[fmpz]]:
        """This head's columns in one block: its part lies together, row by row."""
        size = byte_width(self.ring.log_modulus) * rows * count
        entries = unpack(content[self.head * size : (self.head + 1) * size], self.ring.log_modulus)
        return [entries[at::count] for at in range(count)]

    def _through(self, corner: fmpz_mat, right: fmpz_mat) -> fmpz_mat:
        """U^-1 R; where U has a smaller rank, through a largest invertible part of it."""
        ring = ResidueRing(self.ring.prime, self.ring.digits - 1)
        size = corner.nrows()
        columns = _pivots(corner, ring.prime)
        rows = _pivots(corner.transpose(), ring.prime)
        part = fmpz_mat(len(rows), len(columns), [corner[a, b] for a in rows for b in columns])
        wide = fmpz_mat(len(rows), right.ncols(), [right[a, b] for a in rows for b in range(right.ncols())])
        solved = multiply_mod(ring.inverse_matrix(part), wide, ring.modulus)
        place = {column: at for at, column in enumerate(columns)}
        zeros = [fmpz(0)] * right.ncols()
        found = solved.tolist()
        return fmpz_mat([found[place[b]] if b in place else zeros for b in range(size)])


def thin_factors(matrix: fmpz_mat, ring: ResidueRing) -> tuple[fmpz_mat, fmpz_mat] | None:
    """A matrix mod p^k of small rank as a product of thin ones, checked entry by entry; None for a larger rank.

    A head of size s writes through s numbers, so V has rank s: products with it are cheap in this form.
    """
    columns = _pivots(matrix, ring.prime)
    if _THIN * len(columns) > min(matrix.nrows(), matrix.ncols()) or not columns:
        return None
    entries = matrix.tolist()
    left = fmpz_mat([[row[b] for b in columns] for row in entries])
    rows = _pivots(left.transpose(), ring.prime)
    corner = fmpz_mat([[entries[a][b] for b in columns] for a in rows])
    right = multiply_mod(ring.inverse_matrix(corner), fmpz_mat([entries[a] for a in rows]), ring.modulus)
    return (left, right) if multiply_mod(left, right, ring.modulus) == matrix else None


def _pivots(matrix: fmpz_mat, prime: int) -> list[int]:
    """The columns of the first invertible part mod p."""
    reduced, rank = nmod_mat(matrix, prime).rref()
    pivots: list[int] = []
    for row in range(rank):
        start = pivots[-1] + 1 if pivots else 0
        pivots.append(next(column for column in range(start, reduced.ncols()) if int(reduced[row, column])))
    return pivots


def pack_matrix(matrix: ScaledMatrix) -> bytes:
    """Shape, denominator and signed numerators as bytes."""
    entries = matrix.numerators.entries()
    width = max(int(end).bit_length() for end in (max(entries), min(entries))) // 8 + 1
    denominator = int(matrix.denominator)
    long = denominator.bit_length() // 8 + 1
    head = b"".join(number.to_bytes(8, "little") for number in (*matrix.shape, width, long))
    body = b"".join([int(entry).to_bytes(width, "little", signed=True) for entry in entries])
    return head + denominator.to_bytes(long, "little") + body


def unpack_matrix(content: bytes) -> tuple[ScaledMatrix, bytes]:
    """What `pack_matrix` wrote, and what follows it."""
    rows, columns, width, long = (int.from_bytes(content[at : at + 8], "little") for at in (0, 8, 16, 24))
    start = 32 + long
    denominator = fmpz(int.from_bytes(content[32:start], "little"))
    stop = start + rows * columns * width
    entries = [int.from_bytes(content[at : at + width], "little", signed=True) for at in range(start, stop, width)]
    return ScaledMatrix(fmpz_mat(rows, columns, entries), denominator), content[stop:]
