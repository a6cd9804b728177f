"""Exact exponents: what x^T W y is, as a number that can be compared, without ever evaluating an exponential.

An entry of W is c*r (true e) or u*log T.  Both are written in a normal form in which equal numbers are equal
objects, across models with different units: `EntryKey`.
"""

from __future__ import annotations

import math

from flint import fmpq, fmpz

from exactlearn.errors import OverBudgetError
from exactlearn.fields.composing import square_root_in
from exactlearn.fields.element import FieldElement
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Matrix, MultiHeadAttention, Unit
from exactlearn.places.radicals import MAXIMAL_POWER_BITS

EntryKey = tuple[str, object, Scalar]
"""``("e", c, r)`` for c*r, ``("log", b, s)`` for s*log b with b > 1, ``("zero", None, 0)``.

Over Q the b is no perfect power.  Over a number field s is plus or minus one common unit instead.
"""

WeightKey = tuple[tuple[EntryKey, ...], ...]
"""A whole W in normal form: equal keys, equal weights (Lindemann-Weierstrass keeps "e" and "log" apart)."""

ZERO_KEY: EntryKey = ("zero", None, fmpq(0))


def weight_key(model: MultiHeadAttention, W: Matrix, reference: Unit) -> WeightKey:
    """The normal form of the true weights that the stored matrix `W` of `model` stands for.

    Args:
        model: Says how W is meant: its kind of weights and its unit.
        W: The stored d x d matrix.
        reference: Units that are multiples of this one by a number of the model's field are expressed by it, so that
            models with commensurable units can be compared.  `common_unit` gives one that fits both.

    Raises:
        OverBudgetError: When powers of T over a number field would be too long.
    """
    if model.weights == "log-rational":
        exponent = model.unit.rational
        assert exponent is not None  # noqa: S101  # the model's constructor saw to it
        if model.field is not None:
            return tuple(tuple(_log_key_over_field(entry, exponent, reference) for entry in row) for row in W)
        return tuple(tuple(_log_key(entry, exponent) for entry in row) for row in W)
    ratio = unit_ratio(model, reference)
    unit, factor = (model.unit, fmpq(1)) if ratio is None else (reference, ratio)
    return tuple(tuple(("e", unit, factor * entry) if entry else ZERO_KEY for entry in row) for row in W)


def common_unit(left: MultiHeadAttention, right: MultiHeadAttention) -> Unit:
    """A reference unit for the weight keys of both models: for log-rational ones one that divides both units."""
    first, second = left.unit.rational, right.unit.rational
    if left.weights != "log-rational" or right.weights != "log-rational" or first is None or second is None:
        return left.unit
    return Unit.of(fmpq((first.p * second.q).gcd(second.p * first.q), first.q * second.q))


def unit_ratio(model: MultiHeadAttention, reference: Unit) -> Scalar | None:
    """The model's unit divided by `reference` when that lies in the model's field, else None."""
    ratio = model.unit.ratio(reference)
    if ratio is not None or model.field is None:
        return ratio
    root = square_root_in(model.field, model.unit.square / reference.square)
    return None if root is None else root * (model.unit.sign * reference.sign)


def _log_key_over_field(T: FieldElement, exponent: fmpq, reference: Unit) -> EntryKey:
    """u*log T as +-g*log b with b = T^(+-u/g) > 1, g the reference when it divides the unit u."""
    if T == 1:
        return ZERO_KEY
    common = reference.rational
    if common is None or (exponent / common).q != 1:
        common = exponent
    power = int((exponent / common).p)
    if abs(power) * T.height_bits() > MAXIMAL_POWER_BITS:
        raise OverBudgetError(f"the power of T by {power} that compares two units is too long")
    base = T**power
    return ("log", base, common) if base > 1 else ("log", 1 / base, -common)


def _log_key(T: fmpq, exponent: fmpq) -> EntryKey:
    """u*log T as s*log b, with b > 1 that is not a perfect power (unique)."""
    if T == 1:
        return ZERO_KEY
    if T < 1:
        T, exponent = 1 / T, -exponent
    power = _largest_power(T)
    base = fmpq(T.p.root(power), T.q.root(power))
    return ("log", base, power * exponent)


def _largest_power(T: fmpq) -> int:
    """The largest n such that the positive rational T != 1 is an n-th power."""
    numerator, denominator = _power_of_integer(T.p), _power_of_integer(T.q)
    return math.gcd(numerator, denominator)


def _power_of_integer(n: fmpz) -> int:
    """The largest exponent with which n >= 1 is a perfect power; 0 stands for 1, which is every power."""
    if n == 1:
        return 0
    exponent = 1
    while n.is_perfect_power():
        power, n = next(
            (candidate, root)
            for candidate in range(2, n.bit_length() + 1)
            if fmpz(candidate).is_prime() and (root := n.root(candidate)) ** candidate == n
        )
        exponent *= power
    return exponent
