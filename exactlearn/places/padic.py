"""The p-adic place: rational weights, true e, any unit c; values seen in Z/p^k through e^c -> U (DESIGN section 2).

U = omega (1 + p) has order q p^(k-1), so e^{c r} -> U^r makes sense for every rational r with denominator prime to
p q; by Lindemann-Weierstrass e^c is transcendental, so this is a ring homomorphism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq, fmpz, fmpz_mat

from exactlearn.errors import NotAttentionError, NotAtThisPlaceError, UnluckyPrimeError
from exactlearn.fields.number_field import NumberField
from exactlearn.model import ONE, Matrix, MultiHeadAttention, Unit, WeightKind
from exactlearn.places.field_rings import FieldRing
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, TokenBasis
from exactlearn.places.residues import ResidueRing, multiply_mod


@dataclass(frozen=True)
class PadicPlace:
    """Values of models with rational weights in units of `unit`, modulo p^k; or with weights in a number field."""

    unit: Unit = ONE
    name: str = "padic"
    weights: WeightKind = "rational"
    token_multiple: int = 1
    answers_are_exact: bool = False
    largest_box: int = 10**30
    field: NumberField | None = None

    def default_box(self, heads: int, dim: int) -> int:
        """Large: the size of the tokens costs nothing here, and a draw then almost never degenerates."""
        del heads, dim
        return 1_000_000

    def black_box(self, model: MultiHeadAttention) -> BlackBox:
        """The model seen at this place; it has rational weights and this place's unit and number field."""
        if model.field != self.field:
            raise NotAtThisPlaceError("the model is over another number field than this place")
        if model.weights != "rational" or model.unit != self.unit:
            raise NotAtThisPlaceError("the p-adic place with this unit sees rational weights in the same unit")
        return PadicBlackBox(model) if self.field is None else PadicFieldBlackBox(model)

    def see(self, answers: Sequence[Answer], ring: ResidueRing) -> list[fmpz]:
        """The answers themselves: they are residues already."""
        del ring
        return list(answers)

    def weights_from_poles(self, basis: TokenBasis, poles: Sequence[Sequence[fmpz]]) -> Matrix:
        """W = X^-T E Y^-1 with E[i][j] = log_U t(x_i, y_j), read off mod p^(k-1)."""
        return weights_from_logarithms(basis, logarithms(basis.ring, poles))


def logarithms(ring: ResidueRing, poles: Sequence[Sequence[fmpz]]) -> fmpz_mat:
    """log_U of every pole mod p^(k-1): the exponents x^T W y.

    Raises:
        NotAttentionError: When one is no power of U.
    """
    return fmpz_mat([[_log_to_base(ring, t) for t in row] for row in poles])


def weights_from_logarithms(basis: TokenBasis, exponents: fmpz_mat) -> Matrix:
    """W = X^-T E Y^-1, read off mod p^(k-1).

    Raises:
        PrecisionTooLowError: When more digits are needed.
    """
    ring, dim, modulus = basis.ring, len(basis.X), basis.ring.log_modulus
    weights = multiply_mod(multiply_mod(basis.x_inverse, exponents, modulus), basis.y_inverse, modulus)
    numbers = ring.read_numbers(weights.entries(), modulus)
    return tuple(tuple(numbers[dim * i : dim * (i + 1)]) for i in range(dim))


class PadicBlackBox:
    """A model's values mod p^k; holds integer numerators of the weights, prepared once."""

    def __init__(self, model: MultiHeadAttention) -> None:
        self._dim = model.dim
        self._heads = len(model.heads)
        rows = [list(row) for head in model.heads for row in head.W]
        self._weights, self._weights_denominator = _integer_matrix(rows, model.dim)
        self._values, self._values_denominator = _integer_matrix([list(h.v) for h in model.heads], model.dim)
        self._final_token: tuple[IntegerToken, fmpz_mat] | None = None

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> fmpz:
        """sum_h (sum_i e_hi v_h.x_i) / (sum_i e_hi), scores taken relative to the final token."""
        final = tokens[-1]
        tops, bottoms = [fmpz(0)] * self._heads, [fmpz(0)] * self._heads
        for token in tokens:
            poles = self._poles(tuple(a - b for a, b in zip(token, final, strict=True)), final, ring)
            for h, (pole, readout) in enumerate(zip(poles, self._readouts(token, ring), strict=True)):
                tops[h] += pole * readout
                bottoms[h] += pole
        inverses = ring.inverses(bottoms)
        return sum((top * i for top, i in zip(tops, inverses, strict=True)), fmpz(0)) % ring.modulus

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[fmpz]:
        """F(k) = F(infinity) - sum_h c_h / (1 + k t_h): the poles once, all inverses together."""
        modulus, heads = ring.modulus, self._heads
        poles = self._poles(x, y, ring)
        residues = self._readouts(x, ring)
        limit = sum(residues, sum(self._readouts(y, ring), fmpz(0)))
        inverses = ring.inverses([1 + k * t for k in counts for t in poles])
        sums = (fmpz_mat(len(counts), heads, inverses) * fmpz_mat(heads, 1, residues)).entries()
        return [(limit - total) % modulus for total in sums] if heads else [limit % modulus] * len(counts)

    def _poles(self, x: IntegerToken, y: IntegerToken, ring: ResidueRing) -> list[fmpz]:
        """t_h = U^(x^T W_h y) for every head."""
        if self._final_token is None or self._final_token[0] != y:
            column = self._weights * fmpz_mat(self._dim, 1, list(y))
            self._final_token = (y, fmpz_mat(self._heads, self._dim, column.entries()))
        exponents = self._final_token[1] * fmpz_mat(self._dim, 1, list(x))
        scale = _exponent_scale(ring, self._weights_denominator)
        return [_power_of_base(ring, exponent * scale) for exponent in exponents.entries()]

    def _readouts(self, token: IntegerToken, ring: ResidueRing) -> list[fmpz]:
        """v_h.token for every head."""
        scale = _value_scale(ring, self._values_denominator)
        products = self._values * fmpz_mat(self._dim, 1, list(token))
        return [product * scale % ring.modulus for product in products.entries()]


