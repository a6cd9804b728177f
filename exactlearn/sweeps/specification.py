"""The specification of a sweep: a TOML file becomes families, and families become instances."""

from __future__ import annotations

import difflib
import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from exactlearn.claims import CLAIMS
from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.files.numerals import parse_number, quote
from exactlearn.files.reading import read_bytes
from exactlearn.sweeps.axes import AXES, BOUNDS, Axis, fits, read_axis, read_whole, refuse_unknown
from exactlearn.sweeps.exhaustive_parts import family_size, plan
from exactlearn.sweeps.instance import EXHAUSTIVE_CLAIM, ExhaustivePart, Instance, ModelInstance

FORMAT = "exactlearn.sweep/1"

BUNDLED = {
    "paper": "the whole theory at small sizes, under 5 minutes on 2 cores",
    "nightly": "larger sizes, more seeds and families of millions of models, about an hour on 2 cores",
}

MAX_SPECIFICATION_BYTES = 1 << 20

DEFAULT_BOXES = (2, 25)
DEFAULT_DRAWS = 50
DEFAULT_PART_MODELS = 200_000

_FAMILY_KEYS = ("name", "claims", "draws", "boxes", *AXES)
_EXHAUSTIVE_KEYS = ("name", "heads", "dim", "weights", "entries", "values", "part_models", "seed")
_TOP_KEYS = ("format", "name", "claims", "limits", "family", "exhaustive")


@dataclass(frozen=True)
class Limits:
    """What the process of one instance may use.

    Attributes:
        seconds: Wall-clock time, from the first claim on.
        memory_mib: Memory beyond what an idle process has.
    """

    seconds: float = 120.0
    memory_mib: int = 2048


@dataclass(frozen=True)
class Work:
    """One instance, the family it is first met in, and the claims to check on it."""

    family: str
    instance: Instance
    claims: tuple[str, ...]


@dataclass(frozen=True)
class ModelFamily:
    """All combinations of the values on its axes that can be."""

    name: str
    claims: tuple[str, ...]
    draws: int
    boxes: tuple[int, ...]
    axes: Mapping[str, Axis]

    def works(self) -> Iterator[Work]:
        """Every instance, the seeds outermost so that a sweep cut short has seen every kind."""
        names = ["seed", *(name for name in AXES if name != "seed")]
        for values in itertools.product(*(self.axes[name] for name in names)):
            chosen = fits(dict(zip(names, values, strict=True)), self.axes)
            if chosen is not None:
                yield Work(self.name, ModelInstance(**chosen, draws=self.draws, boxes=self.boxes), self.claims)


@dataclass(frozen=True)
class ExhaustiveFamily:
    """All models of a finite family, in parts."""

    name: str
    first: ExhaustivePart

    def works(self) -> Iterator[Work]:
        """Every part."""
        first = self.first
        parts = len(plan(first.heads, first.dim, first.entries, first.values, first.part_models))
        for part in range(parts):
            yield Work(self.name, replace(first, part=part), (EXHAUSTIVE_CLAIM,))


@dataclass(frozen=True)
class Specification:
    """A whole sweep.

    Attributes:
        name: Its name, for reports.
        families: In the order of the file.
        limits: Of every instance.
        text: The TOML that it was read from.
    """

    name: str
    families: tuple[ModelFamily | ExhaustiveFamily, ...]
    limits: Limits = Limits()
    text: str = field(default="", repr=False)

    @property
    def seeds(self) -> str:
        """The seeds of all families, for people."""
        seeds: set[str] = set()
        for family in self.families:
            axis = family.axes["seed"] if isinstance(family, ModelFamily) else (family.first.seed,)
            seeds.add(f"{axis[0]}..{axis[-1]}" if isinstance(axis, range) else ", ".join(map(str, axis)))
        return "; ".join(sorted(seeds))

    def works(self) -> Iterator[Work]:
        """Every instance of every family, lazily; one that two families share comes twice."""
        return itertools.chain.from_iterable(family.works() for family in self.families)


def bundled_specification(name: str) -> Specification:
    """One of the specifications that come with the package."""
    text = resources.files("exactlearn.sweeps").joinpath("specs", f"{name}.toml").read_text(encoding="utf-8")
    return specification_from_text(text, f"{name}.toml")


def resolve_specification(name_or_path: str) -> Specification:
    """What an argument means: an existing file wins, else the name of a bundled specification.

    Raises:
        UnusableInputError: When it is neither, or the file is no specification.
    """
    if name_or_path in BUNDLED and not Path(name_or_path).is_file():
        return bundled_specification(name_or_path)
    if not name_or_path.endswith(".toml") and not Path(name_or_path).exists():
        names = " and ".join(BUNDLED)
        raise UnusableInputError(f"there is no file and no sweep {quote(name_or_path)}; bundled are {names}")
    content = read_bytes(name_or_path, MAX_SPECIFICATION_BYTES)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UnusableInputError("this is not UTF-8 text", name_or_path) from None
    return specification_from_text(text, name_or_path)


