"""The picture of the digits kept: against H, against d, against the distance of the poles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from exactlearn.enclosures.digits import Axis, DigitsRow
from exactlearn.enclosures.output_formats import OutputFormat
from exactlearn.plotting import save_picture

_LABELS: dict[Axis, str] = {"heads": "heads H", "dim": "dimension d", "gap": "gap of the poles"}


def draw_digits(rows: Sequence[DigitsRow], outputs: OutputFormat, path: str | os.PathLike[str]) -> None:
    """Write the digits of W and v, proved and of the plain estimate, one diagram for each axis that has rows.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: For another ending than .svg, .png or .pdf, and when the file cannot be written.
    """
    shown = [axis for axis in _LABELS if any(row.setting.axis == axis for row in rows)]

    def draw(*diagrams: Any) -> None:
        for axis, diagram in zip(shown, diagrams, strict=True):
            _draw_axis(diagram, axis, [row for row in rows if row.setting.axis == axis])
        diagrams[0].set_ylabel(f"digits kept, outputs {outputs}")
        diagrams[0].legend(fontsize="small")

    save_picture(path, draw, columns=len(shown), size=(4.0 * len(shown), 3.6))


def _draw_axis(diagram: Any, axis: Axis, rows: Sequence[DigitsRow]) -> None:
    places = [_position(axis, row) for row in rows]
    for index, name in enumerate("Wv"):
        diagram.plot(places, [row.proved[index] for row in rows], "o-", color=f"C{index}", label=f"{name}, proved")
        estimate = [row.estimate[index] for row in rows]
        diagram.plot(places, estimate, "x:", color=f"C{index}", label=f"{name}, plain estimate")
    if axis == "gap":
        diagram.set_xscale("log")
        diagram.invert_xaxis()
    else:
        diagram.set_xticks(places)
    diagram.set_xlabel(_LABELS[axis])
    diagram.set_ylim(bottom=0)
    diagram.grid(visible=True, alpha=0.3)


def _position(axis: Axis, row: DigitsRow) -> float:
    setting = row.setting
    if axis == "gap":
        return float(setting.gap.p) / float(setting.gap.q)
    return float(setting.heads if axis == "heads" else setting.dim)
