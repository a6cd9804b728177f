"""Runs of the approximate learner on outputs with known errors, each held against the bound (DESIGN section 8)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from flint import arb, ctx, fmpq, fmpz

from exactlearn.errors import TooCoarseError
from exactlearn.stability.approximate_learner import ApproximateHead, Outputs, learn_approximately
from exactlearn.stability.arithmetic import Real, ball, greatest, rational_above
from exactlearn.stability.bounds import Stability
from exactlearn.stability.first_order import AT_Y1, Parameter, Signs
from exactlearn.stability.model_values import ModelValues, as_ball
from exactlearn.stability.probe import ProbeConstants

MARGIN_BITS = 96
"""Bits beyond the smallest error of interest."""


@dataclass(frozen=True)
class RunOutcome:
    """One run.

    Attributes:
        errors: The largest error of an entry of a W and of a v, rounded up; empty when the run failed.
        failure: What went wrong, or None.
    """

    errors: dict[str, arb]
    failure: TooCoarseError | None = None


@dataclass(frozen=True)
class PerturbedRuns:
    """Perturbed runs of one model at one draw.

    The outputs are exact rationals where the constants are exact; where they are balls, rationals within 2^-96 delta of
    the true outputs are perturbed by delta (1 - 2^-96), so that errors of the outputs never exceed delta.
    """

    stability: Stability

    @property
    def _probes(self) -> tuple[ProbeConstants, ...]:
        return self.stability.schedule.probes

    def run(self, delta: fmpq, signs: Signs) -> RunOutcome:
        """The learner on outputs wrong by `delta` with these signs (1 where none is given)."""
        with ctx.workprec(self._precision(delta)):
            outputs = self._perturbed(delta, signs)
            try:
                heads = learn_approximately(outputs, self.stability.schedule.draw)
            except TooCoarseError as failure:
                return RunOutcome({}, failure)
            return RunOutcome(self._errors(heads))

    def random_signs(self, generator: random.Random) -> Signs:
        """Independent signs for every output."""
        count = 2 * len(self.stability.schedule.model.heads)
        signs: Signs = {constants.name: tuple(generator.choices((1, -1), k=count)) for constants in self._probes}
        return {**signs, AT_Y1: (generator.choice((1, -1)),)}

    def worst_signs(self, parameter: Parameter | None = None) -> Signs:
        """The signs that move a parameter most, to first order; left out, the one with the largest constant."""
        return self.stability.first_order.worst_signs(parameter or self.stability.worst_parameter)

    def violations(self, delta: fmpq, outcome: RunOutcome) -> list[str]:
        """Which of the proved bounds the run breaks; a failure below delta_0 is one."""
        if outcome.failure is not None:
            return [str(outcome.failure)]
        bounds = {group: ball(self.stability.error_bound(group, delta)) for group in outcome.errors}
        return [group for group, error in outcome.errors.items() if not error <= bounds[group]]

    def _perturbed(self, delta: fmpq, signs: Signs) -> Outputs:
        if self.stability.is_exact:
            step, exact = delta, self.exact_outputs()
        else:
            step, exact = delta * (1 - fmpq(1, fmpz(1) << MARGIN_BITS)), self._rounded_outputs(delta)
        return {
            name: [value + s * step for value, s in zip(values, signs.get(name, (1,) * len(values)), strict=True)]
            for name, values in exact.items()
        }

    def exact_outputs(self) -> dict[str, list[fmpq]]:
        """All outputs of the schedule, where the constants are exact rationals."""
        return self._exact_outputs

    @cached_property
    def _exact_outputs(self) -> dict[str, list[fmpq]]:
        return self._outputs(self.stability.schedule.values, lambda value: value)

    def _rounded_outputs(self, delta: fmpq) -> dict[str, list[fmpq]]:
        """Whole multiples of a power of two below 2^-98 delta, each next to the true output."""
        scale = fmpz(1) << int((1 / delta).ceil().bit_length() + MARGIN_BITS + 2)
        values = ModelValues(self.stability.schedule.model, is_exact=False)

        def rounded(value: Real) -> fmpq:
            whole = (value * ball(fmpq(scale))).mid().floor().unique_fmpz()
            return fmpq(whole, scale)

        return self._outputs(values, rounded)

    def _outputs(self, values: ModelValues, read: Callable[[Real], fmpq]) -> dict[str, list[fmpq]]:
        outputs = {AT_Y1: [read(values.value_at_zero(self.stability.schedule.draw.Y[0]))]}
        for constants in self._probes:
            x, y = constants.probe.x, constants.probe.y
            poles, residues, at_zero = values.poles(x, y), values.residues(x), values.value_at_zero(y)
            outputs[constants.name] = [
                read(sum((c * (k * t) / (1 + k * t) for c, t in zip(residues, poles, strict=True)), at_zero))
                for k in range(1, 2 * len(poles) + 1)
            ]
        return outputs

    def _errors(self, heads: tuple[ApproximateHead, ...]) -> dict[str, arb]:
        truth = self._true_heads()
        zero = arb(0)
        return {
            "W": greatest(
                (
                    abs(a - b)
                    for found, true in zip(heads, truth, strict=True)
                    for row, true_row in zip(found.W, true.W, strict=True)
                    for a, b in zip(row, true_row, strict=True)
                ),
                zero,
            ),
            "v": greatest(
                (
                    abs(a - b)
                    for found, true in zip(heads, truth, strict=True)
                    for a, b in zip(found.v, true.v, strict=True)
                ),
                zero,
            ),
        }

    def _true_heads(self) -> list[ApproximateHead]:
        """In ascending order of the poles at P(1,1)."""
        schedule = self.stability.schedule
        values = ModelValues(schedule.model, is_exact=False)
        heads = [
            ApproximateHead(W, [as_ball(entry) for entry in head.v])
            for W, head in zip(values.weights, schedule.model.heads, strict=True)
        ]
        poles = values.poles(schedule.draw.X[0], schedule.draw.Y[0])
        return [heads[h] for h in sorted(range(len(heads)), key=lambda h: poles[h].mid())]

    def _precision(self, delta: fmpq) -> int:
        """Enough for the error of a parameter and for what the steps lose: each loses no more than the outputs do."""
        small = int((1 / delta).ceil().bit_length())
        large = rational_above(self.stability.largest_constant)
        return 3 * small + 2 * MARGIN_BITS + (int(large.ceil().bit_length()) if large is not None else 0)
