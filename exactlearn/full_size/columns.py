"""The later columns: poles at (x_i, y_j) in the order of column 0, and their logarithms (DESIGN sections 3, 4, 10).

Where the vectors V_h x_i are independent, the answer for k = 1 gives all poles by one product: dual functionals take
f - f(y) to the numbers t_h/(1 + t_h).  All 2H samples of one functional are then checked against these poles, and so
are those of the sum probe against t_h(y_j)^2 / t_h(y_0).  Otherwise each probe is interpolated as in column 0, and
its sum probe matches it to column 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import fmpz, fmpz_mat

from exactlearn.errors import DegenerateDrawError, NotAttentionError
from exactlearn.full_size.black_box import LayerBlackBox, Look
from exactlearn.full_size.bridge import Bridge
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.parity import Parity
from exactlearn.full_size.powers import base_u
from exactlearn.interpolation import ProbeInterpolation, probe_interpolation
from exactlearn.matching import Matched, NoCandidate, match_heads
from exactlearn.places.residues import ResidueRing

Logs = list[list[list[fmpz]]]
"""[row][head][column]: log_U t_h(x_i, y_j) mod p^(k-1)."""


@dataclass(frozen=True)
class Columns:
    """How to read later columns.

    Attributes:
        black_box: What answers.
        draw: The tokens.
        look: The functionals looked at.
        bridge: What column 0 left.
        ring: Z/p^k.
        parity: The check of samples.
        single_query: Whether the answer for k = 1 is all that is asked.
    """

    black_box: LayerBlackBox
    draw: LayerDraw
    look: Look
    bridge: Bridge
    ring: ResidueRing
    parity: Parity
    single_query: bool

    @property
    def kernel(self) -> ProbeInterpolation:
        """The interpolation for probes that no dual functionals read."""
        return probe_interpolation(self.ring, self.draw.heads)

    def read(self, columns: range, rows: int) -> Logs:
        """The logarithms of all poles of these columns in the first `rows` rows.

        Raises:
            NotAttentionError: When the answers are not those of a layer with so many heads.
            DegenerateDrawError: When the draw is bad.
        """
        asked = self.black_box.rows(self.look, self.draw.xs[:rows])
        ys = [self.draw.ys[j] for j in columns]
        most = 2 * self.draw.heads
        if self.single_query:
            if not self.bridge.separates:
                raise NotAttentionError(
                    "the vectors V_h x are dependent, so single queries don't tell the heads apart: take a schedule "
                    "that asks more"
                )
            poles = self.by_duals(self.black_box.firsts(asked, ys), ys)
            return self._logs(poles)
        if self.bridge.separates:
            samples, firsts = self.black_box.probes(asked, ys, most)
            poles = self.by_duals(firsts, ys)
        else:
            samples, poles = self.black_box.copies(asked, ys, most), []
        beside = [self.draw.beside(j) for j in columns]
        sums = self.black_box.copies(asked, beside, most)
        if self.bridge.separates:
            self._check(columns, poles, samples, sums)
        else:
            poles = self.by_interpolation(columns, rows, samples, sums)
        return self._logs(poles)

    def read_one(self, i: int, j: int) -> list[fmpz]:
        """The logarithms at the one probe (x_i, y_j), which is no part of the schedule: one query, or 4H."""
        asked = self.black_box.rows(self.look, [self.draw.xs[i]])
        bridge = self.bridge
        alone = replace(self, bridge=replace(bridge, poles=[bridge.poles[i]], dual=[bridge.dual[i]]))
        y, most = self.draw.ys[j], 2 * self.draw.heads
        if bridge.separates:
            poles = alone.by_duals(self.black_box.firsts(asked, [y]), [y])
        else:
            samples, sums = (self.black_box.copies(asked, [z], most) for z in (y, self.draw.beside(j)))
            poles = alone.by_interpolation(range(j, j + 1), 1, samples, sums)
        return [of_head[0] for of_head in self._logs(poles)[0]]

    def by_duals(self, firsts: Sequence[fmpz_mat], ys: Sequence[tuple[int, ...]]) -> Logs:
        """T = w/(1 - w) from w = t/(1 + t), all inverses together."""
        ring, heads, count = self.ring, self.draw.heads, len(ys)
        zeros = fmpz_mat([self.bridge.at_zero(y, ring) for y in ys]).transpose()
        shares = [
            [w % ring.modulus for w in (self.bridge.dual[i] * (first - zeros)).entries()]
            for i, first in enumerate(firsts)
        ]
        inverses = iter(ring.inverses([1 - w for of_row in shares for w in of_row]))
        poles = [[w * next(inverses) % ring.modulus for w in of_row] for of_row in shares]
        return [[of_row[h * count : (h + 1) * count] for h in range(heads)] for of_row in poles]

    def _check(
        self, columns: range, poles: Logs, samples: Sequence[fmpz_mat], sums: Sequence[fmpz_mat]
    ) -> None:
        prime = self.ring.prime
        heads = range(self.draw.heads)
        starts = self.ring.inverses([t for of_row in self.bridge.poles[: len(poles)] for t in of_row])
        inverse = [int(t % prime) for t in starts]
        for at, j in enumerate(columns):
            seen = [[int(of_row[h][at] % prime) for h in heads] for of_row in poles]
            if not all(self.parity.holds(samples[at], self._zero(self.draw.ys[j]), seen)):
                raise NotAttentionError(f"the samples of a probe in column {j} are not those of the heads of column 0")
            expected = [
                [t * t % prime * inverse[i * len(heads) + h] % prime for h, t in enumerate(of_row)]
                for i, of_row in enumerate(seen)
            ]
            if not all(self.parity.holds(sums[at], self._zero(self.draw.beside(j)), expected)):
                raise NotAttentionError(f"the sum probes of column {j} do not match it to column 0")

    def by_interpolation(
        self, columns: range, rows: int, samples: Sequence[fmpz_mat], sums: Sequence[fmpz_mat]
    ) -> Logs:
        """One by one, in the order of column 0 by the sum probes."""
        found: Logs = [[[] for _ in range(self.draw.heads)] for _ in range(rows)]
        for at, j in enumerate(columns):
            zero, zero_beside = self._zero(self.draw.ys[j]), self._zero(self.draw.beside(j))
            pairs = zip(samples[at].tolist(), sums[at].tolist(), strict=True)
            for i, (of_probe, of_sum) in enumerate(pairs):
                for h, pole in enumerate(self._matched(f"({i},{j})", i, (zero, of_probe), (zero_beside, of_sum))):
                    found[i][h].append(pole)
        return found

    def _matched(
        self, name: str, i: int, probe: tuple[fmpz, list[fmpz]], beside: tuple[fmpz, list[fmpz]]
    ) -> list[fmpz]:
        ring = self.ring
        residues = [row[0] for row in self._residues(i).tolist()]
        seen = self.kernel.read(*probe, residues)
        _, denominator = self.kernel.read_mod_p(*beside)
        if len(seen.poles) != self.draw.heads or denominator.degree() != self.draw.heads:
            raise NotAttentionError(f"{len(seen.poles)} heads show at P{name}, {self.draw.heads} were told")
        starts = ring.inverses(self.bridge.poles[i])
        squares = [t * t % ring.modulus for t in seen.poles]
        matching = match_heads(starts, squares, denominator, ring.prime, aligned=seen.residues == residues)
        if isinstance(matching, NoCandidate):
            raise NotAttentionError(f"no pole of the sum probe at {name} belongs to one head")
        if not isinstance(matching, Matched):
            raise DegenerateDrawError(f"the sum probe at {name} leaves several matches: try another seed")
        if [seen.residues[g] for g in matching.partner] != residues:
            raise NotAttentionError(f"the residues at P{name} are not those of its row")
        return [seen.poles[g] for g in matching.partner]

    def _residues(self, i: int) -> fmpz_mat:
        """P V_h x_i, H x f: held as such only where no dual is held."""
        return self.bridge.dual[i]

    def _zero(self, y: tuple[int, ...]) -> fmpz:
        return self.bridge.at_zero(y, self.ring)[0]

    def _logs(self, poles: Logs) -> Logs:
        log = base_u(self.ring).log
        return [[[log(t) for t in of_head] for of_head in of_row] for of_row in poles]
