"""(delta_0, C) of a model and a draw: outputs within delta <= delta_0 give every parameter within C delta (section 8).

C = 4/3 times the first-order constant, for W and for v each; no constant below the first-order one can hold.  Below
delta_0 the factor is 1 + 16/9 M delta, with M the largest curvature: 4/3 where M delta = 3/16, 1 in the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flint import arb, ctx, fmpq

from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw
from exactlearn.errors import DegenerateDrawError, UndecidedError
from exactlearn.model import MultiHeadAttention
from exactlearn.stability.arithmetic import Real, greatest, position_of_greatest, smallest
from exactlearn.stability.first_order import FirstOrderMap, Parameter
from exactlearn.stability.margins import CONDITIONS, Limit, is_sound, limits
from exactlearn.stability.model_values import ModelValues, pole_bits
from exactlearn.stability.probe import FACTOR, ProbeConstants
from exactlearn.stability.schedule_constants import ScheduleConstants

EXACT_BITS = 1 << 18
"""Constants of log-rational models are exact rationals when they have not more than about so many bits, else balls."""

FIRST_PRECISION = 192
MOST_PRECISION = 1 << 15
ENOUGH_BITS = 64
"""Correct bits that every constant has."""


@dataclass(frozen=True)
class Stability:
    """The constants of one canonical model, with at least one head, at one draw.

    Attributes:
        schedule: The constants of every probe.
        precision: Bits of the balls; 0 when all numbers are exact rationals.
        limits: Up to which delta each condition holds.
        first_order: The first-order map and its constants.
    """

    schedule: ScheduleConstants
    precision: int
    limits: tuple[Limit, ...]
    first_order: FirstOrderMap

    @property
    def is_exact(self) -> bool:
        """Whether every constant is an exact rational."""
        return not self.precision

    @cached_property
    def delta_0(self) -> Real:
        """All conditions hold for every delta up to this one."""
        deltas = [limit.delta for limit in self.limits]
        return smallest(deltas[1:], deltas[0])

    @cached_property
    def curvature(self) -> Real:
        """M, the largest of all probes."""
        values = [constants.curvature for constants in self.schedule.probes]
        return greatest(values[1:], values[0])

    def first_order_constant(self, group: str) -> Real:
        """The largest first-order constant of a W or a v; the limit of error/delta at the worst errors."""
        return self.first_order.constants[self.first_order.worst(group)]

    def constant(self, group: str) -> Real:
        """C_W or C_v."""
        return FACTOR * self.first_order_constant(group)

    @property
    def worst_parameter(self) -> Parameter:
        """The parameter with the largest first-order constant of all."""
        groups = ("W", "v")
        return self.first_order.worst(groups[position_of_greatest([self.first_order_constant(g) for g in groups])])

    @property
    def largest_constant(self) -> Real:
        """C, the larger of C_W and C_v."""
        return greatest([self.constant("v")], self.constant("W"))

    def error_bound(self, group: str, delta: fmpq) -> Real:
        """Every entry of every W, or v, is within this when outputs are within `delta` <= delta_0."""
        growth = 1 + fmpq(16, 9) * self.curvature * delta
        return growth * delta * self.first_order_constant(group)

    def tightest(self, condition: str) -> Limit | None:
        """Where this condition gives way first; None when there is nothing to tell apart."""
        of_kind = [limit for limit in self.limits if limit.condition == condition]
        return _first_to_break(of_kind) if of_kind else None

    @property
    def limiting(self) -> Limit:
        """The condition that decides on delta_0."""
        return _first_to_break(list(self.limits))

    @property
    def conditions(self) -> dict[str, Limit]:
        """The tightest limit of each condition that there is."""
        found = {condition: self.tightest(condition) for condition in CONDITIONS}
        return {condition: limit for condition, limit in found.items() if limit is not None}

    @property
    def heaviest_probe(self) -> ProbeConstants:
        """The probe with the largest beta."""
        probes = self.schedule.probes
        return probes[position_of_greatest([constants.beta for constants in probes])]


def stability(model: MultiHeadAttention, draw: Draw) -> Stability:
    """The constants of `model` at `draw`.

    Args:
        model: Any exact attention model with a canonical head; its canonical form is what is recovered.
        draw: The tokens of the schedule "paper"; `LearnResult.draw` holds those of a run.

    Raises:
        DegenerateDrawError: When the draw is on the bad set, so that no such constants exist.
        UndecidedError: When balls of the highest precision can't tell that from a very bad draw.
    """
    canonical = canonical_form(model)
    if _fits_exact(canonical, draw):
        found = _constants(ModelValues(canonical, is_exact=True), draw, 0)
        if found is None:
            raise DegenerateDrawError("two poles meet, a residue vanishes, or a sum probe leaves two matches")
        return found
    precision = FIRST_PRECISION
    while precision <= MOST_PRECISION:
        with ctx.workprec(precision):
            found = _constants(ModelValues(canonical, is_exact=False), draw, precision)
        if found is not None:
            return found
        precision *= 2
    raise UndecidedError(f"balls of {MOST_PRECISION} bits can't tell poles or matches of this draw apart")


def first_order_bound(canonical: MultiHeadAttention, draw: Draw) -> arb | None:
    """C alone, as a ball, of a canonical model with a head; None when the draw is bad or seems to be."""
    with ctx.workprec(2 * FIRST_PRECISION):
        schedule = ScheduleConstants(ModelValues(canonical, is_exact=False), draw)
        if not _is_good(schedule) or not all(is_sound(limit) for limit in limits(schedule)):
            return None
        constants = list(FirstOrderMap(schedule).constants.values())
        largest: arb = FACTOR * greatest(constants[1:], constants[0])
        return largest if _is_sharp(largest) else None


def _constants(values: ModelValues, draw: Draw, precision: int) -> Stability | None:
    """None when a condition can't be met, or not be seen to be met."""
    schedule = ScheduleConstants(values, draw)
    if not _is_good(schedule):
        return None
    found = tuple(limits(schedule))
    if not all(is_sound(limit) for limit in found):
        return None
    result = Stability(schedule, precision, found, FirstOrderMap(schedule))
    numbers = [result.delta_0, result.curvature, *result.first_order.constants.values()]
    return result if all(_is_sharp(number) for number in numbers) else None


def _is_good(schedule: ScheduleConstants) -> bool:
    """Whether every probe is regular.  Column 1 comes first: without it the others have no constants."""
    return all(_is_regular(constants) for constants in schedule.first_column) and all(
        _is_regular(constants) for constants in schedule.probes
    )


def _is_regular(constants: ProbeConstants) -> bool:
    """Whether the poles are certainly distinct and no residue is zero."""
    poles, zero = constants.poles, fmpq(0)
    distinct = all(t < s or s < t for g, t in enumerate(poles) for s in poles[:g])
    return distinct and all(c < zero or zero < c for c in constants.residues)


def _is_sharp(number: Real) -> bool:
    return not isinstance(number, arb) or number.rel_accuracy_bits() >= ENOUGH_BITS


def _first_to_break(found: list[Limit]) -> Limit:
    return found[position_of_greatest([-limit.delta for limit in found])]


def _fits_exact(model: MultiHeadAttention, draw: Draw) -> bool:
    unit = model.unit.rational
    if model.weights != "log-rational" or model.field is not None or unit is None:
        return False
    if any((unit * a).q != 1 for token in draw.X for a in token):
        return False
    H, d = len(model.heads), model.dim
    return abs(unit) * 8 * H * (H + 1) * d * d * pole_bits(model, draw.X, draw.Y) <= EXACT_BITS
