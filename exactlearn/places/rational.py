"""The rational place: log-rational weights and integer tokens, where every value is a rational (DESIGN section 2).

t = e^{x^T W y} = prod T_ij^{x_i y_j} is rational, and so is f.  The learner sees rationals through their images mod
p^k and reads T back from them without ever writing down a t, which has far more digits than T: the p-adic logarithm
gives T up to a root of unity, the exponents mod q give that root up to sign, and T is positive.  Over a number field K
all of this holds with elements of K for rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.copy_count import CopyCountFunction
from exactlearn.errors import NotAtThisPlaceError, UnluckyPrimeError, UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar, as_scalar
from exactlearn.model import ONE, Matrix, MultiHeadAttention, Unit, WeightKind, dot
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, TokenBasis
from exactlearn.places.residues import ResidueRing, multiply_mod


@dataclass(frozen=True)
class RationalPlace:
    """Exact rational values of log-rational models; over a number field, exact values in it."""

    unit: Unit = ONE
    name: str = "rational"
    weights: WeightKind = "log-rational"
    answers_are_exact: bool = True
    largest_box: int = 1000
    field: NumberField | None = None

    @property
    def token_multiple(self) -> int:
        """The denominator of the unit: it keeps the exponents whole."""
        return int(_whole(self.unit).q)

    def default_box(self, heads: int, dim: int) -> int:
        """Small, since a value has about d^2 B^2 times as many digits as T; bad tokens are redrawn from larger ones."""
        del heads
        degree = 1 if self.field is None else self.field.degree
        return max(3, min(24, 72 // (dim * degree)))

    def black_box(self, model: MultiHeadAttention) -> BlackBox:
        """The model seen at this place; it has log-rational weights and this place's unit and number field."""
        if model.field != self.field:
            raise NotAtThisPlaceError("the model is over another number field than this place")
        if model.weights != "log-rational" or model.unit != self.unit:
            raise NotAtThisPlaceError("the rational place with this unit sees log-rational weights in the same unit")
        return RationalBlackBox(model)

    def see(self, answers: Sequence[Answer], ring: ResidueRing) -> list[fmpz]:
        """Rationals reduced mod p^k, their denominators inverted together."""
        return ring.reduce_all(answers)

    def weights_from_poles(self, basis: TokenBasis, poles: Sequence[Sequence[fmpz]]) -> Matrix:
        """T from the images of t(x_i, y_j): |+- omega(T mod p) exp(u^-1 X^-T log(t) Y^-1)|, read off mod p^k."""
        ring, dim = basis.ring, len(basis.X)
        if ring.half_order % 2 == 0:
            raise UnluckyPrimeError("square roots of squares mod p need q odd")
        modulus = ring.modulus
        unit_inverse = 1 / _whole(self.unit)
        scale = ring.reduce(unit_inverse) * ring.inverse(fmpz(ring.prime - 1))
        logarithms = fmpz_mat(
            [[ring.log(pow(t, ring.prime - 1, modulus)) * scale % modulus for t in row] for row in poles]
        )
        weights = multiply_mod(multiply_mod(basis.x_inverse, logarithms, modulus), basis.y_inverse, modulus)
        roots = _roots_of_unity(basis, poles, unit_inverse)
        residues = [
            ring.teichmuller(root) * ring.exp(logarithm) % modulus
            for root, logarithm in zip(roots, weights.entries(), strict=True)
        ]
        numbers = [abs(number) for number in ring.read_numbers(residues, modulus)]
        return tuple(tuple(numbers[dim * i : dim * (i + 1)]) for i in range(dim))


