"""Mutants of certificates: named operators, each a way in which a certificate could be wrong, for judging a checker."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Operator = Callable[["Mutation"], "str | None"]
"""Makes the text of a mutant, or None when there is nothing to change in this way."""

_NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")


@dataclass
class Mutation:
    """One document to be changed, one to borrow from, and where chance comes from."""

    text: str
    other: str
    chance: random.Random
    document: Any = field(init=False)

    def __post_init__(self) -> None:
        self.document = json.loads(self.text)

    def pick(self, wanted: Callable[[Any], bool]) -> tuple[Any, str | int] | None:
        """A random place whose value is wanted: its container and its key."""
        places = [place for place in _places(self.document) if wanted(place[0][place[1]])]
        return self.chance.choice(places) if places else None

    def put(self, wanted: Callable[[Any], bool], change: Callable[[Any], Any]) -> str | None:
        """The text with one wanted value changed."""
        place = self.pick(wanted)
        if place is None:
            return None
        container, key = place
        container[key] = change(copy.deepcopy(container[key]))
        return json.dumps(self.document)


def _places(value: Any) -> Iterator[tuple[Any, str | int]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number text."""
    return isinstance(value, str) and _NUMBER.fullmatch(value) is not None


def is_count(value: Any) -> bool:
    """Whether it is a JSON integer."""
    return type(value) is int


def _is_list(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) >= least


def _add(step: int) -> Operator:
    def change(value: Any) -> Any:
        return value + step if is_count(value) else str(Fraction(value) + step)

    return lambda mutation: mutation.put(lambda value: is_number(value) or is_count(value), change)


def _negated(value: str) -> str:
    return value[1:] if value.startswith("-") else f"-{value}"


def _inverted(value: str) -> str:
    number = Fraction(value)
    return f"{number.denominator}/{number.numerator}" if number.numerator else "1/0"


def _swap(wanted: Callable[[Any], bool]) -> Operator:
    def operator(mutation: Mutation) -> str | None:
        def change(entries: list[Any]) -> list[Any]:
            first, second = mutation.chance.sample(range(len(entries)), 2)
            entries[first], entries[second] = entries[second], entries[first]
            return entries

        return mutation.put(lambda value: _is_list(2)(value) and wanted(value[0]), change)

    return operator


def _drop(mutation: Mutation) -> str | None:
    place = mutation.pick(lambda _: True)
    if place is None:
        return None
    del place[0][place[1]]
    return json.dumps(mutation.document)


def _double(mutation: Mutation) -> str | None:
    index = mutation.chance.randrange
    return mutation.put(_is_list(1), lambda entries: [*entries, entries[index(len(entries))]])


def _double_key(mutation: Mutation) -> str | None:
    keys = re.findall(r'"[a-zA-Z_-]+": ', mutation.text)
    key = mutation.chance.choice(keys)
    return mutation.text.replace(key, f"{key}0, {key}", 1)


def _reorder(mutation: Mutation) -> str | None:
    return mutation.put(_is_list(2), lambda entries: mutation.chance.choice([entries[::-1], entries[1:] + entries[:1]]))


def _truncate(mutation: Mutation) -> str | None:
    if mutation.chance.random() < 0.5:
        return mutation.text[: mutation.chance.randrange(len(mutation.text) - 2)]
    return mutation.put(_is_list(1), lambda entries: entries[: mutation.chance.randrange(len(entries))])


def _retype(mutation: Mutation) -> str | None:
    def change(value: Any) -> Any:
        kinds: list[Any] = [None, True, False, {}, [], [value], {"0": value}, 0.5, str(value), "", float("nan")]
        if is_number(value) and "/" not in value:
            kinds += [int(value), float(value)]
        if is_count(value):
            kinds += [float(value), bool(value)]
        return mutation.chance.choice([kind for kind in kinds if type(kind) is not type(value)])

    return mutation.put(lambda _: True, change)


def _unreduced(mutation: Mutation) -> str | None:
    def change(value: str) -> str:
        number, factor = Fraction(value), mutation.chance.choice([2, 3, -1])
        p, q = number.numerator * factor, number.denominator * factor
        sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
        texts = [f"{p}/{q}", f"{value}/1", f"{sign}0{digits}", f"+{value}", f"{value}.0", f" {value}", f"{value}\n"]
        return mutation.chance.choice([*texts, f"{number.numerator:#x}/{number.denominator:#x}", f"{value}e0"])

    return mutation.put(is_number, change)


def _out_of_range(mutation: Mutation) -> str | None:
    far = [-1, -2, 5, 99, 2**31, 2**63, 10**17]
    return mutation.put(is_count, lambda value: mutation.chance.choice([n for n in far if n != value]))


