"""Exact exponents: what x^T W y is, as a number that can be compared, without ever evaluating an exponential.

An entry of W is c*r (true e) or u*log T.  Both are written in a normal form in which equal numbers are equal
objects, across models with different units: `EntryKey`.
"""

from __future__ import annotations

import math

from flint import fmpq, fmpz

from exactlearn.model import Matrix, MultiHeadAttention, Unit

EntryKey = tuple[str, object, fmpq]
"""``("e", c, r)`` for c*r, ``("log", b, s)`` for s*log b with b > 1 no perfect power, ``("zero", None, 0)``."""

WeightKey = tuple[tuple[EntryKey, ...], ...]
"""A whole W in normal form: equal keys, equal weights (Lindemann-Weierstrass keeps "e" and "log" apart)."""

ZERO_KEY: EntryKey = ("zero", None, fmpq(0))


def weight_key(model: MultiHeadAttention, W: Matrix, reference: Unit) -> WeightKey:
    """The normal form of the true weights that the stored matrix `W` of `model` stands for.

    Args:
        model: Says how W is meant: its kind of weights and its unit.
        W: The stored d x d matrix.
        reference: Units that are rational multiples of this one are expressed by it, so that models with
            commensurable units can be compared.
    """
    if model.weights == "log-rational":
        exponent = model.unit.rational
        assert exponent is not None  # noqa: S101  # the model's constructor saw to it
        return tuple(tuple(_log_key(entry, exponent) for entry in row) for row in W)
    ratio = model.unit.ratio(reference)
    unit, factor = (model.unit, fmpq(1)) if ratio is None else (reference, ratio)
    return tuple(tuple(("e", unit, factor * entry) if entry else ZERO_KEY for entry in row) for row in W)


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
