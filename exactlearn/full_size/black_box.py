"""An affine layer as a black box at the p-adic place, for blocks of probes.

It counts the seconds it took, and what it holds never leaves it: the asker gets handles and answers.  An answer is a
vector of m residues mod p^k.  Only those functionals of it are computed that are looked at, fixed beforehand (`look`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from flint import fmpz, fmpz_mat

from exactlearn.errors import UnluckyPrimeError
from exactlearn.full_size.copy_counts import copy_counts
from exactlearn.full_size.layer import AffineLayer
from exactlearn.full_size.powers import base_u
from exactlearn.full_size.scaled_matrix import ScaledMatrix, common_denominator, stacked
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.residues import ResidueRing

P = ParamSpec("P")
R = TypeVar("R")


def _timed(method: Callable[Concatenate[LayerBlackBox, P], R]) -> Callable[Concatenate[LayerBlackBox, P], R]:
    @wraps(method)
    def timed(self: LayerBlackBox, /, *args: P.args, **kwargs: P.kwargs) -> R:
        started = time.process_time()
        try:
            return method(self, *args, **kwargs)
        finally:
            self.seconds += time.process_time() - started

    return cast("Callable[Concatenate[LayerBlackBox, P], R]", timed)


@dataclass(frozen=True)
class Look:
    """A handle on functionals P of answers: P f is what is looked at.

    Attributes:
        number: Which of the black box's looks.
        ring: Z/p^k, in which it is seen.
    """

    number: int
    ring: ResidueRing


@dataclass(frozen=True)
class Rows:
    """A handle on tokens x_i that are asked about with many y.

    Attributes:
        number: Which of the black box's.
        look: How the answers are looked at.
    """

    number: int
    look: Look


@dataclass(frozen=True)
class _Readouts:
    """P V_h for every head as integers, 1/denominator for each; their sum likewise; and P s mod p^k."""

    of_heads: list[fmpz_mat]
    scales: list[fmpz]
    total: fmpz_mat
    total_scale: fmpz
    constant: list[fmpz]


@dataclass(frozen=True)
class _PreparedRows:
    """The x_i, one a row, and for each the matrix with columns P V_h x_i."""

    look: Look
    tokens: tuple[IntegerToken, ...]
    matrix: fmpz_mat
    residues: list[fmpz_mat]


_ROWS_KEPT = 2
"""Blocks of tokens for which readouts are kept: those of a base probe and of a sum probe."""


class LayerBlackBox:
    """The layer behind queries.

    Attributes:
        dim: d.
        outputs: m.
        seconds: Processor time spent here.
        queries: How many queries it answered, the same one asked again counted again.
        max_length: Tokens in the longest.
    """

    def __init__(self, layer: AffineLayer) -> None:
        self.dim, self.outputs = layer.dim, layer.outputs
        self.seconds = 0.0
        self.queries = self.max_length = 0
        self._heads = layer.heads
        self._scores = stacked([head.scores for head in layer.heads])
        self._constant = layer.constant
        self._looks: list[_Readouts] = []
        self._rows: dict[int, _PreparedRows] = {}
        self._next_rows = 0

    @_timed
    def look(self, functionals: fmpz_mat | None, ring: ResidueRing) -> Look:
        """Prepare for answers of which P f is looked at, P = `functionals` with m columns; None for all of f."""

        def seen(matrix: fmpz_mat) -> fmpz_mat:
            return matrix if functionals is None else functionals * matrix

        values = [head.values for head in self._heads]
        readouts = [seen(matrix.numerators) for matrix in values]
        denominator = common_denominator(values)
        total = fmpz_mat(readouts[0].nrows(), self.dim)
        for readout, matrix in zip(readouts, values, strict=True):
            total += readout * (denominator // matrix.denominator)
        constant = _image(seen(self._constant.numerators), self._constant, ring)
        scales = [ring.inverse(matrix.denominator) for matrix in values]
        self._looks.append(_Readouts(readouts, scales, total, ring.inverse(denominator), constant.entries()))
        return Look(len(self._looks) - 1, ring)

    @_timed
    def rows(self, look: Look, tokens: Sequence[IntegerToken]) -> Rows:
        """Prepare for probes with these x_i."""
        key = tuple(tokens)
        for number, kept in self._rows.items():
            if kept.look == look and kept.tokens == key:
                return Rows(number, look)
        matrix = fmpz_mat([list(token) for token in tokens])
        transposed, modulus = matrix.transpose(), look.ring.modulus
        kept_of_look = self._looks[look.number]
        columns = [
            _reduced(readout * transposed, modulus, scale).transpose().tolist()
            for readout, scale in zip(kept_of_look.of_heads, kept_of_look.scales, strict=True)
        ]
        residues = [fmpz_mat(list(of_row)).transpose() for of_row in zip(*columns, strict=True)]
        while len(self._rows) >= _ROWS_KEPT:
            self._rows.pop(next(iter(self._rows)))
        self._rows[self._next_rows] = _PreparedRows(look, key, matrix, residues)
        self._next_rows += 1
        return Rows(self._next_rows - 1, look)

    @_timed
    def at_length_one(self, look: Look, tokens: Sequence[IntegerToken]) -> list[list[fmpz]]:
        """P f of the sequences of the one token y, for every y."""
        self._count(len(tokens), 1)
        return self._at_length_one(look, tokens)

    @_timed
    def copies(self, rows: Rows, tokens: Sequence[IntegerToken], most: int) -> list[fmpz_mat]:
        """For every y: the matrix [i, k-1] of the first functional of f on k copies of x_i + y, then y, k = 1..most."""
        self._count_probes(rows, tokens, most)
        at_zero = self._at_length_one(rows.look, tokens)
        return self._copies(rows, self._poles(rows, tokens), at_zero, most)

    @_timed
    def probes(
        self, rows: Rows, tokens: Sequence[IntegerToken], most: int
    ) -> tuple[list[fmpz_mat], list[fmpz_mat]]:
        """`copies`, and of the answers for k = 1 all functionals: per row a matrix [functional, y]."""
        self._count_probes(rows, tokens, most)
        at_zero, poles = self._at_length_one(rows.look, tokens), self._poles(rows, tokens)
        return self._copies(rows, poles, at_zero, most), self._firsts(rows, poles, at_zero)

    @_timed
    def firsts(self, rows: Rows, tokens: Sequence[IntegerToken]) -> list[fmpz_mat]:
        """The answers for k = 1 alone: per row a matrix [functional, y]."""
        self._count_probes(rows, tokens, 1)
        return self._firsts(rows, self._poles(rows, tokens), self._at_length_one(rows.look, tokens))

    @_timed
    def several(self, rows: Rows, y: IntegerToken, most: int) -> list[fmpz_mat]:
        """All functionals for k = 1..most at one y: per row a matrix [k-1, functional]."""
        self._count_probes(rows, [y], most)
        counts = range(1, most + 1)
        ring, heads = rows.look.ring, len(self._heads)
        zeros = fmpz_mat([self._at_length_one(rows.look, [y])[0]] * len(counts))
        answers = []
        for residues, poles in zip(self._rows[rows.number].residues, self._poles(rows, [y])[0], strict=True):
            inverses = ring.inverses([1 + k * t for k in counts for t in poles])
            shares = [k * t * inverses[a * heads + h] for a, k in enumerate(counts) for h, t in enumerate(poles)]
            sums = fmpz_mat(len(counts), heads, shares) * residues.transpose()
            answers.append(_reduced(sums + zeros, ring.modulus))
        return answers

    @_timed
    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> list[fmpz]:
        """F of one sequence, all m outputs."""
        self._count(1, len(tokens))
        modulus, final = ring.modulus, tokens[-1]
        differences = fmpz_mat([[a - b for a, b in zip(token, final, strict=True)] for token in tokens])
        weights = self._poles_of(differences, [final], ring)[0]
        totals = ring.inverses([sum((w[h] for w in weights), fmpz(0)) for h in range(len(self._heads))])
        out = _image(self._constant.numerators, self._constant, ring)
        matrix = fmpz_mat([list(token) for token in tokens]).transpose()
        for h, (head, inverse) in enumerate(zip(self._heads, totals, strict=True)):
            shares = fmpz_mat([[w[h] * inverse % modulus] for w in weights])
            out += _image(head.values.numerators * _reduced(matrix * shares, modulus), head.values, ring)
        return [entry % modulus for entry in out.entries()]

    def _count(self, queries: int, length: int) -> None:
        self.queries += queries
        self.max_length = max(self.max_length, length)

    def _count_probes(self, rows: Rows, tokens: Sequence[IntegerToken], most: int) -> None:
        self._count(len(self._rows[rows.number].tokens) * len(tokens) * most, most + 1)

    def _at_length_one(self, look: Look, tokens: Sequence[IntegerToken]) -> list[list[fmpz]]:
        columns = fmpz_mat([list(token) for token in tokens]).transpose()
        modulus, readouts = look.ring.modulus, self._looks[look.number]
        return [
            [(value * readouts.total_scale + s) % modulus for value, s in zip(of_token, readouts.constant, strict=True)]
            for of_token in (readouts.total * columns).transpose().tolist()
        ]

    def _poles(self, rows: Rows, tokens: Sequence[IntegerToken]) -> list[list[list[fmpz]]]:
        """[y][i][h] = U^(x_i^T (W_h y + p_h))."""
        return self._poles_of(self._rows[rows.number].matrix, tokens, rows.look.ring)

    def _poles_of(
        self, matrix: fmpz_mat, tokens: Sequence[IntegerToken], ring: ResidueRing
    ) -> list[list[list[fmpz]]]:
        heads, count = len(self._heads), len(tokens)
        base = base_u(ring)
        scale = _exponent_scale(ring, self._scores.denominator)
        homogeneous = fmpz_mat([[*token, 1] for token in tokens]).transpose()
        directions = (self._scores.numerators * homogeneous).tolist()  # (H d) x count
        side = [[e for h in range(heads) for e in directions[h * self.dim + a]] for a in range(self.dim)]
        exponents = (matrix * fmpz_mat(side)).tolist()
        return [
            [[base.power(row[h * count + j] * scale) for h in range(heads)] for row in exponents]
            for j in range(count)
        ]

    def _copies(
        self, rows: Rows, poles: list[list[list[fmpz]]], at_zero: list[list[fmpz]], most: int
    ) -> list[fmpz_mat]:
        readouts = [of_row.tolist()[0] for of_row in self._rows[rows.number].residues]
        return [
            copy_counts(rows.look.ring, of_y, readouts, zero[0], most)
            for of_y, zero in zip(poles, at_zero, strict=True)
        ]

    def _firsts(
        self, rows: Rows, poles: list[list[list[fmpz]]], at_zero: list[list[fmpz]]
    ) -> list[fmpz_mat]:
        ring, heads, count = rows.look.ring, len(self._heads), len(poles)
        inverses = iter(ring.inverses([1 + t for of_y in poles for of_row in of_y for t in of_row]))
        shares = [[[t * next(inverses) for t in of_row] for of_row in of_y] for of_y in poles]
        constant = fmpz_mat(at_zero).transpose()
        return [
            _reduced(
                residues * fmpz_mat(heads, count, [shares[j][i][h] for h in range(heads) for j in range(count)])
                + constant,
                ring.modulus,
            )
            for i, residues in enumerate(self._rows[rows.number].residues)
        ]


def _image(numerators: fmpz_mat, matrix: ScaledMatrix, ring: ResidueRing) -> fmpz_mat:
    return _reduced(numerators, ring.modulus, ring.inverse(matrix.denominator))


def _reduced(matrix: fmpz_mat, modulus: fmpz, scale: fmpz | int = 1) -> fmpz_mat:
    return fmpz_mat(matrix.nrows(), matrix.ncols(), [entry * scale % modulus for entry in matrix.entries()])


def _exponent_scale(ring: ResidueRing, denominator: fmpz) -> fmpz:
    if denominator % ring.prime == 0 or denominator % ring.half_order == 0:
        raise UnluckyPrimeError("p q has a common factor with a denominator in the exponents")
    return pow(denominator, -1, ring.log_modulus * ring.half_order)
