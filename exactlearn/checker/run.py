"""The run that a certificate is about, computed anew from its model and its draw: probes, poles, residues, labels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from .model import ZERO, Matrix, Model, Reader, Vector
from .numerals import Token, dot, over_common, plus, power_product, strict_number
from .outcome import Clock, Rejected, Unusable
from .reading import count, items, record

Head = tuple[Matrix, Vector, Callable[[Token, Token], Fraction], Callable[[Token], Fraction]]

@dataclass(frozen=True)
class Probe:
    """Tokens, F(0), poles and residues of the canonical heads; `order` lists these by ascending pole."""
    x: Token
    y: Token
    at_zero: Fraction
    poles: list[Fraction]
    residues: list[Fraction]
    order: list[int]

@dataclass(frozen=True)
class Run:
    """Model and draw of a certificate; nothing else in it is read before it is computed."""
    model: Model
    X: list[Token]
    Y: list[Token]
    bound: int
    is_exact: bool
    modulus: int
    clock: Clock

    @cached_property
    def heads(self) -> list[Head]:
        """The canonical heads in the order of their poles at P(1,1)."""
        return sorted(canonical_heads(self.model, self.clock), key=lambda head: head[2](self.X[0], self.Y[0]))

    @cached_property
    def probes(self) -> dict[str, Probe]:
        """Every probe by its name, in the order of the schedule; all canonical heads have to show at each."""
        found = {}
        for name, x, y in self._schedule():
            poles, residues = [pole(x, y) for *_, pole, _ in self.heads], [read(x) for *_, read in self.heads]
            if not all(residues) or len(set(poles)) < len(poles):
                raise Rejected("a residue is zero or two poles are equal: not every head shows at this probe", name)
            order = sorted(range(len(poles)), key=poles.__getitem__)
            found[name] = Probe(x, y, sum([read(y) for *_, read in self.heads], ZERO), poles, residues, order)
        return found

    def _schedule(self) -> Iterator[tuple[str, Token, Token]]:
        for j, y in enumerate(self.Y):
            for i, x in enumerate(self.X):
                yield f"P({i + 1},{j + 1})", x, y
                if j:
                    yield f"S({i + 1},{j + 1})", x, plus(self.Y[0], y)
                elif i:
                    yield f"S({i + 1},1)", plus(self.X[0], x), y

    def matchings(self) -> Iterator[tuple[str, str, str]]:
        """The names of the sum probe and of the left and the right probe that it matches."""
        for name in self.probes:
            if name.startswith("S"):
                yield name, "P(1,1)" if name.endswith(",1)") else f"P({name[2 : name.index(',')]},1)", f"P{name[1:]}"

    def image(self, probe: str) -> list[int]:
        """The poles of a probe modulo m, head by head."""
        if any(pole.denominator % self.modulus == 0 for pole in self.probes[probe].poles):
            raise Rejected("the modulus divides a denominator of a pole: another one is needed", probe)
        return [p.numerator * pow(p.denominator, -1, self.modulus) % self.modulus for p in self.probes[probe].poles]

def canonical_heads(model: Model, clock: Clock) -> list[Head]:
    """The canonical heads: W, v, the function (x, y) -> pole or exponent, and the function x -> v.x."""
    return [(W, v, pole_function(model, W, clock), readout(v)) for W, v in model.canonical_heads().items()]

def pole_function(model: Model, W: Matrix, clock: Clock) -> Callable[[Token, Token], Fraction]:
    """(x, y) -> the pole t = prod T_ab^(unit x_a y_b), or at the p-adic place the exponent x^T W y of t = e^(c r)."""
    columns, unit = dict[Token, Any](), model.unit.rational or 1
    scale, flat = (1, ()) if model.is_log else over_common([entry for row in W for entry in row], "model")
    rows = [flat[i : i + model.dim] for i in range(0, len(flat), model.dim)]

    @cache
    def pole(x: Token, y: Token) -> Fraction:
        clock.tick()
        if y not in columns:
            columns[y] = [power_product(r, y, "model") for r in W] if model.is_log else [dot(row, y) for row in rows]
        if model.is_log:
            return power_product(columns[y], [int(a * unit) for a in x], "model")
        return Fraction(dot(columns[y], x), scale)

    return pole

def readout(v: Vector) -> Callable[[Token], Fraction]:
    """The function v.x."""
    scale, numerators = over_common(v, "model")
    return lambda x: Fraction(dot(numerators, x), scale)

def value(heads: list[Head], counts: Mapping[Token, int], final: Token, place: str) -> Fraction:
    """sum_h (sum n t_h v_h.x) / (sum n t_h), by definition, on n copies of each x, the final token among them.

    Each weight of a softmax is divided by that of the final token: t_h is e^((x - final)^T W_h final).
    """
    means, differences = [], [tuple([a - b for a, b in zip(x, final, strict=True)]) for x in counts]
    for *_, pole, read in heads:
        weights = [n * pole(x, final) for x, n in zip(differences, counts.values(), strict=True)]
        _, numerators = over_common(weights, place)
        top = sum((t * read(x) for t, x in zip(numerators, counts, strict=True)), Fraction(0))
        means.append(top / sum(numerators))
    scale, tops = over_common(means, place)
    return Fraction(sum(tops), scale)

def read_run(document: dict[str, Any], clock: Clock) -> Run:
    """Model, draw and modulus of a certificate; lists that would be computed have the right length before that."""
    reader, draw = Reader(strict_number, clock), document["draw"]
    model = reader.model(document["model"], "model")
    key, dim = "heads" if isinstance(draw, dict) and "heads" in draw else "max_heads", model.dim
    record(draw, ("schedule", "place", "unit", "modulus", key, "X", "Y"), "draw")
    if model.units is not None:
        raise Unusable("a Transformer has a certificate of the other form", "model.kind")
    X, Y = ([reader.token(token, dim, "draw") for token in items(draw[side], "draw", dim)] for side in "XY")
    bound = count(draw[key], f"draw.{key}")
    if model.is_log and any(a * (model.unit.rational or 1) % 1 for x in X for a in x):
        raise Rejected("the unit times a token is not whole: the values are not rational", "draw.X")
    if draw["modulus"] not in [str(2**n - 1) for n in (61, 89, 107, 127)]:
        raise Unusable("the modulus is none of the four of the specification", "draw.modulus")
    for n, probe in enumerate(items(document["probes"], "probes", 2 * dim**2 - 1)):
        if model.is_log and isinstance(probe, dict):
            items(probe.get("values"), f"probes[{n}].values", 2 * bound)
    return Run(model, X, Y, bound, key == "heads", int(draw["modulus"]), clock)
