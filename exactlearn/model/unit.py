"""The exact factor on every W: a rational or the square root of one."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.latex import latex_number
from exactlearn.rationals import Rational, as_fmpq


@dataclass(frozen=True)
class Unit:
    """The exact positive or negative factor c on every W: a rational or the square root of one.

    Held as the sign and c^2, so that equal units are equal objects: ``sqrt(4)`` is ``2``.
    """

    square: fmpq
    sign: int = 1

    def __post_init__(self) -> None:
        if not (self.square > 0 and self.sign in (1, -1)):
            raise UnusableInputError("a unit is not zero, and sqrt(q) needs q > 0", "unit")

    @classmethod
    def of(cls, value: Rational) -> Unit:
        """The rational unit `value`, which is not zero."""
        number = as_fmpq(value)
        return cls(number * number, -1 if number < 0 else 1)

    @classmethod
    def sqrt(cls, radicand: Rational) -> Unit:
        """The unit sqrt(`radicand`), `radicand` a positive rational."""
        return cls(as_fmpq(radicand))

    @property
    def rational(self) -> fmpq | None:
        """The unit as a rational number, or None when it is irrational."""
        if self.square.p.is_square() and self.square.q.is_square():
            return fmpq(self.sign * self.square.p.isqrt(), self.square.q.isqrt())
        return None

    def ratio(self, other: Unit) -> fmpq | None:
        """`self` / `other` when that is rational, else None."""
        return Unit(self.square / other.square, self.sign * other.sign).rational

    def __str__(self) -> str:
        value = self.rational
        return str(value) if value is not None else f"{'-' if self.sign < 0 else ''}sqrt({self.square})"

    def latex(self) -> str:
        """The unit as LaTeX."""
        value = self.rational
        if value is not None:
            return latex_number(value)
        return rf"{'-' if self.sign < 0 else ''}\sqrt{{{latex_number(self.square)}}}"


ONE = Unit(fmpq(1))
