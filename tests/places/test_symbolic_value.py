"""Tests of symbolic values: ring laws, equality by structure with its negative controls, signs, enclosures."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
import sympy
from flint import arb, ctx, fmpq, fmpz
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.model import Unit
from exactlearn.places.exponential_sums import ExponentialSum
from exactlearn.places.quotient_sums import Quotient
from exactlearn.places.symbolic_value import SymbolicValue

P, Q, R = 2**127 - 1, 2**89 - 1, 2**107 - 1
"""Primes beyond the size up to which numbers are factored (Mersenne)."""

exp, power = SymbolicValue.exp, SymbolicValue.power
small = st.builds(fmpq, st.integers(-3, 3), st.integers(1, 3))


def _quotient(pair: tuple[SymbolicValue, SymbolicValue]) -> SymbolicValue:
    return pair[0] / (1 + pair[1] * pair[1])


leaves = st.one_of(
    small.map(SymbolicValue.of),
    small.map(exp),
    st.builds(exp, small, st.sampled_from([Unit.sqrt(2), Unit.sqrt(8), Unit.sqrt(fmpq(1, 3)), Unit(fmpq(2), -1)])),
    st.builds(power, st.sampled_from([2, 3, fmpq(4, 3), 12, P * Q, P * R]), small),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(_quotient),
    ),
    max_leaves=3,
)


@settings(max_examples=60)
@given(values, values, values)
def test_ring_laws(a: SymbolicValue, b: SymbolicValue, c: SymbolicValue) -> None:
    """Values form a commutative ring with 0 and 1."""
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + 0 == a
    assert a * 1 == a
    assert (a - a).is_zero()
    assert a + (-a) == 0
    assert a - b == -(b - a)
    assert a + a == 2 * a


@settings(max_examples=60)
@given(values, values)
def test_field_laws(a: SymbolicValue, b: SymbolicValue) -> None:
    """Division undoes multiplication, and only zero has no inverse."""
    assume(not b.is_zero())
    assert (a / b) * b == a
    assert b / b == 1
    assert 1 / (1 / b) == b


@settings(max_examples=60)
@given(values, values)
def test_operations_agree_with_balls(a: SymbolicValue, b: SymbolicValue) -> None:
    """Sum, difference and product lie where the balls of the operands say."""
    with ctx.workprec(200):
        x, y = a.enclosure(40), b.enclosure(40)
        for result, ball in ((a + b, x + y), (a - b, x - y), (a * b, x * y)):
            assert result.enclosure(40).overlaps(ball)
            assert not (result + fmpq(1, 10**6)).enclosure(40).overlaps(ball)


@settings(max_examples=60)
@given(values, st.integers(0, 200))
def test_values_that_differ_by_little_are_unequal(a: SymbolicValue, digits: int) -> None:
    """Negative control: a rational or irrational difference of 10^-digits is never lost."""
    tiny = fmpq(1, 10**digits)
    assert a + tiny != a
    assert (a + tiny - a).sign() == 1
    assert a != a + exp(1) * tiny
    assert a + tiny - tiny == a


@settings(max_examples=60)
@given(values)
def test_signs_agree_with_enclosures(a: SymbolicValue) -> None:
    """The sign is that of the enclosure; 0 exactly for zero; -a has the opposite one."""
    ball = a.enclosure(5)
    sign = a.sign()
    assert sign == (1 if ball > 0 else -1 if ball < 0 else 0)
    assert (-a).sign() == -sign
    assert bool(a) == (sign != 0)
    assert (sign == 0) == a.is_zero()


@given(values, st.integers(1, 60))
def test_enclosures_are_as_accurate_as_asked(a: SymbolicValue, digits: int) -> None:
    """The radius is at most 10^-digits of the size; a finer ball lies inside the coarser one's reach."""
    ball = a.enclosure(digits)
    assert ball.rel_accuracy_bits() >= digits * 3.32
    assert ball.overlaps(a.enclosure(2 * digits))


