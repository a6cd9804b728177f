"""The user's own list of probes as a file: {"probes": [{"x": ["1", "0"], "y": ["0", "1"]}, ...]}, whole entries."""

from __future__ import annotations

import os
from typing import Any

from exactlearn.counterexamples.request import ProbePair
from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import parse_number
from exactlearn.files.reading import place_of
from exactlearn.files.strict_json import read_json
from exactlearn.places.protocol import IntegerToken

MOST_PROBES = 1000


def read_probes(path: str | os.PathLike[str]) -> tuple[ProbePair, ...]:
    """The probes in a file.

    Raises:
        UnusableInputError: When the file cannot be read, is no list of probes, or an entry is no whole number; the
            place is the path of the file and of the entry, for example ``probes.json: probes[1].x[0]``.
    """
    document = read_json(path)
    try:
        return probes_from_json(document)
    except UnusableInputError as error:
        raise error.within(place_of(path)) from None


def probes_from_json(document: Any) -> tuple[ProbePair, ...]:
    """The probes in a parsed file; see `read_probes`."""
    if not isinstance(document, dict) or set(document) != {"probes"}:
        raise UnusableInputError('an object with the one key "probes" is expected')
    listed = document["probes"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_PROBES:
        raise UnusableInputError(f"a list of 1 to {MOST_PROBES} probes is expected", "probes")
    probes = []
    for index, entry in enumerate(listed):
        place = f"probes[{index}]"
        if not isinstance(entry, dict) or set(entry) != {"x", "y"}:
            raise UnusableInputError('a probe is an object with the keys "x" and "y"', place)
        probes.append((_token(entry["x"], f"{place}.x"), _token(entry["y"], f"{place}.y")))
    dim = len(probes[0][0])
    for index, probe in enumerate(probes):
        for side, token in zip("xy", probe, strict=True):
            if len(token) != dim:
                raise UnusableInputError(f"{dim} entries are expected, not {len(token)}", f"probes[{index}].{side}")
    return tuple(probes)


def _token(listed: Any, place: str) -> IntegerToken:
    if not isinstance(listed, list) or not listed:
        raise UnusableInputError('a token is a list of numbers such as ["1", "0"]', place)
    entries = []
    for index, text in enumerate(listed):
        where = f"{place}[{index}]"
        if not isinstance(text, str):
            raise UnusableInputError('a number is a string such as "2"', where)
        try:
            number = parse_number(text)
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, where) from None
        if number.q != 1:
            raise UnusableInputError("a whole number is expected, so that values can be rational", where)
        entries.append(int(number.p))
    return tuple(entries)
