"""The sections of a certificate, one function for each claim (SPEC section 4); the table is `SECTIONS`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_poly, fmpz, fmpz_mat

from exactlearn.canonical import reduce_heads
from exactlearn.certificate.lines import RunLines, images
from exactlearn.files.numerals import print_number
from exactlearn.model import dot
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.rational import RationalBlackBox


@dataclass(frozen=True)
class Subject:
    """What the sections are written from."""

    lines: RunLines
    is_exact: bool
    modulus: fmpz
    false_matches: tuple[fmpz, ...]


def number(value: fmpq | fmpz | int) -> str:
    """A number's one text."""
    return print_number(fmpq(value))


def query_count(subject: Subject) -> Any:
    """The counts and their formula."""
    letter = "H" if subject.is_exact else "H0"
    bound, dim = subject.lines.bound, subject.lines.model.dim
    return {
        "formula": f"4 {letter} d^2 - 2 {letter} + 1",
        "queries": 4 * bound * dim**2 - 2 * bound + 1,
        "max_length": 2 * bound + 1,
    }


def canonical(subject: Subject) -> Any:
    """The canonical head of every raw head."""
    index = {head.W: h for h, head in enumerate(subject.lines.heads)}
    return {"head_of": [index.get(head.W) for head in subject.lines.model.heads]}


def merging(subject: Subject) -> Any:
    """The raw heads of every distinct W, their sum, and what the first probe sees of it."""
    model, x, y = subject.lines.model, subject.lines.draw.X[0], subject.lines.draw.Y[0]
    lines = []
    for group in reduce_heads(model).groups:
        one = model.with_heads([group.head])
        lines.append(
            {
                "members": list(group.members),
                "parts": [[number(entry) for entry in model.heads[n].v] for n in group.members],
                "v": [number(entry) for entry in group.head.v],
                "pole": number(_pole(one, x, y)),
                "residue": number(dot(group.head.v, [fmpq(entry) for entry in x])),
            }
        )
    return lines


def rational_form(subject: Subject) -> Any:
    """F(infinity) of every probe, and the interpolant at the rational place."""
    lines = []
    for probe in subject.lines.probes.values():
        line: dict[str, Any] = {"infinity": number(sum(probe.residues, probe.at_zero))}
        if subject.lines.is_rational_place:
            Q = fmpq_poly([1])
            for pole in probe.poles:
                Q *= fmpq_poly([pole.q, pole.p])
            P = sum(
                (
                    Q // fmpq_poly([pole.q, pole.p]) * (residue * pole.p)
                    for pole, residue in zip(probe.poles, probe.residues, strict=True)
                ),
                fmpq_poly(),
            )
            scale = P.denom()
            top = [number(P[n] * scale) for n in range(len(probe.poles))]
            line |= {"P": top, "scale": number(scale), "Q": [number(Q[n]) for n in range(len(probe.poles) + 1)]}
        lines.append(line)
    return lines


def determination(subject: Subject) -> Any:
    """Two copy-count functions with H heads each that agree at k < 2H: poles 1..2H, residues by partial fractions."""
    poles = range(1, 2 * len(subject.lines.heads) + 1)
    residues = [
        fmpq(math.prod(-1 - i * s for i in poles[:-1]), s * math.prod(s - g for g in poles if g != s)) for s in poles
    ]
    k = len(poles)
    difference = sum((c * fmpq(k * s, 1 + k * s) for s, c in zip(poles, residues, strict=True)), fmpq(0))
    return {
        "poles": list(map(number, poles)),
        "residues": list(map(number, residues)),
        "difference": number(difference),
    }


def matching(subject: Subject) -> Any:
    """The products of the false matches' forms modulo m."""
    return list(map(number, subject.false_matches))


def probability_one(subject: Subject) -> Any:
    """The values of the genericity polynomials at the draw (DESIGN section 5)."""
    lines = subject.lines
    d, H = lines.model.dim, len(lines.heads)
    return {
        "det_X": number(_determinant(lines.draw.X)),
        "det_Y": number(_determinant(lines.draw.Y)),
        "readouts": [list(map(number, p.residues)) for name, p in lines.probes.items() if name.endswith(",1)")],
        "pairs": list(map(number, pair_products(lines, subject.modulus))),
        "degree": 2 * d + (2 * d - 1) * H + (2 * d**2 - 1) * H * (H - 1) + 2 * (d**2 - 1) * (H**3 - H),
    }


def pair_products(lines: RunLines, modulus: fmpz) -> list[fmpz]:
    """For each probe the product of the differences of its poles modulo m, the smaller pole first.

    Raises:
        ZeroDivisionError: When m divides a denominator.
    """
    products = []
    for probe in lines.probes.values():
        found, total, m = images(probe, modulus), 1, int(modulus)
        for position, h in enumerate(probe.order):
            for g in probe.order[:position]:
                total = total * (found[g] - found[h]) % m
        products.append(fmpz(total))
    return products


SECTIONS: dict[str, Callable[[Subject], Any]] = {
    "query-count": query_count,
    "canonical": canonical,
    "merging": merging,
    "rational-form": rational_form,
    "determination": determination,
    "matching": matching,
    "probability-one": probability_one,
}
"""Every claim but recovery, in the order of the specification, with the function that writes its section."""


def _determinant(tokens: tuple[IntegerToken, ...]) -> fmpz:
    return fmpz_mat([list(token) for token in tokens]).det()


def _pole(model: Any, x: IntegerToken, y: IntegerToken) -> fmpq:
    if model.weights == "log-rational":
        return RationalBlackBox(model).copy_count_function(x, y).poles[0]
    (head,) = model.heads
    return dot([dot(row, [fmpq(b) for b in y]) for row in head.W], [fmpq(a) for a in x])
