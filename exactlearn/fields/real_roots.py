"""Real roots of an irreducible polynomial over Q: counted by Sturm's theorem, refined by bisection and Newton.

All in whole and rational arithmetic, so that roots however close take time and no luck.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from flint import arb, ctx, fmpq, fmpq_poly, fmpz, fmpz_poly

from exactlearn.errors import OverBudgetError

Coefficients = tuple[fmpq, ...]
"""A polynomial, constant term first."""

Interval = tuple[fmpq, fmpq]

_COARSE, _TRY_NEWTON = 64, 32

MOST_HALVINGS = 8192
"""Roots that lie closer than so many halvings part are not told apart."""


def count_roots(coefficients: Coefficients, interval: Interval) -> int:
    """The number of real roots in the closed interval (the ends are no roots unless the degree is 1)."""
    lower, upper = interval
    if len(coefficients) == 2:
        return int(lower <= -coefficients[0] / coefficients[1] <= upper)
    return roots_above(coefficients, lower) - roots_above(coefficients, upper)


def roots_above(coefficients: Coefficients, bound: fmpq | None) -> int:
    """The number of real roots above a rational number, or of all real roots for None; the degree is at least 2."""
    chain = _sturm_chain(coefficients)
    at_infinity = _changes([_sign(fmpz(p.leading_coefficient())) for p in chain])
    if bound is None:
        signs = [_sign(fmpz(p.leading_coefficient())) * (-1 if p.degree() % 2 else 1) for p in chain]
        return _changes(signs) - at_infinity
    return _changes([_sign_at(p, bound) for p in chain]) - at_infinity


@lru_cache(maxsize=64)
def isolating_intervals(coefficients: Coefficients) -> tuple[Interval, ...]:
    """Disjoint intervals around the real roots, ascending, with short dyadic ends.

    Raises:
        OverBudgetError: When two roots are too close to each other.
    """
    if len(coefficients) == 2:
        value = -coefficients[0] / coefficients[1]
        return ((value, value),)
    largest = max(abs(c / coefficients[-1]) for c in coefficients[:-1])
    bound = fmpq(2) ** int((largest.ceil() + 1).bit_length())
    waiting, found, halvings = [(-bound, bound, roots_above(coefficients, None))], [], 0
    while waiting:
        lower, upper, count = waiting.pop()
        is_short = upper - lower <= 1
        if count == 0:
            continue
        if count == 1 and is_short:
            found.append((lower, upper))
            continue
        halvings += 1
        if halvings > MOST_HALVINGS:
            raise OverBudgetError("two real roots of a polynomial are too close to each other to be told apart")
        middle = (lower + upper) / 2
        right = roots_above(coefficients, middle) - roots_above(coefficients, upper)
        waiting += [(middle, upper, right), (lower, middle, count - right)]
    return tuple(found)


@lru_cache(maxsize=256)
def root_ball(coefficients: Coefficients, interval: Interval, precision: int) -> arb:
    """A ball of about so many bits around the only root in the interval.

    Args:
        coefficients: An irreducible polynomial.
        interval: Isolating.
        precision: In bits, relative to the size of the root.
    """
    lower, upper = interval
    if len(coefficients) == 2:
        lower = upper = -coefficients[0] / coefficients[1]
    else:
        lower, upper = _refined(coefficients, interval, precision)
    with ctx.workprec(precision + 32):
        middle, radius = (lower + upper) / 2, (upper - lower) / 2
        return _arb(middle) + arb(0, _arb(radius).upper())


@lru_cache(maxsize=256)
def _refined(coefficients: Coefficients, interval: Interval, precision: int) -> Interval:
    """An interval around the same root, of a width below 2^-precision times the root."""
    polynomial = fmpq_poly(list(coefficients))
    lower, upper = interval if precision <= _COARSE else _refined(coefficients, interval, precision // 2)
    sign, halvings = _sign_at(polynomial, lower), 0
    while not _is_narrow(lower, upper, precision):
        # Newton's step fails while another root is near; then it is tried again after some halvings.
        step = _newton_interval(polynomial, lower, upper) if halvings % _TRY_NEWTON == 0 else None
        if step is not None and 2 * (step[1] - step[0]) <= upper - lower and _holds(polynomial, step, sign):
            lower, upper = max(lower, step[0]), min(upper, step[1])
            continue
        halvings += 1
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if _sign_at(polynomial, middle) == sign else (lower, middle)
    return lower, upper


def _is_narrow(lower: fmpq, upper: fmpq, precision: int) -> bool:
    smaller = min(abs(lower), abs(upper))
    return lower * upper > 0 and (upper - lower) * fmpq(fmpz(1) << precision) < smaller


def _newton_interval(polynomial: fmpq_poly, lower: fmpq, upper: fmpq) -> Interval | None:
    """Where a step of Newton from the middle expects the root, a square root as wide (in a logarithmic sense)."""
    middle, width = (lower + upper) / 2, upper - lower
    slope = fmpq(polynomial.derivative()(middle))
    if not slope:
        return None
    bits = 2 * max(_bits_below(width), 1) + 2
    scale = fmpz(1) << bits
    nearest = fmpq(((middle - fmpq(polynomial(middle)) / slope) * scale).floor(), scale)
    return nearest - fmpq(1, scale >> 2), nearest + fmpq(2, scale >> 2)


def _bits_below(width: fmpq) -> int:
    """About -log2 of a width."""
    return int(width.q.bit_length()) - int(width.p.bit_length())


def _holds(polynomial: fmpq_poly, interval: Interval, sign_below: int) -> bool:
    """Whether the root lies in the interval, by the signs at its ends."""
    return _sign_at(polynomial, interval[0]) == sign_below and _sign_at(polynomial, interval[1]) == -sign_below


@lru_cache(maxsize=64)
def _sturm_chain(coefficients: Coefficients) -> tuple[fmpz_poly, ...]:
    first = fmpq_poly(list(coefficients))
    chain = [first, first.derivative()]
    while chain[-1].degree() > 0:
        rest = -(chain[-2] % chain[-1])
        chain.append(fmpq_poly(_primitive(rest.numer()).coeffs()))  # a positive factor keeps the signs
    return tuple(fmpz_poly(p.numer().coeffs()) for p in chain)


def _primitive(polynomial: fmpz_poly) -> fmpz_poly:
    content = polynomial.content()
    return fmpz_poly([c // content for c in polynomial.coeffs()])


def _sign_at(polynomial: fmpz_poly | fmpq_poly, point: fmpq) -> int:
    """The sign of the value at a rational point, by Horner's rule on whole numbers."""
    total, power = fmpz(0), fmpz(1)
    whole = polynomial.numer() if isinstance(polynomial, fmpq_poly) else polynomial
    for coefficient in reversed(whole.coeffs()):
        total = total * point.p + coefficient * power
        power *= point.q
    return _sign(total)


def _sign(number: fmpz) -> int:
    return int(number > 0) - int(number < 0)


def _changes(signs: list[int]) -> int:
    known = [sign for sign in signs if sign]
    return sum(left != right for left, right in itertools.pairwise(known))


def _arb(number: fmpq) -> arb:
    return arb(number.p) / arb(number.q)
