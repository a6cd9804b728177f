"""Ways to read one probe, ours and other people's: from F(0), F(1), ..., F(2H) to the H pairs (t_h, c_h).

A way takes F(0) and the samples as Fractions and gives the pairs; `prepare` makes the way's own numbers beforehand, so
that conversions are not timed.  All but ours and mpmath solve the same 2H x 2H linear system over Q for
(F(k) - F(0))/k = P(k)/Q(k), Q(0) = 1, then find the roots z of Q:  t = -1/z,  c = P(z)/Q'(z).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Pairs = list[tuple[Any, Any]]
"""(t_h, c_h), in any order, each a Fraction; of mpmath its floats."""


@dataclass(frozen=True)
class Way:
    """How a probe is read.

    Attributes:
        title: What the table calls it.
        prepare: Imports what is needed and turns F(0) and the samples into a call without arguments.
        is_exact: Whether its answers are held to the truth exactly; else its error is reported.
        ground_types: What SYMPY_GROUND_TYPES has to be, if anything.
        package: The optional package without which the way is skipped.
    """

    title: str
    prepare: Callable[[Fraction, Sequence[Fraction]], Callable[[], Pairs]]
    is_exact: bool = True
    ground_types: str | None = None
    package: str | None = None


def _exactlearn(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    from exactlearn.interpolation import copy_count_function  # noqa: PLC0415  # not for all ways

    zero, values = _flint(value_at_zero), [_flint(sample) for sample in samples]

    def read() -> Pairs:
        found = copy_count_function(zero, values)
        return [(_fraction(t), _fraction(c)) for t, c in zip(found.poles, found.residues, strict=True)]

    return read


def _plain_flint(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    from plain_pipeline import plain_copy_count_function  # noqa: PLC0415  # not for all ways

    zero, values = _flint(value_at_zero), [_flint(sample) for sample in samples]

    def read() -> Pairs:
        found = plain_copy_count_function(zero, values)
        return [(_fraction(t), _fraction(c)) for t, c in zip(found.poles, found.residues, strict=True)]

    return read


def _sympy_matrix(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    from sympy import QQ  # noqa: PLC0415  # its ground types are chosen by the environment
    from sympy.polys.matrices import DomainMatrix  # noqa: PLC0415

    size = len(samples)
    zero, values = _to_qq(QQ, value_at_zero), [_to_qq(QQ, sample) for sample in samples]

    def read() -> Pairs:
        rows, right = _linear_system(zero, values, QQ(1))
        matrix = DomainMatrix(rows, (size, size), QQ).to_dfm_or_ddm()
        column = DomainMatrix([[entry] for entry in right], (size, 1), QQ).to_dfm_or_ddm()
        solution = [row[0] for row in matrix.lu_solve(column).to_list()]
        return _pairs_of_sympy(solution[: size // 2], [QQ(1), *solution[size // 2 :]])

    return read


def _sympy_interpolate(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    from sympy import QQ, Poly, Rational, Symbol, fraction, together  # noqa: PLC0415
    from sympy.polys.polyfuncs import rational_interpolate  # noqa: PLC0415

    k = Symbol("k")
    quotients = [(sample - value_at_zero) / count for count, sample in enumerate(samples, 1)]
    data = [(count, Rational(q.numerator, q.denominator)) for count, q in enumerate(quotients, 1)]

    def read() -> Pairs:
        top, bottom = fraction(together(rational_interpolate(data, len(samples) // 2 - 1, X=k)))
        numerator, denominator = (Poly(part, k, domain=QQ).rep.to_list()[::-1] for part in (top, bottom))
        return _pairs_of_sympy(numerator, denominator)

    return read


def _pari(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    from cypari import pari  # noqa: PLC0415  # optional

    pari.allocatemem(1 << 29, silent=True)
    read_in_pari = pari(
        "(zero, S) -> my(n = #S, H = n\\2, G = vector(n, k, (S[k] - zero)/k),"
        " z = matsolve(matrix(n, n, k, j, if(j <= H, k^(j - 1), -G[k]*k^(j - H))), G~)~,"
        " P = Polrev(z[1..H]), Q = Polrev(concat([1], z[H + 1..n])));"
        " [[-1/r, subst(P, x, r)/subst(Q', x, r)] | r <- nfroots(, Q)]"
    )
    zero, *values = (f"{number.numerator:#x}/{number.denominator:#x}" for number in (value_at_zero, *samples))
    zero, values = pari(zero), pari("[" + ",".join(values) + "]")

    def read() -> Pairs:
        return [(Fraction(str(t)), Fraction(str(c))) for t, c in read_in_pari(zero, values)]

    return read


def _fractions(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
    def read() -> Pairs:
        rows, right = _linear_system(value_at_zero, samples, Fraction(1))
        solution = _gauss([[*row, entry] for row, entry in zip(rows, right, strict=True)])
        heads = len(samples) // 2
        numerator, denominator = solution[:heads], [Fraction(1), *solution[heads:]]
        slope = [power * c for power, c in enumerate(denominator)][1:]
        return [(-1 / z, _at(numerator, z) / _at(slope, z)) for z in _lifted_roots(denominator)]

    return read


def _floats(bits: int) -> Callable[[Fraction, Sequence[Fraction]], Callable[[], Pairs]]:
    def prepare(value_at_zero: Fraction, samples: Sequence[Fraction]) -> Callable[[], Pairs]:
        from mpmath import mp  # noqa: PLC0415  # not for all ways

        mp.prec = bits
        zero, *values = (mp.mpf(number.numerator) / number.denominator for number in (value_at_zero, *samples))
        heads = len(samples) // 2

        def read() -> Pairs:
            rows, right = _linear_system(zero, values, mp.mpf(1))
            solution = list(mp.lu_solve(mp.matrix(rows), mp.matrix(right)))
            numerator, denominator = solution[:heads], [mp.mpf(1), *solution[heads:]]
            slope = [power * c for power, c in enumerate(denominator)][1:]
            roots = mp.polyroots(denominator[::-1], maxsteps=200, extraprec=2 * bits)
            return [(-1 / z, _at(numerator, z) / _at(slope, z)) for z in roots]

        return read

    return prepare


WAYS = {
    "exactlearn": Way("exactlearn: modulo p^k, then proved by an exact evaluation", _exactlearn),
    "flint": Way("FLINT: fmpq_mat.solve, fmpq_poly.roots", _plain_flint),
    "sympy-flint": Way("sympy DomainMatrix, flint types", _sympy_matrix, ground_types="flint"),
    "sympy-gmpy": Way("sympy DomainMatrix, gmpy types", _sympy_matrix, ground_types="gmpy"),
    "sympy-python": Way("sympy DomainMatrix, Python's types", _sympy_matrix, ground_types="python"),
    "sympy-interpolate": Way("sympy rational_interpolate", _sympy_interpolate, ground_types="flint"),
    "pari": Way("PARI: matsolve, nfroots (cypari)", _pari, package="cypari"),
    "fractions": Way("Python's Fractions: Gauss, lifted roots", _fractions),
    "mpmath-53": Way("mpmath, 53 bits", _floats(53), is_exact=False),
    "mpmath-1000": Way("mpmath, 1,000 bits", _floats(1000), is_exact=False),
}


def _linear_system(zero: Any, samples: Sequence[Any], one: Any) -> tuple[list[list[Any]], list[Any]]:
    """Rows and right-hand side for the coefficients of P and those of Q behind Q(0) = 1."""
    heads = len(samples) // 2
    rows, right = [], []
    for k, sample in enumerate(samples, 1):
        quotient = (sample - zero) / (one * k)
        powers = [one * k**power for power in range(heads + 1)]
        rows.append(powers[:heads] + [-quotient * power for power in powers[1:]])
        right.append(quotient)
    return rows, right


def _gauss(rows: list[list[Fraction]]) -> list[Fraction]:
    """The solution of a regular system given as an augmented matrix, which is used up."""
    size = len(rows)
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(column + 1, size):
            if factor := rows[r][column] / rows[column][column]:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    solution = [Fraction(0)] * size
    for r in reversed(range(size)):
        rest = sum((rows[r][c] * solution[c] for c in range(r + 1, size)), Fraction(0))
        solution[r] = (rows[r][size] - rest) / rows[r][r]
    return solution


def _lifted_roots(polynomial: list[Fraction]) -> list[Fraction]:
    """All roots of a polynomial over Q with simple rational roots: by trial mod a small prime, lifted by Newton."""
    common = math.lcm(*(c.denominator for c in polynomial))
    integers = [int(c * common) for c in polynomial]
    slope = [power * c for power, c in enumerate(integers)][1:]
    prime, seeds = 10_007, list[int]()
    while len(seeds) < len(integers) - 1:
        prime = next(n for n in range(prime + 1, 2 * prime) if all(n % d for d in range(2, math.isqrt(n) + 1)))
        small = [c % prime for c in integers]
        seeds = [z for z in range(prime) if not _at(small, z) % prime] if small[-1] else []
    return [_lifted_root(integers, slope, seed, prime) for seed in seeds]


def _lifted_root(integers: list[int], slope: list[int], z: int, modulus: int) -> Fraction:
    while True:
        modulus *= modulus
        z = (z - _at_modulo(integers, z, modulus) * pow(_at_modulo(slope, z, modulus), -1, modulus)) % modulus
        a, b, u, v = modulus, z, 0, 1
        while 2 * b * b > modulus:
            a, b, u, v = b, a % b, v, u - a // b * v
        if v and not _at(integers, Fraction(b, v)):
            return Fraction(b, v)


def _at(coefficients: Sequence[Any], z: Any) -> Any:
    value = coefficients[-1] * 1
    for c in reversed(coefficients[:-1]):
        value = value * z + c
    return value


def _at_modulo(coefficients: Sequence[int], z: int, modulus: int) -> int:
    value = 0
    for c in reversed(coefficients):
        value = (value * z + c) % modulus
    return value


def _pairs_of_sympy(numerator: Sequence[Any], denominator: Sequence[Any]) -> Pairs:
    from sympy import QQ, Poly, Symbol  # noqa: PLC0415  # not for all ways

    k = Symbol("k")
    roots = Poly(list(denominator)[::-1], k, domain=QQ).ground_roots()
    found = [Fraction(int(z.p), int(z.q)) for z in roots]
    top, bottom = ([Fraction(int(c.numerator), int(c.denominator)) for c in p] for p in (numerator, denominator))
    slope = [power * c for power, c in enumerate(bottom)][1:]
    return [(-1 / z, _at(top, z) / _at(slope, z)) for z in found]


def _to_qq(qq: Any, number: Fraction) -> Any:
    return qq(number.numerator, number.denominator)


def _flint(number: Fraction) -> Any:
    from flint import fmpq  # noqa: PLC0415  # not for all ways

    return fmpq(number.numerator, number.denominator)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