def specification_from_text(text: str, place: str) -> Specification:
    """The specification in the text of a TOML file; `place` is what errors call it.

    Raises:
        UnusableInputError: With the key at fault, for example ``sweep.toml: family[0].heads``.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a number or a nesting is too long"
        raise UnusableInputError(f"no TOML: {reason}", place) from None
    try:
        return _specification(document, text)
    except UnusableInputError as error:
        raise error.within(place) from None


def _specification(document: dict[str, Any], text: str) -> Specification:
    refuse_unknown(document, _TOP_KEYS, "")
    if document.get("format") != FORMAT:
        raise UnusableInputError(f'format = "{FORMAT}" is expected', "format")
    claims = _claims(document.get("claims", "all"), "claims")
    families: list[ModelFamily | ExhaustiveFamily] = []
    for key, read in (("family", _model_family), ("exhaustive", _exhaustive_family)):
        tables = document.get(key, [])
        if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
            raise UnusableInputError(f"tables are expected, each begun by [[{key}]]", key)
        families += [read(table, claims, f"{key}[{index}]") for index, table in enumerate(tables)]
    if not families:
        raise UnusableInputError("there is no [[family]] and no [[exhaustive]]", "family")
    return Specification(_text(document, "name", "sweep", ""), tuple(families), _limits(document), text)


def _limits(document: dict[str, Any]) -> Limits:
    table = document.get("limits", {})
    if not isinstance(table, dict):
        raise UnusableInputError("a table [limits] is expected", "limits")
    refuse_unknown(table, ("seconds", "memory_mib"), "limits")
    return Limits(
        seconds=float(read_whole(table.get("seconds", 120), 1, 10**6, "limits.seconds")),
        memory_mib=read_whole(table.get("memory_mib", 2048), 16, 1 << 24, "limits.memory_mib"),
    )


def _model_family(table: dict[str, Any], claims: tuple[str, ...], place: str) -> ModelFamily:
    refuse_unknown(table, _FAMILY_KEYS, place)
    boxes = table.get("boxes", list(DEFAULT_BOXES))
    if not isinstance(boxes, list):
        raise UnusableInputError("a list of boxes is expected", f"{place}.boxes")
    family = ModelFamily(
        name=_text(table, "name", place, place),
        claims=_claims(table["claims"], f"{place}.claims") if "claims" in table else claims,
        draws=read_whole(table.get("draws", DEFAULT_DRAWS), 1, 100_000, f"{place}.draws"),
        boxes=tuple(read_whole(box, 1, 10**9, f"{place}.boxes[{i}]") for i, box in enumerate(boxes)),
        axes={name: read_axis(name, table, place) for name in AXES},
    )
    if next(family.works(), None) is None:
        raise UnusableInputError("no combination of these values can be (exactlearn/sweeps/README.md)", place)
    return family


def _exhaustive_family(table: dict[str, Any], claims: tuple[str, ...], place: str) -> ExhaustiveFamily:
    del claims  # there is one alone
    refuse_unknown(table, _EXHAUSTIVE_KEYS, place)
    weights = table.get("weights", "rational")
    if weights not in ("rational", "log-rational"):
        raise UnusableInputError('weights are "rational" or "log-rational"', f"{place}.weights")
    positive = weights == "log-rational"
    entries = _numbers(table.get("entries", ["1", "2"] if positive else ["-1", "0", "1"]), f"{place}.entries")
    if positive and any(parse_number(entry) <= 0 for entry in entries):
        raise UnusableInputError("entries of T are positive (W = log T)", f"{place}.entries")
    first = ExhaustivePart(
        heads=read_whole(table.get("heads", 2), 0, 16, f"{place}.heads"),
        dim=read_whole(table.get("dim", 1), 1, 8, f"{place}.dim"),
        weights=weights,
        entries=entries,
        values=_numbers(table.get("values", ["-1", "0", "1"]), f"{place}.values"),
        part=0,
        part_models=read_whole(table.get("part_models", DEFAULT_PART_MODELS), 100, 10**7, f"{place}.part_models"),
        seed=read_whole(table.get("seed", 0), *BOUNDS["seed"], f"{place}.seed"),
    )
    try:
        family_size(first.heads, first.dim, len(entries), len(first.values))
    except OverBudgetError as error:
        raise UnusableInputError(str(error), place) from None
    return ExhaustiveFamily(_text(table, "name", place, place), first)


def _numbers(value: Any, place: str) -> tuple[str, ...]:
    if not (isinstance(value, list) and value and all(isinstance(entry, str) for entry in value)):
        raise UnusableInputError('a list of number texts is expected, such as ["-1", "0", "1/2"]', place)
    for index, entry in enumerate(value):
        try:
            parse_number(entry)
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{place}[{index}]") from None
    return tuple(sorted(set(value)))


def _claims(value: Any, place: str) -> tuple[str, ...]:
    known = [claim.name for claim in CLAIMS]
    if value == "all":
        return tuple(known)
    if not (isinstance(value, list) and value and all(isinstance(name, str) for name in value)):
        raise UnusableInputError('"all" or a list of names of claims is expected', place)
    for name in value:
        if name not in known:
            close = difflib.get_close_matches(name, known) or known
            raise UnusableInputError(f"there is no claim {quote(name)}: {', '.join(close)}", place)
    return tuple(name for name in known if name in value)


def _text(table: Mapping[str, Any], key: str, default: str, place: str) -> str:
    value = table.get(key, default)
    if not (isinstance(value, str) and value.isprintable() and 0 < len(value) <= 200):
        raise UnusableInputError("a short text is expected", f"{place}.{key}" if place else key)
    return value


__all__ = ["BUNDLED", "Limits", "Specification", "Work", "resolve_specification", "specification_from_text"]
