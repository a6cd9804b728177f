"""The run that a certificate is about, computed anew from its model and its draw: probes, poles, residues, labels."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from .arithmetic import Token, common_denominator, dot, over, plus, power_product
from .model import Matrix, Model, Vector, read_model, read_vector
from .numerals import strict_number
from .outcome import Clock, Rejected, Unusable
from .reading import count, items, record


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
    claims: list[str]
    clock: Clock

    @cached_property
    def heads(self) -> list[tuple[Matrix, Vector]]:
        """The canonical heads in the order of their poles at P(1,1)."""
        heads = list(self.model.canonical_heads().items())
        return sorted(heads, key=lambda head: pole_function(self, head[0])(self.X[0], self.Y[0]))

    @cached_property
    def value(self) -> Callable[[Token], Fraction]:
        """The function V.x, V the sum of the raw v."""
        columns = zip([Fraction(0)] * self.model.dim, *(v for _, v in self.model.heads), strict=True)
        return readout(tuple([sum(column, Fraction(0)) for column in columns]))

    @cached_property
    def probes(self) -> dict[str, Probe]:
        """Every probe by its name, in the order of the schedule; all canonical heads have to show at each."""
        functions, found = [(pole_function(self, W), readout(v)) for W, v in self.heads], {}
        for name, x, y in self._schedule():
            poles, residues = [pole(x, y) for pole, _ in functions], [read(x) for _, read in functions]
            if not all(residues) or len(set(poles)) < len(poles):
                raise Rejected("a residue is zero or two poles are equal: not every head shows at this probe", name)
            order = sorted(range(len(poles)), key=poles.__getitem__)
            found[name] = Probe(x, y, self.value(y), poles, residues, order)
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


def pole_function(run: Run, W: Matrix) -> Callable[[Token, Token], Fraction]:
    """(x, y) -> the pole t = prod T_ab^(unit x_a y_b), or at the p-adic place the exponent x^T W y of t = e^(c r)."""
    columns, unit, is_log = dict[Token, Any](), run.model.unit.rational or 1, run.model.is_log
    scale = 1 if is_log else common_denominator((entry for row in W for entry in row), "model")
    rows = [] if is_log else [over(scale, row) for row in W]

    def pole(x: Token, y: Token) -> Fraction:
        run.clock.tick()
        if y not in columns:
            columns[y] = [power_product(row, y, "model") for row in W] if is_log else [dot(row, y) for row in rows]
        if is_log:
            return power_product(columns[y], over(1, [Fraction(a) * unit for a in x]), "model")
        return Fraction(dot(columns[y], x), scale)

    return pole


def readout(v: Vector) -> Callable[[Token], Fraction]:
    """The function v.x."""
    scale = common_denominator(v, "model")
    numerators = over(scale, v)
    return lambda x: Fraction(dot(numerators, x), scale)


def read_run(document: dict[str, Any], claims: list[str], clock: Clock) -> Run:
    """Model, draw and modulus of a certificate; lists that would be computed have the right length before that."""
    model, draw = read_model(document["model"], "model", strict_number, clock), document["draw"]
    key, dim = "heads" if isinstance(draw, dict) and "heads" in draw else "max_heads", model.dim
    record(draw, ("schedule", "place", "unit", "modulus", key, "X", "Y"), "draw")
    X, Y = ([read_vector(t, dim, "draw", strict_number, clock) for t in items(draw[s], "draw", dim)] for s in "XY")
    if any(entry.denominator != 1 or abs(entry) >= 2**4096 for token in X + Y for entry in token):
        raise Unusable("the entries of tokens are whole numbers of at most 4096 bits", "draw")
    unit, bound = model.unit.rational, count(draw[key], f"draw.{key}")
    if model.is_log and unit is not None and any(a.numerator % unit.denominator for x in X for a in x):
        raise Rejected("the unit times a token is not whole: the values are not rational", "draw.X")
    if draw["modulus"] not in [str(2**n - 1) for n in (61, 89, 107, 127)]:
        raise Unusable("the modulus is none of the four of the specification", "draw.modulus")
    for n, probe in enumerate(items(document["probes"], "probes", 2 * dim**2 - 1)):
        if model.is_log and isinstance(probe, dict):
            items(probe.get("values"), f"probes[{n}].values", 2 * bound)
    x, y = ([over(1, token) for token in side] for side in (X, Y))
    return Run(model, x, y, bound, key == "heads", int(draw["modulus"]), claims, clock)
