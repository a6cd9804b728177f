"""A picture that is drawn with characters in a terminal, and by matplotlib in a notebook or a file."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint import fmpq

from exactlearn.errors import MissingExtraError
from exactlearn.plotting import save_picture

COLUMNS, ROWS = 60, 14

Point = tuple[fmpq, fmpq]


@dataclass(frozen=True)
class Picture:
    """Curves over one variable, with exact points.

    Attributes:
        title: What is shown.
        variable: The name of the horizontal axis.
        curves: Names and points, from left to right; the first character of a name draws the curve in a terminal.
        marks: Where vertical lines stand.
    """

    title: str
    variable: str
    curves: tuple[tuple[str, tuple[Point, ...]], ...]
    marks: tuple[fmpq, ...] = ()

    def __str__(self) -> str:
        """At most 74 columns of plain characters."""
        points = [point for _, curve in self.curves for point in curve]
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        low, high = min(y for _, y in points), max(y for _, y in points)
        width, height = (right - left) or fmpq(1), (high - low) or fmpq(1)
        grid = [[" "] * COLUMNS for _ in range(ROWS)]

        def column(x: fmpq) -> int:
            return int(((x - left) / width * (COLUMNS - 1) + fmpq(1, 2)).floor())

        for mark in self.marks:
            if left <= mark <= right:
                for row in grid:
                    row[column(mark)] = ":"
        for name, curve in self.curves:
            for x, y in curve:
                grid[ROWS - 1 - int(((y - low) / height * (ROWS - 1) + fmpq(1, 2)).floor())][column(x)] = name[0]
        labels = [_short(high), *[""] * (ROWS - 2), _short(low)]
        lines = [self.title]
        lines += [f"{label:>10} |{''.join(row).rstrip()}" for label, row in zip(labels, grid, strict=True)]
        ends = f"{_short(left)}{_short(right):>{COLUMNS - len(_short(left))}}"
        lines += [" " * 11 + "+" + "-" * COLUMNS, " " * 12 + ends, f"{'':12}{self.variable:^{COLUMNS}}".rstrip()]
        return "\n".join(lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as .svg, .png or .pdf.

        Raises:
            MissingExtraError: When matplotlib is not installed.
            UnusableInputError: When the file cannot be written.
        """

        def draw(axes: Any) -> None:
            for name, curve in self.curves:
                marker = "o" if len(curve) < 30 else ""
                axes.plot([_float(x) for x, _ in curve], [_float(y) for _, y in curve], marker=marker, label=name)
            for mark in self.marks:
                axes.axvline(_float(mark), linestyle=":", color="grey")
            axes.set_title(self.title, fontsize="small")
            axes.set_xlabel(self.variable)
            axes.grid(visible=True, alpha=0.3)
            axes.legend(fontsize="small")

        save_picture(path, draw)

    def _repr_svg_(self) -> str | None:
        """For notebooks; nothing without matplotlib."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.svg"
            try:
                self.save(path)
            except MissingExtraError:
                return None
            return path.read_text(encoding="utf-8")


def _short(value: fmpq) -> str:
    """A label: exact when short, else a decimal."""
    return str(value) if len(str(value)) <= 8 else f"{_float(value):.4g}"


def _float(value: fmpq) -> float:
    """For pictures alone."""
    return float(int((value * 2**40).floor())) / 2**40


def curve(function: Any, left: fmpq | int, right: fmpq | int, steps: int = 120) -> tuple[Point, ...]:
    """Exact points of a function on an even grid."""
    start, end = fmpq(left), fmpq(right)
    grid = [start + (end - start) * fmpq(n, steps) for n in range(steps + 1)]
    return tuple((x, fmpq(function(x))) for x in grid)
