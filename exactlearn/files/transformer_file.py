"""Model files of kind "transformer", and files of either kind (DESIGN section 12)."""

from __future__ import annotations

import json
import os
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.field_numbers import parse_field, parse_scalar, print_field, print_scalar
from exactlearn.files.layer_file import is_layer_document, layer_from_json, layer_to_json, layer_to_text
from exactlearn.files.model_file import FORMAT, model_from_json, model_to_json, model_to_text
from exactlearn.files.numerals import parse_unit, print_unit
from exactlearn.files.reading import place_of
from exactlearn.files.schema import check_against_schema
from exactlearn.files.strict_json import parse_json, read_json
from exactlearn.model import ONE, AttentionLayer, MultiHeadAttention, Transformer, TransformerHead, Vector

AnyModel = MultiHeadAttention | Transformer | AttentionLayer


def read_any_model(path: str | os.PathLike[str]) -> AnyModel:
    """The model in a model file of either kind.

    Raises:
        UnusableInputError: As `read_model`.
    """
    return any_model_from_json(read_json(path), place_of(path))


def any_model_from_text(text: str, place: str) -> AnyModel:
    """The model in the text of a model file of either kind.

    Raises:
        UnusableInputError: As `read_model`.
    """
    return any_model_from_json(parse_json(text, place), place)


def any_model_from_json(document: Any, place: str = "") -> AnyModel:
    """The model of a parsed model file of either kind.

    Raises:
        UnusableInputError: As `read_model`.
    """
    if is_layer_document(document):
        return layer_from_json(document, place)
    if not (isinstance(document, dict) and document.get("kind") == "transformer"):
        return model_from_json(document, place)
    try:
        check_against_schema(document, "transformer")
        return _transformer(document)
    except UnusableInputError as error:
        raise (error.within(place) if place else error) from None


def transformer_to_json(model: Transformer) -> dict[str, Any]:
    """The Transformer as a JSON-ready document, which `any_model_from_json` reads back as an equal one."""
    return {
        "format": FORMAT,
        "kind": "transformer",
        "dim": model.dim,
        "weights": model.weights,
        "unit": print_unit(model.unit),
        **({} if model.field is None else {"field": print_field(model.field)}),
        "heads": [{"W": _printed(head.W), "V": _printed(head.V)} for head in model.heads],
        "ffn": {"B": _printed(model.B), "u": _printed([model.u])[0]},
    }


def any_model_to_json(model: AnyModel) -> dict[str, Any]:
    """The model as a JSON-ready document."""
    if isinstance(model, AttentionLayer):
        return layer_to_json(model)
    return transformer_to_json(model) if isinstance(model, Transformer) else model_to_json(model)


def any_model_to_text(model: AnyModel) -> str:
    """The model file as text, a member a line."""
    if isinstance(model, MultiHeadAttention):
        return model_to_text(model)
    if isinstance(model, AttentionLayer):
        return layer_to_text(model)
    members = [f'"{key}": {json.dumps(value)}' for key, value in transformer_to_json(model).items()]
    return "{" + ",\n ".join(members) + "}\n"


def write_any_model(model: AnyModel, path: str | os.PathLike[str]) -> None:
    """Write a model file, atomically.

    Raises:
        UnusableInputError: When the file cannot be written, or a number is too long to be read back.
    """
    write_text_atomically(path, any_model_to_text(model))


def _transformer(document: dict[str, Any]) -> Transformer:
    unit = parse_unit(document["unit"]) if "unit" in document else ONE
    field = parse_field(document["field"]) if "field" in document else None
    heads = [
        TransformerHead(_matrix(head["W"], field, f"heads[{h}].W"), _matrix(head["V"], field, f"heads[{h}].V"))
        for h, head in enumerate(document["heads"])
    ]
    ffn = document["ffn"]
    B, (u,) = _matrix(ffn["B"], field, "ffn.B"), _matrix([ffn["u"]], field, "ffn.u")
    return Transformer(heads, B, u, dim=document["dim"], weights=document["weights"], unit=unit, field=field)


def _matrix(rows: list[list[Any]], field: NumberField | None, place: str) -> list[Vector]:
    matrix = []
    for i, row in enumerate(rows):
        entries = []
        for j, text in enumerate(row):
            try:
                entries.append(parse_scalar(text, field))
            except UnusableInputError as error:
                raise UnusableInputError(error.reason, f"{place}[{i}][{j}]") from None
        matrix.append(tuple(entries))
    return matrix


def _printed(matrix: Any) -> list[list[str | list[str]]]:
    return [[print_scalar(entry) for entry in row] for row in matrix]
