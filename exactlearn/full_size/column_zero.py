"""Column 0: the poles at (x_i, y_0), matched to those of row 0, and the vectors V_h x_i (DESIGN sections 3, 4, 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpz, fmpz_mat

from exactlearn.errors import DegenerateDrawError, NotAttentionError
from exactlearn.full_size.black_box import LayerBlackBox, Look
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.state import byte_width, pack, unpack
from exactlearn.interpolation import PolesAndResidues, ProbeInterpolation, probe_interpolation
from exactlearn.matching import Matched, NoCandidate, match_heads
from exactlearn.places.residues import ResidueRing, multiply_mod


@dataclass(frozen=True)
class RowReading:
    """What column 0 tells of one row, the heads in the order of row 0.

    Attributes:
        poles: t_h(x_i, y_0) mod p^k.
        seen: H x f, the rows P V_h x_i, P the functionals that are looked at from column 1 on.
        values: H x m, the rows V_h x_i mod p^k.
    """

    poles: list[fmpz]
    seen: fmpz_mat
    values: fmpz_mat

    def packed(self, ring: ResidueRing) -> bytes:
        """As bytes, for the state."""
        return pack(self.poles + self.seen.entries() + self.values.entries(), ring.modulus)


@dataclass(frozen=True)
class RowFormat:
    """How the readings of rows lie in a block, so that parts can be read alone.

    Attributes:
        ring: Z/p^k.
        heads: H.
        looks: f, how many functionals are looked at.
        outputs: m.
    """

    ring: ResidueRing
    heads: int
    looks: int
    outputs: int

    def poles_and_seen(self, content: bytes) -> list[tuple[list[fmpz], fmpz_mat]]:
        """For every row the poles, and the P V_h x_i."""
        parts = self._parts(content, 0, self.heads * (1 + self.looks))
        return [(part[: self.heads], fmpz_mat(self.heads, self.looks, part[self.heads :])) for part in parts]

    def values_of_head(self, content: bytes, head: int) -> list[list[fmpz]]:
        """For every row V_h x_i of one head."""
        return self._parts(content, self.heads * (1 + self.looks) + head * self.outputs, self.outputs)

    def _parts(self, content: bytes, first: int, count: int) -> list[list[fmpz]]:
        width = byte_width(self.ring.modulus)
        size = width * self.heads * (1 + self.looks + self.outputs)
        return [
            unpack(content[at + width * first : at + width * (first + count)], self.ring.modulus)
            for at in range(0, len(content), size)
        ]


@dataclass(frozen=True)
class ColumnZero:
    """How to read rows of column 0.

    Attributes:
        black_box: What answers.
        draw: The tokens.
        look: All m outputs are looked at here.
        functional: The one functional from which the poles are read, 1 x m.
        ring: Z/p^k.
    """

    black_box: LayerBlackBox
    draw: LayerDraw
    look: Look
    functional: fmpz_mat
    ring: ResidueRing

    @property
    def kernel(self) -> ProbeInterpolation:
        """The interpolation shared by all probes."""
        return probe_interpolation(self.ring, self.draw.heads)

    def at_length_one(self) -> list[fmpz]:
        """Ask f of the sequence y_0: F(0) of the whole column."""
        return self.black_box.at_length_one(self.look, [self.draw.ys[0]])[0]

    def read(self, rows: Sequence[int], zeros: list[fmpz], first_row: PolesAndResidues | None) -> list[RowReading]:
        """The readings of these rows.

        Args:
            rows: Which.
            zeros: What `at_length_one` answered.
            first_row: The poles of row 0, and its residues in the first functional, when it is not among them.

        Raises:
            NotAttentionError: When the answers are not those of a layer with so many heads.
            DegenerateDrawError: When the draw is bad.
        """
        y, heads = self.draw.ys[0], self.draw.heads
        zero = self._functional_of(fmpz_mat([zeros]))[0]
        answers = self.black_box.several(
            self.black_box.rows(self.look, [self.draw.xs[i] for i in rows]), y, 2 * heads
        )
        partners = [i for i in rows if i]
        sums = {}
        if partners:
            beside = self.black_box.look(self.functional, self.ring)
            asked = self.black_box.rows(beside, [self.draw.added(i) for i in partners])
            samples = self.black_box.copies(asked, [y], 2 * heads)[0].tolist()
            sums = dict(zip(partners, samples, strict=True))
        readings: list[RowReading] = []
        for i, answer in zip(rows, answers, strict=True):
            seen = self.kernel.read(zero, self._functional_of(answer))
            if len(seen.poles) != heads:
                raise NotAttentionError(f"{len(seen.poles)} heads show at P({i},0), {heads} were told")
            if i and first_row is not None:
                seen = self._in_order(i, zero, first_row, seen, sums[i])
            values = self._values(seen.poles, answer, zeros)
            looked_at = multiply_mod(values, self.draw.functionals.transpose(), self.ring.modulus)
            readings.append(RowReading(seen.poles, looked_at, values))
        return readings

    def _in_order(
        self, i: int, zero: fmpz, first: PolesAndResidues, seen: PolesAndResidues, samples: list[fmpz]
    ) -> PolesAndResidues:
        """The heads of row i in the order of row 0: t_h(x_0) t_g(x_i) is a pole at x_0 + x_i."""
        prime = self.ring.prime
        numerator, denominator = self.kernel.read_mod_p(zero, samples)
        if denominator.degree() != self.draw.heads:
            raise NotAttentionError(f"{denominator.degree()} heads show at S({i},0), {self.draw.heads} were told")
        matching = match_heads(first.poles, seen.poles, denominator, prime, aligned=False)
        if isinstance(matching, NoCandidate):
            raise NotAttentionError(f"no pole of S({i},0) is the product of the poles that belong to one head")
        if not isinstance(matching, Matched):
            raise DegenerateDrawError(f"the sum probe S({i},0) leaves several matches: try another seed")
        slope = denominator.derivative()
        for h, g in enumerate(matching.partner):
            pole = int(first.poles[h] * seen.poles[g] % prime)
            residue = int((first.residues[h] + seen.residues[g]) % prime)
            if (int(numerator(pole)) + residue * pole * int(slope(pole))) % prime:
                raise NotAttentionError(f"the residues at S({i},0) are not the sums of those of its rows")
        return PolesAndResidues(
            [seen.poles[g] for g in matching.partner], [seen.residues[g] for g in matching.partner]
        )

    def _values(self, poles: list[fmpz], answers: fmpz_mat, zeros: list[fmpz]) -> fmpz_mat:
        """V_h x_i for every head, from F(k) - F(0) = sum_h k t_h/(1 + k t_h) V_h x_i for k = 1..H, linearly."""
        ring, heads = self.ring, len(poles)
        inverses = ring.inverses([1 + k * t for k in range(1, heads + 1) for t in poles])
        shares = fmpz_mat(
            heads,
            heads,
            [k * t * inverses[(k - 1) * heads + h] for k in range(1, heads + 1) for h, t in enumerate(poles)],
        )
        inverse = ring.inverse_matrix(shares).tolist()
        of_answers = fmpz_mat([[*row, *[0] * (answers.nrows() - heads)] for row in inverse]) * answers
        of_zeros = fmpz_mat([[sum(row)] for row in inverse]) * fmpz_mat([zeros])
        values = [entry % ring.modulus for entry in (of_answers - of_zeros).entries()]
        return fmpz_mat(heads, answers.ncols(), values)

    def _functional_of(self, outputs: fmpz_mat) -> list[fmpz]:
        """The functional of every row."""
        return multiply_mod(outputs, self.functional.transpose(), self.ring.modulus).entries()
