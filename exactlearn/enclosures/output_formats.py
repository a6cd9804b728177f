"""Formats in which outputs are told: float32, float64, decimals; correct rounding, and the error it can have made."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpz

from exactlearn.errors import UnusableInputError

MOST_DECIMALS = 2000

_NAMES = "float32, float64 or decimal:N"


@dataclass(frozen=True)
class OutputFormat:
    """Numbers n * ulp with whole n, where ulp depends on the size of the number or, for decimals, does not.

    Attributes:
        name: As it was asked for.
        digits: Binary digits of the significand; 0 for decimals.
        least_exponent: The smallest ulp of a float is 2^least_exponent.
        most_exponent: A float lies below 2^most_exponent.
        decimals: Digits behind the decimal point, of decimals.
    """

    name: str
    digits: int = 0
    least_exponent: int = 0
    most_exponent: int = 0
    decimals: int = 0

    def ulp(self, value: fmpq) -> fmpq:
        """The distance of neighbouring numbers of the format at `value`, in the binade that begins at or below it."""
        if not self.digits:
            return fmpq(1, fmpz(10) ** self.decimals)
        if value == 0:
            return _power_of_two(self.least_exponent)
        return _power_of_two(max(_binade(abs(value)) - self.digits + 1, self.least_exponent))

    def round(self, value: fmpq) -> fmpq:
        """The nearest number of the format, of two nearest ones the even one.

        Raises:
            UnusableInputError: When that is infinity.
        """
        ulp = self.ulp(value)
        rounded = fmpq(_nearest_even(value / ulp)) * ulp
        if self.digits and abs(rounded) >= _power_of_two(self.most_exponent):
            raise UnusableInputError(f"an output is too large for {self.name}", "--outputs")
        return rounded

    def radius(self, rounded: fmpq) -> fmpq:
        """How far the true value can be from a number that was rounded correctly: half an ulp."""
        return self.ulp(rounded) / 2

    def __str__(self) -> str:
        return self.name


FLOAT32 = OutputFormat("float32", 24, -149, 128)
FLOAT64 = OutputFormat("float64", 53, -1074, 1024)


def decimal_format(decimals: int) -> OutputFormat:
    """Decimal numbers with so many digits behind the point."""
    return OutputFormat(f"decimal:{decimals}", decimals=decimals)


def output_format(name: str) -> OutputFormat:
    """The format of that name: "float32", "float64", or "decimal:N" with N digits behind the decimal point.

    Raises:
        UnusableInputError: For any other name.
    """
    for known in (FLOAT32, FLOAT64):
        if name == known.name:
            return known
    kind, _, digits = name.partition(":")
    if kind != "decimal" or not (digits.isascii() and digits.isdigit()):
        raise UnusableInputError(f"{_NAMES} is expected, not {name!r}", "--outputs")
    if len(digits) > len(str(MOST_DECIMALS)) or int(digits) > MOST_DECIMALS:
        raise UnusableInputError(f"at most {MOST_DECIMALS} decimals", "--outputs")
    return decimal_format(int(digits))


def _binade(value: fmpq) -> int:
    """The e with 2^e <= value < 2^(e + 1)."""
    exponent = int(value.p.bit_length()) - int(value.q.bit_length())
    return exponent if value >= _power_of_two(exponent) else exponent - 1


def _power_of_two(exponent: int) -> fmpq:
    return fmpq(fmpz(1) << exponent) if exponent >= 0 else fmpq(1, fmpz(1) << -exponent)


def _nearest_even(value: fmpq) -> fmpz:
    floor: fmpz = value.floor()
    excess = value - floor
    up = excess > fmpq(1, 2) or (excess == fmpq(1, 2) and floor % 2 == 1)
    return floor + 1 if up else floor
