"""Pictures by matplotlib, an optional extra: one door, so that every picture is the same on every run."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exactlearn.errors import MissingExtraError, UnusableInputError

FORMATS = (".svg", ".png", ".pdf")


def save_picture(
    path: str | os.PathLike[str],
    draw: Callable[..., None],
    *,
    rows: int = 1,
    columns: int = 1,
    size: tuple[float, float] = (6, 4),
) -> None:
    """Write one picture.

    Args:
        path: The picture's file; its ending says the format: .svg, .png or .pdf.
        draw: Called with as many matplotlib axes as there are diagrams.
        rows: Diagrams above each other, with one horizontal axis.
        columns: Diagrams side by side, with one vertical axis; only one of both is more than 1.
        size: Width and height in inches.

    Raises:
        MissingExtraError: When matplotlib is not installed.
        UnusableInputError: For another ending, and when the file cannot be written.
    """
    target, place = Path(path), os.fspath(path)
    if target.suffix not in FORMATS:
        raise UnusableInputError(f"a picture's file ends in one of {', '.join(FORMATS)}", place)
    matplotlib = _matplotlib()
    # The figure is drawn without pyplot, so that no window system and no global state take part.  A fixed salt and no
    # date make the file the same on every run.
    with matplotlib.rc_context({"svg.hashsalt": "exactlearn"}):
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, sharex="col", sharey="row")
        draw(*([axes] if rows == columns == 1 else axes))
        temporary = target.with_name(f".{target.name}.part{target.suffix}")
        try:
            figure.savefig(temporary, metadata={"Date": None} if target.suffix == ".svg" else None)
            temporary.replace(target)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise UnusableInputError(f"cannot be written: {error.strerror}", place) from None


def _matplotlib() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own imports, not of ours
            return importlib.import_module("matplotlib")
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
