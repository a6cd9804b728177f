"""Model files of kind "attention" with biases or vector outputs: "p", "V", "s" (DESIGN sections 10 and 12)."""

from __future__ import annotations

import json
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.files.field_numbers import parse_field, parse_scalar, print_field, print_scalar
from exactlearn.files.numerals import parse_unit, print_unit
from exactlearn.files.schema import check_against_schema
from exactlearn.model import ONE, AttentionLayer, LayerHead, neutral_weight

FORMAT = "exactlearn.model/1"


def is_layer_document(document: Any) -> bool:
    """Whether a parsed file of kind "attention" has a key that plain attention models have not: p, V, s or outputs."""
    if not isinstance(document, dict) or document.get("kind") != "attention":
        return False
    heads = document.get("heads")
    in_heads = isinstance(heads, list) and any(isinstance(h, dict) and {"p", "V", "s"} & h.keys() for h in heads)
    return "s" in document or "outputs" in document or in_heads


def layer_from_json(document: Any, place: str = "") -> AttentionLayer:
    """The layer in a parsed model file; `place` is what errors call it.

    Raises:
        UnusableInputError: When the document is refused by the schema, or entries do not fit each other.
    """
    try:
        check_against_schema(document, "layer")
        return _layer(document)
    except UnusableInputError as error:
        raise (error.within(place) if place else error) from None


def layer_to_json(layer: AttentionLayer) -> dict[str, Any]:
    """The layer as a JSON-ready document that `layer_from_json` reads back: "v" with one output, else "V".

    The constants of the heads are gathered in the model's "s".
    """
    is_scalar = layer.outputs == 1
    heads = []
    for head in layer.heads:
        values = {"v": _printed(head.V[0])} if is_scalar else {"V": [_printed(row) for row in head.V]}
        heads.append({"W": [_printed(row) for row in head.W], "p": _printed(head.p), **values})
    constant = _printed(layer.constant)
    # One number stands for a rational; an element of a number field is a list already, so it is put in one more.
    one_number = is_scalar and layer.field is None
    return {
        "format": FORMAT,
        "kind": "attention",
        "dim": layer.dim,
        **({} if is_scalar or heads else {"outputs": layer.outputs}),
        "weights": layer.weights,
        "unit": print_unit(layer.unit),
        **({} if layer.field is None else {"field": print_field(layer.field)}),
        "heads": heads,
        "s": constant[0] if one_number else constant,
    }


def layer_to_text(layer: AttentionLayer) -> str:
    """The model file as text, a member a line."""
    members = [f'"{key}": {json.dumps(value)}' for key, value in layer_to_json(layer).items()]
    return "{" + ",\n ".join(members) + "}\n"


def _layer(document: dict[str, Any]) -> AttentionLayer:
    field = parse_field(document["field"]) if "field" in document else None
    dim: int = document["dim"]
    outputs = _outputs(document)
    neutral = neutral_weight(document["weights"])
    heads = []
    for h, head in enumerate(document["heads"]):
        place = f"heads[{h}]"
        rows = [_vector(row, field, f"{place}.W[{i}]") for i, row in enumerate(head["W"])]
        p = _vector(head["p"], field, f"{place}.p") if "p" in head else [neutral] * dim
        V = [head["v"]] if "v" in head else head["V"]
        name = f"{place}.v" if "v" in head else f"{place}.V"
        values = [_vector(row, field, name if "v" in head else f"{name}[{a}]") for a, row in enumerate(V)]
        heads.append(LayerHead(rows, p, values, _constant(head, outputs, field, f"{place}.s")))
    kind: dict[str, Any] = {"weights": document["weights"], "field": field}
    kind["unit"] = parse_unit(document["unit"]) if "unit" in document else ONE
    return AttentionLayer(heads, dim=dim, outputs=outputs, s=_constant(document, outputs, field, "s"), **kind)


def _outputs(document: dict[str, Any]) -> int:
    """The number m, from "outputs", the heads or "s"."""
    outputs: int | None = document.get("outputs")
    for h, head in enumerate(document["heads"]):
        if ("v" in head) == ("V" in head):
            raise UnusableInputError('a head has "v" or "V", one of the two', f"heads[{h}]")
        rows = 1 if "v" in head else len(head["V"])
        if outputs is not None and rows != outputs:
            raise UnusableInputError(f"{outputs} outputs are expected here, not {rows}", f"heads[{h}]")
        outputs = rows
    if outputs is None and isinstance(document.get("s"), list):
        outputs = len(document["s"])
    return outputs or 1


def _constant(of: dict[str, Any], outputs: int, field: NumberField | None, place: str) -> list[Scalar] | None:
    if "s" not in of:
        return None
    if isinstance(of["s"], str):
        if outputs != 1:
            raise UnusableInputError(f"a list of {outputs} numbers is expected here", place)
        return _vector([of["s"]], field, place)
    constant = _vector(of["s"], field, place)
    if len(constant) != outputs:
        raise UnusableInputError(f"a list of {outputs} is expected here, not of {len(constant)}", place)
    return constant


def _vector(texts: list[Any], field: NumberField | None, place: str) -> list[Scalar]:
    entries = []
    for index, text in enumerate(texts):
        try:
            entries.append(parse_scalar(text, field))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{place}[{index}]") from None
    return entries


def _printed(row: Any) -> list[str | list[str]]:
    return [print_scalar(entry) for entry in row]
