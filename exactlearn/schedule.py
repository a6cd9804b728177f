"""The schedule "paper": which probes are asked, in which order, and how many queries that makes (DESIGN section 4)."""

from __future__ import annotations

from dataclasses import dataclass

from exactlearn.draws import TokenSource
from exactlearn.places.protocol import IntegerToken


@dataclass(frozen=True)
class Probe:
    """Two vectors x, y: asked are k copies of x + y followed by y.  `name` is P(i,j) or S(i,j), indices from 1."""

    name: str
    x: IntegerToken
    y: IntegerToken


@dataclass(frozen=True)
class PaperSchedule:
    """Base probes for every pair (i, j), sum probes along column 1 and along every row.

    Attributes:
        dim: The dimension d.
        heads: H, or the upper bound H0 in its place.
    """

    dim: int
    heads: int
    name: str = "paper"

    @property
    def predicted_queries(self) -> int:
        """4 H d^2 - 2 H + 1: one query of length 1, and 2H for each of 2 d^2 - 1 probes."""
        return 1 + 2 * self.heads * self.predicted_probes

    @property
    def predicted_probes(self) -> int:
        """d^2 base probes, d - 1 sum probes in column 1, d (d - 1) in the other columns."""
        return 2 * self.dim**2 - 1

    @property
    def predicted_max_length(self) -> int:
        """2 H + 1 tokens."""
        return 2 * self.heads + 1


def base_probe(source: TokenSource, i: int, j: int) -> Probe:
    """P(i,j) = (x_i, y_j); the indices of this function count from 0."""
    return Probe(f"P({i + 1},{j + 1})", source.x(i), source.y(j))


def sum_probe(source: TokenSource, i: int, j: int) -> Probe:
    """S(i,1) = (x_1 + x_i, y_1), and S(i,j) = (x_i, y_1 + y_j) for j >= 2; indices of this function from 0."""
    name = f"S({i + 1},{j + 1})"
    if j == 0:
        return Probe(name, _sum(source.x(0), source.x(i)), source.y(0))
    return Probe(name, source.x(i), _sum(source.y(0), source.y(j)))


def _sum(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a + b for a, b in zip(left, right, strict=True))
