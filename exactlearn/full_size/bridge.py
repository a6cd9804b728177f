"""What column 0 leaves for the later columns: small enough for every worker to hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flint import fmpz, fmpz_mat

from exactlearn.errors import UnluckyPrimeError
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.state import pack, unpack
from exactlearn.places.residues import ResidueRing, multiply_mod


@dataclass(frozen=True)
class Bridge:
    """In the functionals P that are looked at from now on, f of them.

    Attributes:
        separates: Whether the vectors P V_h x_i, h = 1..H, are independent in every row: then one answer tells the
            heads apart.
        poles: t_h(x_i, y_0) mod p^k, row by row.
        dual: For every row the H x f matrix that takes the P V_h x_i to the unit vectors, when they are independent;
            else the matrix of the P V_h x_i, H x f, itself.
        readout: P V, f x d, V = sum_h V_h.
        constant: P s.
    """

    separates: bool
    poles: list[list[fmpz]]
    dual: list[fmpz_mat]
    readout: fmpz_mat
    constant: fmpz_mat

    @classmethod
    def build(
        cls,
        draw: LayerDraw,
        ring: ResidueRing,
        at_length_one: list[fmpz],
        rows: Iterable[tuple[list[fmpz], fmpz_mat]],
        x_inverse: fmpz_mat,
    ) -> Bridge:
        """From f of the sequence y_0, the poles and the P V_h x_i of every row of column 0, and X^-1 mod p^k."""
        functionals = draw.functionals
        poles, looked_at, totals = [], [], []
        for of_row, seen in rows:
            poles.append(of_row)
            looked_at.append(seen)
            totals.append([sum(column) % ring.modulus for column in zip(*seen.tolist(), strict=True)])
        readout = multiply_mod(fmpz_mat(totals).transpose(), x_inverse, ring.modulus)
        first = fmpz_mat([[entry] for entry in draw.ys[0]])
        at_zero = functionals * fmpz_mat([[value] for value in at_length_one])
        constant = fmpz_mat([[e % ring.modulus] for e in (at_zero - readout * first).entries()])
        dual = _duals(looked_at, ring)
        return cls(dual is not None, poles, dual or looked_at, readout, constant)

    def at_zero(self, y: tuple[int, ...], ring: ResidueRing) -> list[fmpz]:
        """P f of the sequence y, computed and not asked: P (V y + s)."""
        value = self.readout * fmpz_mat([[entry] for entry in y]) + self.constant
        return [entry % ring.modulus for entry in value.entries()]

    def packed(self, ring: ResidueRing) -> bytes:
        """As bytes, for the state."""
        numbers = [fmpz(int(self.separates))]
        for row in self.poles:
            numbers += row
        for matrix in self.dual:
            numbers += matrix.entries()
        return pack(numbers + self.readout.entries() + self.constant.entries(), ring.modulus)

    @classmethod
    def unpacked(cls, content: bytes, draw: LayerDraw, ring: ResidueRing) -> Bridge:
        """What `packed` wrote."""
        numbers = unpack(content, ring.modulus)
        heads, dim, looks = draw.heads, draw.dim, draw.functionals.nrows()
        at = iter(numbers)

        def take(count: int) -> list[fmpz]:
            return [next(at) for _ in range(count)]

        separates = bool(take(1)[0])
        poles = [take(heads) for _ in range(dim)]
        dual = [fmpz_mat(heads, looks, take(heads * looks)) for _ in range(dim)]
        return cls(separates, poles, dual, fmpz_mat(looks, dim, take(looks * dim)), fmpz_mat(looks, 1, take(looks)))


def _duals(looked_at: list[fmpz_mat], ring: ResidueRing) -> list[fmpz_mat] | None:
    """The rows of `seen` are P V_h x_i: its transpose is inverted.  None when a row is singular mod p."""
    if any(seen.nrows() != seen.ncols() for seen in looked_at):
        return None
    try:
        return [ring.inverse_matrix(seen.transpose()) for seen in looked_at]
    except UnluckyPrimeError:
        return None
