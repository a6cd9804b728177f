"""Radicals prod_l l^{s_l} over a coprime base: fractional powers of rationals in a normal form (DESIGN section 2).

The base elements l need not be prime, since numbers may be too hard to factor.  They are greater than 1, pairwise
coprime and no perfect powers.  Then prod l^{s_l} is rational only when every s_l is whole: if it is rational and the
s_l have the common denominator N, each l^{N s_l} is an N-th power by coprimality, so l is a perfect N/gcd(N, N s_l)-th
power, and that exponent must be 1.  Hence two radicals with different exponents in [0, 1) have an irrational ratio,
and positive real radicals with pairwise irrational ratios are linearly independent over Q (Besicovitch 1940, Mordell
1953; in this form Siegel 1972).  So a sum of radicals over one base is zero exactly when its coefficients are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flint import fmpq, fmpz

from exactlearn.errors import OverBudgetError

Base = tuple[fmpz, ...]
"""A coprime base in ascending order."""

Radical = tuple[tuple[fmpz, fmpq], ...]
"""prod l^s as pairs (l, s) with 0 < s < 1, in ascending order of l; the empty tuple is 1."""

MAXIMAL_POWER_BITS = 2**22
"""No power is taken whose numerator or denominator could have more bits than this."""

MAXIMAL_BASE_BITS = 2**16
"""Numbers with more bits than this do not enter a coprime base."""

_TRIAL_PRIMES = 1000
_FACTOR_BITS = 80
"""Cofactors up to this size are factored completely (milliseconds); above it they stay whole."""


def bounded_power(number: fmpq, exponent: fmpz | int) -> fmpq:
    """`number` ** `exponent`, its size bounded before it is computed.

    Raises:
        OverBudgetError: When the result could have more than `MAXIMAL_POWER_BITS` bits.
    """
    if number == 1:
        return number
    bits = int(number.height_bits()) * abs(int(exponent))
    if bits > MAXIMAL_POWER_BITS:
        raise OverBudgetError(f"a power with about 2^{bits.bit_length() - 1} bits exceeds {MAXIMAL_POWER_BITS} bits")
    return number ** int(exponent)


def coprime_base(numbers: Iterable[fmpz]) -> Base:
    """A coprime base over which every one of the whole numbers >= 1 is a product of powers.

    Small primes and cofactors up to 80 bits are split off completely; what is left is refined by greatest common
    divisors alone.

    Raises:
        OverBudgetError: When a number has more than `MAXIMAL_BASE_BITS` bits.
    """
    waiting = [part for number in sorted(set(numbers)) for part in _easy_factors(number)]
    return _refined(waiting)


def common_base(left: Base, right: Base) -> Base:
    """The coarsest refinement of two coprime bases that this module can find: `left` itself when nothing is new."""
    if left == right or not right or set(right) <= set(left):
        return left
    if set(left) <= set(right):
        return right
    return _refined([*left, *right])


def _easy_factors(number: fmpz) -> Iterable[fmpz]:
    if number == 1:
        return
    if number.bit_length() > MAXIMAL_BASE_BITS:
        raise OverBudgetError(f"a radical of a number with more than {MAXIMAL_BASE_BITS} bits")
    for factor, _ in number.factor(trial_limit=_TRIAL_PRIMES):
        if factor.bit_length() <= _FACTOR_BITS:
            yield from (prime for prime, _ in factor.factor())
        else:
            yield factor


def _refined(waiting: list[fmpz]) -> Base:
    """Factor refinement: split two numbers at their common divisor until none is left."""
    base: list[fmpz] = []
    waiting = list(dict.fromkeys(waiting))
    while waiting:
        number = _without_perfect_power(waiting.pop())
        if number == 1:
            continue
        for index, element in enumerate(base):
            common = number.gcd(element)
            if common == 1:
                continue
            if number != element:
                del base[index]
                waiting += [common, number // common, element // common]
            break
        else:
            base.append(number)
    return tuple(sorted(base))


def _without_perfect_power(number: fmpz) -> fmpz:
    """The m >= 2, no perfect power, of which number >= 2 is a power; 1 stays 1."""
    if number == 1:
        return number
    while number.is_perfect_power():
        for degree in range(2, number.bit_length() + 1):
            root = number.root(degree) if fmpz(degree).is_prime() else fmpz(1)
            if root > 1 and root**degree == number:
                number = root
                break
    return number


def exponents_over(number: fmpq, base: Base) -> dict[fmpz, int]:
    """The e_l with number = prod l^{e_l}; those that are zero are left out.

    Args:
        number: A positive rational that is such a product.
        base: A coprime base.

    Raises:
        ValueError: When `number` is no product of powers of the base (a caller's mistake).
    """
    exponents: dict[fmpz, int] = {}
    for part, sign in ((number.p, 1), (number.q, -1)):
        rest = part
        for element in base:
            if rest == 1:
                break
            while rest % element == 0:
                rest //= element
                exponents[element] = exponents.get(element, 0) + sign
        if rest != 1:
            raise ValueError("the number is not a product of powers of the base")
    return exponents


def power_product(exponents: Mapping[fmpz, fmpq]) -> tuple[fmpq, Radical]:
    """Prod l^{s_l} with any rational s_l, as a rational factor and a radical.

    Raises:
        OverBudgetError: When the rational factor would be too long.
    """
    factor, radical = fmpq(1), []
    for element in sorted(exponents):
        exponent = exponents[element]
        whole = exponent.floor()
        if whole:
            factor *= bounded_power(fmpq(element), whole)
        if exponent != whole:
            radical.append((element, exponent - whole))
    return factor, tuple(radical)


def multiply_radicals(left: Radical, right: Radical) -> tuple[fmpq, Radical]:
    """The product of two radicals over the same base, as a rational factor and a radical."""
    if not left or not right:
        return fmpq(1), left or right
    exponents = dict(left)
    for element, exponent in right:
        exponents[element] = exponents.get(element, fmpq(0)) + exponent
    return power_product(exponents)


def invert_radical(radical: Radical) -> tuple[fmpq, Radical]:
    """1 / radical, as a rational factor and a radical."""
    return power_product({element: -exponent for element, exponent in radical})


def rewrite_radical(radical: Radical, base: Base) -> tuple[fmpq, Radical]:
    """The same number over a finer base, as a rational factor and a radical."""
    exponents: dict[fmpz, fmpq] = {}
    for element, exponent in radical:
        for part, multiplicity in exponents_over(fmpq(element), base).items():
            exponents[part] = exponents.get(part, fmpq(0)) + multiplicity * exponent
    return power_product(exponents)


def square_root(square: fmpq, base: Base) -> tuple[fmpq, Radical]:
    """sqrt(square) of a positive rational, as a rational factor and a radical over `base`."""
    return power_product({element: fmpq(power, 2) for element, power in exponents_over(square, base).items()})
