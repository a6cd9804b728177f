"""A rational matrix as an integer matrix over one denominator: small in memory, fast in products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.places.residues import SLACK_BITS, read_rational


@dataclass(frozen=True)
class ScaledMatrix:
    """numerators / denominator.

    Attributes:
        numerators: An integer matrix; not to be changed.
        denominator: A positive integer, not necessarily the smallest.
    """

    numerators: fmpz_mat
    denominator: fmpz

    @classmethod
    def of(cls, rows: int, columns: int, entries: Sequence[fmpq]) -> ScaledMatrix:
        """The matrix with these entries, row by row, over their smallest common denominator."""
        denominator = fmpz(1)
        for entry in entries:
            if denominator % entry.q:
                denominator = denominator.lcm(entry.q)
        numerators = [entry.p * (denominator // entry.q) for entry in entries]
        return cls(fmpz_mat(rows, columns, numerators), denominator)

    @classmethod
    def read(cls, residues: fmpz_mat, modulus: fmpz) -> ScaledMatrix:
        """The rational matrix that stands out behind residues: one denominator, short numerators.

        An entry is accepted when |numerator| denominator 2^SLACK_BITS < modulus, as in `read_rationals`, with the
        common denominator in place of its own; an entry that does not fit adds its own to the common one.

        Raises:
            PrecisionTooLowError: When a number does not stand out.
        """
        half, bound = modulus // 2, modulus >> SLACK_BITS
        denominator, most = fmpz(1), bound
        numerators: list[fmpz] = []
        for residue in residues.entries():
            numerator = residue * denominator % modulus
            if numerator > half:
                numerator -= modulus
            if not -most < numerator < most:
                own = read_rational(residue, modulus)
                grown = denominator.lcm(own.q)
                if grown != denominator:
                    factor = grown // denominator
                    numerators = [earlier * factor for earlier in numerators]
                    denominator, most = grown, bound // grown
                numerator = own.p * (denominator // own.q)
            numerators.append(numerator)
        return cls(fmpz_mat(residues.nrows(), residues.ncols(), numerators), denominator)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.numerators.nrows(), self.numerators.ncols()

    def __matmul__(self, other: ScaledMatrix) -> ScaledMatrix:
        return ScaledMatrix(self.numerators * other.numerators, self.denominator * other.denominator)

    def __add__(self, other: ScaledMatrix) -> ScaledMatrix:
        return ScaledMatrix(
            self.numerators * other.denominator + other.numerators * self.denominator,
            self.denominator * other.denominator,
        )

    def transpose(self) -> ScaledMatrix:
        """Rows and columns exchanged."""
        return ScaledMatrix(self.numerators.transpose(), self.denominator)

    def equals(self, other: ScaledMatrix) -> bool:
        """Whether all entries agree exactly."""
        if self.shape != other.shape:
            return False
        left: fmpz_mat = self.numerators * other.denominator
        return left == other.numerators * self.denominator

    def is_zero(self) -> bool:
        """Whether every entry is zero."""
        return self.numerators == fmpz_mat(*self.shape)

    def entry(self, row: int, column: int) -> fmpq:
        """One entry."""
        return fmpq(self.numerators[row, column], self.denominator)

    def entries(self) -> list[fmpq]:
        """All entries, row by row."""
        return [fmpq(entry, self.denominator) for entry in self.numerators.entries()]

    def rows(self) -> list[list[fmpq]]:
        """The rows."""
        return [[fmpq(entry, self.denominator) for entry in row] for row in self.numerators.tolist()]

    @property
    def bits(self) -> int:
        """The bits of the longest numerator and of the denominator together: what a reading has to hold."""
        longest = max((abs(entry).bit_length() for entry in self.numerators.entries()), default=0)
        return longest + self.denominator.bit_length()


def side_by_side(left: ScaledMatrix, right: ScaledMatrix) -> ScaledMatrix:
    """[left | right], over one denominator."""
    denominator = left.denominator.lcm(right.denominator)
    first = (left.numerators * (denominator // left.denominator)).tolist()
    second = (right.numerators * (denominator // right.denominator)).tolist()
    return ScaledMatrix(fmpz_mat([[*a, *b] for a, b in zip(first, second, strict=True)]), denominator)


def common_denominator(matrices: Sequence[ScaledMatrix]) -> fmpz:
    """The least common multiple of their denominators."""
    denominator = fmpz(1)
    for matrix in matrices:
        denominator = denominator.lcm(matrix.denominator)
    return denominator


def stacked(matrices: Sequence[ScaledMatrix]) -> ScaledMatrix:
    """Matrices of one width, one under the other, over one denominator."""
    denominator = common_denominator(matrices)
    rows = [
        row for matrix in matrices for row in (matrix.numerators * (denominator // matrix.denominator)).tolist()
    ]
    return ScaledMatrix(fmpz_mat(rows), denominator)
