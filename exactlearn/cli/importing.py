"""`exactlearn import FILE -o MODEL.json`: float arrays of a trained layer, taken exactly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from exactlearn.cli.output import AsJson, console, facts_table, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.examples import LAYERS, layer_path
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.importing import Imported, import_from
from exactlearn.files.numerals import print_unit
from exactlearn.files.scales import Scale, parse_scale
from exactlearn.files.transformer_file import write_any_model
from exactlearn.full_size.converting import affine_layer
from exactlearn.full_size.writing import layer_text
from exactlearn.model import AttentionLayer


def import_file(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A .safetensors or .npz file, or hf:DIR, a local directory.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write.")],
    num_heads: Annotated[
        int | None,
        typer.Option("--num-heads", "--heads", help="Number of heads, when the file does not tell."),
    ] = None,
    layer: Annotated[
        str | None,
        typer.Option("--layer", help="Which layer: its number, or what the names of its tensors begin with."),
    ] = None,
    scale: Annotated[
        str,
        typer.Option("--scale", help="The factor 1/sqrt(head_dim): exact, or float32 as in an exported graph."),
    ] = "exact",
    as_json: AsJson = False,
) -> int:
    """Import an attention layer exactly: torch, BERT, GPT-2 and their kin, with biases and vector outputs."""
    if num_heads is not None and num_heads < 1:
        raise UnusableInputError("a whole number from 1 on is expected", "--num-heads")
    chosen = parse_scale(scale)
    is_bundled = file in LAYERS and not os.path.exists(file)  # noqa: PTH110  # answers False where pathlib raises
    imported = import_from(layer_path(file) if is_bundled else file, num_heads, layer, chosen)
    if isinstance(imported.model, AttentionLayer):
        # In pieces, and with one denominator a matrix: such layers have millions of entries.
        write_text_atomically(output, "".join(layer_text(affine_layer(imported.model))))
    else:
        write_any_model(imported.model, output)
    if as_json:
        print_json(_as_json(imported, output, chosen))
    else:
        console().print(facts_table(_facts(imported, output, chosen)))
    return 0


def _as_json(imported: Imported, output: Path, scale: Scale) -> dict[str, Any]:
    model = imported.model
    found: dict[str, Any] = {
        "format": "exactlearn.import/1",
        "written": str(output),
        "dim": model.dim,
        "heads": len(model.heads),
        "unit": print_unit(model.unit),
        "scale": scale,
    }
    if imported.layer is not None:
        found |= {
            "outputs": imported.layer.layer.outputs,
            "layout": imported.layer.format,
            "layer": imported.layer.prefix,
            "tensors_left_out": imported.layer.left_out,
        }
    return found


def _facts(imported: Imported, output: Path, scale: Scale) -> dict[str, str]:
    model = imported.model
    exact = "1/sqrt(head_dim), the exact number: an exported graph may hold a float near it (--scale float32)"
    facts = {
        "written": str(output),
        "dimension": str(model.dim),
        "heads": str(len(model.heads)),
        "unit": f"{model.unit} ({exact if scale == 'exact' else 'the float32 number nearest to 1/sqrt(head_dim)'})",
    }
    if imported.layer is not None:
        found = imported.layer
        facts["outputs"] = str(found.layer.outputs)
        facts["layout"] = f"{found.format}{f': {found.note}' if found.note else ''}"
        facts["layer"] = found.prefix or "(names without a prefix)"
        facts["left out"] = (
            f"{found.left_out} other tensors of the file: the layer is attention alone, without the sum and norm behind"
        )
    return facts