@given(st.builds(fmpq, st.integers(-(10**30), 10**30), st.integers(1, 10**30)), st.integers(1, 40))
def test_decimal_text_contains_the_number(number: fmpq, digits: int) -> None:
    """The printed interval contains the rational, and is narrow."""
    text = SymbolicValue.of(number).decimal(digits)
    with localcontext(prec=200):
        middle, _, radius = text.strip("[]").partition(" +/- ")
        center, width = Fraction(Decimal(middle)), Fraction(Decimal(radius or 0))
    exact = Fraction(int(number.p), int(number.q))
    assert abs(exact - center) <= width
    assert width <= abs(exact) * Fraction(2, 10 ** (digits - 1))
    assert (text == "0") == (number == 0)


def test_decimal_of_known_constants() -> None:
    """E and sqrt(2) as everybody knows them."""
    assert exp(1).decimal(20).startswith("[2.718281828459045235")
    assert power(2, fmpq(1, 2)).decimal(10).startswith("[1.41421356")
    assert (exp(1) - exp(1)).decimal() == "0"
    assert exp(10**400).decimal(5).startswith("[3.7177e+434294481903251827")
    assert exp(1).decimal(5000).startswith("[2.71828182845904523536")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (power(4, fmpq(1, 2)), 2),
        (power(12, fmpq(1, 2)), 2 * power(3, fmpq(1, 2))),
        (power(fmpq(1, 2), fmpq(1, 2)), power(2, fmpq(1, 2)) / 2),
        (power(2, fmpq(1, 2)) * power(3, fmpq(1, 2)), power(6, fmpq(1, 2))),
        (power(P * Q, fmpq(1, 2)) * power(P * R, fmpq(1, 2)), P * power(Q * R, fmpq(1, 2))),
        (power(P * P * Q, fmpq(1, 2)), P * power(Q, fmpq(1, 2))),
        (power(P**4, fmpq(1, 6)), power(P**2, fmpq(1, 3))),
        (exp(1, Unit.sqrt(P * P * Q)), exp(P, Unit.sqrt(Q))),
        (exp(fmpq(1, 2)) * exp(fmpq(1, 3)), exp(fmpq(5, 6))),
        (exp(1, Unit.sqrt(2)) * exp(1, Unit.sqrt(3)) / exp(1, Unit.sqrt(2)), exp(1, Unit.sqrt(3))),
        (exp(1, Unit.sqrt(8)), exp(2, Unit.sqrt(2))),
        (exp(-1, Unit.sqrt(4)), exp(-2)),
        (1 / (1 + power(2, fmpq(1, 2))), power(2, fmpq(1, 2)) - 1),
        ((1 - exp(2)) / (1 - exp(1)), 1 + exp(1)),
        (1 / (1 + exp(1)) + 1 / (1 + exp(-1)), 1),
    ],
)
def test_equal_numbers_written_differently(left: SymbolicValue, right: Any) -> None:
    """Equality is that of numbers, over whatever bases; a small change breaks it."""
    assert left == right
    assert left != right + fmpq(1, 10**200)
    assert left != right * exp(fmpq(1, 10**200))


def test_unequal_bases_stay_apart() -> None:
    """Radicals that are not the same number are not identified by a shared divisor."""
    assert power(P * Q, fmpq(1, 2)) != power(P * R, fmpq(1, 2))
    assert exp(1, Unit.sqrt(2)) != exp(1, Unit.sqrt(3))
    assert power(2, fmpq(1, 3)) != power(2, fmpq(2, 3))


def test_signs_of_tiny_differences() -> None:
    """Values that agree to a hundred and more digits have the right sign of their difference."""
    root = power(2, fmpq(1, 2))
    scale = fmpz(10) ** 150
    below = fmpq((2 * scale * scale).isqrt(), scale)
    assert (root - below).sign() == 1
    assert (root - below - 1 / fmpq(scale)).sign() == -1
    assert (exp(1, Unit.sqrt(2)) - exp(below)).sign() == 1
    # (1 + sqrt(2))^200 + (1 - sqrt(2))^200 is a whole number, and the second summand is about 10^-77.
    big = SymbolicValue.of(1)
    for _ in range(200):
        big = big * (1 + root)
    with ctx.workprec(1000):
        nearest = (big + fmpq(1, 2)).enclosure(200).floor().unique_fmpz()
    assert nearest is not None
    assert (nearest - big).enclosure(5) < arb(10) ** -70
    assert (big - nearest).sign() == -1
    assert big - nearest != 0


