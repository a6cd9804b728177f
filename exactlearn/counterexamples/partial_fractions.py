"""Two copy-count functions that agree at 0, 1, ..., n and nowhere else: one product, split in partial fractions.

Take N positive numbers m_1 < ... < m_N and

    D(k) = prod_(i = 1..n) (k - i) / prod_j (k + m_j) = sum_j r_j / (k + m_j),      n < N.

With t_j = 1/m_j the term r_j k / (k + m_j) is r_j k t_j / (1 + k t_j), one head's part of a copy-count function.  Give
some of the heads to one model and the others, with -r_j, to the other: F - F' = k D(k) vanishes at k = 0, ..., n and
at no other k >= 0.  When n <= N - 2 the r_j sum to zero, so that both models have the same F(infinity) - F(0) too.
The r_j alternate in sign: with every second m_j in one model all residues there have one sign.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpz

Term = tuple[fmpq, fmpq]
"""A pole parameter t and its residue c."""


def split_terms(numbers: Sequence[int], copies: int, mine: Sequence[int]) -> tuple[list[Term], list[Term]]:
    """The terms (t, c) of two functions that agree at k = 0, ..., `copies` and differ at every other k >= 0.

    Args:
        numbers: The m_j: positive, ascending, more than `copies` many.
        copies: n.
        mine: Positions in `numbers` whose terms go to the first function; the others go to the second.
    """
    residues = []
    for m in numbers:
        value = fmpq(1)
        for i in range(1, copies + 1):
            value *= -m - i
        for other in numbers:
            if other != m:
                value /= other - m
        residues.append(value)
    residues = coprime(residues)
    sign = 1 if not mine or residues[mine[0]] > 0 else -1
    first = [(fmpq(1, numbers[j]), sign * residues[j]) for j in mine]
    second = [(fmpq(1, m), -sign * residues[j]) for j, m in enumerate(numbers) if j not in mine]
    return first, second


def coprime(numbers: Sequence[fmpq]) -> list[fmpq]:
    """The positive multiple of a vector that has whole entries without common factor; it is not zero."""
    denominator, factor = fmpz(1), fmpz(0)
    for number in numbers:
        denominator = denominator.lcm(number.q)
    for number in numbers:
        factor = factor.gcd((number * denominator).p)
    return [number * denominator / factor for number in numbers]
