"""Polynomials in many named indeterminates over Z, their matrices and their quotients: what proofs are made of.

Everything is FLINT's `fmpz_mpoly`; equality of polynomials is equality of coefficients, so an identity that holds
here holds for all values of its indeterminates.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx

Polynomial = fmpz_mpoly
PolynomialMatrix = list[list[Polynomial]]


def indeterminates(**shapes: tuple[int, ...]) -> Any:
    """A ring Z[...] with one indeterminate for each entry of each named array.

    Args:
        shapes: The shape of each array; the empty tuple is one indeterminate.

    Returns:
        A namespace with the arrays as nested lists, and the constants as `zero` and `one`.  Order of the generators
        is that of the arguments, row by row.
    """
    indices = {name: list(itertools.product(*map(range, shape))) for name, shape in shapes.items()}
    names = ["_".join([name, *map(str, index)]) for name in shapes for index in indices[name]]
    ring = fmpz_mpoly_ctx.get(tuple(names), Ordering.lex)
    generators = iter(ring.gens())
    arrays = {name: _nested(shape, generators) for name, shape in shapes.items()}
    return SimpleNamespace(**arrays, zero=ring.constant(0), one=ring.constant(1))


def _nested(shape: tuple[int, ...], entries: Any) -> Any:
    if not shape:
        return next(entries)
    return [_nested(shape[1:], entries) for _ in range(shape[0])]


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The scalar product of two vectors of one length, at least 1; numbers and polynomials may be mixed."""
    products = [a * b for a, b in zip(left, right, strict=True)]
    return sum(products[1:], products[0])


def bilinear(x: Sequence[Any], W: Sequence[Sequence[Any]], y: Sequence[Any]) -> Any:
    """x^T W y."""
    return dot(x, [dot(row, y) for row in W])


