"""The picture of a probe: its copy-count curve over k, and to the left of zero the poles, one for every head."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq

from exactlearn.fields.scalars import Scalar
from exactlearn.model import MultiHeadAttention, dot
from exactlearn.places.real import as_ball, weights_as_balls
from exactlearn.plotting import save_picture

_SAMPLES = 400
_BITS = 256
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class ProbeCurve:
    """A probe's copy-count function in floating point, for the picture alone.

    Attributes:
        value_at_zero: F(0) = V.y.
        logarithms: log t_h = x^T W_h y; the pole of head h is at k = -1/t_h.
        residues: c_h = v_h.x, in the order of the logarithms.
    """

    value_at_zero: float
    logarithms: tuple[float, ...]
    residues: tuple[float, ...]

    @property
    def value_at_infinity(self) -> float:
        """The limit of F for many copies."""
        return self.value_at_zero + sum(self.residues)

    def __call__(self, k: float) -> float:
        """F(k), at no pole; infinite where the picture would divide by zero."""
        return self.value_at_zero if k == 0 else self.at(math.log(abs(k)), math.copysign(1, k))

    def at(self, logarithm: float, sign: float = 1) -> float:
        """F(sign e^logarithm), for k beyond all floats too."""
        total = self.value_at_zero
        for log, c in zip(self.logarithms, self.residues, strict=True):
            # k t / (1 + k t) = 1 / (1 + 1/(k t)), with 1/(k t) from its logarithm, so that no t is too large.
            inverse = sign * math.exp(_clamped(-logarithm - log))
            total += c / (1 + inverse) if inverse != -1 else math.inf
        return total


def probe_curve(model: MultiHeadAttention, x: Sequence[Scalar], y: Sequence[Scalar]) -> ProbeCurve:
    """The copy-count function of the probe (x, y), rounded.

    Args:
        model: Any model; each of its heads is one summand.
        x: d entries, rationals or elements of the model's field.
        y: Likewise.
    """
    with ctx.workprec(_BITS):
        left, right = ([as_ball(a) for a in token] for token in (x, y))
        logarithms = [
            sum((a * w * b for a, row in zip(left, W, strict=True) for w, b in zip(row, right, strict=True)), arb(0))
            for W in weights_as_balls(model)
        ]
        residues = [as_ball(dot(head.v, x)) for head in model.heads]
        zero = sum((as_ball(dot(head.v, y)) for head in model.heads), arb(0))
        return ProbeCurve(float(zero), tuple(map(float, logarithms)), tuple(map(float, residues)))


def draw_probe(curve: ProbeCurve, name: str, asked: int, path: str | os.PathLike[str]) -> None:
    """Write F over k > 0 with the `asked` answers, and beside it F over k < 0 with its poles; both over log |k|.

    At k = 1/t_h the curve takes the step c_h, and at k = -1/t_h it has its pole.

    Args:
        curve: What `probe_curve` gives.
        name: The probe's name, for the title.
        asked: The queries were k = 1, ..., asked.
        path: The picture's file; its ending says the format: .svg, .png or .pdf.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: For another ending, and when the file cannot be written.
    """
    poles = sorted(-log / math.log(10) for log in curve.logarithms)
    exponents = _exponents(poles, math.log10(max(asked, 2)))
    heights = [curve.at(s * math.log(10)) for s in exponents]
    ends = (*heights, curve.value_at_zero, curve.value_at_infinity)
    margin = max([(max(ends) - min(ends)) / 2, *map(abs, curve.residues)]) or 1.0
    low, high = min(ends) - margin, max(ends) + margin

    def draw(before: Any, after: Any) -> None:
        _draw_poles(before, curve, exponents, poles, (low, high))
        before.set_ylim(low, high)
        before.set_ylabel(f"F(k) at {name}")
        after.plot(exponents, heights)
        answers = [curve(k) for k in range(1, asked + 1)]
        after.plot([math.log10(k) for k in range(1, asked + 1)], answers, "o", markersize=4, label="asked")
        after.axhline(curve.value_at_infinity, linestyle="--", color="grey", linewidth=0.8, label="the limit")
        after.set_title("k > 0: a step at 1/t for each head", fontsize="small")
        after.set_xlabel("s, for k = 10^s")
        for axes in (before, after):
            axes.grid(visible=True, alpha=0.3)
            axes.legend(fontsize="x-small")

    save_picture(path, draw, columns=2, size=(9, 4))


def _exponents(poles: Sequence[float], last_asked: float) -> list[float]:
    """Where the curves are drawn: around the queries and the poles, closely at each pole, and at no pole."""
    marks = [0.0, last_asked, *poles]
    margin = max(1.0, (max(marks) - min(marks)) / 8)
    first, last = min(marks) - margin, max(marks) + margin
    evenly = {first + (last - first) * n / _SAMPLES for n in range(_SAMPLES + 1)}
    closely = {pole + side * 2.0**-n for pole in poles for n in range(-2, 12) for side in (1, -1)}
    return sorted({s for s in evenly | closely if first <= s <= last} - set(poles))


def _draw_poles(
    axes: Any, curve: ProbeCurve, exponents: Sequence[float], poles: Sequence[float], seen: tuple[float, float]
) -> None:
    """F(-10^s) over s, which falls to the right; broken where it leaves the picture, as it does at every pole."""
    axes.set_title("k < 0: a pole at -1/t for each head", fontsize="small")
    axes.set_xlabel("s, for k = -10^s")
    heights = [curve.at(s * math.log(10), -1) for s in exponents]
    shown = [height if seen[0] <= height <= seen[1] else math.nan for height in heights]
    for begin, end in zip([-math.inf, *poles], [*poles, math.inf], strict=True):
        piece = [(s, height) for s, height in zip(exponents, shown, strict=True) if begin < s < end]
        label = "F" if begin == -math.inf else None
        axes.plot([s for s, _ in piece], [height for _, height in piece], color="C0", label=label)
    for number, pole in enumerate(poles):
        axes.axvline(pole, linestyle=":", color="C3", label=None if number else "poles")
    axes.invert_xaxis()


def _clamped(exponent: float) -> float:
    return max(-_LARGEST_EXPONENT, min(_LARGEST_EXPONENT, exponent))


def tokens_of_first_probe(
    X: Sequence[Sequence[Any]], Y: Sequence[Sequence[Any]], denominator: int = 1
) -> tuple[list[fmpq], list[fmpq]]:
    """The tokens x_1 and y_1 of P(1,1), their entries over `denominator`."""
    x, y = ([fmpq(a) / denominator for a in token] for token in (X[0], Y[0]))
    return x, y