class PadicFieldBlackBox(PadicBlackBox):
    """The same for a model over a number field, whose numbers are seen through the ring's roots."""

    def __init__(self, model: MultiHeadAttention) -> None:
        self._dim = model.dim
        self._heads = len(model.heads)
        self._model = model
        self._seen: tuple[FieldRing, fmpz_mat, fmpz_mat] | None = None

    def _poles(self, x: IntegerToken, y: IntegerToken, ring: ResidueRing) -> list[fmpz]:
        """t_h = U^(x^T W_h y) for every head, W_h modulo the order of U."""
        weights = self._images(ring)[0]
        columns = (weights * fmpz_mat(self._dim, 1, list(y))).entries()
        exponents = fmpz_mat(self._heads, self._dim, columns) * fmpz_mat(self._dim, 1, list(x))
        return [_power_of_base(ring, exponent) for exponent in exponents.entries()]

    def _readouts(self, token: IntegerToken, ring: ResidueRing) -> list[fmpz]:
        """v_h.token for every head."""
        products = self._images(ring)[1] * fmpz_mat(self._dim, 1, list(token))
        return [product % ring.modulus for product in products.entries()]

    def _images(self, ring: ResidueRing) -> tuple[fmpz_mat, fmpz_mat]:
        """All rows of all W and all v as residues, kept for the last ring."""
        if not isinstance(ring, FieldRing) or ring.field != self._model.field:
            raise NotAtThisPlaceError("a model over a number field is seen in a ring with roots of its polynomial")
        if self._seen is None or self._seen[0] != ring:
            weights = [ring.reduce_exponent(entry) for head in self._model.heads for row in head.W for entry in row]
            values = [ring.reduce(entry) for head in self._model.heads for entry in head.v]
            rows = self._heads * self._dim
            self._seen = ring, fmpz_mat(rows, self._dim, weights), fmpz_mat(self._heads, self._dim, values)
        return self._seen[1:]


@lru_cache(maxsize=64)
def _exponent_scale(ring: ResidueRing, denominator: fmpz) -> fmpz:
    """1/denominator in the exponents, modulo the order q p^(k-1) of U."""
    if denominator % ring.prime == 0 or denominator % ring.half_order == 0:
        raise UnluckyPrimeError("p q has a common factor with a denominator in the exponents")
    return pow(denominator, -1, ring.log_modulus * ring.half_order)


@lru_cache(maxsize=64)
def _value_scale(ring: ResidueRing, denominator: fmpz) -> fmpz:
    return ring.inverse(denominator)


def _power_of_base(ring: ResidueRing, exponent: fmpz) -> fmpz:
    """U^exponent = omega^exponent (1 + p)^exponent, the second factor by the binomial series."""
    root_part = pow(ring.teichmuller_square, exponent % ring.half_order, ring.modulus)
    if ring.prime <= ring.digits:
        return root_part * pow(fmpz(1 + ring.prime), exponent % ring.log_modulus, ring.modulus) % ring.modulus
    exponent %= ring.log_modulus
    term = total = fmpz(1)
    for n, factor in enumerate(_binomial_factors(ring)):
        term = term * (exponent - n) % ring.modulus * factor % ring.modulus
        total += term
    return root_part * total % ring.modulus


@lru_cache(maxsize=64)
def _binomial_factors(ring: ResidueRing) -> tuple[fmpz, ...]:
    """p/n for n = 1..k-1, which take one term binomial(r, n-1) p^(n-1) to the next but for r - n + 1."""
    return tuple(ring.prime * ring.inverse(fmpz(n)) % ring.modulus for n in range(1, ring.digits))


def _log_to_base(ring: ResidueRing, pole: fmpz) -> fmpz:
    """log_U of a power of U mod p^(k-1): log_p(t^q) / (q log_p(1 + p)), both divided by p first."""
    principal = pow(pole, ring.half_order, ring.modulus)
    if principal % ring.prime != 1:
        raise NotAttentionError("a pole of a probe is no power of e: the outputs are not those of so few heads")
    return ring.log(principal) // ring.prime * _log_scale(ring) % ring.log_modulus


@lru_cache(maxsize=64)
def _log_scale(ring: ResidueRing) -> fmpz:
    if ring.digits == 1:
        return fmpz(0)
    base = ring.log(fmpz(1 + ring.prime)) // ring.prime * ring.half_order
    return pow(base, -1, ring.log_modulus)


def _integer_matrix(rows: list[list[fmpq]], columns: int) -> tuple[fmpz_mat, fmpz]:
    """A rational matrix as integer numerators over one common denominator."""
    denominator = fmpz(1)
    for row in rows:
        for entry in row:
            denominator = denominator.lcm(entry.q)
    numerators = [entry.p * (denominator // entry.q) for row in rows for entry in row]
    return fmpz_mat(len(rows), columns, numerators), denominator