def add(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """The sum of two vectors."""
    return [a + b for a, b in zip(left, right, strict=True)]


def subtract(left: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The difference of two matrices."""
    return [[a - b for a, b in zip(r, s, strict=True)] for r, s in zip(left, right, strict=True)]


def transpose(matrix: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The transposed matrix."""
    return [list(column) for column in zip(*matrix, strict=True)]


def multiply(left: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The matrix product."""
    columns = transpose(right)
    return [[dot(row, column) for column in columns] for row in left]


def product(factors: Sequence[Any], one: Any) -> Any:
    """The product of the factors; `one` when there are none."""
    result = one
    for factor in factors:
        result = result * factor
    return result


def determinant(matrix: PolynomialMatrix) -> Polynomial:
    """The determinant of a square matrix, by minors of the first rows: no division, about n 2^n products."""
    zero = matrix[0][0] * 0
    minors = {0: zero + 1}
    for row in matrix:
        longer: dict[int, Polynomial] = {}
        for columns, minor in minors.items():
            for j, entry in enumerate(row):
                if columns >> j & 1 or not entry:
                    continue
                term = minor * entry
                if (columns >> j).bit_count() % 2:
                    term = -term
                key = columns | 1 << j
                longer[key] = longer.get(key, zero) + term
        minors = longer
    return minors.get((1 << len(matrix)) - 1, zero)


def adjugate(matrix: PolynomialMatrix) -> PolynomialMatrix:
    """The adjugate: matrix times adjugate is the determinant times the identity."""
    size = len(matrix)
    if size == 1:
        return [[matrix[0][0] * 0 + 1]]

    def cofactor(i: int, j: int) -> Polynomial:
        minor = determinant([[row[b] for b in range(size) if b != j] for a, row in enumerate(matrix) if a != i])
        return -minor if (i + j) % 2 else minor

    return [[cofactor(j, i) for j in range(size)] for i in range(size)]


def rank(matrix: PolynomialMatrix) -> int:
    """The rank over the field of fractions, by Bareiss' elimination (every division is exact)."""
    rows, found = [list(row) for row in matrix], 0
    previous = rows[0][0] * 0 + 1
    for column in range(len(rows[0])):
        pivots = [r for r in range(found, len(rows)) if rows[r][column]]
        if not pivots:
            continue
        rows[found], rows[pivots[0]] = rows[pivots[0]], rows[found]
        pivot = rows[found]
        for r in range(found + 1, len(rows)):
            head = rows[r][column]
            rows[r] = [(a * pivot[column] - head * b) / previous for a, b in zip(rows[r], pivot, strict=True)]
        previous, found = pivot[column], found + 1
        if found == len(rows):
            break
    return found


@dataclass(frozen=True, eq=False)
class Quotient:
    """A rational function as numerator over a non-zero denominator, not reduced; equality by cross multiplication."""

    numerator: Polynomial
    denominator: Polynomial

    def __add__(self, other: Quotient) -> Quotient:
        """The sum, over the product of the denominators."""
        return Quotient(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def equals(self, other: Quotient) -> bool:
        """Whether both are the same rational function."""
        return bool(self.numerator * other.denominator == other.numerator * self.denominator)

    def lowest_terms(self) -> Quotient:
        """The same function without common factors."""
        common = self.numerator.gcd(self.denominator)
        return Quotient(self.numerator / common, self.denominator / common)


def total(quotients: Sequence[Quotient], one: Polynomial) -> Quotient:
    """The sum of any number of quotients."""
    return sum(quotients, Quotient(one * 0, one))


def coefficients(polynomial: Polynomial) -> list[Polynomial]:
    """The coefficients in the ring's first indeterminate, constant term first; none for the zero polynomial."""
    ring = polynomial.context()
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for monomial, coefficient in polynomial.to_dict().items():
        parts.setdefault(monomial[0], {})[(0, *monomial[1:])] = coefficient
    return [ring.from_dict(parts.get(power, {})) for power in range(max(parts, default=-1) + 1)]


def coefficient_determinant(functions: Sequence[Polynomial]) -> Polynomial:
    """What is left of det [f_j(k_i)] when its Vandermonde factor is taken out.

    For n polynomials f_j of degree below n in the ring's first indeterminate k the matrix [f_j(k_i)] is the product
    of [k_i^a] and of the matrix of coefficients, so its determinant is prod_(i<j) (k_j - k_i) times this one, for
    all nodes k_1, ..., k_n.
    """
    size, zero = len(functions), functions[0] * 0
    columns = [coefficients(function) for function in functions]
    if max(map(len, columns)) > size:
        raise ValueError("a polynomial has too high a degree for so many nodes")
    return determinant(transpose([column + [zero] * (size - len(column)) for column in columns]))


def differences(values: Sequence[Any], one: Any) -> Any:
    """prod_(g<h) (value_h - value_g): the Vandermonde determinant."""
    return product([b - a for a, b in itertools.combinations(values, 2)], one)


def softmax_value(weights: Sequence[Polynomial], values: Sequence[Polynomial]) -> Quotient:
    """sum_i softmax_i value_i, where `weights` are the exponentials of the scores."""
    return Quotient(dot(weights, values), sum(weights[1:], weights[0]))


@dataclass(frozen=True)
class Exponentials:
    """exp as the homomorphism that it is: sums of known exponents go to products of their exponentials.

    An identity between the images, which are free indeterminates, holds for the exponentials in their place.

    Attributes:
        known: Pairs of an exponent and the indeterminate that stands for its exponential.
    """

    known: tuple[tuple[Polynomial, Polynomial], ...]

    def __call__(self, exponent: Polynomial) -> Polynomial | None:
        """The image of `exponent` when it is the sum of a part of the known exponents, else None."""
        for size in range(len(self.known) + 1):
            for part in itertools.combinations(self.known, size):
                if sum((summand for summand, _ in part), exponent * 0) == exponent:
                    image: Polynomial = product([factor for _, factor in part], exponent**0)
                    return image
        return None
