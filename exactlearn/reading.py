"""One draw read in one ring: probes to poles and residues, matched to heads, assembled to (W, v) (DESIGN section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from flint import fmpz, fmpz_mat

from exactlearn.draws import BadDraw, Draw, draw_tokens
from exactlearn.errors import NotAttentionError
from exactlearn.interpolation import PolesAndResidues, ProbeInterpolation, probe_interpolation
from exactlearn.matching import Matched, NoCandidate, match_heads
from exactlearn.model import Head
from exactlearn.oracle import Oracle
from exactlearn.places.protocol import TokenBasis, multiply_mod
from exactlearn.places.residues import ResidueRing, read_rationals
from exactlearn.schedule import Probe, base_probe, sum_probe


@dataclass(frozen=True)
class Question:
    """What the learner wants to know: heads in dimension `dim`, exactly `bound` many or at most so many."""

    dim: int
    bound: int
    is_exact: bool


@dataclass
class DrawReading:
    """The probes of one draw in one ring, asked column by column.

    After `read`, `poles[j][i][h]` is the image of t_h(x_i, y_j) and `residues[i][h]` that of v_h.x_i, one order of
    heads throughout.
    """

    oracle: Oracle
    draw: Draw
    ring: ResidueRing
    question: Question
    progress: Callable[[int], None] = lambda probes: None
    poles: list[list[list[fmpz]]] = field(default_factory=list)
    residues: list[list[fmpz]] = field(default_factory=list)

    @property
    def kernel(self) -> ProbeInterpolation:
        """The interpolation shared by all probes."""
        return probe_interpolation(self.ring, self.question.bound)

    def read(self) -> list[Head]:
        """Ask all probes and return the heads.

        Raises:
            BadDraw: When a polynomial of DESIGN section 5 vanishes at this draw.
            NotAttentionError: When no model with so few heads has these answers.
            UnluckyPrimeError: When another prime is needed.
            PrecisionTooLowError: When more digits are needed.
        """
        value_at_y1 = self.oracle.value((self.draw.Y[0],), self.ring)
        self._read_first_column(value_at_y1)
        value_vector = self._value_vector()
        check = sum((a * b for a, b in zip(value_vector, self.draw.Y[0], strict=True)), fmpz(0))
        if (check - value_at_y1) % self.ring.modulus:
            self._refuse("V.y_1 from the residues is not the value of the one token y_1")
        for j in range(1, self.question.dim):
            self._read_column(j, value_vector)
        return self._assemble()

    def _read_first_column(self, value_at_y1: fmpz) -> None:
        first = self._read_probe(base_probe(self.draw, 0, 0), value_at_y1, expected=None)
        self.poles = [[first.poles]]
        self.residues = [first.residues]
        self.progress(1)
        for i in range(1, self.question.dim):
            seen = self._read_probe(base_probe(self.draw, i, 0), value_at_y1, expected=len(first.poles))
            partner = self._match(sum_probe(self.draw, i, 0), value_at_y1, first, seen)
            self.poles[0].append([seen.poles[g] for g in partner])
            self.residues.append([seen.residues[g] for g in partner])
            self.progress(2)

    def _read_column(self, j: int, value_vector: list[fmpz]) -> None:
        heads = len(self.residues[0])
        value_at_yj = self._dot(value_vector, self.draw.Y[j])
        value_at_sum = self._dot(value_vector, sum_probe(self.draw, 0, j).y)
        self.poles.append([])
        for i in range(self.question.dim):
            known = PolesAndResidues(self.poles[0][i], self.residues[i])
            probe = base_probe(self.draw, i, j)
            seen = self._read_probe(probe, value_at_yj, expected=heads, known=known)
            partner = self._match(sum_probe(self.draw, i, j), value_at_sum, known, seen)
            if [seen.residues[g] for g in partner] != known.residues:
                self._refuse(f"the residues v_h.x at {probe.name} are not those of the same row's first probe")
            self.poles[j].append([seen.poles[g] for g in partner])
            self.progress(2)

    def _read_probe(
        self, probe: Probe, value_at_zero: fmpz, expected: int | None, known: PolesAndResidues | None = None
    ) -> PolesAndResidues:
        samples = self.oracle.copies(probe.x, probe.y, 2 * self.question.bound, self.ring)
        hints = known.residues if known else []
        try:
            seen = self.kernel.read(value_at_zero, samples, hints)
        except NotAttentionError as error:
            raise NotAttentionError(f"{error} (at {probe.name})") from None
        self._check_count(probe, len(seen.poles), expected)
        return seen

    def _match(self, probe: Probe, value_at_zero: fmpz, left: PolesAndResidues, right: PolesAndResidues) -> list[int]:
        """The partner on the right of each head on the left, through the sum probe; residues checked as well."""
        prime = self.ring.prime
        samples = self.oracle.copies(probe.x, probe.y, 2 * self.question.bound, self.ring)
        if not left.poles and not any((sample - value_at_zero) % self.ring.modulus for sample in samples):
            return []
        try:
            numerator, denominator = self.kernel.read_mod_p(value_at_zero, samples)
        except NotAttentionError as error:
            raise NotAttentionError(f"{error} (at {probe.name})") from None
        self._check_count(probe, denominator.degree(), len(left.poles))
        in_row = probe.x in self.draw.X
        aligned = in_row and left.residues == right.residues
        matching = match_heads(left.poles, right.poles, denominator, prime, aligned=aligned)
        if isinstance(matching, NoCandidate):
            self._refuse(f"no pole of {probe.name} is the product of the poles that belong to one head")
        if not isinstance(matching, Matched):
            raise BadDraw("false match", probe.name, "the sum probe leaves several matches")
        slope = denominator.derivative()
        for h, g in enumerate(matching.partner):
            pole = left.poles[h] * right.poles[g] % prime
            residue = left.residues[h] if in_row else left.residues[h] + right.residues[g]
            if (int(numerator(pole)) + residue * pole * int(slope(pole))) % prime:
                self._refuse(f"the residues at {probe.name} are not those of its row")
        return matching.partner

    def _check_count(self, probe: Probe, seen: int, expected: int | None) -> None:
        """All canonical heads show at every probe of a good draw."""
        if expected is None:
            expected = self.question.bound if self.question.is_exact else seen
        if seen < expected:
            raise self._diagnosis(probe, seen, expected)
        if seen > expected:
            raise BadDraw(
                "v_h.x or x^T (W_h - W_g) y", "P(1,1)", f"{expected} heads show there, {seen} at {probe.name}"
            )

    def _diagnosis(self, probe: Probe, seen: int, expected: int) -> BadDraw:
        """Which polynomial vanished: the same x is asked with another y, which parts poles but not residues."""
        other = draw_tokens(self.question.dim, seed=self.draw.seed, attempt=self.draw.attempt, box=97).Y[0]
        value_at_zero = self.oracle.value((other,), self.ring)
        samples = self.oracle.copies(probe.x, other, 2 * self.question.bound, self.ring)
        again = len(self.kernel.read(value_at_zero, samples).poles)
        counts = f"{seen} of {expected} heads show"
        if again > seen:
            return BadDraw("x^T (W_h - W_g) y", probe.name, f"{counts}; with another y, {again}: two poles met")
        return BadDraw("v_h.x", probe.name, f"{counts}, and {again} with another y: a residue vanished")

    def _refuse(self, reason: str) -> NoReturn:
        """With the number of heads known and every probe showing them all, a contradiction is final."""
        if self.question.is_exact:
            raise NotAttentionError(reason)
        raise BadDraw("hidden head", "", reason)

    def _value_vector(self) -> list[fmpz]:
        """V mod p^k from V.x_i = F(infinity) - F(0) = sum_h c_h(x_i)."""
        totals = fmpz_mat(self.question.dim, 1, [sum(row, fmpz(0)) for row in self.residues])
        return multiply_mod(self._basis().x_inverse, totals, self.ring.modulus).entries()

    def _dot(self, vector: list[fmpz], token: tuple[int, ...]) -> fmpz:
        return sum((a * b for a, b in zip(vector, token, strict=True)), fmpz(0)) % self.ring.modulus

    def _basis(self) -> TokenBasis:
        return TokenBasis(self.ring, self.draw.X, self.draw.Y)

    def _assemble(self) -> list[Head]:
        """W_h = X^-T E_h Y^-1 and X^T v_h = c_h for every head."""
        basis, dim, place = self._basis(), self.question.dim, self.oracle.place
        heads = len(self.residues[0])
        columns = fmpz_mat(self.residues) if heads else fmpz_mat(dim, 0)
        values = multiply_mod(basis.x_inverse, columns, self.ring.modulus)
        numbers = read_rationals(values.entries(), self.ring.modulus)
        return [
            Head(
                place.weights_from_poles(basis, [[self.poles[j][i][h] for j in range(dim)] for i in range(dim)]),
                [numbers[i * heads + h] for i in range(dim)],
            )
            for h in range(heads)
        ]
