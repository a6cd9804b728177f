"""A plot of the error growth, by matplotlib, which is an optional extra."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from exactlearn.counterexamples.error_growth import TITLE, Growth
from exactlearn.plotting import save_picture


def plot_error_growth(growth: Sequence[Growth], path: str | os.PathLike[str]) -> None:
    """Write the error constant over the distance of the poles, both axes logarithmic, as a picture.

    Args:
        growth: Members of the family.
        path: The picture's file; its ending says the format: .svg, .png or .pdf.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: When the file cannot be written.
    """

    def draw(axes: Any) -> None:
        distances = [float(member.distance.p) / float(member.distance.q) for member in growth]
        constants = [int(member.constant.floor()) for member in growth]  # a picture: the table has the exact numbers
        axes.loglog(distances, constants, marker="o")
        axes.set_xlabel("distance of two poles")
        axes.set_ylabel("beta")
        axes.set_title(TITLE, fontsize="small")
        axes.grid(visible=True, which="both", alpha=0.3)

    save_picture(path, draw)
