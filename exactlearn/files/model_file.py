"""The model file: JSON text to exact models and back (DESIGN section 12)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.field_numbers import parse_field, parse_scalar, print_field, print_scalar
from exactlearn.files.layer_file import is_layer_document
from exactlearn.files.numerals import parse_unit, print_unit
from exactlearn.files.reading import place_of
from exactlearn.files.schema import check_against_schema
from exactlearn.files.strict_json import parse_json, read_json
from exactlearn.model import ONE, Head, MultiHeadAttention, Unit

FORMAT = "exactlearn.model/1"
MAX_DIM = 100_000


def read_model(path: str | os.PathLike[str]) -> MultiHeadAttention:
    """The model in a model file.

    Raises:
        UnusableInputError: When the file cannot be read or is no model file; the place is the path of the file and
            of the entry, for example ``model.json: heads[1].W[0][1]``.
    """
    return model_from_json(read_json(path), place_of(path))


def model_from_text(text: str, place: str) -> MultiHeadAttention:
    """The model in the text of a model file; `place` is what errors call it.

    Raises:
        UnusableInputError: As `read_model`.
    """
    return model_from_json(parse_json(text, place), place)


def model_from_json(document: Any, place: str = "") -> MultiHeadAttention:
    """The model in a parsed model file; `place` is what errors call it.

    Raises:
        UnusableInputError: When the document is refused by the schema, or entries do not fit each other.
    """
    try:
        _refuse_transformers(document)
        check_against_schema(document, "model")
        return _model(document)
    except UnusableInputError as error:
        raise (error.within(place) if place else error) from None


def model_to_json(model: MultiHeadAttention) -> dict[str, Any]:
    """The model as a JSON-ready document that `model_from_json` reads back as an equal model.

    Raises:
        UnusableInputError: When the dimension or a number is too large to be read back.
    """
    if model.dim > MAX_DIM:
        raise UnusableInputError(f"{model.dim} is too large: at most {MAX_DIM}", "dim")
    return {
        "format": FORMAT,
        "kind": "attention",
        "dim": model.dim,
        "weights": model.weights,
        "unit": _printed_unit(model.unit),
        **({} if model.field is None else {"field": print_field(model.field)}),
        "heads": [
            {
                "W": [_printed(row, f"heads[{h}].W[{i}]") for i, row in enumerate(head.W)],
                "v": _printed(head.v, f"heads[{h}].v"),
            }
            for h, head in enumerate(model.heads)
        ],
    }


def model_to_text(model: MultiHeadAttention) -> str:
    """The model file as text: plain ASCII, a row of W a line.

    Raises:
        UnusableInputError: As `model_to_json`.
    """
    document = model_to_json(model)
    heads = ",".join(map(_head_text, document.pop("heads")))
    members = [f'"{key}": {json.dumps(value)}' for key, value in document.items()]
    return "{" + ",\n ".join([*members, f'"heads": [{heads}]']) + "}\n"


def write_model(model: MultiHeadAttention, path: str | os.PathLike[str]) -> None:
    """Write a model file, atomically.

    Raises:
        UnusableInputError: When the file cannot be written, or as `model_to_json`.
    """
    write_text_atomically(path, model_to_text(model))


def _refuse_transformers(document: Any) -> None:
    """Another kind of model, told apart from mistakes."""
    if not isinstance(document, dict):
        return
    if document.get("kind") == "transformer":
        raise UnusableInputError('this is for models of kind "attention", not for a Transformer', "kind")
    if is_layer_document(document):
        raise UnusableInputError("this is for attention models without biases, with one output", "heads")


def _model(document: dict[str, Any]) -> MultiHeadAttention:
    """The model of a document that the schema accepts."""
    dim: int = document["dim"]
    is_log = document["weights"] == "log-rational"
    unit = _unit(document["unit"], is_log=is_log) if "unit" in document else ONE
    field = parse_field(document["field"]) if "field" in document else None
    heads = [
        Head(
            _matrix(head["W"], dim, field, f"heads[{h}].W", is_log=is_log),
            _vector(head["v"], dim, field, f"heads[{h}].v"),
        )
        for h, head in enumerate(document["heads"])
    ]
    return MultiHeadAttention(heads, dim=dim, weights=document["weights"], unit=unit, field=field)


def _unit(text: str, *, is_log: bool) -> Unit:
    try:
        unit = parse_unit(text)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, "unit") from None
    if is_log and unit.rational is None:
        raise UnusableInputError("log-rational weights take a rational unit", "unit")
    return unit


def _matrix(
    rows: list[list[Any]], dim: int, field: NumberField | None, place: str, *, is_log: bool
) -> list[list[Scalar]]:
    if len(rows) != dim:
        raise UnusableInputError(f"W has {dim} rows here (dim is {dim}), not {len(rows)}", place)
    matrix = [_vector(row, dim, field, f"{place}[{i}]") for i, row in enumerate(rows)]
    if is_log:
        for i, row in enumerate(matrix):
            for j, entry in enumerate(row):
                if entry <= 0:
                    raise UnusableInputError("an entry of T is positive (W = log T)", f"{place}[{i}][{j}]")
    return matrix


def _vector(texts: list[Any], dim: int, field: NumberField | None, place: str) -> list[Scalar]:
    if len(texts) != dim:
        raise UnusableInputError(f"{dim} entries are expected here (dim is {dim}), not {len(texts)}", place)
    entries = []
    for index, text in enumerate(texts):
        try:
            entries.append(parse_scalar(text, field))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{place}[{index}]") from None
    return entries


def _printed_unit(unit: Unit) -> str:
    try:
        return print_unit(unit)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, "unit") from None


def _head_text(head: dict[str, Any]) -> str:
    rows = ",\n         ".join(map(json.dumps, head["W"]))
    return f'\n  {{"W": [{rows}],\n   "v": {json.dumps(head["v"])}}}'


def _printed(row: Iterable[Scalar], place: str) -> list[str | list[str]]:
    texts: list[str | list[str]] = []
    for index, entry in enumerate(row):
        try:
            texts.append(print_scalar(entry))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{place}[{index}]") from None
    return texts
