"""The axes of a family: what each may hold, how a specification writes it, and which combinations can be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import parse_unit, print_unit, quote

Axis = Sequence[Any]

BOUNDS: dict[str, tuple[int, int]] = {
    "heads": (0, 64),
    "dim": (1, 64),
    "bits": (1, 4096),
    "denominator_bits": (0, 4096),
    "share_weights": (0, 64),
    "share_values": (0, 63),
    "cancel": (0, 64),
    "rank": (0, 64),
    "orthogonal": (0, 1),
    "seed": (0, 10**12),
}
"""Axes of whole numbers, with the least and the greatest."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "weights": ("log-rational", "rational", "float32"),
    "schedule": ("paper",),
    "place": ("rational", "padic"),
}
"""Axes of words."""

AXES: dict[str, Axis] = {
    "heads": (1, 2),
    "dim": (1, 2),
    "weights": ("log-rational", "rational"),
    "unit": ("1",),
    "bits": (3,),
    "denominator_bits": (0,),
    "share_weights": (0,),
    "share_values": (0,),
    "cancel": (0,),
    "rank": (0,),
    "orthogonal": (0,),
    "schedule": ("paper",),
    "place": ("rational", "padic"),
    "seed": (0,),
}
"""Every axis, and its values when a family does not name it."""

MOST_VALUES = 10**9

_PLACES = {"log-rational": "rational", "rational": "padic", "float32": "padic"}
_RANGE = re.compile(r"([0-9]{1,13})\.\.([0-9]{1,13})")


def read_axis(name: str, table: Mapping[str, Any], place: str) -> Axis:
    """The values on one axis: a value, a list of values, or for whole numbers a range "1..4", both ends included.

    Raises:
        UnusableInputError: With the place ``family[0].heads``.
    """
    if name not in table:
        return AXES[name]
    value, place = table[name], f"{place}.{name}"
    if name in BOUNDS and isinstance(value, str):
        match = _RANGE.fullmatch(value)
        if match is None or int(match[1]) > int(match[2]):
            raise UnusableInputError(f'{quote(value)} is no range: write "1..4", both ends included', place)
        first, last = (read_whole(int(end), *BOUNDS[name], place) for end in match.groups())
        return range(first, last + 1)
    values = value if isinstance(value, list) else [value]
    if not values:
        raise UnusableInputError("the list is empty", place)
    return tuple(dict.fromkeys(_read_value(name, entry, place) for entry in values))


def read_whole(value: Any, least: int, most: int, place: str) -> int:
    """A whole number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UnusableInputError(f"a whole number from {least} to {most} is expected", place)
    return value


def refuse_unknown(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Every key is a known one; close names are given."""
    for key in table:
        full = f"{place}.{quote_key(key)}" if place else quote_key(key)
        if key in {"delta", "deltas", "stability"}:
            raise UnusableInputError("deltas for stability are not there yet: leave them out", full)
        if key not in known:
            close = difflib.get_close_matches(key, known)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            raise UnusableInputError(f"there is no such key; {hint}", full)


def quote_key(key: str) -> str:
    """A key for an error message."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key) else quote(key)


def fits(chosen: dict[str, Any], axes: Mapping[str, Axis]) -> dict[str, Any] | None:
    """The parameters of a combination, or None when there is no such model or an equal one has come before.

    Left out are: a place that does not see these weights; a square root as unit of log-rational weights; heads that
    share something where there are too few; a rank from d on; orthogonal heads that share, cancel, have a given rank
    or find no coordinate of their own; fewer possible W than are wanted, twice over.  Float32 numbers have their own
    size, so that of `bits` and `denominator_bits` only the first values count.
    """
    heads, dim, bits = chosen["heads"], chosen["dim"], chosen["bits"]
    matrices = heads + chosen["cancel"]
    sharing = chosen["share_weights"] or chosen["share_values"] or chosen["cancel"] or chosen["rank"]
    impossible = (
        chosen["place"] != _PLACES[chosen["weights"]]
        or (chosen["weights"] == "log-rational" and "sqrt" in chosen["unit"])
        or chosen["share_values"] > max(heads - 1, 0)
        or (chosen["share_weights"] and not heads)
        or (chosen["rank"] and chosen["rank"] >= dim)
        or (chosen["orthogonal"] and (sharing or not 2 <= heads <= dim))
        or (matrices > 1 and dim * dim * bits < (2 * matrices - 1).bit_length())
    )
    if impossible:
        return None
    if chosen["weights"] == "float32":
        if (bits, chosen["denominator_bits"]) != (axes["bits"][0], axes["denominator_bits"][0]):
            return None
        return {**chosen, "bits": 0, "denominator_bits": 0}
    return chosen


def _read_value(name: str, value: Any, place: str) -> Any:
    if name in BOUNDS:
        return read_whole(value, *BOUNDS[name], place)
    if not isinstance(value, str):
        raise UnusableInputError("a text is expected", place)
    if name == "unit":
        try:
            return print_unit(parse_unit(value))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, place) from None
    if value not in _CHOICES[name]:
        raise UnusableInputError(f"{quote(value)} is none of {', '.join(_CHOICES[name])}", place)
    return value
