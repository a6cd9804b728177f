"""`exactlearn examples`: the bundled models; with a name, that model's file."""

from __future__ import annotations

from typing import Annotated

import typer

from exactlearn.cli.output import AsJson, console, facts_table, print_json
from exactlearn.examples import LAYERS, describe, load, names
from exactlearn.files.model_file import model_to_json


def examples(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print this example as a model file.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the bundled models; every command takes their names in place of a file."""
    if name is not None:
        print_json(model_to_json(load(name)))
    elif as_json:
        print_json(
            {
                "examples": [{"name": example, "description": describe(example)} for example in names()],
                "layers": [{"name": layer, "description": line} for layer, line in LAYERS.items()],
            }
        )
    else:
        console().print(facts_table({example: describe(example) for example in names()} | LAYERS))
    return 0
