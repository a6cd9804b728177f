"""Tests of the published schemas: two validators agree on them, and the number pattern is the parser's grammar."""

from __future__ import annotations

import copy
import re
from typing import Any

import fastjsonschema
import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import parse_number, parse_unit
from exactlearn.files.schema import SchemaName, check_against_schema, load_schema

SCHEMAS: list[SchemaName] = ["model", "tokens"]
MODEL: dict[str, Any] = {
    "format": "exactlearn.model/1",
    "kind": "attention",
    "dim": 2,
    "weights": "rational",
    "unit": "sqrt(1/2)",
    "heads": [{"W": [["1", "0"], ["-1/2", "3"]], "v": ["0x1f/0x3", "0.25"]}],
}
GARBAGE: list[Any] = [
    None,
    True,
    0,
    1,
    -1,
    2.0,
    0.5,
    10**30,
    "",
    "1",
    "1\n",
    "1e5",
    "1/0",
    "\u0661",
    "attention",
    [],
    ["1"],
    {},
    {"W": []},
]


def accepts(document: Any, name: SchemaName) -> bool:
    """Whether our check, with fastjsonschema behind it, accepts the document."""
    try:
        check_against_schema(document, name)
    except UnusableInputError:
        return False
    return True


def reference_accepts(document: Any, name: SchemaName) -> bool:
    """Whether the package jsonschema accepts the document."""
    return bool(jsonschema.Draft7Validator(load_schema(name)).is_valid(document))


def slots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [slot for key, item in items for slot in slots(item, (*path, key))]


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of the document with the entry at `path` replaced."""
    if not path:
        return value
    copied = copy.deepcopy(document)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copied


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: SchemaName) -> None:
    """Each schema is a correct draft-07 schema."""
    jsonschema.Draft7Validator.check_schema(load_schema(name))
    with pytest.raises(jsonschema.SchemaError):
        jsonschema.Draft7Validator.check_schema({**load_schema(name), "type": "objekt"})


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_is_described(name: SchemaName) -> None:
    """Each property has a description, itself or in the definition that it refers to."""
    schema = load_schema(name)
    for owner in [schema, *schema["definitions"].values()]:
        for key, value in owner.get("properties", {}).items():
            target = schema["definitions"][value["$ref"].rpartition("/")[2]] if "$ref" in value else value
            assert target.get("description"), key


def test_validators_agree_on_every_single_change() -> None:
    """One entry replaced by garbage, one key removed or added: both validators say the same, and not always yes."""
    verdicts = set()
    documents = [changed(MODEL, slot, value) for slot in slots(MODEL) for value in GARBAGE]
    documents += [{k: v for k, v in MODEL.items() if k != key} for key in MODEL]
    documents += [{**MODEL, "extra": 1}, changed(MODEL, ("heads", 0, "extra"), "1"), MODEL]
    for document in documents:
        verdict = accepts(document, "model")
        assert verdict == reference_accepts(document, "model"), document
        verdicts.add(verdict)
    assert verdicts == {True, False}


@given(st.recursive(st.sampled_from(GARBAGE), lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_validators_agree_on_tokens(tokens: Any) -> None:
    """Both validators say the same about token files."""
    assert accepts({"tokens": tokens}, "tokens") == reference_accepts({"tokens": tokens}, "tokens")


@given(st.text(alphabet="0129afx/.-qrst()+_eE \n\u0661", max_size=10))
def test_number_pattern_is_the_grammar(text: str) -> None:
    """The schema's pattern accepts what the parser reads, and numbers with the denominator zero besides."""
    for name, parse in (("rational", parse_number), ("unit", parse_unit)):
        pattern = load_schema("model")["definitions"][name]["pattern"]
        try:
            parse(text)
        except UnusableInputError as error:
            if re.search("denominator zero|a unit is not zero|needs q > 0", error.reason):
                continue
            assert not re.search(pattern, text)
        else:
            assert re.search(pattern, text)


@given(st.from_regex(load_schema("model")["definitions"]["unit"]["pattern"]))
def test_pattern_texts_are_read(text: str) -> None:
    """What the unit's pattern generates is read by the parser, but for values that a pattern cannot tell."""
    try:
        parse_unit(text)
    except UnusableInputError as error:
        assert re.search("denominator zero|a unit is not zero|needs q > 0", error.reason)  # noqa: PT017


def test_a_dollar_would_let_a_newline_pass() -> None:
    """Negative control: the same pattern ended by a dollar takes a trailing newline in one validator."""
    pattern = load_schema("model")["definitions"]["rational"]["pattern"]
    naive = {"type": "string", "pattern": pattern.replace(r"(?![\s\S])", "$")}
    assert jsonschema.Draft7Validator(naive).is_valid("1\n")
    assert not jsonschema.Draft7Validator({"type": "string", "pattern": pattern}).is_valid("1\n")
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        fastjsonschema.compile({"type": "string", "pattern": pattern})("1\n")


def test_both_schemas_have_the_same_numbers() -> None:
    """Numbers are the same in both schemas."""
    for name in ("number", "rational"):
        assert load_schema("model")["definitions"][name] == load_schema("tokens")["definitions"][name]