def test_differences_beyond_every_precision() -> None:
    """1/(1 + e^(-10^9)) - 1 has its sign from the expanded numerator, no precision would show it."""
    value = 1 / (1 + exp(-(10**9))) - 1
    assert value.sign() == -1
    assert value.decimal(5).startswith("[-1.2495e-434294482")
    assert ((1 + exp(-(10**9))) / (2 + exp(1)) - 1 / (2 + exp(1))).sign() == 1


def test_rational_values_are_recognised() -> None:
    """Values that happen to be rational say so, those that are not say None."""
    root = power(2, fmpq(1, 2))
    assert (root * root).rational == 2
    assert (1 / (1 + exp(1)) + 1 / (1 + exp(-1))).rational == 1
    assert (1 / (1 + root) - root).rational == -1
    assert (exp(1) * (1 / (1 + exp(1))) + 1 / (1 + exp(1)) + fmpq(1, 3)).rational == fmpq(4, 3)
    for irrational in (root, exp(1), 1 / (1 + root), root + 1 / (1 + exp(1)), power(6, fmpq(1, 2)) / (3 + root)):
        assert irrational.rational is None
    assert (root - root).rational == 0


def test_two_irrational_quotients_are_refuted_by_conjugates() -> None:
    """Sums of quotients of radicals alone are seen to be irrational without expanding."""
    total = 1 / (1 + power(2, fmpq(1, 2))) + 1 / (1 + power(3, fmpq(1, 3)))
    assert total.sum.constant(products=0) is None
    both = 1 / (1 + exp(1)) + 1 / (2 + exp(1, Unit.sqrt(2)))
    assert both.sum.constant(products=0) is None


def test_numbers_of_all_types_mix() -> None:
    """Every exact rational type works on both sides; floats and text do not."""
    value = exp(1)
    for number in (2, Fraction(2), fmpz(2), fmpq(2), sympy.Integer(2)):
        assert (value + number) - value == number
        assert number - (number - value) == value
        assert number * value / number == value
        assert (number / value) * value == number
    operations: list[Callable[[], Any]] = [
        lambda: value + 0.5,
        lambda: 0.5 * value,
        lambda: value / 0.5,
    ]
    for operation in operations:
        with pytest.raises(UnusableInputError, match="ambiguous"):
            operation()
    with pytest.raises(TypeError, match="unsupported operand"):
        value + "1"
    assert (value == "1") is False
    assert (SymbolicValue.of(fmpq(1, 2)) == 0.5) is False


def test_division_by_zero_and_powers_of_non_positive_numbers() -> None:
    """A zero in any disguise is refused as a divisor; a radicand is positive."""
    hidden = 1 / (1 + exp(1)) + 1 / (1 + exp(-1)) - 1
    for zero in (hidden, SymbolicValue.of(0), 0):
        with pytest.raises(UnusableInputError, match="division by zero"):
            exp(1) / zero
    with pytest.raises(UnusableInputError, match="division by zero"):
        SymbolicValue.from_quotients([Quotient(ExponentialSum.of(fmpq(1)), ExponentialSum())], ())
    for number in (0, -2):
        with pytest.raises(UnusableInputError, match="positive"):
            power(number, fmpq(1, 2))
    with pytest.raises(OverBudgetError, match="bits"):
        power(2, fmpq(10**10 + 1, 2))


def test_values_have_no_hash_and_survive_copies() -> None:
    """Equal numbers may be written differently, so there is no hash; values cross processes."""
    value = 1 / (1 + exp(fmpq(1, 2), Unit.sqrt(3))) + power(P * Q, fmpq(1, 2))
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  # its own bytes
    assert copy.deepcopy(value) == value
    assert isinstance(value.enclosure(), arb)
