"""Elements of number fields: the laws of ordered fields, rational restriction, conjugation, text, sympy."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
import sympy
from flint import arb, ctx, fmpq, fmpz, fmpz_poly
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.fields import FieldElement, NumberField
from exactlearn.fields.sympy_numbers import field_from_sympy, from_sympy, to_sympy

ROOT_2 = NumberField([-2, 0, 1], [1, 2])
GOLDEN = NumberField([-1, -1, 1], [1, 2])
CUBIC = NumberField(list(fmpz_poly.cos_minpoly(7).coeffs()), [1, 2])
OCTIC = NumberField(list(fmpz_poly.cos_minpoly(17).coeffs()), [fmpq(9, 5), 2])
NOT_MONIC = NumberField([fmpq(-3, 2), 1, 0, 5], [0, 1])
FIELDS = [ROOT_2, GOLDEN, CUBIC, OCTIC, NOT_MONIC]

rationals = st.builds(fmpq, st.integers(-30, 30), st.integers(1, 8))


def elements(field: NumberField) -> st.SearchStrategy[FieldElement]:
    """Elements with small coefficients."""
    return st.lists(rationals, min_size=1, max_size=field.degree).map(field.element)


same_field = st.sampled_from(FIELDS).flatmap(lambda field: st.tuples(*[elements(field)] * 3))


@given(same_field)
def test_field_laws(numbers: tuple[FieldElement, FieldElement, FieldElement]) -> None:
    """Addition and multiplication are those of a field."""
    a, b, c = numbers
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + b == b + a
    assert a * b == b * a
    assert a - b == -(b - a)
    assert +a == a
    assert not a - a
    if b:
        assert a / b * b == a
        assert b * b.inverse() == 1
        assert b**-3 * b**3 == 1
    assert a**3 == a * a * a


@given(same_field)
def test_order_is_that_of_the_reals(numbers: tuple[FieldElement, FieldElement, FieldElement]) -> None:
    """The order is total, fits arithmetic, and agrees with balls of high precision."""
    a, b, c = numbers
    assert (a < b) + (a == b) + (a > b) == 1
    assert (a <= b) == (not a > b)
    assert (a >= b) == (not a < b)
    if a < b:
        assert a + c < b + c
        with ctx.workprec(2000):
            assert a.ball() < b.ball()
    if a > 0 and b > 0:
        assert a * b > 0
    assert abs(a) >= 0
    assert abs(a) in (a, -a)
    assert a * a >= 0


@given(st.sampled_from(FIELDS), rationals, rationals)
def test_restriction_to_rationals(field: NumberField, r: fmpq, s: fmpq) -> None:
    """Rational elements are the rational numbers: equality, hash, order, arithmetic, from either side."""
    a = field(r)
    assert a == r
    assert r == a
    assert hash(a) == hash(r)
    assert a.rational == r
    assert (a < s) == (r < s)
    assert (s < a) == (s < r)
    assert s + a == a + s == r + s
    assert s - a == s - r
    assert s * a == r * s
    if r:
        assert s / a == s / r
    assert str(a) == str(r)
    assert a in {r, r + 1}


@given(same_field)
def test_conjugation_is_a_homomorphism(numbers: tuple[FieldElement, FieldElement, FieldElement]) -> None:
    """Going to another real root of the same polynomial keeps sums, products and inverses."""
    a, b, _ = numbers
    for field in a.field.conjugates:
        assert a.in_field(field) * b.in_field(field) == (a * b).in_field(field)
        assert a.in_field(field) + b.in_field(field) == (a + b).in_field(field)
        if a:
            assert a.in_field(field).inverse() == a.inverse().in_field(field)


def test_signs_of_tiny_numbers() -> None:
    """(sqrt(2) - 1)^1000, about 10^-383, is positive; its conjugate up to sign is huge."""
    a = ROOT_2.generator
    tiny = (a - 1) ** 1000
    assert tiny.sign() == 1
    assert (-tiny).sign() == -1
    assert (a - 1) ** 999 > tiny
    assert tiny < fmpq(1, 10**380)


def test_number_types() -> None:
    """Ints, Fractions and FLINT's numbers mix with elements; floats and bools are refused."""
    a = ROOT_2.generator
    assert 1 + a == a + Fraction(1) == fmpz(1) + a == fmpq(1) + a
    assert 2 / a == a
    for wrong in (0.5, float("nan")):
        with pytest.raises(UnusableInputError, match="ambiguous"):
            a + wrong
    with pytest.raises(TypeError):
        a + "1"
    with pytest.raises(TypeError):
        a < "1"  # noqa: B015  # it raises
    assert a != "sqrt(2)"
    assert a != None  # noqa: E711  # equality with what is no number
    with pytest.raises(UnusableInputError, match="different number fields"):
        a + GOLDEN.generator
    with pytest.raises(ZeroDivisionError):
        a / (a - a)
    with pytest.raises(UnusableInputError, match="whole exponents"):
        a ** fmpq(1, 2)
    with pytest.raises(AttributeError, match="never changed"):
        a.field = GOLDEN
    with pytest.raises(UnusableInputError, match="at most 2 coefficients here"):
        ROOT_2.element([1, 2, 3])
    assert ROOT_2(1) == GOLDEN(1)
    assert ROOT_2(1) != GOLDEN.generator
    assert ROOT_2.generator != NumberField([-3, 0, 1], [1, 2]).generator


