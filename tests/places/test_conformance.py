"""Tests of the laws of a place: both exact places pass them, and each law is failed by a place that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.model import ONE, Matrix, MultiHeadAttention, Unit, WeightKind
from exactlearn.oracle import place_of
from exactlearn.places.conformance import PlaceLaws, check_place
from exactlearn.places.padic import PadicPlace
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken, Place, TokenBasis
from exactlearn.places.rational import RationalPlace
from exactlearn.places.residues import ResidueRing
from exactlearn.strategies import shaped_models

KINDS: list[WeightKind] = ["rational", "log-rational"]


@pytest.mark.parametrize("weights", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_exact_places_conform(weights: WeightKind, data: st.DataObject) -> None:
    """The p-adic and the rational place pass every law, with every unit, on models of all shapes."""
    first = data.draw(shaped_models(weights, unit=None, max_heads=2))
    second = data.draw(shaped_models(weights, unit=first.unit, dims=(first.dim, first.dim), max_heads=2))
    check_place(place_of(first), [first, second], seed=data.draw(st.integers(0, 99)))


@pytest.mark.parametrize(
    "unit", [ONE, Unit.of(-1), Unit.of(fmpq(2, 3)), Unit.of(-5), Unit.sqrt(fmpq(1, 2)), Unit(fmpq(3), -1)], ids=str
)
def test_padic_units(unit: Unit) -> None:
    """Units 1, rational, negative and irrational all conform at the p-adic place."""
    models = [
        MultiHeadAttention([([[1, 2], [0, 1]], [1, 2])], unit=unit),
        MultiHeadAttention([([[0, -1], [fmpq(1, 2), 3]], [1, -2]), ([[1, 1], [1, 1]], [0, 1])], unit=unit),
    ]
    check_place(PadicPlace(unit), models)


@pytest.mark.parametrize("unit", [ONE, Unit.of(fmpq(1, 2)), Unit.of(fmpq(-3, 5)), Unit.of(2)], ids=str)
def test_rational_units(unit: Unit) -> None:
    """Rational units conform at the rational place; their denominator is its token multiple."""
    models = [
        MultiHeadAttention([([[1, 2], [fmpq(3, 5), 1]], [1, 2])], weights="log-rational", unit=unit),
        MultiHeadAttention(
            [([[3, 1], [4, 2]], [1, -2]), ([[1, 1], [1, 1]], [0, 1])], weights="log-rational", unit=unit
        ),
    ]
    place = RationalPlace(unit)
    assert unit.rational is not None
    assert place.token_multiple == unit.rational.q
    check_place(place, models)


def test_no_heads_conform() -> None:
    """The zero function passes the laws at both places."""
    check_place(PadicPlace(), [MultiHeadAttention([], dim=2), MultiHeadAttention([([[1, 0], [0, 1]], [1, 0])])])
    check_place(RationalPlace(), [MultiHeadAttention([], dim=2, weights="log-rational")])


@dataclass(frozen=True)
class BentBox:
    """A black box whose answers go through `bend`."""

    box: BlackBox
    bend: Callable[[Any, Sequence[IntegerToken]], Any]
    bend_copies: Callable[[list[Any]], list[Any]]

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """The bent value."""
        return self.bend(self.box.value(tokens, ring), tokens)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """The bent values of copies."""
        both = tuple(a + b for a, b in zip(x, y, strict=True))
        answers = self.box.copies(x, y, counts, ring)
        bent = [self.bend(a, (both,) * k + (y,)) for a, k in zip(answers, counts, strict=True)]
        return self.bend_copies(bent)


@dataclass(frozen=True)
class BentPlace:
    """A place that breaks one law: it wraps a good one."""

    good: Place
    bend: Callable[[Any, Sequence[IntegerToken]], Any] = lambda answer, tokens: answer  # noqa: ARG005  # the identity
    bend_copies: Callable[[list[Any]], list[Any]] = lambda answers: answers
    bend_images: Callable[[list[fmpz], ResidueRing], list[fmpz]] = lambda images, ring: images  # noqa: ARG005  # same
    bend_weights: Callable[[Matrix], Matrix] = lambda W: W
    bend_model: Callable[[MultiHeadAttention], MultiHeadAttention] = lambda model: model
    name: str = "bent"
    answers_are_exact: bool = False
    largest_box: int = 100

    @property
    def weights(self) -> WeightKind:
        """As the good place has it."""
        return self.good.weights

    @property
    def unit(self) -> Unit:
        """As the good place has it."""
        return self.good.unit

    @property
    def token_multiple(self) -> int:
        """As the good place has it."""
        return self.good.token_multiple

    def default_box(self, heads: int, dim: int) -> int:
        """As the good place has it."""
        return self.good.default_box(heads, dim)

    def black_box(self, model: MultiHeadAttention) -> BlackBox:
        """A bent box."""
        return BentBox(self.good.black_box(self.bend_model(model)), self.bend, self.bend_copies)

    def see(self, answers: Sequence[Answer], ring: ResidueRing) -> list[fmpz]:
        """Bent images."""
        return self.bend_images(self.good.see(answers, ring), ring)

    def weights_from_poles(self, basis: TokenBasis, poles: Sequence[Sequence[fmpz]]) -> Matrix:
        """Bent weights."""
        return self.bend_weights(self.good.weights_from_poles(basis, poles))


def _zero_model(model: MultiHeadAttention) -> MultiHeadAttention:
    return model.with_heads([])


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a bias": ({"bend": lambda a, _: a + 1}, "values do not add|V.x|changes the value|mean"),
    "unreduced images": ({"bend_images": lambda images, ring: [i + ring.modulus for i in images]}, "lies in 0"),
    "Python integers": ({"bend_images": lambda images, _: [int(i) for i in images]}, "is an fmpz"),
    "an image too few": ({"bend_images": lambda images, _: images[:-1]}, "one image for each answer"),
    "images sorted": ({"bend_images": lambda images, _: sorted(images)}, "order of the answers"),
    "length matters": ({"bend": lambda a, tokens: a * (1 + (len(tokens) == 3))}, "in 0|mean|reflect|written-out|poles"),
    "order matters": ({"bend": lambda a, tokens: a + (tokens[0] > tokens[-1])}, "reversing|changes the value|mean|V.x"),
    "copies reversed": ({"bend_copies": lambda answers: answers[::-1]}, "written-out"),
    "copies off by one": ({"bend_copies": lambda answers: [answers[0], *answers[:-1]]}, "written-out"),
    "weights transposed": ({"bend_weights": lambda W: tuple(zip(*W, strict=True))}, "came back as"),
    "weights doubled": ({"bend_weights": lambda W: tuple(tuple(2 * a for a in r) for r in W)}, "came back as"),
    "always zero": ({"bend_model": _zero_model}, "not V.x|mean|no pole"),
    "first head forgotten": (
        {"bend_model": lambda model: model.with_heads(model.heads[1:])},
        "changes the value|do not add|not V.x|mean|no pole",
    ),
    "square of the value": ({"bend": lambda a, _: a * a}, "in 0|do not add|V.x|mean|changes the value|reflect"),
    "ring ignored": (
        {"bend_images": lambda images, ring: [i * (1 + (ring.digits > 5)) % ring.modulus for i in images]},
        "finer ring",
    ),
}


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("fault", BROKEN)
def test_broken_places_fail(weights: WeightKind, fault: str) -> None:
    """Every way to break a place is noticed, with a sentence about the broken law."""
    models = [
        MultiHeadAttention([([[1, 2], [3, 1]], [1, 2]), ([[2, 5], [1, 2]], [3, -1])], weights=weights),
        MultiHeadAttention([([[4, 1], [1, 3]], [1, -2])], weights=weights),
    ]
    options, sentence = BROKEN[fault]
    good = place_of(models[0])
    check_place(BentPlace(good), models)
    with pytest.raises(AssertionError, match=sentence):
        check_place(BentPlace(good, **options), models)


def test_different_functions_must_differ() -> None:
    """A place that shows nothing is noticed by the law on different functions alone."""
    left = MultiHeadAttention([([[1]], [1])])
    right = MultiHeadAttention([([[2]], [1])])
    pairs = [((1,), (1,)), ((2,), (1,))]
    PlaceLaws(PadicPlace()).different_functions_differ(left, right, pairs)
    blind = BentPlace(PadicPlace(), bend_images=lambda images, _: [fmpz(0)] * len(images))
    with pytest.raises(AssertionError, match="two different functions"):
        PlaceLaws(blind).different_functions_differ(left, right, pairs)


def test_poles_must_multiply() -> None:
    """A head whose scores are not bilinear is noticed by the law on poles alone."""
    model = MultiHeadAttention([([[1]], [1])])
    PlaceLaws(PadicPlace()).poles_multiply(model.heads[0], model, ((1,), (2,)), (1,))

    def stretch(answer: fmpz, tokens: Sequence[IntegerToken]) -> fmpz:
        """The answer for the score 3 at x = 3: one copy, asked with a larger ring by hand."""
        return answer if tokens[0] != (4,) else PlaceLaws(PadicPlace()).image(
            MultiHeadAttention([([[2]], [1])]), tokens
        )

    with pytest.raises(AssertionError, match="do not multiply"):
        PlaceLaws(BentPlace(PadicPlace(), bend=stretch)).poles_multiply(model.heads[0], model, ((1,), (2,)), (1,))
