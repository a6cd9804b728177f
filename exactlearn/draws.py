"""Draws of tokens: the bases x_1..x_d and y_1..y_d from a seed and a box, and what makes a draw bad (DESIGN 4, 5)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from flint import fmpz_mat

from exactlearn.errors import DegenerateDrawError
from exactlearn.places.protocol import IntegerToken

VanishingPolynomial = Literal["v_h.x", "x^T (W_h - W_g) y", "false match", "hidden head"]
"""The polynomials of DESIGN section 5 by name.  "hidden head" stands for the first two vanishing unseen, so that a
head is missing from several probes and only a later contradiction tells.  (det X and det Y need no query: tokens
are drawn until they are linearly independent.)"""

MAX_TOKEN_DRAWS = 14
"""How often one token is drawn before giving up; the box grows, so each is good with a probability near 1."""

MOST_GROWTH = 6
"""Redraws that enlarge the box, each by half its first size; at the rational place values grow with its square."""


class BadDraw(Exception):  # noqa: N818  # not an error: a token is drawn anew
    """A draw on the bad set of DESIGN section 5: which polynomial vanished, and at which probe.

    Attributes:
        polynomial: The polynomial that vanished.
        probe: The probe's name, or empty when it can't be told.
        is_whole: Whether the whole draw has to be made anew and not the last token alone.
    """

    def __init__(
        self, polynomial: VanishingPolynomial, probe: str, detail: str, *, is_whole: bool = False
    ) -> None:
        self.polynomial = polynomial
        self.probe = probe
        self.is_whole = is_whole
        vanished = "a hidden head" if polynomial == "hidden head" else f"{polynomial} = 0"
        super().__init__(f"{vanished}{f' at {probe}' if probe else ''}: {detail}")


@dataclass(frozen=True)
class Draw:
    """The tokens of one run, with whole entries: x_1..x_d and y_1..y_d, both linearly independent."""

    X: tuple[IntegerToken, ...]
    Y: tuple[IntegerToken, ...]


@dataclass
class TokenSource:
    """Draws the tokens one by one, each entry uniform in a box, and redraws single ones.

    Attributes:
        dim: The dimension d.
        seed: Everything drawn is a function of the seed, the attempt and how often a token was redrawn.
        attempt: 0 for the first whole draw, n for the n-th whole redraw.
        box: Entries lie in [-box, box] at first; the x_i are multiples of `multiple` on top.
        grows: Whether a token that is redrawn comes from a larger box each time, up to four times the first.
    """

    dim: int
    seed: int
    attempt: int
    box: int
    multiple: int = 1
    grows: bool = True
    _redraws: dict[str, int] = field(default_factory=dict)
    _tokens: dict[str, IntegerToken] = field(default_factory=dict)

    def x(self, i: int) -> IntegerToken:
        """x_(i+1), independent of those before it."""
        return self._token("x", i)

    def y(self, j: int) -> IntegerToken:
        """y_(j+1), independent of those before it."""
        return self._token("y", j)

    def redraw(self, *names: str) -> None:
        """Draw these tokens anew, named like ``x0`` or ``y3`` (counting from 0), when they are asked for next."""
        for name in names:
            self._redraws[name] = self._redraws.get(name, 0) + 1
            if self._redraws[name] > MAX_TOKEN_DRAWS:
                raise DegenerateDrawError(f"{MAX_TOKEN_DRAWS} draws in a row were bad")
            side, index = name[0], int(name[1:])
            for later in range(index, self.dim):  # those after it were chosen to be independent of it
                self._tokens.pop(f"{side}{later}", None)

    def draw(self) -> Draw:
        """All tokens."""
        return Draw(tuple(self.x(i) for i in range(self.dim)), tuple(self.y(j) for j in range(self.dim)))

    def other_token(self, name: str, box: int = 97, multiple: int = 1) -> IntegerToken:
        """A token that is no part of the draw, for a question on the side."""
        return _random_token(random.Random(f"{self.seed} {self.attempt} {name}"), self.dim, box, multiple)

    def _token(self, side: str, index: int) -> IntegerToken:
        name = f"{side}{index}"
        if name not in self._tokens:
            earlier = [self._token(side, before) for before in range(index)]
            redraws = self._redraws.get(name, 0)
            box = self.box * (2 + min(redraws, MOST_GROWTH)) // 2 if self.grows else self.box
            generator = random.Random(f"{self.seed} {self.attempt} {name} {redraws}")
            multiple = self.multiple if side == "x" else 1
            token = self._candidate(side, generator, box, multiple)
            while fmpz_mat([list(row) for row in [*earlier, token]]).rank() <= index:
                token = self._candidate(side, generator, box, multiple)
            self._tokens[name] = token
        return self._tokens[name]

    def _candidate(self, side: str, generator: random.Random, box: int, multiple: int) -> IntegerToken:
        """A token that is taken when it is independent of those before it."""
        del side
        return _random_token(generator, self.dim, box, multiple)


def _random_token(generator: random.Random, dim: int, box: int, multiple: int) -> IntegerToken:
    return tuple(multiple * generator.randint(-box, box) for _ in range(dim))
