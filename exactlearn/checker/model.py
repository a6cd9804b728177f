"""Models as the checker reads them, their canonical form, and whether two models are the same function."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from .numerals import Token, kind, power_product, print_number, quote, strict_number
from .outcome import Clock, Unusable
from .reading import count, expect, items, record

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]
Reader = Callable[[object, str], Fraction]


@dataclass(frozen=True)
class Unit:
    """The factor on every W, a rational or a root of one, by its square with the factor's own sign."""
    square: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The unit as a rational number when it is one."""
        root = Fraction(isqrt(abs(self.square.numerator)), isqrt(self.square.denominator))
        return None if root * root != abs(self.square) else root if self.square > 0 else -root

    def __str__(self) -> str:
        root = f"{'-' * (self.square < 0)}sqrt({print_number(abs(self.square))})"
        return root if self.rational is None else print_number(self.rational)


@dataclass(frozen=True)
class Model:
    """The raw heads (W, v) of a model file; in a log-rational model W holds T."""
    dim: int
    is_log: bool
    unit: Unit
    heads: tuple[tuple[Matrix, Vector], ...]

    def groups(self) -> dict[Matrix, list[int]]:
        """The raw heads of each W, in order of first appearance."""
        members: dict[Matrix, list[int]] = {}
        for n, (W, _) in enumerate(self.heads):
            members.setdefault(W, []).append(n)
        return members

    def canonical_heads(self) -> dict[Matrix, Vector]:
        """Equal W merged, zero v dropped (SPEC section 3)."""
        parts = {W: zip(*(self.heads[n][1] for n in members), strict=True) for W, members in self.groups().items()}
        sums = {W: tuple([sum(column, Fraction(0)) for column in columns]) for W, columns in parts.items()}
        return {W: v for W, v in sums.items() if any(v)}


def read_model(document: object, place: str, number: Reader, clock: Clock) -> Model:
    """The model of a parsed model file; in a certificate (`number` is strict) the unit is written out, canonically."""
    is_strict = number is strict_number
    always = ("format", "kind", "dim", "weights", "heads")
    parts = record(document, (*always, "unit") if is_strict else always, place, ("unit",))
    for key, text in (("format", "exactlearn.model/1"), ("kind", "attention")):
        if parts[key] != text:
            raise Unusable(f'"{text}" is expected here', f"{place}.{key}")
    dim, is_log = count(parts["dim"], f"{place}.dim"), parts["weights"] == "log-rational"
    if not 1 <= dim <= 4096:
        raise Unusable("the dimension is from 1 to 4096", f"{place}.dim")
    if not is_log and parts["weights"] != "rational":
        raise Unusable('"rational" or "log-rational" is expected here', f"{place}.weights")
    unit = _read_unit(parts.get("unit", "1"), f"{place}.unit", number)
    if is_log and unit.rational is None:
        raise Unusable("log-rational weights take a rational unit", f"{place}.unit")
    if is_strict:
        expect(parts["unit"], str(unit), f"{place}.unit")
    heads = []
    for h, head in enumerate(items(parts["heads"], f"{place}.heads")):
        spot = f"{place}.heads[{h}]"
        rows = enumerate(items(record(head, ("W", "v"), spot)["W"], f"{spot}.W", dim))
        W = tuple(read_vector(row, dim, f"{spot}.W[{i}]", number, clock) for i, row in rows)
        if is_log and any(entry <= 0 for row in W for entry in row):
            raise Unusable("an entry of T is positive (W = log T)", f"{spot}.W")
        heads.append((W, read_vector(head["v"], dim, f"{spot}.v", number, clock)))
    return Model(dim, is_log, unit, tuple(heads))


def read_vector(document: object, dim: int, place: str, number: Reader, clock: Clock) -> Vector:
    """A list of `dim` numbers."""
    entries = []
    for n, entry in enumerate(items(document, place, dim)):
        clock.tick()
        entries.append(number(entry, f"{place}[{n}]"))
    return tuple(entries)


def read_token(document: object, dim: int, place: str, clock: Clock) -> Token:
    """A vector of whole numbers that are not long."""
    entries = read_vector(document, dim, place, strict_number, clock)
    if any(entry.denominator != 1 or abs(entry) >= 2**4096 for entry in entries):
        raise Unusable("the entries of tokens are whole numbers of at most 4096 bits", place)
    return tuple(map(int, entries))


def difference(left: Model, right: Model, clock: Clock) -> str:
    """Why two models are not the same function, in words, or the empty text when they are: canonical forms compared."""
    clock.tick()
    if left.dim != right.dim:
        return f"its dimension is {right.dim}, that of the certificate's model {left.dim}"
    units = [(model.unit.rational if model.is_log else None) or Fraction(1) for model in (left, right)]
    forms = [
        {tuple([_weight(model, entry, n) for row in W for entry in row]): v for W, v in model.canonical_heads().items()}
        for model, n in zip((left, right), (units[0] / units[1]).as_integer_ratio(), strict=True)
    ]
    return "" if forms[0] == forms[1] else "its canonical form is not that of the certificate's model"


def _weight(model: Model, entry: Fraction, power: int) -> object:
    """What is equal for equal true weights: sign and square of c r, T^power for u log T, and False for zero in both.

    That no other c r is a log T is the theorem of Lindemann and Weierstrass.
    """
    if model.is_log:
        return entry != 1 and ("log", power_product([entry], [power], "the units"))
    return entry != 0 and entry * abs(entry) * model.unit.square


def _read_unit(text: object, place: str, number: Reader) -> Unit:
    if not isinstance(text, str):
        raise Unusable(f"a unit is a string, not {kind(text)}", place)
    body = text.removeprefix("-")
    is_root = body.startswith("sqrt(") and body.endswith(")")
    value = number(body[5:-1] if is_root else text, place)
    if value == 0 or (is_root and value < 0):
        raise Unusable(f"{quote(text)} is no unit: it is not zero, and sqrt(q) needs q > 0", place)
    return Unit((-value if text.startswith("-") else value) if is_root else value * abs(value))
