"""The lines of a certificate from a model and a draw: probes, poles, values, matchings, all exact (SPEC section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpz

from exactlearn.canonical import canonical_form
from exactlearn.copy_count import CopyCountFunction
from exactlearn.draws import Draw
from exactlearn.errors import UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, dot
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.rational import RationalBlackBox

MODULI = tuple(fmpz(2) ** n - 1 for n in (61, 89, 107, 127))


@dataclass(frozen=True)
class ProbeLines:
    """One probe: its tokens, F(0), and the poles and residues of the heads in the order of `RunLines.heads`.

    Attributes:
        poles: t_h at the rational place, the exponent of t_h in units of c at the p-adic place.
        order: The indices of the heads, the smallest pole first.
    """

    name: str
    x: IntegerToken
    y: IntegerToken
    at_zero: fmpq
    poles: tuple[fmpq, ...]
    residues: tuple[fmpq, ...]
    order: tuple[int, ...]

    @cached_property
    def function(self) -> CopyCountFunction:
        """The copy-count function, at the rational place."""
        poles, residues = ([numbers[h] for h in self.order] for numbers in (self.poles, self.residues))
        return CopyCountFunction(self.at_zero, tuple(poles), tuple(residues))


@dataclass(frozen=True)
class Triple:
    """A matching: the sum probe and the two probes that it joins."""

    joint: ProbeLines
    left: ProbeLines
    right: ProbeLines


class RunLines:
    """What a certificate says about a run: everything follows from the model and the draw.

    Args:
        model: The raw model.
        draw: The accepted tokens.
        bound: H, or H0 in its place.
    """

    def __init__(self, model: MultiHeadAttention, draw: Draw, bound: int) -> None:
        self.model = model
        self.draw = draw
        self.bound = bound
        self.is_rational_place = model.weights == "log-rational"
        heads = canonical_form(model).heads
        poles = _poles(model.with_heads(heads), draw.X[0], draw.Y[0])
        self.heads: tuple[Head, ...] = tuple(heads[h] for h in sorted(range(len(heads)), key=lambda h: poles[h]))
        self._canonical = model.with_heads(self.heads)

    @cached_property
    def probes(self) -> dict[str, ProbeLines]:
        """Every probe by its name, in the order in which the learner asks.

        Raises:
            UnusableInputError: When a head does not show at a probe, so that this was no good draw.
        """
        sum_of_values = self.model.value_sum
        box = RationalBlackBox(self._canonical) if self.is_rational_place else None
        found = {}
        for name, x, y in self._schedule():
            poles = box.copy_count_function(x, y).poles if box else _poles(self._canonical, x, y)
            residues = tuple(_product(head.v, x) for head in self.heads)
            if not all(residues) or len(set(poles)) < len(poles):
                raise UnusableInputError(f"not every head of the model shows at the probe {name} of this draw", "draw")
            order = tuple(sorted(range(len(poles)), key=lambda h, poles=poles: poles[h]))  # type: ignore[misc]
            found[name] = ProbeLines(name, x, y, _product(sum_of_values, y), tuple(poles), residues, order)
        return found

    def _schedule(self) -> Iterator[tuple[str, IntegerToken, IntegerToken]]:
        X, Y = self.draw.X, self.draw.Y
        for j, y in enumerate(Y):
            for i, x in enumerate(X):
                yield f"P({i + 1},{j + 1})", x, y
                if j:
                    yield f"S({i + 1},{j + 1})", x, _sum(Y[0], y)
                elif i:
                    yield f"S({i + 1},1)", _sum(X[0], x), y

    @cached_property
    def triples(self) -> list[Triple]:
        """The matchings, in the order of their sum probes."""
        dim, probes = self.model.dim, self.probes
        found = []
        for j in range(1, dim + 1):
            for i in range(2 if j == 1 else 1, dim + 1):
                left = probes["P(1,1)" if j == 1 else f"P({i},1)"]
                found.append(Triple(probes[f"S({i},{j})"], left, probes[f"P({i},{j})"]))
        return found

    def values(self, probe: ProbeLines) -> list[fmpq]:
        """F(1), ..., F(2B) at the rational place."""
        return [probe.function(k) for k in range(1, 2 * self.bound + 1)]

    def false_match_products(self, modulus: fmpz) -> list[fmpz]:
        """For each matching the product of the false matches' forms modulo m (SPEC section 4, `matching`).

        Raises:
            ZeroDivisionError: When m divides a denominator.
        """
        return [self._false_match_product(triple, modulus) for triple in self.triples]

    def _false_match_product(self, triple: Triple, modulus: fmpz) -> fmpz:
        joint, left, right = (images(probe, modulus) for probe in (triple.joint, triple.left, triple.right))
        total, m, heads = 1, int(modulus), range(len(left))
        for h in heads:
            for g in heads:
                pair = left[h] * right[g] if self.is_rational_place else left[h] + right[g]
                for n in heads:
                    if not h == g == n:
                        total = total * (pair - joint[n]) % m
        return fmpz(total)


def images(probe: ProbeLines, modulus: fmpz) -> list[int]:
    """The poles modulo m, head by head, as Python integers: one machine word times another is what follows.

    Raises:
        ZeroDivisionError: When m divides a denominator.
    """
    if any(pole.q % modulus == 0 for pole in probe.poles):
        raise ZeroDivisionError
    return [int(pole.p * pow(pole.q, -1, modulus) % modulus) for pole in probe.poles]


def _poles(model: MultiHeadAttention, x: IntegerToken, y: IntegerToken) -> tuple[fmpq, ...]:
    """t_h of every head, or the exponents x^T W_h y in units of c."""
    if model.weights == "log-rational":
        return RationalBlackBox(model).copy_count_function(x, y).poles
    return tuple(_product(tuple(_product(row, y) for row in head.W), x) for head in model.heads)


def _product(vector: tuple[fmpq, ...], token: IntegerToken) -> fmpq:
    return dot(vector, [fmpq(entry) for entry in token])


def _sum(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(left, right, strict=True))
