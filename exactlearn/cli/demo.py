"""`exactlearn demo [NAME]`: stories for a lecture, told in the terminal, as a picture or as a notebook."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from exactlearn.cli.output import AsJson, console, facts_table, print_json
from exactlearn.demos import STORIES, story
from exactlearn.demos.notebook import write_notebook
from exactlearn.demos.picture import Picture
from exactlearn.demos.story import Run, Say, Story, Told, tell, terminal_lines
from exactlearn.errors import UnusableInputError

FORMAT = "exactlearn.demo/1"


def demo(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Left out, the demos are listed.")] = None,
    notebook: Annotated[
        str | None, typer.Option("--notebook", metavar="NAME", help="Write this demo as a notebook to the file of -o.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The notebook, or the demo's picture (.svg, .png, .pdf)."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Tell a story with exact numbers small enough to follow; each takes seconds."""
    if notebook is not None:
        if name is not None or output is None:
            raise UnusableInputError("takes its own NAME and a file with -o", "--notebook")
        write_notebook(story(notebook), output)
        return _done(notebook, output, as_json=as_json)
    if name is None:
        if output is not None:
            raise UnusableInputError("goes with the name of a demo", "-o")
        return _list(as_json=as_json)
    chosen = story(name)
    if output is not None:
        pictures = [told.value for told in tell(chosen) if isinstance(told.value, Picture)]
        if not pictures:
            raise UnusableInputError(f"the demo {name} has no picture; --notebook writes it as a notebook", "-o")
        pictures[0].save(output)
        return _done(name, output, as_json=as_json)
    if as_json:
        print_json({"format": FORMAT, "name": name, "title": chosen.title, "steps": [_step(t) for t in tell(chosen)]})
        return 0
    _tell(chosen)
    return 0


def _list(*, as_json: bool) -> int:
    if as_json:
        demos = [{"name": one.name, "title": one.title} for one in STORIES]
        print_json({"format": "exactlearn.demos/1", "demos": demos})
    else:
        console().print(facts_table({one.name: one.title for one in STORIES}))
    return 0


def _tell(chosen: Story) -> None:
    sys.stdout.write(f"{chosen.title}\n{'=' * len(chosen.title)}\n\n")
    for told in tell(chosen):
        sys.stdout.write("\n".join(terminal_lines(told)) + "\n")
        sys.stdout.flush()


def _step(told: Told) -> dict[str, Any]:
    if isinstance(told.step, Say):
        return {"text": told.step.paragraph}
    assert isinstance(told.step, Run)  # noqa: S101  # there is no third kind
    value = None if told.value is None else str(told.value)
    return {"code": told.step.source, "printed": told.printed, "value": value}


def _done(name: str, output: Path, *, as_json: bool) -> int:
    if as_json:
        print_json({"format": FORMAT, "name": name, "written": str(output)})
    else:
        console().print(f"written: {output}", markup=False)
    return 0
