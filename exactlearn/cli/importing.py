"""`exactlearn import FILE -o MODEL.json`: float arrays of a trained layer, taken exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exactlearn.cli.output import AsJson, console, facts_table, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_any_model
from exactlearn.files.numerals import print_unit
from exactlearn.files.transformer_file import write_any_model


def import_file(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .safetensors or .npz file.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write.")],
    num_heads: Annotated[
        int | None,
        typer.Option("--num-heads", "--heads", help="Number of heads, when the file's metadata does not tell."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Import an attention layer (torch.nn.MultiheadAttention without biases, and a readout vector) exactly."""
    if num_heads is not None and num_heads < 1:
        raise UnusableInputError("a whole number from 1 on is expected", "--num-heads")
    model = import_any_model(file, num_heads)
    write_any_model(model, output)
    if as_json:
        print_json(
            {
                "format": "exactlearn.import/1",
                "written": str(output),
                "dim": model.dim,
                "heads": len(model.heads),
                "unit": print_unit(model.unit),
            }
        )
        return 0
    rows = {
        "written": str(output),
        "dimension": str(model.dim),
        "heads": str(len(model.heads)),
        "unit": f"{model.unit} (1/sqrt(head_dim), the exact number: an exported graph may hold a float near it)",
    }
    console().print(facts_table(rows))
    return 0
