"""Draws of tokens: the bases x_1..x_d and y_1..y_d from a seed and a box, and what makes a draw bad (DESIGN 4, 5)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from flint import fmpz_mat

from exactlearn.places.protocol import IntegerToken

VanishingPolynomial = Literal[
    "det X",
    "det Y",
    "v_h.x",
    "x^T (W_h - W_g) y",
    "v_h.x or x^T (W_h - W_g) y",
    "false match",
    "hidden head",
]
"""The polynomials of DESIGN section 5 by name; "hidden head" stands for v_h.x or x^T (W_h - W_g) y vanishing at
several probes at once, so that a head stayed unseen until a later check."""


@dataclass(frozen=True)
class Draw:
    """The tokens of one run, with whole entries.

    Attributes:
        X: x_1, ..., x_d (the x_i as rows of this tuple).
        Y: y_1, ..., y_d.
        seed: What they were drawn from, together with `attempt`.
        attempt: 0 for the first draw, n for the n-th redraw.
        box: Entries lie in [-box, box] (those of the x_i times the place's token multiple).
    """

    X: tuple[IntegerToken, ...]
    Y: tuple[IntegerToken, ...]
    seed: int
    attempt: int
    box: int

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.X)


@dataclass(frozen=True)
class BadDraw(Exception):  # noqa: N818  # not an error: the draw is made anew
    """A draw on the bad set of DESIGN section 5: which polynomial vanished, and at which probe."""

    polynomial: VanishingPolynomial
    probe: str
    detail: str = ""

    def __str__(self) -> str:
        where = f" at {self.probe}" if self.probe else ""
        return f"{self.polynomial} = 0{where}{': ' if self.detail else ''}{self.detail}"


def draw_tokens(dim: int, *, seed: int, attempt: int, box: int, multiple: int = 1) -> Draw:
    """The tokens of one draw, each entry uniform in [-box, box]; the x_i are then scaled by `multiple`."""
    generator = random.Random(f"draw {seed} {attempt}")

    def tokens(scale: int) -> tuple[IntegerToken, ...]:
        return tuple(tuple(scale * generator.randint(-box, box) for _ in range(dim)) for _ in range(dim))

    return Draw(tokens(multiple), tokens(1), seed, attempt, box)


def check_bases(draw: Draw) -> None:
    """Raises BadDraw when the x_i or the y_j are linearly dependent; this needs no query."""
    if fmpz_mat([list(token) for token in draw.X]).det() == 0:
        raise BadDraw("det X", "")
    if fmpz_mat([list(token) for token in draw.Y]).det() == 0:
        raise BadDraw("det Y", "")
