"""Models as the checker reads them, their canonical form, and whether two models are the same function."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from .numerals import Token, kind, power_product, print_number, quote, strict_number
from .outcome import Clock, Unusable
from .reading import count, expect, items, record

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]
ZERO = Fraction(0)

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
    """The raw heads (W, v) of a model file; in a log-rational model W holds T.

    A Transformer is here the attention model of its odd part, with the u_j and the attention models z_j beside it.
    """
    dim: int
    is_log: bool
    unit: Unit
    heads: tuple[tuple[Matrix, Vector], ...] = ()
    units: tuple[tuple[Fraction, "Model"], ...] | None = None

    def groups(self) -> dict[Matrix, list[int]]:
        """The raw heads of each W, in order of first appearance."""
        members: dict[Matrix, list[int]] = {}
        for n, (W, _) in enumerate(self.heads):
            members.setdefault(W, []).append(n)
        return members

    def canonical_heads(self) -> dict[Matrix, Vector]:
        """Equal W merged, zero v dropped (SPEC section 3)."""
        sums = {W: total([self.heads[n][1] for n in members]) for W, members in self.groups().items()}
        return {W: v for W, v in sums.items() if any(v)}

def total(vectors: Sequence[Vector], factors: Sequence[Fraction] = ()) -> Vector:
    """The sum of vectors of one length, one at least, each times its factor when there are factors."""
    scaled = [[entry * u for entry in v] for v, u in zip(vectors, factors, strict=True)] if factors else vectors
    return tuple([sum(column, ZERO) for column in zip(*scaled, strict=True)])

def difference(left: Model, right: Model, clock: Clock) -> str:
    """Why two models are not the same function, in words, or the empty text when they are: canonical forms compared."""
    clock.tick()
    if left.dim != right.dim:
        return f"its dimension is {right.dim}, that of the certificate's model {left.dim}"
    units = [(model.unit.rational if model.is_log else None) or Fraction(1) for model in (left, right)]
    powers = (units[0] / units[1]).as_integer_ratio()
    same = _form(left, powers[0]) == _form(right, powers[1])
    return "" if same else "its canonical form is not that of the certificate's model"

def _form(model: Model, power: int) -> Hashable:
    """What is equal for models of one dimension that are the same function, and for no others."""
    even = dict[Hashable, Fraction]()
    for u, z in model.units or ():  # sum u_j |z_j|: each z_j of norm 1 and up to its sign (SPEC section 8)
        heads = z.canonical_heads().items()
        norm = sum([abs(entry) for _, v in heads for entry in v], ZERO)
        parts = [tuple([(W, total([v], [sign / norm])) for W, v in heads]) for sign in (1, -1) if norm]
        key = frozenset([_form(replace(z, heads=part), power) for part in parts])
        even[key] = even.get(key, ZERO) + u * norm
    canonical = model.canonical_heads().items()
    heads_by_weights = {tuple([_weight(model, e, power) for row in W for e in row]): v for W, v in canonical}
    return frozenset(heads_by_weights.items()), frozenset([(z, u) for z, u in even.items() if u])

def _weight(model: Model, entry: Fraction, power: int) -> Hashable:
    """What is equal for equal true weights: sign and square of c r, T^power for u log T, and False for zero in both.

    That no other c r is a log T is the theorem of Lindemann and Weierstrass.
    """
    if model.is_log:
        return entry != 1 and ("log", power_product([entry], [power], "the units"))
    return entry != 0 and entry * abs(entry) * model.unit.square

@dataclass(frozen=True)
class Reader:
    """Reads models and tokens with one grammar of numbers; in certificates a strict one, and units are written out."""
    number: Callable[[object, str], Fraction]
    clock: Clock

    def model(self, document: object, place: str) -> Model:
        """The model of a parsed model file."""
        is_strict, has_units = self.number is strict_number, isinstance(document, dict) and "ffn" in document
        keys = ("format", "kind", "dim", "weights", *["unit"] * is_strict, "heads", *["ffn"] * has_units)
        parts = record(document, keys, place, ("unit",))
        for key, text in (("format", "exactlearn.model/1"), ("kind", "transformer" if has_units else "attention")):
            if parts[key] != text:
                raise Unusable(f'"{text}" is expected here', f"{place}.{key}")
        dim, is_log = count(parts["dim"], f"{place}.dim"), parts["weights"] == "log-rational"
        if not 1 <= dim <= 4096:
            raise Unusable("the dimension is from 1 to 4096", f"{place}.dim")
        if not is_log and parts["weights"] != "rational":
            raise Unusable('"rational" or "log-rational" is expected here', f"{place}.weights")
        unit = self._unit(parts.get("unit", "1"), f"{place}.unit")
        if is_log and unit.rational is None:
            raise Unusable("log-rational weights take a rational unit", f"{place}.unit")
        if is_strict:
            expect(parts["unit"], str(unit), f"{place}.unit")
        return (self._network if has_units else self._heads)(parts, Model(dim, is_log, unit), place)

    def _heads(self, parts: dict[str, Any], model: Model, place: str) -> Model:
        heads = []
        for h, line in enumerate(items(parts["heads"], f"{place}.heads")):
            spot = f"{place}.heads[{h}]"
            W, values = self._weights(record(line, ("W", "v"), spot), model, spot), line["v"]
            heads.append((W, self.vector(values, f"{spot}.v", model.dim)))
        return replace(model, heads=tuple(heads))

    def _network(self, parts: dict[str, Any], model: Model, place: str) -> Model:
        """The z_j have v = V^T b_j, and the odd part has sum_j u_j V^T b_j."""
        ffn, heads, width = record(parts["ffn"], ("B", "u"), f"{place}.ffn"), list[tuple[Matrix, Matrix]](), None
        for h, line in enumerate(items(parts["heads"], f"{place}.heads")):
            spot = f"{place}.heads[{h}]"
            W, values = self._weights(record(line, ("W", "V"), spot), model, spot), line["V"]
            heads.append((W, self.matrix(values, f"{spot}.V", width, model.dim)))
            width = len(heads[0][1])
        B = self.matrix(ffn["B"], f"{place}.ffn.B", None, width)
        u = self.vector(ffn["u"], f"{place}.ffn.u", len(B))
        along = []
        for b in (*B, total(B, u)):
            self.clock.tick()
            along.append(replace(model, heads=tuple([(W, total(V, b)) for W, V in heads])))
        return replace(along[-1], units=tuple(zip(u, along[:-1], strict=True)))

    def _weights(self, line: dict[str, Any], model: Model, spot: str) -> Matrix:
        W = self.matrix(line["W"], f"{spot}.W", model.dim, model.dim)
        if model.is_log and any(entry <= 0 for row in W for entry in row):
            raise Unusable("an entry of T is positive (W = log T)", f"{spot}.W")
        return W

    def matrix(self, document: object, place: str, rows: int | None, columns: int | None) -> Matrix:
        """A list of vectors of one length, one at least."""
        first = items(document, place, rows)[:1]
        columns = len(items(first[0], f"{place}[0]")) if first and columns is None else columns
        if not first or not columns:
            raise Unusable("a matrix has one row and one column at least", place)
        return tuple([self.vector(row, f"{place}[{n}]", columns) for n, row in enumerate(items(document, place))])

    def vector(self, document: object, place: str, length: int | None = None) -> Vector:
        """A list of numbers."""
        self.clock.tick()
        return tuple([self.number(entry, f"{place}[{n}]") for n, entry in enumerate(items(document, place, length))])

    def token(self, document: object, dim: int, place: str) -> Token:
        """A vector of whole numbers that are not long."""
        entries = self.vector(document, place, dim)
        if any(entry.denominator != 1 or abs(entry) >= 2**4096 for entry in entries):
            raise Unusable("the entries of tokens are whole numbers of at most 4096 bits", place)
        return tuple(map(int, entries))

    def _unit(self, text: object, place: str) -> Unit:
        if not isinstance(text, str):
            raise Unusable(f"a unit is a string, not {kind(text)}", place)
        body = text.removeprefix("-")
        is_root = body.startswith("sqrt(") and body.endswith(")")
        value = self.number(body[5:-1] if is_root else text, place)
        if value == 0 or (is_root and value < 0):
            raise Unusable(f"{quote(text)} is no unit: it is not zero, and sqrt(q) needs q > 0", place)
        return Unit((-value if text.startswith("-") else value) if is_root else value * abs(value))
