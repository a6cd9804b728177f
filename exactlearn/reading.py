"""One draw read in one ring: probes to poles and residues, matched to heads, assembled to (W, v) (DESIGN section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from flint import fmpz, fmpz_mat

from exactlearn.draws import BadDraw, TokenSource
from exactlearn.errors import DegenerateDrawError, NotAttentionError, UnluckyPrimeError
from exactlearn.interpolation import PolesAndResidues, ProbeInterpolation, probe_interpolation
from exactlearn.matching import Matched, NoCandidate, match_heads
from exactlearn.model import Head
from exactlearn.oracle import Oracle
from exactlearn.places.protocol import IntegerToken, TokenBasis
from exactlearn.places.residues import ResidueRing, multiply_mod
from exactlearn.schedule import Probe, base_probe, sum_probe

Found = TypeVar("Found")


@dataclass(frozen=True)
class Question:
    """What the learner wants to know: heads in dimension `dim`, exactly `bound` many or at most so many."""

    dim: int
    bound: int
    is_exact: bool


@dataclass(frozen=True)
class Rejection:
    """Tokens that were drawn anew: why, and how many queries they had cost."""

    reason: str
    queries: int


@dataclass
class DrawReading:
    """The probes of one draw in one ring, asked column by column; bad tokens are drawn anew on the way.

    After `read`, `poles[j][i][h]` is the image of t_h(x_i, y_j) and `residues[i][h]` that of v_h.x_i, one order of
    heads throughout.
    """

    oracle: Oracle
    source: TokenSource
    ring: ResidueRing
    question: Question
    rejections: list[Rejection]
    progress: Callable[[int], None]
    poles: list[list[list[fmpz]]] = field(default_factory=list)
    residues: list[list[fmpz]] = field(default_factory=list)

    @property
    def kernel(self) -> ProbeInterpolation:
        """The interpolation shared by all probes."""
        return probe_interpolation(self.ring, self.question.bound)

    def read(self) -> list[Head]:
        """Ask all probes and return the heads.

        Raises:
            BadDraw: When the whole draw has to be made anew.
            DegenerateDrawError: When one token was bad too often.
            NotAttentionError: When no model with so few heads has these answers.
            UnluckyPrimeError: When another prime is needed.
            PrecisionTooLowError: When more digits are needed.
        """
        first, value_at_y1 = self._until_good(self._read_first_probe, "x0", "y0")
        self.poles, self.residues = [[first.poles]], [first.residues]
        self.progress(1)
        for i in range(1, self.question.dim):
            row = self._until_good(lambda i=i: self._read_first_column(i, first, value_at_y1), f"x{i}")  # type: ignore[misc]
            self.poles[0].append(row.poles)
            self.residues.append(row.residues)
            self.progress(2)
        value_vector = self._value_vector()
        if (self._dot(value_vector, self.source.y(0)) - value_at_y1) % self.ring.modulus:
            self._refuse("V.y_1 from the residues is not the value of the one token y_1")
        for j in range(1, self.question.dim):
            self.poles.append(self._until_good(lambda j=j: self._read_column(j, value_vector), f"y{j}"))  # type: ignore[misc]
            self.progress(2 * self.question.dim)
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

    def _read_first_probe(self) -> tuple[PolesAndResidues, fmpz]:
        value_at_y1 = self.oracle.value((self.source.y(0),), self.ring)
        expected = self.question.bound if self.question.is_exact else None
        return self._read_probe(base_probe(self.source, 0, 0), value_at_y1, expected), value_at_y1

    def _read_first_column(self, i: int, first: PolesAndResidues, value_at_y1: fmpz) -> PolesAndResidues:
        seen = self._read_probe(base_probe(self.source, i, 0), value_at_y1, len(first.poles))
        partner = self._match(sum_probe(self.source, i, 0), value_at_y1, first, seen, in_row=False)
        return PolesAndResidues([seen.poles[g] for g in partner], [seen.residues[g] for g in partner])

    def _read_column(self, j: int, value_vector: list[fmpz]) -> list[list[fmpz]]:
        value_at_yj = self._dot(value_vector, self.source.y(j))
        value_at_sum = self._dot(value_vector, sum_probe(self.source, 0, j).y)
        column = []
        for i in range(self.question.dim):
            known = PolesAndResidues(self.poles[0][i], self.residues[i])
            probe = base_probe(self.source, i, j)
            seen = self._read_probe(probe, value_at_yj, len(known.poles), known.residues)
            partner = self._match(sum_probe(self.source, i, j), value_at_sum, known, seen, in_row=True)
            if [seen.residues[g] for g in partner] != known.residues:
                self._refuse(f"the residues v_h.x at {probe.name} are not those of the same row's first probe")
            column.append([seen.poles[g] for g in partner])
        return column

    def _read_probe(
        self, probe: Probe, value_at_zero: fmpz, expected: int | None, known_residues: Sequence[fmpz] = ()
    ) -> PolesAndResidues:
        samples = self.oracle.copies(probe.x, probe.y, 2 * self.question.bound, self.ring)
        try:
            seen = self.kernel.read(value_at_zero, samples, known_residues)
        except NotAttentionError as error:
            raise NotAttentionError(f"{error} (at {probe.name})") from None
        if expected is not None:
            self._check_count(probe, len(seen.poles), expected)
        return seen

    def _match(
        self, probe: Probe, value_at_zero: fmpz, left: PolesAndResidues, right: PolesAndResidues, *, in_row: bool
    ) -> list[int]:
        """The partner on the right of each head on the left, through the sum probe; residues are checked as well.

        In a row (same x, sum of two y) the residues of all three probes agree; in column 1 they add.
        """
        prime = self.ring.prime
        samples = self.oracle.copies(probe.x, probe.y, 2 * self.question.bound, self.ring)
        if not left.poles and not any((sample - value_at_zero) % self.ring.modulus for sample in samples):
            return []
        try:
            numerator, denominator = self.kernel.read_mod_p(value_at_zero, samples)
        except NotAttentionError as error:
            raise NotAttentionError(f"{error} (at {probe.name})") from None
        self._check_count(probe, denominator.degree(), len(left.poles))
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

    def _check_count(self, probe: Probe, seen: int, expected: int) -> None:
        """All canonical heads show at every probe of a good draw."""
        if seen != expected and self.ring.is_small:
            raise UnluckyPrimeError(f"modulo a small prime {seen} of {expected} heads show at {probe.name}")
        if seen < expected:
            raise self._diagnosis(probe, seen, expected)
        if seen > expected:
            reason = f"{expected} heads show there, {seen} at {probe.name}"
            raise BadDraw("hidden head", "P(1,1)", reason, is_whole=True)

    def _diagnosis(self, probe: Probe, seen: int, expected: int) -> BadDraw:
        """Which polynomial vanished: the same x is asked with another y, which mostly parts poles, never residues."""
        again = len(self._residues_at(probe.x, self.source.other_token(probe.name)))
        counts = f"{seen} of {expected} heads show, with another y {again}"
        if again > seen:
            return BadDraw("x^T (W_h - W_g) y", probe.name, f"{counts}: two poles met")
        if self._no_residue_vanishes(probe, expected):
            return BadDraw("x^T (W_h - W_g) y", probe.name, f"{counts}: two poles meet for every y")
        return BadDraw("v_h.x", probe.name, f"{counts}: a residue vanished")

    def _no_residue_vanishes(self, probe: Probe, expected: int) -> bool:
        """Whether no v_h.x is zero: then no residue of another token z is the same at z + x.  False when unsure."""
        for attempt in range(2):
            name = f"{probe.name} aside {attempt}"
            # Values are long at large tokens: y is small, and z no larger than a token aside has to be.
            z = self.source.other_token(f"{name} z", multiple=self.source.multiple)
            y = self.source.other_token(f"{name} y", 3)
            before = self._residues_at(z, y)
            if len(before) == expected:
                after = self._residues_at(tuple(a + b for a, b in zip(probe.x, z, strict=True)), y)
                if len(after) == expected:
                    return set(before).isdisjoint(after)
        return False

    def _residues_at(self, x: IntegerToken, y: IntegerToken) -> list[fmpz]:
        """The residues at a probe on the side."""
        value_at_zero = self.oracle.value((y,), self.ring)
        return self.kernel.read(value_at_zero, self.oracle.copies(x, y, 2 * self.question.bound, self.ring)).residues

    def _refuse(self, reason: str) -> NoReturn:
        """With the number of heads known and every probe showing them all, a contradiction is final."""
        if self.question.is_exact:
            raise NotAttentionError(reason)
        raise BadDraw("hidden head", "", reason, is_whole=True)

    def _value_vector(self) -> list[fmpz]:
        """V mod p^k from V.x_i = F(infinity) - F(0) = sum_h c_h(x_i)."""
        totals = fmpz_mat(self.question.dim, 1, [sum(row, fmpz(0)) for row in self.residues])
        return multiply_mod(self._basis().x_inverse, totals, self.ring.modulus).entries()

    def _dot(self, vector: list[fmpz], token: tuple[int, ...]) -> fmpz:
        return sum((a * b for a, b in zip(vector, token, strict=True)), fmpz(0)) % self.ring.modulus

    def _basis(self) -> TokenBasis:
        draw = self.source.draw()
        return TokenBasis(self.ring, draw.X, draw.Y)

    def _assemble(self) -> list[Head]:
        """W_h = X^-T E_h Y^-1 and X^T v_h = c_h for every head."""
        basis, dim, place = self._basis(), self.question.dim, self.oracle.place
        heads = len(self.residues[0])
        columns = fmpz_mat(self.residues) if heads else fmpz_mat(dim, 0)
        values = multiply_mod(basis.x_inverse, columns, self.ring.modulus)
        numbers = self.ring.read_numbers(values.entries(), self.ring.modulus)
        return [
            Head(
                place.weights_from_poles(basis, [[self.poles[j][i][h] for j in range(dim)] for i in range(dim)]),
                [numbers[i * heads + h] for i in range(dim)],
            )
            for h in range(heads)
        ]
