"""The published JSON Schemas, and their verdicts as one line with the place in the document."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib import resources
from typing import Any, Literal

import fastjsonschema

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import parse_number, parse_unit, quote

SchemaName = Literal["model", "layer", "transformer", "tokens"]

_KINDS = {
    "object": "an object {...}",
    "array": "a list [...]",
    "string": "a string",
    "integer": "a whole number",
}


def load_schema(name: SchemaName) -> dict[str, Any]:
    """The published JSON Schema (draft-07) of model files (attention, layer, transformer) or of token files."""
    text = resources.files("exactlearn.files").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def check_against_schema(document: Any, name: SchemaName) -> None:
    """Refuse a JSON document that the schema refuses.

    Raises:
        UnusableInputError: The place is the path inside the document, for example ``heads[1].W[0][1]``.
    """
    try:
        _validator(name)(document)
    except fastjsonschema.JsonSchemaValueException as error:
        place = error.name.removeprefix("data").removeprefix(".")
        raise UnusableInputError(_reason(error), place) from None


@functools.cache
def _validator(name: SchemaName) -> Callable[[Any], Any]:
    validator: Callable[[Any], Any] = fastjsonschema.compile(load_schema(name), use_default=False)
    return validator


def _reason(error: fastjsonschema.JsonSchemaValueException) -> str:
    """Our own sentence for each rule of the schemas; upstream's may repeat the whole value."""
    return _SENTENCES[error.rule](error.value, error.rule_definition, error.definition)


def _type_sentence(value: Any, expected: str, _definition: dict[str, Any]) -> str:
    hint = f': write it as a string, "{value}"' if expected == "string" and _is_number(value) else ""
    return f"{_KINDS[expected]} is expected, not {_kind(value)}{hint}"


def _pattern_sentence(value: str, _expected: object, definition: dict[str, Any]) -> str:
    """What the parser, which knows the same grammar, says about a text that a pattern refused."""
    try:
        (parse_unit if "default" in definition else parse_number)(value)
    except UnusableInputError as error:
        return error.reason
    return f"{quote(value)} is refused by the schema"


def _number_sentence(value: Any, _expected: object, _definition: dict[str, Any]) -> str:
    """A number is a string, or in a number field a list of strings."""
    if isinstance(value, str):
        return _pattern_sentence(value, None, {})
    if not isinstance(value, list):
        return _type_sentence(value, "string", {})
    if not value:
        return "a list of coefficients is not empty"
    index, bad = next((i, c) for i, c in enumerate(value) if not isinstance(c, str) or _is_refused(c))
    reason = _pattern_sentence(bad, None, {}) if isinstance(bad, str) else _type_sentence(bad, "string", {})
    return f"coefficient {index}: {reason}"


def _is_refused(text: str) -> bool:
    try:
        parse_number(text)
    except UnusableInputError as error:
        return "denominator zero" not in error.reason  # that one is no matter of the grammar
    return False


_SENTENCES: dict[str, Callable[[Any, Any, dict[str, Any]], str]] = {
    "type": _type_sentence,
    "required": lambda value, expected, _: f"the key {quote(min(set(expected) - set(value)))} is missing",
    "additionalProperties": lambda value, _, d: f"unknown key {quote(min(set(value) - set(d['properties'])))}",
    "const": lambda value, expected, _: f"{json.dumps(expected)} is expected, not {_kind(value)}",
    "enum": lambda value, expected, _: f"{' or '.join(map(json.dumps, expected))} is expected, not {_kind(value)}",
    "minimum": lambda value, expected, _: f"{value} is too small: at least {expected}",
    "maximum": lambda value, expected, _: f"{value} is too large: at most {expected}",
    "minItems": lambda value, expected, _: f"a list of at least {expected} is expected, not of {len(value)}",
    "anyOf": _number_sentence,
    "maxItems": lambda value, expected, _: f"a list of at most {expected} is expected, not of {len(value)}",
    "maxLength": _pattern_sentence,
    "pattern": _pattern_sentence,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if _is_number(value):
        return f"the number {value}"
    return "an object {...}" if isinstance(value, dict) else "a list [...]"
