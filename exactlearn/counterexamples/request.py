"""What is asked of a generator: sizes, a seed, a case, the user's own probes; and the generators' table entries."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from exactlearn.counterexamples.counterexample import Counterexample
from exactlearn.errors import UnusableInputError
from exactlearn.places.protocol import IntegerToken

MOST_HEADS = 12
MOST_DIM = 12

ProbePair = tuple[IntegerToken, IntegerToken]
"""One probe (x, y)."""


@dataclass(frozen=True)
class Request:
    """What the user wants; None everywhere is the smallest instance.

    Attributes:
        heads: The number of heads.
        dim: The dimension.
        seed: None for the instance with the smallest integers; another instance for each seed.
        case: One of the kind's cases.
        probes: The user's own probes, for the kind fixed-probes.
    """

    heads: int | None = None
    dim: int | None = None
    seed: int | None = None
    case: str | None = None
    probes: tuple[ProbePair, ...] | None = None

    def heads_from(self, least: int, why: str = "", smallest: int | None = None) -> int:
        """The number of heads, which has to be `least` or more, since `why`; left out, `smallest`."""
        given = (smallest or least) if self.heads is None else self.heads
        return _checked(given, "heads", least, MOST_HEADS, why)

    def dim_from(self, least: int, why: str = "") -> int:
        """The dimension, which has to be `least` or more, since `why`; left out, `least`."""
        return _checked(least if self.dim is None else self.dim, "dim", least, MOST_DIM, why)

    def random(self) -> random.Random | None:
        """Where the choices of a larger instance come from; None for the smallest one."""
        return None if self.seed is None else random.Random(f"counterexample {self.seed}")


@dataclass(frozen=True)
class Kind:
    """One kind of counterexample.

    Attributes:
        name: How it is asked for.
        dropped: The hypothesis that it drops, in one line.
        build: The generator.
        cases: Names of its cases, the first is the default; empty when there is one only.
    """

    name: str
    dropped: str
    build: Callable[[Request], Counterexample]
    cases: tuple[str, ...] = ()


def _checked(given: int, name: str, least: int, most: int, why: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        reason = f": {why}" if why and isinstance(given, int) and given < least else ""
        raise UnusableInputError(f"a whole number from {least} to {most} is expected here, not {given!r}{reason}", name)
    return given
