"""One probe on balls: rigorous enclosures of its log-poles and residues from balls of F(0), F(1), ..., F(2H).

Unknown are z = (c_1, ..., c_H, s_1, ..., s_H) with t_h = e^{s_h}, known up to balls are the D_k = F(k) - F(0) = G_k(z),

    G_k(z) = sum_h c_h k t_h / (1 + k t_h),   k = 1, ..., 2H.

The exact solution m for the midpoints is found first, in rational arithmetic.  Let J be the Jacobian of G, and Z a box
around m on which it is invertible and such that

    m + J(Z)^-1 (D - D(m))   lies in the interior of Z for all D in the balls,

where J^-1 is taken in closed form, entry by entry (`exactlearn.stability.inverse`), so that it stays narrow on a box.
On the way from D(m) straight to D the solution moves with the velocity J(z)^-1 (D - D(m)), so it can't leave Z: each D
has a solution in Z, with distinct t_h and non-zero c_h.  By Cauchy interpolation no other function of at most H heads
has these values, hence the true parameters lie in m + J(Z)^-1 (D - D(m)).  Its radius is that of the first-order map
at m, times 1 + the relative width of Z against the distances of the poles.  An error of F(0), common to all D_k, counts
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, ctx, fmpq

from exactlearn.errors import TooCoarseError
from exactlearn.stability.approximate_learner import read_probe
from exactlearn.stability.inverse import probe_inverse

FIRST_BITS = 128
MOST_BITS = 1 << 15
"""Working precision; it is doubled until rounding is no part of the result."""

SPARE_BITS = 10
"""Rounding may add one part in 2^10 to a radius."""

ENOUGH_BITS = 80
"""Where the answers are exact rounding is to be so small against the number itself."""

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
    """The computation at one working precision; z = (c_1, ..., c_H, s_1, ..., s_H)."""

    def __init__(self, values: Sequence[arb], value_at_zero: arb, name: str) -> None:
        self.name = name
        self.heads = len(values) // 2
        self.radii = [answer.rad() for answer in (value_at_zero, *values)]
        exact = read_probe(name, exact_midpoint(value_at_zero), [exact_midpoint(value) for value in values])
        self.middle = [*exact.residues, *exact.log_poles]

    def enclose(self) -> EnclosedProbe | None:
        """The enclosures; None when more precision is needed to tell."""
        at_middle = self._reach(self.middle)
        if at_middle is None or not all(
            _is_precise(m, reach) for m, reach in zip(self.middle, at_middle.each, strict=True)
        ):
            return None
        found = self._box(at_middle.each)
        if found is None:
            raise self._blame(at_middle.each)
        H = self.heads
        balls = [m + arb(0, reach) for m, reach in zip(self.middle, found.each, strict=True)]
        total = sum(self.middle[:H], arb(0)) + arb(0, found.of_sum)
        return EnclosedProbe(tuple(balls[H:]), tuple(balls[:H]), total)

    def _box(self, at_middle: list[arb]) -> _Reach | None:
        """How far z moves within a box from which no solution can get out."""
        tiny = arb(2) ** -ctx.prec
        radii = [
            (reach * (1 + arb(2) ** -5) + 2 * m.rad() + tiny).upper()
            for reach, m in zip(at_middle, self.middle, strict=True)
        ]
        for _ in range(_INFLATIONS):
            reach = self._reach([arb(m.mid(), r) for m, r in zip(self.middle, radii, strict=True)])
            if reach is None:
                return None
            moved = [(m.rad() + r).upper() for m, r in zip(self.middle, reach.each, strict=True)]
            if all(m < r for m, r in zip(moved, radii, strict=True)):
                break
            radii = [(m.max(r) * (1 + arb(2) ** -3)).upper() for m, r in zip(moved, radii, strict=True)]
        else:
            return None
        for _ in range(_TIGHTENINGS):
            tighter = self._reach([m + arb(0, r) for m, r in zip(self.middle, reach.each, strict=True)])
            reach = reach if tighter is None else tighter
        return reach

    def _reach(self, box: Sequence[arb]) -> _Reach | None:
        """The most that errors of the answers move z as long as it stays in the box; None when J may be singular."""
        H = self.heads
        residues, poles = box[:H], [s.exp() for s in box[H:]]
        if any(c.contains(0) for c in residues) or any(
            poles[g].overlaps(poles[h]) for h in range(H) for g in range(h)
        ):
            return None
        inverse = probe_inverse(residues, poles)
        each = [_absolute(row, self.radii).upper() for row in (*inverse.of_residues, *inverse.of_log_poles)]
        if not all(reach.is_finite() for reach in each):
            return None
        return _Reach(each, _absolute(inverse.of_sum, self.radii).upper())

    def _blame(self, reach: list[arb]) -> TooCoarseError:
        """The two poles, or the head, that errors of the answers move farthest against what has to be seen."""
        H, middle = self.heads, self.middle
        faults: list[tuple[arb, arb, str, tuple[int, ...]]] = [
            (reach[H + g] + reach[H + h], abs(middle[H + g] - middle[H + h]), "poles not told apart", (g, h))
            for g in range(H)
            for h in range(g + 1, H)
        ]
        faults += [(reach[h], abs(middle[h]), "a head is not seen", (h,)) for h in range(H)]
        faults += [(reach[H + h], arb(1), "a pole is not seen", (h,)) for h in range(H)]
        _, _, what, heads = max(faults, key=lambda fault: (fault[0] / fault[1]).mid())
        return TooCoarseError(what, self.name, " and ".join(f"t = {_short(middle[H + h].exp())}" for h in heads))


@dataclass(frozen=True)
class _Reach:
    """Upper bounds on how far each entry of z, and the sum of the residues, can move."""

    each: list[arb]
    of_sum: arb


def _is_precise(number: arb, reach: arb) -> bool:
    """Whether the radius of a number is nothing against how far it can move, or against itself when it can't."""
    allowed = reach * arb(2) ** -SPARE_BITS if reach > 0 else arb(2) ** -ENOUGH_BITS * (1 + abs(number.mid()))
    return bool(number.rad() <= allowed.lower())


def exact_midpoint(value: arb) -> fmpq:
    """The midpoint of a ball, which is a dyadic rational."""
    mantissa, exponent = value.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _absolute(row: Sequence[arb], radii: Sequence[arb]) -> arb:
    return sum((abs(entry) * r for entry, r in zip(row, radii, strict=True)), arb(0))


def _short(value: arb) -> str:
    return value.mid().str(4, radius=False)