def _empty(mutation: Mutation) -> str | None:
    if mutation.chance.random() < 0.2:
        mutation.document["claims"] = []
        return json.dumps(mutation.document)
    return mutation.put(lambda value: isinstance(value, list | dict) and bool(value), lambda value: type(value)())


def _other_part(mutation: Mutation) -> str | None:
    """A part of another model's certificate in the same place."""
    donor = json.loads(mutation.other)
    path: list[str | int] = []
    here, there = mutation.document, donor
    while True:
        shared = list(here) if isinstance(here, dict) else list(range(len(here)))
        shared = [key for key in shared if (key in there if isinstance(there, dict) else key < len(there))]
        if not shared:
            return None
        path.append(mutation.chance.choice(shared))
        inner, other = here[path[-1]], there[path[-1]]
        if type(inner) is not type(other) or not isinstance(inner, list | dict) or mutation.chance.random() < 0.4:
            here[path[-1]] = other
            return json.dumps(mutation.document)
        here, there = inner, other


def _easier_claim(mutation: Mutation) -> str | None:
    document, chance = mutation.document, mutation.chance
    if "counterexample" in document:
        return _easier_counterexample(mutation)
    name = chance.choice(document["claims"])
    choice = chance.randrange(6)
    if choice == 0:  # its lines stay
        document["claims"].remove(name)
    elif choice == 1 and name != "recovery":  # its claim stays
        del document[name]
    elif choice == 2:  # something else is claimed
        document["claims"][document["claims"].index(name)] = chance.choice(["nothing", "recover", "query-count", ""])
    elif choice == 3:  # more was known
        draw = document["draw"]
        old, new = ("heads", "max_heads") if "heads" in draw else ("max_heads", "heads")
        draw[new] = draw.pop(old)
    elif choice == 4:  # a weaker bound
        draw = document["draw"]
        draw["heads" if "heads" in draw else "max_heads"] += chance.choice([1, 2, 3])
    else:
        document["query-count"]["formula"] = chance.choice(["", "H", "4 H d^2", "4 H1 d^2 - 2 H1 + 1"])
    return json.dumps(document)


def _easier_counterexample(mutation: Mutation) -> str | None:
    document, chance = mutation.document, mutation.chance
    body, choice = document["counterexample"], chance.randrange(6)
    if choice == 0:  # other claims
        one = "counterexample"
        document["claims"] = chance.choice([[], ["recovery"], [one, one], [one, "canonical"], [""]])
    elif choice == 1:  # less is claimed
        del body[chance.choice(["heads", "functions", "equal", "different", "sequences", "models"])]
    elif choice == 2:  # fewer models, with their numbers
        for part in (body["models"], body["heads"], *(line["values"] for line in body["sequences"])):
            del part[0]
    elif choice == 3:  # the same function, or another
        body["functions"] = 3 - body["functions"]
    elif choice == 4:  # the difference moves
        body["equal"], body["different"] = body["different"], body["equal"] + chance.randrange(2)
    else:  # no sequences
        body["sequences"], body["equal"], body["different"] = [], 0, 0
    return json.dumps(document)


def _old_version(mutation: Mutation) -> str | None:
    versions = ["0", "2", "1.0", "01", "", "1 ", "1/1", "\u0661"]
    kind = mutation.chance.choice(["certificate", "model", "Certificate"])
    target = mutation.document if mutation.chance.random() < 0.7 else _a_model(mutation)
    target["format"] = f"exactlearn.{kind}/{mutation.chance.choice(versions)}"
    return json.dumps(mutation.document)


def _a_model(mutation: Mutation) -> Any:
    document = mutation.document
    return document["model"] if "model" in document else mutation.chance.choice(document["counterexample"]["models"])


def _unicode_digits(mutation: Mutation) -> str | None:
    zero = mutation.chance.choice([0x660, 0x966, 0xFF10, 0x1D7CE])  # Arabic, Devanagari, full width, mathematical
    return mutation.put(is_number, lambda value: re.sub("[0-9]", lambda m: chr(zero + int(m[0])), value))


OPERATORS: dict[str, Operator] = {
    "plus one": _add(1),
    "minus one": _add(-1),
    "sign": lambda mutation: mutation.put(is_number, _negated),
    "numerator and denominator swapped": lambda mutation: mutation.put(is_number, _inverted),
    "entries swapped": _swap(lambda entry: not isinstance(entry, dict)),
    "heads or lines swapped": _swap(lambda entry: isinstance(entry, dict)),
    "dropped": _drop,
    "doubled": _double,
    "key doubled": _double_key,
    "reordered": _reorder,
    "truncated": _truncate,
    "retyped": _retype,
    "unreduced": _unreduced,
    "index out of range": _out_of_range,
    "empty or claim-nothing": _empty,
    "another model's part": _other_part,
    "easier claim": _easier_claim,
    "old version": _old_version,
    "unicode digits": _unicode_digits,
}
