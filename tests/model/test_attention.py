"""Tests of exact parameters: units, heads, models, token sequences, their reprs, and errors that name the entry."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.model import (
    ONE,
    Head,
    MultiHeadAttention,
    Unit,
    abbreviate,
    as_token_sequence,
    as_vector,
    dot,
    fractions_of,
)
from exactlearn.strategies import rationals, shaped_models, units

non_zero = rationals().filter(bool)


@given(non_zero)
def test_rational_units(number: fmpq) -> None:
    """A rational unit is that rational; the square root of its square is its absolute value."""
    assert Unit.of(number).rational == number
    assert Unit.sqrt(number * number) == Unit.of(abs(number))
    assert str(Unit.of(number)) == str(number)


@given(units("rational"), units("rational"), non_zero)
def test_ratios(left: Unit, right: Unit, factor: fmpq) -> None:
    """Ratios are rational exactly for commensurable units, and multiply."""
    scaled = Unit(left.square * factor * factor, left.sign * (1 if factor > 0 else -1))
    assert scaled.ratio(left) == factor
    ratio = left.ratio(right)
    if ratio is not None:
        assert right.ratio(left) == 1 / ratio
        assert Unit(right.square * ratio * ratio, right.sign * (1 if ratio > 0 else -1)) == left


def test_irrational_units() -> None:
    """Square roots print as such and have no rational value."""
    assert Unit.sqrt(2).rational is None
    assert str(Unit.sqrt(fmpq(1, 2))) == "sqrt(1/2)"
    assert str(Unit(fmpq(3), -1)) == "-sqrt(3)"
    assert Unit.sqrt(2).ratio(Unit.sqrt(8)) == fmpq(1, 2)
    assert Unit.sqrt(2).ratio(ONE) is None
    assert Unit.sqrt(fmpq(1, 2)).latex() == r"\sqrt{\frac{1}{2}}"
    assert Unit(fmpq(3), -1).latex() == r"-\sqrt{3}"
    assert Unit.of(fmpq(-1, 2)).latex() == r"-\frac{1}{2}"


@pytest.mark.parametrize("make", [lambda: Unit.of(0), lambda: Unit.sqrt(0), lambda: Unit.sqrt(-2)])
def test_no_units(make: Any) -> None:
    """Zero and roots of negative numbers are no units."""
    with pytest.raises(UnusableInputError, match=r"^unit: a unit is not zero"):
        make()


@pytest.mark.parametrize(
    ("heads", "options", "sentence"),
    [
        ([([[1, 2], [3, 4]], [1, 2]), ([[1, 0.5], [3, 4]], [1, 2])], {}, r"^heads\[1\]\.W\[0\]\[1\]: the float 0\.5"),
        ([([[1, 2], [3]], [1, 2])], {}, r"^heads\[0\]\.W\[1\]: W has 2 rows, so a row has as many entries"),
        ([([[1, 2], [3, 4]], [1])], {}, r"^heads\[0\]\.v: v has 1 entries, W has 2 rows"),
        ([([[1, 2], [3, 4]], [1, "2"])], {}, r"^heads\[0\]\.v\[1\]: a rational number was expected, not str"),
        ([([[1]], [1]), ([[1, 0], [0, 1]], [1, 1])], {}, r"^heads\[1\]: the head has dimension 2, the model 1"),
        ([([[1]], [1])], {"dim": 2}, r"^heads\[0\]: the head has dimension 1, the model 2"),
        ([([[1]], [1]), 5], {}, r"^heads\[1\]: a head is a Head or a pair"),
        ([([[1]],)], {}, r"^heads\[0\]: a head is a Head or a pair"),
        ([], {}, "^dim: a model without heads needs its dimension"),
        ([], {"dim": 0}, "^dim: the dimension is a whole number from 1 on"),
        ([], {"dim": True}, "^dim: the dimension is a whole number from 1 on"),
        ([], {"dim": 1, "weights": "real"}, '^weights: weights are "rational" or "log-rational"'),
        ([], {"dim": 1, "unit": 0}, "^unit: a unit is not zero"),
        ([], {"dim": 1, "weights": "log-rational", "unit": Unit.sqrt(2)}, "^unit: log-rational weights take"),
        (
            [([[1, 1], [1, 1]], [1, 1]), ([[1, 0], [1, 1]], [1, 1])],
            {"weights": "log-rational"},
            r"^heads\[1\]\.W\[0\]\[1\]: an entry of T is positive",
        ),
        ([([[fmpq(-1, 2)]], [1])], {"weights": "log-rational"}, r"^heads\[0\]\.W\[0\]\[0\]: an entry of T is positive"),
    ],
)  # fmt: skip
def test_errors_name_the_entry(heads: Any, options: dict[str, Any], sentence: str) -> None:
    """Every malformed model is refused with the entry at fault."""
    with pytest.raises(UnusableInputError, match=sentence):
        MultiHeadAttention(heads, **options)


def test_equal_models_are_equal_objects() -> None:
    """Models are values: equal parameters, whatever they were written as, are equal and hash alike."""
    left = MultiHeadAttention([([[1, Fraction(1, 2)], [0, 3]], [1, 2])])
    right = MultiHeadAttention([Head([(fmpq(1), fmpq(2, 4)), (0, 3)], (1, fmpq(2)))], dim=2, unit=1)
    assert left == right
    assert hash(left) == hash(right)
    assert left != MultiHeadAttention(left.heads, unit=2)
    assert left != left.with_heads([])


@given(shaped_models("rational", unit=None), shaped_models("log-rational", unit=None))
def test_reprs_tell_all(left: MultiHeadAttention, right: MultiHeadAttention) -> None:
    """Different models have different reprs, down to the unit and the kind of weights."""
    others = [right, left.with_heads(left.heads[::-1]), MultiHeadAttention(left.heads, unit=7), left.with_heads([])]
    for other in others:
        assert (repr(left) == repr(other)) == (left == other)
    assert repr(left).count("Head(W=") == len(left.heads)


def test_repr() -> None:
    """A short repr, as documented; long numbers are shortened there and nowhere else."""
    model = MultiHeadAttention([([[fmpq(1, 2)]], [3])], weights="log-rational", unit=2)
    assert repr(model) == (
        "MultiHeadAttention([\n    Head(W=[[1/2]], v=[3]),\n], dim=1, weights='log-rational', unit='2')"
    )
    assert repr(MultiHeadAttention([], dim=3)) == "MultiHeadAttention([], dim=3, weights='rational')"
    long = Head([[fmpq(10) ** 6000]], [1])
    assert "(6001 characters)" in repr(long)
    assert len(repr(long)) < 100


def test_latex() -> None:
    """The notebook form shows unit, logarithm, W and v."""
    model = MultiHeadAttention([([[2]], [fmpq(1, 2)])], weights="log-rational", unit=fmpq(1, 3))
    latex = model._repr_latex_()
    assert latex.startswith(r"$\displaystyle\begin{aligned} W_{1} &= \frac{1}{3}\,\log\begin{pmatrix} 2 \end{pmatrix}")
    assert r"v_{1} &= \begin{pmatrix} \frac{1}{2} \end{pmatrix}" in latex
    assert latex.endswith(r"\end{aligned}$")
    assert MultiHeadAttention([], dim=2)._repr_latex_() == r"$\displaystyle f = 0$"
    assert model.heads[0]._repr_latex_() == (
        r"$\displaystyle W = \begin{pmatrix} 2 \end{pmatrix},\quad v = \begin{pmatrix} \frac{1}{2} \end{pmatrix}$"
    )
    assert r"\log" not in MultiHeadAttention([([[2]], [1])])._repr_latex_()


@given(st.text(max_size=80))
def test_abbreviate(text: str) -> None:
    """Short text stays; long text keeps both ends and tells its length."""
    short = abbreviate(text)
    if len(text) <= 40:
        assert short == text
    else:
        assert short == f"{text[:12]}...{text[-12:]} ({len(text)} characters)"


def test_token_sequences() -> None:
    """Tokens of any exact type are taken; none, a wrong length and a bad entry are named."""
    assert as_token_sequence([[1, Fraction(1, 2)]], 2) == ((fmpq(1), fmpq(1, 2)),)
    with pytest.raises(UnusableInputError, match=r"^tokens: a sequence has at least one token"):
        as_token_sequence([], 2)
    with pytest.raises(UnusableInputError, match=r"^tokens\[1\]: a token has 2 entries here, not 1"):
        as_token_sequence([[1, 2], [3]], 2)
    with pytest.raises(UnusableInputError, match=r"^tokens\[0\]\[1\]: the float"):
        as_token_sequence([[1, 2.0]], 2)


@given(st.lists(st.tuples(rationals(), rationals()), max_size=5))
def test_dot(pairs: list[tuple[fmpq, fmpq]]) -> None:
    """The scalar product is the sum of products; of different lengths there is none."""
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    assert dot(left, right) == sum((a * b for a, b in pairs), fmpq(0))
    with pytest.raises(ValueError, match="zip"):
        dot([*left, fmpq(1)], right)


def test_small_helpers() -> None:
    """The sum of values, vectors with a name for errors, and Fractions for others."""
    model = MultiHeadAttention([([[1]], [2]), ([[2]], [fmpq(-1, 2)])])
    assert model.value_sum == (fmpq(3, 2),)
    assert MultiHeadAttention([], dim=2).value_sum == (fmpq(0), fmpq(0))
    assert fractions_of([[fmpq(1, 2)]]) == [[Fraction(1, 2)]]
    with pytest.raises(UnusableInputError, match=r"^y\[0\]: "):
        as_vector([None], "y")
