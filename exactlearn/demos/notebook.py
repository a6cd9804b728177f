"""A story as a Jupyter notebook, format 4.5: paragraphs and code, no outputs; running it makes them."""

from __future__ import annotations

import json
import os
from typing import Any

from exactlearn.demos.story import Say, Story
from exactlearn.files.atomic import write_text_atomically


def notebook_of(story: Story) -> dict[str, Any]:
    """The notebook as a JSON-ready document; the same on every run."""
    cells: list[dict[str, Any]] = [_markdown(0, f"# {story.title}")]
    for index, step in enumerate(story.steps, 1):
        if isinstance(step, Say):
            cells.append(_markdown(index, step.paragraph))
        else:
            cell = {"cell_type": "code", "id": f"code-{index}", "metadata": {}}
            cells.append(cell | {"source": step.source, "execution_count": None, "outputs": []})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def write_notebook(story: Story, path: str | os.PathLike[str]) -> None:
    """Write the notebook, atomically.

    Raises:
        UnusableInputError: When the file cannot be written.
    """
    write_text_atomically(path, json.dumps(notebook_of(story), indent=1) + "\n")


def _markdown(index: int, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": f"text-{index}", "metadata": {}, "source": text}
