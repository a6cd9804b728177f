"""Strict JSON: one reading or none.  Duplicate keys, NaN, floats, long integers and deep nesting are refused."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, NoReturn

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.reading import place_of, read_bytes

MAX_INTEGER_LENGTH = 18
"""JSON integers are dimensions and counts; longer ones are refused before they are converted."""


@dataclass(frozen=True)
class _Refused:
    """Stands in the parsed document where something was met that is refused, until its place is known."""

    reason: str


class _Parser:
    """Hooks for `json` that note refusals; one parser reads one text."""

    def __init__(self) -> None:
        self.refusals = 0

    def refuse(self, reason: str) -> _Refused:
        self.refusals += 1
        return _Refused(reason)

    def parse_float(self, text: str) -> _Refused:
        return self.refuse(f'the JSON number {quote(text)} is ambiguous: write the string "0.25" to mean exactly 1/4')

    def parse_int(self, text: str) -> int | _Refused:
        if len(text) > MAX_INTEGER_LENGTH:
            return self.refuse(f"the JSON integer {quote(text)} is too long: numbers are written as strings")
        return int(text)

    def parse_constant(self, text: str) -> _Refused:
        return self.refuse(f"{text} is not a number")

    def parse_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Refused:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                return self.refuse(f"the key {quote(key)} stands twice in one object")
            found[key] = value
        return found


def parse_json(text: str, place: str) -> Any:
    """The document in `text`, made of dict, list, str, int, bool and None; no floats.

    Args:
        text: One JSON document.
        place: What errors call the text; the path inside the document is added to it.

    Raises:
        UnusableInputError: When `text` is not JSON or is refused by this module.
    """
    if text.startswith("\ufeff"):
        raise UnusableInputError("the file begins with a byte order mark: save it as UTF-8 without one", place)
    parser = _Parser()
    try:
        document = json.loads(
            text,
            parse_float=parser.parse_float,
            parse_int=parser.parse_int,
            parse_constant=parser.parse_constant,
            object_pairs_hook=parser.parse_object,
        )
    except json.JSONDecodeError as error:
        raise UnusableInputError(f"not JSON: {error.msg}, line {error.lineno} column {error.colno}", place) from None
    except RecursionError:
        raise UnusableInputError("the JSON is nested too deeply", place) from None
    if parser.refusals:
        _raise_first_refusal(document, place)
    return document


def read_json(path: str | os.PathLike[str]) -> Any:
    """The document in a UTF-8 file; see `parse_json`.

    Raises:
        UnusableInputError: When the file cannot be read, is not UTF-8, or is refused by `parse_json`.
    """
    place = place_of(path)
    return parse_json(decode_utf8(read_bytes(path), place), place)


def decode_utf8(content: bytes, place: str) -> str:
    """`content` as text.

    Raises:
        UnusableInputError: When it is not UTF-8, naming the first byte at fault.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnusableInputError(f"not UTF-8 text: byte {error.start} cannot be decoded", place) from None


def _raise_first_refusal(document: Any, place: str) -> NoReturn:
    """Find what was refused, in the order of the text, and name its path."""
    pending: list[tuple[str, Any]] = [("", document)]  # a stack of its own: nesting may be deep
    while pending:
        path, value = pending.pop()
        if isinstance(value, _Refused):
            raise UnusableInputError(value.reason, path).within(place)
        if isinstance(value, dict):
            pending.extend(reversed([(_member(path, key), item) for key, item in value.items()]))
        elif isinstance(value, list):
            pending.extend(reversed([(f"{path}[{index}]", item) for index, item in enumerate(value)]))
    raise AssertionError("a refusal was counted and is not in the document")


def _member(path: str, key: str) -> str:
    shown = key if key.isidentifier() and key.isascii() else quote(key)
    return f"{path}.{shown}" if path else shown
