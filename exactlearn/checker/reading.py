"""Reading: a file to strict JSON, typed access to its parts, and the comparison with what was computed."""

import json
import os
import stat
from fractions import Fraction
from typing import Any

from .numerals import kind, print_number, quote, strict_number
from .outcome import OutOfLimits, Rejected, Unusable

_MAX_FILE_BYTES = 2**28

def read_text(path: str) -> str:
    """The text of a regular file in UTF-8."""
    place = ascii(path)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a pipe must not make us wait
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unusable("this is not a regular file", place)
            if status.st_size > _MAX_FILE_BYTES:
                raise OutOfLimits(f"the file is larger than {_MAX_FILE_BYTES} bytes", place)
            return file.read(status.st_size).decode()
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}", place) from None

def parse_json(text: str, place: str) -> Any:
    """The document in `text`: dict, list, str, int, bool and None, one reading or none."""
    try:
        read: dict[str, Any] = {"parse_int": _whole, "parse_float": _no_float, "parse_constant": _no_float}
        return json.loads(text, object_pairs_hook=_object, **read)
    except json.JSONDecodeError as error:
        raise Unusable(f"not JSON: {error.msg}, line {error.lineno} column {error.colno}", place) from None
    except RecursionError:
        raise Unusable("the JSON is nested too deeply", place) from None

def record(value: object, keys: tuple[str, ...], place: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """An object with exactly these keys, `optional` ones aside."""
    if not isinstance(value, dict):
        raise Unusable(f"an object is expected, not {kind(value)}", place)
    missing, unknown = ([key for key in a if key not in b] for a, b in ((keys, value), (value, keys + optional)))
    if missing or unknown:
        raise Unusable(f'the key "{missing[0]}" is missing' if missing else f"unknown key {quote(unknown[0])}", place)
    return value

def items(value: object, place: str, length: int | None = None) -> list[Any]:
    """A list, of exactly `length` entries when that is given."""
    if not isinstance(value, list):
        raise Unusable(f"a list is expected, not {kind(value)}", place)
    if length is not None and len(value) != length:
        raise Unusable(f"{length} entries are expected here, not {len(value)}", place)
    return value

def count(value: object, place: str) -> int:
    """A JSON integer from 0 on."""
    if type(value) is not int or value < 0:
        raise Unusable(f"a JSON integer from 0 on is expected, not {kind(value)}", place)
    return value

def expect(given: Any, computed: Any, place: str) -> None:
    """Refuse what is not `computed`, a tree of dict, list, int, str, None, and Fraction for number texts."""
    if isinstance(computed, dict):
        for key, value in record(given, tuple(computed), place).items():
            expect(value, computed[key], f"{place}.{key}" if place else key)
    elif isinstance(computed, list):
        for index, value in enumerate(items(given, place, len(computed))):
            expect(value, computed[index], f"{place}[{index}]")
    elif isinstance(computed, Fraction):
        if given != print_number(computed):
            strict_number(given, place)
            raise Rejected(f"{quote(given)} stands here, which is not what is computed", place)
    elif type(given) is not type(computed):
        raise Unusable(f"{kind(computed)} is expected, not {kind(given)}", place)
    elif given != computed:
        raise Rejected(f"{quote(str(given))} stands here, {quote(str(computed))} is computed", place)

def _no_float(text: str) -> Any:
    raise Unusable(f"the JSON number {quote(text)} is not exact: numbers are strings")

def _whole(text: str) -> int:
    if len(text) > 18:
        raise Unusable(f"the JSON integer {quote(text)} is too long: numbers are strings")
    return int(text)

def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Unusable(f"the key {quote(key)} stands twice in one object")
        found[key] = value
    return found
