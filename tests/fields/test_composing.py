"""Two number fields in one: both generators are roots of their polynomials there, and the same real numbers."""

from __future__ import annotations

import pytest
from flint import ctx, fmpq, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import OverBudgetError
from exactlearn.fields import FieldElement, NumberField, common_field, compose, square_root_in

FIELDS = [
    field
    for minpoly, root in [
        ([-2, 0, 1], [1, 2]),
        ([-8, 0, 1], [2, 3]),
        ([-6, 0, 1], [2, 3]),
        ([-1, -1, 1], [1, 2]),
        ([-2, 0, 0, 1], [1, 2]),
        ([1, 0, -10, 0, 1], [3, 4]),
        ([-1, -2, 1, 1], [1, 2]),
        ([-1, 3], [0, 1]),
    ]
    for field in NumberField(minpoly, root).conjugates
]


@given(st.sampled_from(FIELDS), st.sampled_from(FIELDS))
def test_both_lie_in_the_composition(left: NumberField, right: NumberField) -> None:
    """The images are roots of the minimal polynomials, equal as real numbers, and generate the field."""
    both = compose(left, right)
    for field, image in ((left, both.left), (right, both.right)):
        value = sum((c * image**i for i, c in enumerate(field.coefficients)), both.field(0))
        assert not value
        with ctx.workprec(200):
            assert image.ball().overlaps(field.ball())
            assert image.ball().rad() < fmpq(1, 10**20)
    assert both.field.degree % left.degree == 0
    assert both.field.degree % right.degree == 0
    assert both.field.degree <= left.degree * right.degree
    assert compose(right, left).field.degree == both.field.degree
    assert both.of_left(left.generator) == both.left
    assert both.of_right(fmpq(1, 3)) == fmpq(1, 3)


def test_a_field_that_holds_the_other_stays() -> None:
    """When one field holds the other, it is the composition itself."""
    biquadratic, root_2 = NumberField([1, 0, -10, 0, 1], [3, 4]), NumberField([-2, 0, 1], [1, 2])
    for pair in ((biquadratic, root_2), (root_2, biquadratic)):
        assert compose(*pair).field == biquadratic
    assert compose(root_2, NumberField([-8, 0, 1], [2, 3])).right == 2 * root_2.generator
    assert compose(root_2, root_2.conjugates[0]).right == -root_2.generator
    cubic = NumberField([-2, 0, 0, 1], [1, 2])
    assert compose(root_2, cubic).field.degree == 6


@given(st.sampled_from(FIELDS), st.integers(1, 60), st.integers(1, 12))
def test_square_roots(field: NumberField, p: int, q: int) -> None:
    """A square root that is found squares to the radicand; what is refused has no root: it enlarges the field."""
    radicand = fmpq(p, q)
    if radicand.p.is_square() and radicand.q.is_square():
        return
    found = square_root_in(field, radicand)
    if isinstance(found, FieldElement):
        assert found * found == radicand
        assert found > 0
    else:
        assert compose(field, NumberField([-radicand, 0, 1], [0, radicand + 1])).field.degree == 2 * field.degree


def test_known_square_roots() -> None:
    """sqrt(6) = (a^2 - 5)/2 in Q(sqrt(2) + sqrt(3)), which has no sqrt(5)."""
    field = NumberField([1, 0, -10, 0, 1], [3, 4])
    assert square_root_in(field, fmpq(6)) == (field.generator**2 - 5) / 2
    assert square_root_in(field, fmpq(5)) is None


def test_too_large() -> None:
    """Fields of large degrees are not brought together, and that is said in one line."""
    large = NumberField(list(fmpz_poly.cos_minpoly(29).coeffs()), [fmpq(19, 10), 2])
    other = NumberField([-2, *[0] * 10, 1], [1, 2])
    with pytest.raises(OverBudgetError, match=r"^fields of degrees 14 and 11 are too large to be brought together$"):
        compose(large, other)
    with pytest.raises(OverBudgetError, match="the field of both has degree 33, more than 32"):
        compose(NumberField([-2, 0, 0, 1], [1, 2]), other)


def test_common_field() -> None:
    """The field of some scalars; None for rationals alone."""
    field = FIELDS[0]
    assert common_field([fmpq(1), field(2), field.generator]) == field
    assert common_field([fmpq(1), fmpq(2)]) is None
