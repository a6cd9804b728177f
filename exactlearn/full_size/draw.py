"""The tokens x_0..x_(d-1), y_0..y_d and the functionals of a run at full size, all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from flint import fmpz_mat

from exactlearn.errors import DegenerateDrawError, UnluckyPrimeError
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.residues import ResidueRing

BOX = 1000
"""Entries of tokens and functionals lie in [-BOX, BOX]: with dimensions in the hundreds a draw is bad once in a
blue moon, and short tokens keep the products short."""


@dataclass(frozen=True)
class LayerDraw:
    """Everything that is drawn before the first query.

    Attributes:
        dim: d.
        outputs: m.
        heads: H; as many functionals of answers are drawn, or m when that is less.
        seed: All is a function of it.
    """

    dim: int
    outputs: int
    heads: int
    seed: int

    @cached_property
    def xs(self) -> list[IntegerToken]:
        """x_0, ..., x_(d-1)."""
        return [self._token(f"x {i}", self.dim) for i in range(self.dim)]

    @cached_property
    def ys(self) -> list[IntegerToken]:
        """y_0, ..., y_d."""
        return [self._token(f"y {j}", self.dim) for j in range(self.dim + 1)]

    @cached_property
    def functionals(self) -> fmpz_mat:
        """P: the rows are the functionals of answers that are looked at from column 1 on."""
        if self.outputs == 1:
            return fmpz_mat([[1]])
        looks = min(self.heads, self.outputs)
        return fmpz_mat([list(self._token(f"functional {g}", self.outputs)) for g in range(looks)])

    def beside(self, j: int) -> IntegerToken:
        """2 y_j - y_0, the final token of the sum probes of column j: t(2 y_j - y_0) t(y_0) = t(y_j)^2."""
        return tuple(2 * b - a for a, b in zip(self.ys[0], self.ys[j], strict=True))

    def added(self, i: int) -> IntegerToken:
        """x_0 + x_i, for the sum probes of column 0."""
        return tuple(a + b for a, b in zip(self.xs[0], self.xs[i], strict=True))

    def other(self, name: str) -> IntegerToken:
        """A token that is no part of the draw, for an audit."""
        return self._token(f"other {name}", self.dim)

    def x_inverse(self, ring: ResidueRing) -> fmpz_mat:
        """X^-1 with the x_i as columns of X."""
        return _inverse(fmpz_mat([list(x) for x in self.xs]).transpose(), ring)

    def y_inverse(self, ring: ResidueRing) -> fmpz_mat:
        """The inverse of the matrix with the columns (y_j; 1)."""
        return _inverse(fmpz_mat([[*y, 1] for y in self.ys]).transpose(), ring)

    def _token(self, name: str, length: int) -> IntegerToken:
        generator = random.Random(f"layer {self.seed} {name}")
        return tuple(generator.randint(-BOX, BOX) for _ in range(length))


def _inverse(matrix: fmpz_mat, ring: ResidueRing) -> fmpz_mat:
    try:
        return ring.inverse_matrix(matrix)
    except UnluckyPrimeError:
        raise DegenerateDrawError("the tokens drawn are no basis: try another seed") from None
