"""Number fields: which polynomials and intervals are taken, equality, conjugates, crossing processes."""

from __future__ import annotations

import pickle

import pytest
from flint import ctx, fmpq, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.fields import MAXIMAL_DEGREE, NumberField


def cosines(n: int) -> NumberField:
    """Q(2 cos(2 pi / n)), the generator between 1 and 2."""
    return NumberField(list(fmpz_poly.cos_minpoly(n).coeffs()), [2 - fmpq(40, n * n), 2])


@pytest.mark.parametrize(
    ("minpoly", "root", "message"),
    [
        ([-4, 0, 1], [0, 3], r"^minpoly: the polynomial is reducible over Q: -2 \+ x divides it$"),
        ([4, -4, 1], [0, 3], r"divides it \(to the power 2\)$"),
        ([0, -2, 0, 1], [1, 2], r"^minpoly: the polynomial is reducible over Q: x divides it$"),
        ([6, 0, -5, 0, 1], [1, 2], "^minpoly: the polynomial is reducible"),
        ([5], [0, 1], "^minpoly: a minimal polynomial is not constant$"),
        ([], [0, 1], "^minpoly: a minimal polynomial is not constant$"),
        ([1.5, 1], [0, 1], r"^minpoly\[0\]: the float 1.5 is ambiguous"),
        ([-2, 0, 1], [1, 2.5], r"^root\[1\]: the float 2.5 is ambiguous"),
        ([-2, *[0] * MAXIMAL_DEGREE, 1], [1, 2], "^minpoly: the degree 33 is too large: at most 32$"),
        ([-(10**700) - 1, 0, 1], [0, 10**400], "^minpoly: a coefficient has more than 2000 bits$"),
        ([-2, 0, 1], [0, 10**700], "^root: an end of the interval has more than 2000 bits$"),
        ([1, 0, 1], [-5, 5], "^root: the interval from -5 to 5 holds no real root of the polynomial$"),
        ([-2, 0, 1], [-2, 2], "^root: the interval from -2 to 2 holds 2 real roots of the polynomial$"),
        ([-2, 0, 1], [2, 3], "^root: .* holds no real root"),
        ([-2, 0, 1], [2, 1], "^root: the lower end of the interval comes first$"),
        ([-2, 0, 1], [1, 2, 3], "^root: an interval has two ends, not 3$"),
    ],
)
def test_refused(minpoly: list[int], root: list[int], message: str) -> None:
    """What is no number field is refused in one line that says why and where."""
    with pytest.raises(UnusableInputError, match=message):
        NumberField(minpoly, root)


def test_close_roots_are_told_apart() -> None:
    """Mignotte's polynomial has two roots that agree to some 85 digits; intervals part them."""
    minpoly = [-2, 4 * 10**20, -2 * 10**40, 0, 0, 0, 0, 0, 1]
    field = NumberField(minpoly, [fmpq(1, 10**20), 1])
    assert field.root_index == 2
    assert len(field.conjugates) == 4
    with pytest.raises(UnusableInputError, match="holds 2 real roots"):
        NumberField(minpoly, [0, 1])


def test_equality_is_of_polynomial_and_root() -> None:
    """The scale of the polynomial and the interval do not matter; the root does."""
    field = NumberField([-2, 0, 1], [1, 2])
    assert field == NumberField([-4, 0, 2], [fmpq(7, 5), fmpq(3, 2)])
    assert hash(field) == hash(NumberField([-4, 0, 2], [fmpq(7, 5), fmpq(3, 2)]))
    assert field != NumberField([-2, 0, 1], [-2, -1])
    assert field != NumberField([-3, 0, 1], [1, 2])
    assert field != "Q(sqrt(2))"


@given(st.integers(3, 40))
def test_conjugates_are_ordered_and_cross_processes(n: int) -> None:
    """The conjugates of Q(2 cos(2 pi/n)) are as many as its degree, ascending, and each is pickled as itself."""
    minpoly = list(fmpz_poly.cos_minpoly(n).coeffs())
    low = NumberField(minpoly, [-3, 3]) if len(minpoly) == 2 else cosines(n)
    conjugates = low.conjugates
    assert len(conjugates) == low.degree
    assert [field.root_index for field in conjugates] == list(range(low.degree))
    assert low == conjugates[-1]
    for field in conjugates:
        assert pickle.loads(pickle.dumps(field)) == field  # noqa: S301  # our own bytes
        with ctx.workprec(100):
            assert field.root[0] <= field.root[1]
            assert field.ball().overlaps(field.generator.ball())


def test_text() -> None:
    """Fields are named for people."""
    assert str(NumberField([-8, 0, 1], [2, 3])) == "Q(sqrt(2))"
    assert str(cosines(7)) == "Q(a), -1 - 2*a + a**2 + a**3 = 0, a = 1.24698"
    assert str(NumberField([-1, 2], [0, 1])) == "Q"
    assert "root=[58/49, 2]" in repr(cosines(7))
