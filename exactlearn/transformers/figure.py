"""The teaching figure: the even part along a line with its kinks, and the recovered units under it."""

from __future__ import annotations

import os
from typing import Any

from flint import fmpq

from exactlearn.model import dot
from exactlearn.plotting import save_picture
from exactlearn.transformers.learner import TransformerResult

_SAMPLES = 200


def draw_units(result: TransformerResult, path: str | os.PathLike[str]) -> None:
    """Write E(p + tau q) = f + f of the negated token over tau, its kinks, and the s_j |m_j . b| of the units.

    Args:
        result: What the learner found, with the line along which it looked.
        path: The picture's file; its ending says the format: .svg, .png or .pdf.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: When the file cannot be written.
    """
    taus, terms = _sampled(result)
    kinks = [_float(kink.tau) for kink in result.kinks]

    def draw(above: Any, below: Any) -> None:
        above.plot([_float(t) for t in taus], [_float(sum(column, fmpq(0))) for column in zip(*terms, strict=True)])
        for index, row in enumerate(terms):
            sign = "+" if result.form.units[index].sign > 0 else "-"
            below.plot([_float(t) for t in taus], [_float(value) for value in row], label=f"{sign}|z{index}|")
        for axes in (above, below):
            for tau in kinks:
                axes.axvline(tau, linestyle=":", color="grey", linewidth=0.8)
            axes.grid(visible=True, alpha=0.3)
        above.set_ylabel("f(b) + f(-b)")
        above.set_title("the even part on one token b = p + tau q: a kink for every unit", fontsize="small")
        below.set_ylabel("the units")
        below.set_xlabel("tau")
        if terms:
            below.legend(fontsize="x-small", ncols=3)

    save_picture(path, draw, rows=2, size=(6, 6))


def _sampled(result: TransformerResult) -> tuple[list[fmpq], list[list[fmpq]]]:
    """Points around all kinks, the kinks among them, and each unit's term there, exactly."""
    taus = [kink.tau for kink in result.kinks] or [fmpq(0)]
    width = max(max(taus) - min(taus), fmpq(1))
    low, high = min(taus) - width / 4, max(taus) + width / 4
    points = sorted({*taus, *(low + (high - low) * fmpq(n, _SAMPLES) for n in range(_SAMPLES + 1))})
    rows = []
    for unit in result.form.units:
        m = unit.z.value_sum
        at_p, at_q = (dot(m, [fmpq(a) for a in token]) for token in (result.line.p, result.line.q))
        rows.append([unit.sign * abs(at_p + tau * at_q) for tau in points])
    return points, rows


def _float(value: fmpq) -> float:
    """For the picture alone."""
    return float(int((value * 2**60).floor())) / 2**60