@given(st.sampled_from(FIELDS).flatmap(elements))
def test_crossing_processes(number: FieldElement) -> None:
    """Pickling keeps the number."""
    assert pickle.loads(pickle.dumps(number)) == number  # noqa: S301  # our own bytes


def test_text() -> None:
    """Quadratic numbers are written with a square root, others as polynomials in a; LaTeX likewise."""
    a = ROOT_2.generator
    assert str(fmpq(1, 2) + 3 * a) == "1/2 + 3*sqrt(2)"
    assert str(-a) == "-sqrt(2)"
    assert str(1 - a / 2) == "1 - 1/2*sqrt(2)"
    assert str(a.in_field(ROOT_2.conjugates[0])) == "-sqrt(2)"
    assert str(GOLDEN.generator) == "1/2 + 1/2*sqrt(5)"
    assert str(NumberField([-8, 0, 1], [-3, -2]).generator) == "-2*sqrt(2)"
    assert str(1 - CUBIC.generator**2 / 3) == "1 - 1/3*a**2"
    assert repr(a) == "FieldElement(sqrt(2))"
    assert (1 - a / 2)._repr_latex_() == r"$\displaystyle 1 - \frac{1}{2}\sqrt{2}$"
    assert (CUBIC.generator**2 / 3).latex() == r"\frac{1}{3}a^{2}"


@given(st.sampled_from([ROOT_2, GOLDEN]).flatmap(elements))
def test_quadratic_text_is_read_by_sympy(number: FieldElement) -> None:
    """The text of a quadratic number is an expression for the same number."""
    assert sympy.expand(sympy.sympify(str(number)) - to_sympy(number)) == 0
    assert from_sympy(to_sympy(number), number.field) == number


@given(st.sampled_from([CUBIC, OCTIC, NOT_MONIC]).flatmap(elements))
def test_sympy_round_trip(number: FieldElement) -> None:
    """To sympy and back is the identity, and numerically it is the same number."""
    expression = to_sympy(number)
    assume(number.rational is None)
    with ctx.workprec(100):
        difference = number.ball() - arb(str(expression.evalf(30)))
    assert abs(difference) < fmpq(1, 10**20)
    root = to_sympy(number.field.generator)
    assert from_sympy(root, number.field) == number.field.generator


def test_from_sympy() -> None:
    """Algebraic numbers are found in the field that holds them, and refused elsewhere."""
    x = sympy.Symbol("x")
    assert from_sympy(sympy.sqrt(8) + sympy.Rational(1, 3), ROOT_2) == 2 * ROOT_2.generator + fmpq(1, 3)
    assert from_sympy(2 * sympy.cos(2 * sympy.pi / 7), CUBIC) == CUBIC.generator
    assert from_sympy(2 * sympy.cos(4 * sympy.pi / 7), CUBIC) == CUBIC.generator**2 - 2
    assert from_sympy(sympy.GoldenRatio, GOLDEN) == GOLDEN.generator
    assert field_from_sympy(2 * sympy.cos(2 * sympy.pi / 7)) == CUBIC
    for wrong, message in [
        (sympy.sqrt(3), "does not lie in Q"),
        (x, "is no real number"),
        (sympy.I, "is no real number"),
        (sympy.pi, "no algebraic number"),
        (sympy.Float(1.5) * sympy.sqrt(2), "a float is ambiguous"),
    ]:
        with pytest.raises(UnusableInputError, match=message):
            from_sympy(wrong, ROOT_2)
