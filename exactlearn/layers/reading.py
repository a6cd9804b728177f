"""One draw read in one ring, under any schedule: probes to poles and residues, matched (DESIGN section 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from flint import fmpz, fmpz_mat

from exactlearn.draws import BadDraw, TokenSource
from exactlearn.errors import ConditionFailsError, DegenerateDrawError, NotAttentionError, UnluckyPrimeError
from exactlearn.fields.scalars import Scalar
from exactlearn.interpolation import PolesAndResidues, ProbeInterpolation, probe_interpolation
from exactlearn.layers.assembly import Assembly, HeadNumbers
from exactlearn.layers.oracle import VectorOracle
from exactlearn.layers.probing import Functional, lean_interpolation, residues_of_coordinates
from exactlearn.layers.schedules import Schedule
from exactlearn.matching import Matched, NoCandidate, match_heads
from exactlearn.places.padic import logarithms
from exactlearn.places.protocol import IntegerToken, TokenBasis
from exactlearn.places.residues import ResidueRing, multiply_mod
from exactlearn.reading import Rejection
from exactlearn.schedule import Probe, base_probe, sum_probe

Found = TypeVar("Found")


@dataclass
class LayerReading:
    """The probes of one draw in one ring; bad tokens are drawn anew on the way.

    After `read`: `heads`, `constant` (s, zero without biases), and what the schedule's count depends on.
    """

    oracle: VectorOracle
    source: TokenSource
    ring: ResidueRing
    schedule: Schedule
    functional: Functional
    is_exact: bool
    rejections: list[Rejection]
    progress: Callable[[int], None]
    heads_asked: int = 0
    heads_seen: int = 0
    tied_rows: list[int] = field(default_factory=list)
    rank_queries: int = 0
    _poles: list[list[list[fmpz]]] = field(default_factory=list)
    _residues: list[list[fmpz]] = field(default_factory=list)
    _values: list[list[list[fmpz]]] = field(default_factory=list)
    _at_y1: list[fmpz] = field(default_factory=list)
    _readout: list[list[fmpz]] = field(default_factory=list)
    _constant: list[fmpz] = field(default_factory=list)

    def read(self) -> tuple[list[HeadNumbers], list[Scalar]]:
        """Ask all probes; the heads' numbers and s.

        Raises:
            BadDraw: When the whole draw has to be made anew.
            ConditionFailsError: When a head has a larger rank than the schedule assumes.
            DegenerateDrawError: When one token was bad too often.
            NotAttentionError: When no model with so few heads has these answers.
            UnluckyPrimeError: When another prime is needed.
            PrecisionTooLowError: When more digits are needed.
        """
        self.heads_asked = self.schedule.bound
        first = self._until_good(self._read_first_probe, "x0", "y0")
        self.heads_seen = len(first.poles)
        if self.schedule.is_adaptive:
            self.heads_asked = self.heads_seen
        self._poles = [[first.poles]]
        self._residues = [first.residues]
        self.progress(1)
        for i in range(1, self.schedule.dim):
            row, values = self._until_good(lambda i=i: self._read_first_column(i, first), f"x{i}")  # type: ignore[misc]
            self._poles[0].append(row.poles)
            self._residues.append(row.residues)
            self._values.append(values)
            self.progress(2)
        self._read_values()
        self.tied_rows = [i for i, row in enumerate(self._residues) if len({int(c) for c in row}) < len(row)]
        for j in range(1, self.schedule.columns):
            self._poles.append(self._until_good(lambda j=j: self._read_column(j), f"y{j}"))  # type: ignore[misc]
            self.progress(self.schedule.rows_of(j) * (1 if self.schedule.is_lean else 2))
        return self._assemble()

    def _until_good(self, step: Callable[[], Found], *tokens: str) -> Found:
        """Take a step; while it finds its tokens bad, note that, draw them anew and take it again."""
        while True:
            mark = self.oracle.mark()
            try:
                return step()
            except BadDraw as bad:
                if self.ring.is_small:
                    raise UnluckyPrimeError(f"modulo a small prime nothing is blamed on the draw: {bad}") from None
                if bad.is_whole:
                    raise
                self.rejections.append(Rejection(str(bad), self.oracle.discard_since(mark)))
                try:
                    self.source.redraw(*tokens)
                except DegenerateDrawError as error:
                    raise DegenerateDrawError(f"{error}, the last one: {bad}") from None

    def _read_first_probe(self) -> PolesAndResidues:
        self._at_y1 = self.oracle.value((self.source.y(0),), self.ring)
        probe = base_probe(self.source, 0, 0)
        seen, samples = self._ask(probe, self._look(self._at_y1), self.schedule.bound)
        if self.is_exact:
            self._check_count(probe, len(seen.poles), self.schedule.bound)
        self._values = [self._coordinates(probe, seen, samples)]
        return seen

    def _read_first_column(self, i: int, first: PolesAndResidues) -> tuple[PolesAndResidues, list[list[fmpz]]]:
        """Row i of column one in the order of the heads of row one: poles and residues, and V_h x_i."""
        probe, at_zero = base_probe(self.source, i, 0), self._look(self._at_y1)
        seen, samples = self._ask(probe, at_zero, self.heads_asked)
        self._check_count(probe, len(seen.poles), len(first.poles))
        values = self._coordinates(probe, seen, samples)
        both = sum_probe(self.source, i, 0)
        asked = self._samples(both, self.heads_asked)
        partner = self._match(both, self._kernel(), at_zero, asked, (first.poles, first.residues), seen, in_row=False)
        row = PolesAndResidues([seen.poles[g] for g in partner], [seen.residues[g] for g in partner])
        return row, [values[g] for g in partner]

    def _read_column(self, j: int) -> list[list[fmpz]]:
        return [self._read_later_probe(i, j) for i in range(self.schedule.rows_of(j))]

    def _read_later_probe(self, i: int, j: int) -> list[fmpz]:
        """The poles at (x_i, y_j), matched to those of column one."""
        left, residues = self._poles[0][i], self._residues[i]
        probe = base_probe(self.source, i, j)
        seen = self._read_known(probe, residues)
        if self.schedule.is_lean and i not in self.tied_rows:
            place = {int(c): g for g, c in enumerate(seen.residues)}
            if sorted(place) != sorted(map(int, residues)):
                self._refuse(f"the residues v_h.x at {probe.name} are not those of the same row's first probe")
            return [seen.poles[place[int(c)]] for c in residues]
        both = self._matching_probe(i, j)
        at_zero = self._value_at(both.y)
        kernel, asked = self._known_samples(both, at_zero, residues)
        partner = self._match(both, kernel, at_zero, asked, (left, residues), seen, in_row=True)
        if [seen.residues[g] for g in partner] != residues:
            self._refuse(f"the residues v_h.x at {probe.name} are not those of the same row's first probe")
        return [seen.poles[g] for g in partner]

    def _matching_probe(self, i: int, j: int) -> Probe:
        """(x_i, y_1 + y_j), or with biases (x_i, 2 y_j - y_1), whose last coordinate is 1 as well."""
        if not self.schedule.has_biases:
            return sum_probe(self.source, i, j)
        y = tuple(2 * b - a for a, b in zip(self.source.y(0), self.source.y(j), strict=True))
        return Probe(f"S({i + 1},{j + 1})", self.source.x(i), y)

    def _kernel(self) -> ProbeInterpolation:
        return probe_interpolation(self.ring, self.heads_asked)

    def _read_known(self, probe: Probe, residues: list[fmpz]) -> PolesAndResidues:
        """A probe after column one, where F(0) is computed, and in the lean schedule F(infinity) as well."""
        at_zero = self._value_at(probe.y)
        kernel, samples = self._known_samples(probe, at_zero, residues)
        try:
            seen = kernel.read(at_zero, samples, residues)
        except NotAttentionError as error:
            self._refuse(f"{error} (at {probe.name})")
        self._check_count(probe, len(seen.poles), len(residues))
        return seen

    def _known_samples(
        self, probe: Probe, at_zero: fmpz, residues: list[fmpz]
    ) -> tuple[ProbeInterpolation, list[fmpz]]:
        if not self.schedule.is_lean:
            return self._kernel(), self._samples(probe, self.heads_asked)
        kernel = lean_interpolation(self.ring, self.heads_asked)
        if not self.heads_asked:
            return kernel, []
        asked = self.oracle.copies(probe.x, probe.y, 2 * self.heads_asked - 1, self.ring)
        infinity = (at_zero + sum(residues, fmpz(0))) % self.ring.modulus
        return kernel, [infinity, *self.functional.of_samples(asked, self.ring)]

    def _samples(self, probe: Probe, bound: int) -> list[fmpz]:
        return self.functional.of_samples(self.oracle.copies(probe.x, probe.y, 2 * bound, self.ring), self.ring)

    def _ask(self, probe: Probe, at_zero: fmpz, bound: int) -> tuple[PolesAndResidues, list[list[fmpz]]]:
        samples = self.oracle.copies(probe.x, probe.y, 2 * bound, self.ring)
        try:
            looked_at = self.functional.of_samples(samples, self.ring)
            return probe_interpolation(self.ring, bound).read(at_zero, looked_at), samples
        except NotAttentionError as error:
            self._refuse(f"{error} (at {probe.name})")

    def _coordinates(
        self, probe: Probe, seen: PolesAndResidues, samples: Sequence[Sequence[fmpz]]
    ) -> list[list[fmpz]]:
        """V_h x for every head."""
        if self.oracle.outputs == 1:
            return [[residue] for residue in seen.residues]
        values = residues_of_coordinates(self.ring, seen.poles, self._at_y1, samples)
        if values is None:
            self._refuse(f"the coordinates of the answers at {probe.name} have other poles than a functional of them")
        return values

    def _match(  # noqa: PLR0917  # a probe, what was read there, and the two probes that it joins
        self,
        probe: Probe,
        kernel: ProbeInterpolation,
        at_zero: fmpz,
        samples: list[fmpz],
        left: tuple[list[fmpz], list[fmpz]],
        right: PolesAndResidues,
        *,
        in_row: bool,
    ) -> list[int]:
        """The partner on the right of each head on the left, through the sum probe; its residues are checked as well.

        The pole of the sum probe is t_left t_right, with biases in a row t_right^2 / t_left.
        """
        prime, (poles, residues) = self.ring.prime, left
        if not poles and not any((sample - at_zero) % self.ring.modulus for sample in samples):
            return []
        try:
            numerator, denominator = kernel.read_mod_p(at_zero, samples)
        except NotAttentionError as error:
            self._refuse(f"{error} (at {probe.name})")
        self._check_count(probe, denominator.degree(), len(poles))
        first, second = poles, right.poles
        if in_row and self.schedule.has_biases:
            first, second = self.ring.inverses(poles), [t * t % self.ring.modulus for t in right.poles]
        aligned = in_row and residues == right.residues
        matching = match_heads(first, second, denominator, prime, aligned=aligned)
        if isinstance(matching, NoCandidate):
            self._refuse(f"no pole of {probe.name} is the one that belongs to the poles of one head")
        if not isinstance(matching, Matched):
            raise BadDraw("false match", probe.name, "the sum probe leaves several matches")
        slope = denominator.derivative()
        for h, g in enumerate(matching.partner):
            pole = first[h] * second[g] % prime
            residue = residues[h] if in_row else residues[h] + right.residues[g]
            if (int(numerator(pole)) + residue * pole * int(slope(pole))) % prime:
                self._refuse(f"the residues at {probe.name} are not those of its row")
        return matching.partner

    def _check_count(self, probe: Probe, seen: int, expected: int) -> None:
        """All canonical heads show at every probe of a good draw."""
        if seen == expected:
            return
        if self.ring.is_small:
            raise UnluckyPrimeError(f"modulo a small prime {seen} of {expected} heads show at {probe.name}")
        is_whole = seen > expected
        raise BadDraw("hidden head", probe.name, f"{seen} heads show there, {expected} are expected", is_whole=is_whole)

    def _refuse(self, reason: str) -> NoReturn:
        """With the number of heads known and every probe showing them all, a contradiction is final."""
        if self.is_exact:
            raise NotAttentionError(reason)
        raise BadDraw("hidden head", "", reason, is_whole=True)

    def _look(self, values: Sequence[fmpz]) -> fmpz:
        return self.functional(values, self.ring)

    def _read_values(self) -> None:
        """sum_h V_h and s in every coordinate, from column one and f of the one token y_1."""
        modulus = self.ring.modulus
        basis, zero = self._basis(), fmpz(0)
        totals = [
            [sum((head[a] for head in row), zero) for a in range(self.oracle.outputs)] for row in self._values
        ]
        totals += [[zero] * self.oracle.outputs] * (self.schedule.columns - self.schedule.dim)
        found = multiply_mod(basis.x_inverse, fmpz_mat(totals), modulus).transpose()
        self._readout = [list(row) for row in found.tolist()]
        y = self.source.y(0)
        self._constant = [
            (at - self._dot(row, y)) % modulus for at, row in zip(self._at_y1, self._readout, strict=True)
        ]
        if not self.schedule.has_biases and any(self._constant):
            self._refuse("V.y_1 from the residues is not the value of the one token y_1")

    def _value_at(self, y: IntegerToken) -> fmpz:
        """The functional of f of the one token y, computed and not asked."""
        pairs = zip(self._readout, self._constant, strict=True)
        return self._look([self._dot(row, y) + constant for row, constant in pairs])

    def _dot(self, vector: Sequence[fmpz], token: IntegerToken) -> fmpz:
        return sum((a * b for a, b in zip(vector, token, strict=True)), fmpz(0)) % self.ring.modulus

    def _basis(self) -> TokenBasis:
        draw = self.source.draw()
        return TokenBasis(self.ring, draw.X, draw.Y)

    def _assemble(self) -> tuple[list[HeadNumbers], list[Scalar]]:
        """W and V of every head, and s; a low-rank schedule's rank is tested before numbers are read off."""
        assembly = Assembly(self.oracle.place, self._basis(), self.schedule, self._poles, self._values)
        exponents = None
        if assembly.is_incomplete:
            exponents = assembly.completed_exponents()
            if exponents is None:
                raise BadDraw("hidden head", "", "the leading minor of a head vanishes", is_whole=True)
            self._test_rank([int(matrix[self.schedule.dim - 1, self.schedule.columns - 1]) for matrix in exponents])
        return assembly.heads(exponents), list(self.ring.read_numbers(self._constant, self.ring.modulus))

    def _test_rank(self, expected: list[int]) -> None:
        """One probe that the schedule leaves out is asked, and counted apart: its poles must be those that follow."""
        mark = self.oracle.mark()
        i, j = self.schedule.dim - 1, self.schedule.columns - 1
        seen = self._read_known(base_probe(self.source, i, j), self._residues[i])
        self.rank_queries = self.oracle.discard_since(mark)
        found = [int(e) for e in logarithms(self.ring, [seen.poles]).entries()] if seen.poles else []
        if sorted(found) != sorted(expected):
            what = "[W | p]" if self.schedule.has_biases else "W"
            raise ConditionFailsError(
                f"the rank of {what} is larger than {self.schedule.rank} in some head: a probe that the schedule "
                "leaves out has other poles than follow from that rank"
            )
