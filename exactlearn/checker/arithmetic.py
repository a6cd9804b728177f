"""Integer arithmetic for the rules: scalar products, powers, determinants, sums of fractions, polynomials."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from operator import mul

from .outcome import Clock, bounded_bits

Token = tuple[int, ...]


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The scalar product of two lists of integers."""
    return sum(map(mul, left, right))


def plus(left: Token, right: Token) -> Token:
    """The sum of two tokens."""
    return tuple(a + b for a, b in zip(left, right, strict=True))


def common_denominator(values: Iterable[Fraction], place: str) -> int:
    """The least common denominator."""
    total = 1
    for value in values:
        total = lcm(total, value.denominator)
        bounded_bits(total.bit_length(), place)
    return total


def over(denominator: int, values: Iterable[Fraction]) -> Token:
    """The numerators over a common denominator."""
    return tuple([value.numerator * (denominator // value.denominator) for value in values])


def power_product(bases: Sequence[Fraction], exponents: Sequence[int], place: str) -> Fraction:
    """The product of bases^exponents; how large it can get is seen before any power is taken."""
    pairs = [(base, n) for base, n in zip(bases, exponents, strict=True) if n and base != 1]
    bounded_bits(sum(abs(n) * max(b.numerator.bit_length(), b.denominator.bit_length()) for b, n in pairs), place)
    top = bottom = 1
    for base, n in pairs:
        up, down = (base.numerator, base.denominator) if n > 0 else (base.denominator, base.numerator)
        top, bottom = top * up ** abs(n), bottom * down ** abs(n)
    return Fraction(top, bottom)


def determinant(rows: Sequence[Token], clock: Clock, place: str) -> int:
    """The determinant of an integer matrix by Bareiss' fraction-free elimination."""
    matrix, sign, previous = [list(row) for row in rows], 1, 1
    for step in range(len(matrix) - 1):
        pivot_row = next((i for i in range(step, len(matrix)) if matrix[i][step]), None)
        if pivot_row is None:
            return 0
        if pivot_row != step:
            matrix[step], matrix[pivot_row], sign = matrix[pivot_row], matrix[step], -sign
        top, pivot = matrix[step], matrix[step][step]
        bounded_bits(pivot.bit_length(), place)
        for row in matrix[step + 1 :]:
            clock.tick()
            for j in range(len(matrix) - 1, step, -1):
                row[j] = (row[j] * pivot - row[step] * top[j]) // previous
        previous = pivot
    return sign * matrix[-1][-1]


def sum_of_fractions(fractions: Sequence[tuple[int, int]], place: str) -> Fraction:
    """The sum of p/q for pairs (p, q), by a balanced tree of products, reduced once."""
    bounded_bits(sum(q.bit_length() for _, q in fractions), place)
    terms = list(fractions) or [(0, 1)]
    while len(terms) > 1:
        pairs = [(a * d + c * b, b * d) for (a, b), (c, d) in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(terms) & ~1 :]
    return Fraction(*terms[0])