class RationalBlackBox:
    """A log-rational model's exact values on integer tokens."""

    def __init__(self, model: MultiHeadAttention) -> None:
        self._heads = model.heads
        self._unit = _whole(model.unit)
        self._final_token: tuple[IntegerToken, list[list[Scalar]]] | None = None

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing | None = None) -> Scalar:
        """F of the sequence by its definition, scores taken relative to the final token."""
        del ring
        final = tokens[-1]
        tops, bottoms = [fmpq(0)] * len(self._heads), [fmpq(0)] * len(self._heads)
        for token in tokens:
            poles = self._poles(tuple(a - b for a, b in zip(token, final, strict=True)), final)
            for h, (pole, readout) in enumerate(zip(poles, self._readouts(token), strict=True)):
                tops[h] += pole * readout
                bottoms[h] += pole
        return sum((top / bottom for top, bottom in zip(tops, bottoms, strict=True)), fmpq(0))

    def copies(
        self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing | None = None
    ) -> list[Scalar]:
        """F(k) for every k: the poles once, then partial fractions."""
        del ring
        function = self.copy_count_function(x, y)
        return [function(k) for k in counts]

    def copy_count_function(self, x: IntegerToken, y: IntegerToken) -> CopyCountFunction:
        """F with all raw heads as terms (poles may coincide here)."""
        return CopyCountFunction(
            sum(self._readouts(y), fmpq(0)), tuple(self._poles(x, y)), tuple(self._readouts(x))
        )

    def _poles(self, x: IntegerToken, y: IntegerToken) -> list[Scalar]:
        """t_h = prod_a (prod_b T_ab^{y_b})^{u x_a}; the inner products are kept for the last final token."""
        if self._final_token is None or self._final_token[0] != y:
            products = [[_product_of_powers(row, y) for row in head.W] for head in self._heads]
            self._final_token = (y, products)
        exponents = [self._unit * a for a in x]
        if any(exponent.q != 1 for exponent in exponents):
            raise NotAtThisPlaceError(
                "the unit makes an exponent fractional, so this value is no rational number: the symbolic place sees it"
            )
        whole = [int(exponent.p) for exponent in exponents]
        return [_product_of_powers(row, whole) for row in self._final_token[1]]

    def _readouts(self, token: IntegerToken) -> list[Scalar]:
        entries = [fmpq(a) for a in token]
        return [dot(head.v, entries) for head in self._heads]


class CallableBlackBox:
    """A user's own function as a black box at the rational place.

    Args:
        function: Takes a tuple of tokens (tuples of ints) and returns an exact rational: int, Fraction, fmpq...; at
            the place of a number field also an element of it.
    """

    def __init__(self, function: Callable[[tuple[IntegerToken, ...]], Any]) -> None:
        self._function = function

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing | None = None) -> Scalar:
        """The function's answer, exactly.

        Raises:
            UnusableInputError: When the answer is no exact rational (a float, say).
        """
        del ring
        try:
            return as_scalar(self._function(tuple(tokens)))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, "the black box's answer") from None

    def copies(
        self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing | None = None
    ) -> list[Scalar]:
        """One call of the function for each k, on the sequence written out."""
        del ring
        both = tuple(a + b for a, b in zip(x, y, strict=True))
        return [self.value((both,) * k + (y,)) for k in counts]


def _whole(unit: Unit) -> fmpq:
    value = unit.rational
    if value is None:
        raise NotAtThisPlaceError("the rational place needs a rational unit")
    return value


def _product_of_powers(bases: Iterable[Scalar], exponents: Iterable[int]) -> Scalar:
    product: Scalar = fmpq(1)
    for base, exponent in zip(bases, exponents, strict=True):
        if exponent and base != 1:
            product *= base**exponent
    return product


def _roots_of_unity(basis: TokenBasis, poles: Sequence[Sequence[fmpz]], unit_inverse: fmpq) -> list[fmpz]:
    """+-T_ij mod p, row by row: the square root in the group of squares of prod (t^2)^{exponents mod q}."""
    prime, order, dim = basis.ring.prime, basis.ring.half_order, len(basis.X)
    scale = unit_inverse.p * pow(unit_inverse.q, -1, order)
    squares = [[int(t * t % prime) for t in row] for row in poles]
    x_inverse, y_inverse = basis.x_inverse_mod_q.tolist(), basis.y_inverse_mod_q.tolist()
    root = (order + 1) // 2 * scale
    by_rows = [
        [_power_product([squares[a][j] for a in range(dim)], x_inverse[i], prime) for j in range(dim)]
        for i in range(dim)
    ]
    return [
        pow(_power_product(by_rows[i], [y_inverse[b][j] for b in range(dim)], prime), int(root % order), prime)
        for i in range(dim)
        for j in range(dim)
    ]


def _power_product(bases: Sequence[fmpz | int], exponents: Sequence[fmpz], prime: int) -> fmpz:
    product = fmpz(1)
    for base, exponent in zip(bases, exponents, strict=True):
        product = product * pow(fmpz(base), exponent, prime) % prime
    return product
