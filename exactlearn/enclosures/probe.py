"""One probe on balls: rigorous enclosures of its log-poles and residues from balls of F(0), F(1), ..., F(2H).

Unknown are z = (c_1, ..., c_H, s_1, ..., s_H) with t_h = e^{s_h}, known up to balls are the D_k = F(k) - F(0) = G_k(z),

    G_k(z) = sum_h c_h k t_h / (1 + k t_h),   k = 1, ..., 2H.

The exact solution m for the midpoints is found first.  Then Krawczyk's operator, with Y about J(m)^-1,

    K(Z) = m + Y (D - G(m)) + (I - Y J(Z)) (Z - m),

maps a box Z into its interior: then for *every* D in the balls there is a solution in Z, with distinct t_h and non-zero
c_h.  By Cauchy interpolation no other function of H heads has these values, so the true parameters lie in Z.  The
radius is that of the first-order map, sum_k |Y_ik| r_k, and little more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, arb_mat, ctx, fmpq

from exactlearn.errors import TooCoarseError
from exactlearn.stability.approximate_learner import read_probe

FIRST_BITS = 128
MOST_BITS = 1 << 15
"""Working precision; it is doubled until rounding is no part of the result."""

SPARE_BITS = 10
"""Rounding may add one part in 2^10 to a radius ..."""

ENOUGH_BITS = 80
"""... or be this small against the number itself, where the answers are exact."""

_INFLATIONS = 24
_TIGHTENINGS = 3


@dataclass(frozen=True)
class EnclosedProbe:
    """Balls that contain the parameters of one probe, poles ascending.

    Attributes:
        log_poles: The s_h = log t_h, pairwise disjoint.
        residues: The c_h, in the order of the poles; none holds zero.
        residue_sum: sum_h c_h, which is known better than the sum of the balls tells.
    """

    log_poles: tuple[arb, ...]
    residues: tuple[arb, ...]
    residue_sum: arb

    @property
    def poles(self) -> tuple[arb, ...]:
        """The t_h > 0."""
        return tuple(s.exp() for s in self.log_poles)

    def in_order(self, partner: Sequence[int]) -> EnclosedProbe:
        """The same with the heads in another order."""
        order = [(self.log_poles[g], self.residues[g]) for g in partner]
        return EnclosedProbe(tuple(s for s, _ in order), tuple(c for _, c in order), self.residue_sum)


def enclose_probe(values: Sequence[arb], value_at_zero: arb, name: str = "the probe") -> EnclosedProbe:
    """Poles and residues of the function of H heads behind these values, as balls that contain the true ones.

    Args:
        values: Balls with the true F(1), ..., F(2H) inside; their number says H.
        value_at_zero: A ball with F(0) inside.
        name: The probe's name, for errors.

    Raises:
        TooCoarseError: When the balls are too wide to tell; it names the two poles or the head at fault.
    """
    if not values:
        return EnclosedProbe((), (), arb(0))
    bits = max(FIRST_BITS, 64 + max(value.mid().bits() for value in (*values, value_at_zero)))
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            found = _Attempt(values, value_at_zero, name).enclose()
        if found is not None:
            return found
        bits *= 2
    raise TooCoarseError("poles not told apart", name, f"{MOST_BITS} bits of working precision do not separate them")


class _Attempt:
    """The computation at one working precision."""

    def __init__(self, values: Sequence[arb], value_at_zero: arb, name: str) -> None:
        self.name = name
        self.heads = len(values) // 2
        self.radii = [value.rad() for value in values]
        self.radius_at_zero = value_at_zero.rad()
        self.differences = [value.mid() - value_at_zero.mid() for value in values]
        exact = read_probe(name, exact_midpoint(value_at_zero), [exact_midpoint(value) for value in values])
        self.middle = [entry.mid() for entry in (*exact.residues, *exact.log_poles)]

    def enclose(self) -> EnclosedProbe | None:
        """The enclosures; None when more precision is needed to tell."""
        try:
            inverse = self._jacobian(self.middle).inv().mid()
        except ZeroDivisionError:
            return None
        size = 2 * self.heads
        identity = arb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
        at_middle = identity - inverse * self._jacobian(self.middle)
        if not all(abs(entry).upper() < arb(2) ** -SPARE_BITS for entry in at_middle.entries()):
            return None
        misses = [d - g for d, g in zip(self.differences, self._values(self.middle), strict=True)]
        shift = (inverse * arb_mat(size, 1, misses)).entries()
        first = [self._first_order(row) for row in inverse.tolist()]
        if any(
            s.rad() > (r * arb(2) ** -SPARE_BITS).lower() and s.rad() > (arb(2) ** -ENOUGH_BITS * (1 + abs(m))).lower()
            for s, r, m in zip(shift, first, self.middle, strict=True)
        ):
            return None
        found = self._contract(identity, inverse, shift, first)
        if found is None:
            raise self._blame(first)
        return self._result(inverse, shift, first, *found)

    def _contract(
        self, identity: arb_mat, inverse: arb_mat, shift: list[arb], first: list[arb]
    ) -> tuple[arb_mat, list[arb]] | None:
        """A box around the middle that K maps into itself: the matrix I - Y J(Z), and the radii of Z."""
        base = [(abs(s) + r).upper() for s, r in zip(shift, first, strict=True)]
        tiny = arb(2) ** -ctx.prec
        radii = [(b * (1 + arb(2) ** -5) + tiny).upper() for b in base]
        for _ in range(_INFLATIONS):
            remainder, image = self._image(identity, inverse, base, radii)
            if not all(i.is_finite() for i in image):
                return None
            if all(i < r for i, r in zip(image, radii, strict=True)):
                break
            radii = [(i.max(r) * (1 + arb(2) ** -3)).upper() for i, r in zip(image, radii, strict=True)]
        else:
            return None
        for _ in range(_TIGHTENINGS):
            radii = image
            remainder, image = self._image(identity, inverse, base, radii)
        return remainder, radii

    def _image(
        self, identity: arb_mat, inverse: arb_mat, base: list[arb], radii: list[arb]
    ) -> tuple[arb_mat, list[arb]]:
        box = [arb(m, r) for m, r in zip(self.middle, radii, strict=True)]
        remainder = identity - inverse * self._jacobian(box)
        rows = remainder.tolist()
        image = [
            (b + _absolute(row, radii)).upper() for b, row in zip(base, rows, strict=True)
        ]
        return remainder, image

    def _result(
        self, inverse: arb_mat, shift: list[arb], first: list[arb], remainder: arb_mat, radii: list[arb]
    ) -> EnclosedProbe:
        H, rows = self.heads, remainder.tolist()
        balls = [
            m + s + arb(0, (r + _absolute(row, radii)).upper())
            for m, s, r, row in zip(self.middle, shift, first, rows, strict=True)
        ]
        sum_row = _sum_of_rows(inverse.tolist()[:H])
        spread = self._first_order(sum_row) + _absolute(_sum_of_rows(rows[:H]), radii)
        middle = sum((m + s for m, s in zip(self.middle[:H], shift[:H], strict=True)), arb(0))
        return EnclosedProbe(tuple(balls[H:]), tuple(balls[:H]), middle + arb(0, spread.upper()))

    def _first_order(self, row: Sequence[arb]) -> arb:
        """The most that row.(F(k) - F(0))_k moves: the error of F(0) is the same one in every difference."""
        return _absolute(row, self.radii) + abs(sum(row, arb(0))) * self.radius_at_zero

    def _terms(self, z: Sequence[arb]) -> list[list[tuple[arb, arb, arb]]]:
        """(c_h, k t_h / (1 + k t_h), 1 / (1 + k t_h)) for each k, then each h; each ball enters once."""
        H = self.heads
        poles = [s.exp() for s in z[H:]]
        return [
            [(c, 1 / (1 + 1 / (k * t)), 1 / (1 + k * t)) for c, t in zip(z[:H], poles, strict=True)]
            for k in range(1, 2 * H + 1)
        ]

    def _values(self, z: Sequence[arb]) -> list[arb]:
        return [sum((c * p for c, p, _ in row), arb(0)) for row in self._terms(z)]

    def _jacobian(self, z: Sequence[arb]) -> arb_mat:
        rows = [[p for _, p, _ in row] + [c * p * q for c, p, q in row] for row in self._terms(z)]
        return arb_mat(rows)

    def _blame(self, first: list[arb]) -> TooCoarseError:
        """The two poles, or the head, whose first-order radius is largest against what has to be seen."""
        H, middle = self.heads, self.middle
        faults: list[tuple[arb, arb, str, tuple[int, ...]]] = [
            (first[H + g] + first[H + h], abs(middle[H + g] - middle[H + h]), "poles not told apart", (g, h))
            for g in range(H)
            for h in range(g + 1, H)
        ]
        faults += [(first[h], abs(middle[h]), "a head is not seen", (h,)) for h in range(H)]
        faults += [(first[H + h], arb(1), "a pole is not seen", (h,)) for h in range(H)]
        _, _, what, heads = max(faults, key=lambda fault: (fault[0] / fault[1]).mid())
        return TooCoarseError(what, self.name, " and ".join(f"t = {_short(middle[H + h].exp())}" for h in heads))


def exact_midpoint(value: arb) -> fmpq:
    """The midpoint of a ball, which is a dyadic rational."""
    mantissa, exponent = value.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _absolute(row: Sequence[arb], radii: Sequence[arb]) -> arb:
    return sum((abs(entry) * r for entry, r in zip(row, radii, strict=True)), arb(0))


def _sum_of_rows(rows: Sequence[Sequence[arb]]) -> list[arb]:
    return [sum(column, arb(0)) for column in zip(*rows, strict=True)]


def _short(value: arb) -> str:
    return value.mid().str(4, radius=False)
