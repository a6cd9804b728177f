"""A plot of the error growth, by matplotlib, which is an optional extra."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exactlearn.counterexamples.error_growth import TITLE, Growth
from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.reading import place_of

FORMATS = (".svg", ".png", ".pdf")


def plot_error_growth(growth: Sequence[Growth], path: str | os.PathLike[str]) -> None:
    """Write the error constant over the distance of the poles, both axes logarithmic, as a picture.

    Args:
        growth: Members of the family.
        path: The picture's file; its ending says the format: .svg, .png or .pdf.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: When the file cannot be written.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise UnusableInputError(f"a picture's file ends in one of {', '.join(FORMATS)}", place_of(path))
    matplotlib = _matplotlib()
    # The figure is drawn without pyplot, so that no window system and no global state take part.  A fixed salt and no
    # date make the file the same on every run.
    with matplotlib.rc_context({"svg.hashsalt": "exactlearn"}):
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        distances = [float(member.distance.p) / float(member.distance.q) for member in growth]
        constants = [int(member.constant.floor()) for member in growth]  # a picture: the table has the exact numbers
        axes.loglog(distances, constants, marker="o")
        axes.set_xlabel("distance of two poles")
        axes.set_ylabel("beta")
        axes.set_title(TITLE, fontsize="small")
        axes.grid(visible=True, which="both", alpha=0.3)
        metadata = {"Date": None} if target.suffix == ".svg" else None
        try:
            figure.savefig(target, metadata=metadata)
        except OSError as error:
            raise UnusableInputError(f"cannot be written: {error.strerror}", place_of(path)) from None


def _matplotlib() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own imports, not of ours
            return importlib.import_module("matplotlib")
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
