"""Tests of the rational place: values against plain Fractions, units, users' functions, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import gmpy2
import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import NotAtThisPlaceError, UnluckyPrimeError, UnusableInputError
from exactlearn.model import MultiHeadAttention, Unit
from exactlearn.places.protocol import IntegerToken, TokenBasis
from exactlearn.places.rational import CallableBlackBox, RationalPlace
from exactlearn.places.residues import ResidueRing
from exactlearn.rationals import as_fraction
from exactlearn.strategies import shaped_models, token_sequences

RING = ResidueRing.seeded(0)


def _by_definition(model: MultiHeadAttention, tokens: tuple[IntegerToken, ...]) -> Fraction:
    """The sum over heads of the softmax average in Fractions; tokens are multiples of the unit's denominator."""
    unit, total = model.unit.rational, Fraction(0)
    assert unit is not None
    for head in model.heads:
        top, bottom = Fraction(0), Fraction(0)
        for token in tokens:
            weight = Fraction(1)
            for a, row in zip(token, head.W, strict=True):
                for b, T in zip(tokens[-1], row, strict=True):
                    exponent = as_fraction(unit) * a * b
                    assert exponent.denominator == 1
                    weight *= as_fraction(T) ** exponent.numerator
            top += weight * sum(as_fraction(v) * a for v, a in zip(head.v, token, strict=True))
            bottom += weight
        total += top / bottom
    return total


@given(st.data())
def test_values_by_definition(data: st.DataObject) -> None:
    """A value is exactly what the definition of f gives, for every rational unit."""
    model = data.draw(shaped_models("log-rational", dims=(1, 2), max_heads=2, unit=None))
    place = RationalPlace(model.unit)
    tokens = data.draw(token_sequences(model.dim, multiple=place.token_multiple, size=2, max_length=4))
    value = place.black_box(model).value(tokens, RING)
    assert isinstance(value, fmpq)
    assert as_fraction(value) == _by_definition(model, tokens)


@pytest.mark.parametrize(("unit", "multiple"), [(Unit.of(1), 1), (Unit.of(fmpq(1, 2)), 2), (Unit.of(fmpq(-4, 6)), 3)])
def test_token_multiple(unit: Unit, multiple: int) -> None:
    """The x_i are multiples of the unit's denominator; other tokens have irrational values and are refused."""
    place = RationalPlace(unit)
    assert place.token_multiple == multiple
    box = place.black_box(MultiHeadAttention([([[2]], [1])], weights="log-rational", unit=unit))
    assert len(box.copies((multiple,), (1,), [1, 2], RING)) == 2
    if multiple > 1:
        with pytest.raises(NotAtThisPlaceError, match="symbolic place"):
            box.copies((1,), (1,), [1], RING)
        with pytest.raises(NotAtThisPlaceError, match="symbolic place"):
            box.value(((1,), (2,)), RING)


def test_other_models_are_refused() -> None:
    """True e, other units and irrational units are not seen here."""
    heads = [([[2]], [1])]
    for model in (MultiHeadAttention(heads), MultiHeadAttention(heads, weights="log-rational", unit=2)):
        with pytest.raises(NotAtThisPlaceError, match="log-rational weights in the same unit"):
            RationalPlace().black_box(model)
    with pytest.raises(NotAtThisPlaceError, match="rational unit"):
        _ = RationalPlace(Unit.sqrt(2)).token_multiple


def test_q_must_be_odd() -> None:
    """With p = 5 the squares have no square roots of their own: an unlucky prime."""
    with pytest.raises(UnluckyPrimeError, match="q odd"):
        RationalPlace().weights_from_poles(TokenBasis(ResidueRing(5, 40), ((1,),), ((1,),)), [[fmpz(2)]])


THREES = [3, Fraction(3), fmpz(3), fmpq(3), sympy.Integer(3), gmpy2.mpz(3), gmpy2.mpq(3)]


@pytest.mark.parametrize("answer", THREES, ids=lambda answer: type(answer).__name__)
def test_answers_of_functions(answer: Any) -> None:
    """A user's function may answer with any exact rational type; all become fmpq."""
    box = CallableBlackBox(lambda tokens: answer)  # noqa: ARG005  # constant
    value = box.value(((1,),), RING)
    assert isinstance(value, fmpq)
    assert value == 3


@pytest.mark.parametrize("answer", [0.5, True, "3", None, 1j, [3]], ids=repr)
def test_unusable_answers(answer: Any) -> None:
    """Floats, bools, text and the like are refused; the error says that the answer is at fault."""
    box = CallableBlackBox(lambda tokens: answer)  # noqa: ARG005  # constant
    with pytest.raises(UnusableInputError, match=r"^the black box's answer: "):
        box.value(((1,),), RING)


def test_functions_see_written_out_sequences() -> None:
    """One call for each copy count, with a tuple of tuples of Python ints."""
    seen: list[Any] = []

    def function(tokens: tuple[IntegerToken, ...]) -> int:
        seen.append(tokens)
        return len(tokens)

    assert CallableBlackBox(function).copies((1, 2), (3, 4), [1, 2], RING) == [2, 3]
    assert seen == [((4, 6), (3, 4)), ((4, 6), (4, 6), (3, 4))]
    assert all(type(entry) is int for tokens in seen for token in tokens for entry in token)
