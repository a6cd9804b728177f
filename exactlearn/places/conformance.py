"""The laws that every place must pass, so that somebody else's place can be judged (see `protocol`).

Each law is a method that takes exact models of the place's kind and raises AssertionError with a sentence when the
place breaks it.  `check_place` tries them all on models that you give; under hypothesis call it in a test that
draws the models with `exactlearn.strategies`.
"""
# ruff: noqa: S101  # laws are stated as assertions; their caller is a test

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from flint import fmpq, fmpz

from exactlearn.canonical import canonical_form
from exactlearn.errors import NotAttentionError, PrecisionTooLowError
from exactlearn.interpolation import ProbeInterpolation
from exactlearn.model import Head, MultiHeadAttention, dot
from exactlearn.places.field_rings import first_ring
from exactlearn.places.protocol import IntegerToken, Place, TokenBasis, field_of
from exactlearn.places.residues import ResidueRing

MOST_DIGITS = 320
"""Weights that do not come back with so many digits base p do not come back at all."""


@dataclass(frozen=True)
class PlaceLaws:
    """The laws of one place, seen in one ring.

    Attributes:
        place: The place that is judged.
        ring: Where images are compared; with the default 61-bit prime nothing collapses by chance.
    """

    place: Place
    ring: ResidueRing = field(default_factory=lambda: ResidueRing.seeded(0))

    def image(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> fmpz:
        """The image of f on a sequence."""
        answer = self.place.black_box(model).value(tokens, self.ring)
        return self.place.see([answer], self.ring)[0]

    def images_of_copies(
        self, model: MultiHeadAttention, x: IntegerToken, y: IntegerToken, counts: Sequence[int]
    ) -> list[fmpz]:
        """The images of F(k) for each k of `counts`."""
        return self.place.see(self.place.black_box(model).copies(x, y, counts, self.ring), self.ring)

    def images_are_reduced(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> None:
        """An image is an fmpz in 0, ..., p^k - 1, one for each answer, in order."""
        box = self.place.black_box(model)
        answers = [box.value(tokens, self.ring), box.value(tokens[-1:], self.ring)]
        images = self.place.see(answers, self.ring)
        assert len(images) == 2, "`see` gives one image for each answer"
        assert all(isinstance(image, fmpz) for image in images), "an image is an fmpz"
        assert all(0 <= image < self.ring.modulus for image in images), "an image lies in 0, ..., p^k - 1"
        swapped = self.place.see(answers[::-1], self.ring)
        assert swapped == images[::-1], "`see` keeps the order of the answers"
        assert self.place.see([], self.ring) == [], "`see` of nothing is nothing"

    def values_add(
        self, left: MultiHeadAttention, right: MultiHeadAttention, tokens: Sequence[IntegerToken]
    ) -> None:
        """The model with the heads of both has the sum of both values."""
        both = self.image(left.with_heads(left.heads + right.heads), tokens)
        apart = self.image(left, tokens) + self.image(right, tokens)
        assert (both - apart) % self.ring.modulus == 0, f"values do not add on {tokens}"

    def raw_heads_do_not_matter(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> None:
        """Permuting, splitting, merging and dropping heads changes no value."""
        image = self.image(model, tokens)
        halves = [Head(head.W, [entry / 3 for entry in head.v]) for head in model.heads]
        rests = [Head(head.W, [entry * 2 / 3 for entry in head.v]) for head in model.heads]
        for change, heads in {
            "permuting heads": model.heads[::-1],
            "splitting heads": (*halves, *rests),
            "merging heads": canonical_form(model).heads,
        }.items():
            assert self.image(model.with_heads(heads), tokens) == image, f"{change} changes the value on {tokens}"

    def order_does_not_matter(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> None:
        """Only the final token has a place of its own."""
        reversed_others = (*tokens[-2::-1], tokens[-1])
        same = self.image(model, reversed_others) == self.image(model, tokens)
        assert same, f"reversing all but the final token changes the value on {tokens}"

    def finer_rings_refine(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> None:
        """The image with twice the digits reduces to the image."""
        fine = PlaceLaws(self.place, self.ring.finer()).image(model, tokens)
        coarse = self.image(model, tokens)
        assert fine % self.ring.modulus == coarse, f"a finer ring does not refine the image on {tokens}"

    def copies_are_written_out(
        self, model: MultiHeadAttention, x: IntegerToken, y: IntegerToken, counts: Sequence[int]
    ) -> None:
        """Copies asked for at once answer as the written-out sequences do, whatever counts are asked together."""
        both = tuple(a + b for a, b in zip(x, y, strict=True))
        together = self.images_of_copies(model, x, y, counts)
        apart = [self.image(model, (both,) * k + (y,)) for k in counts]
        assert together == apart, f"copies {list(counts)} of x + y, x = {x}, y = {y}, are not the written-out sequences"

    def one_token_is_linear(self, model: MultiHeadAttention, token: IntegerToken) -> None:
        """The value of one token x is V.x, V the sum of all v."""
        expected = self.ring.reduce(dot(model.value_sum, [fmpq(a) for a in token]))
        assert self.image(model, (token,)) == expected, f"the value of the one token {token} is not V.x"

    def equal_scores_give_the_mean(self, model: MultiHeadAttention, tokens: Sequence[IntegerToken]) -> None:
        """With all weights zero, f is V.(mean of the tokens)."""
        zero = fmpq(0 if model.weights == "rational" else 1)
        flat = model.with_heads(Head([[zero] * model.dim] * model.dim, head.v) for head in model.heads)
        mean = [fmpq(sum(column), len(tokens)) for column in zip(*tokens, strict=True)]
        expected = self.ring.reduce(dot(model.value_sum, mean))
        assert self.image(flat, tokens) == expected, f"with W = 0 the value on {tokens} is not that of the mean"

    def reflected_scores_complement(self, model: MultiHeadAttention, x: IntegerToken, y: IntegerToken) -> None:
        """The values satisfy f(y + x, y) - f(y - x, y) = V.x, since t/(1 + t) and its reflection sum to 1."""
        forth = tuple(b + a for a, b in zip(x, y, strict=True))
        back = tuple(b - a for a, b in zip(x, y, strict=True))
        difference = self.image(model, (forth, y)) - self.image(model, (back, y))
        expected = self.image(model, (x,))
        assert (difference - expected) % self.ring.modulus == 0, f"reflecting x = {x} at y = {y} does not give V.x"

    def different_functions_differ(
        self, left: MultiHeadAttention, right: MultiHeadAttention, pairs: Sequence[tuple[IntegerToken, IntegerToken]]
    ) -> None:
        """Models with different canonical forms have different images somewhere on these probes (give a few)."""
        if canonical_form(left) == canonical_form(right):
            return
        counts = range(2 * (len(left.heads) + len(right.heads)) + 1)
        seen = [
            self.images_of_copies(left, x, y, counts) != self.images_of_copies(right, x, y, counts) for x, y in pairs
        ]
        assert any(seen), "two different functions have the same images on all probes"

    def poles_multiply(
        self, head: Head, model: MultiHeadAttention, pair: tuple[IntegerToken, IntegerToken], y: IntegerToken
    ) -> None:
        """t(x + x', y) = t(x, y) t(x', y), seen wherever v.x does not vanish."""
        x, other = pair
        both = tuple(a + b for a, b in zip(x, other, strict=True))
        if not all(dot(head.v, [fmpq(a) for a in token]) for token in (x, other, both)):
            return
        poles = [self._pole(model.with_heads([head]), token, y) for token in (x, other, both)]
        assert (poles[0] * poles[1] - poles[2]) % self.ring.modulus == 0, f"poles do not multiply at {x}, {other}, {y}"

    def weights_come_back(
        self, model: MultiHeadAttention, X: tuple[IntegerToken, ...], Y: tuple[IntegerToken, ...]
    ) -> None:
        """`weights_from_poles` gives back the W of every head, from its poles alone; X, Y are bases.

        v.x must not vanish for the x of the basis, so each head is seen with a v of its own.
        """
        for head in model.heads:
            visible = Head(head.W, _functional_without_zeros(X))
            found = self._weights(model.with_heads([visible]), X, Y)
            assert found == head.W, f"the weights {head.W} came back as {found}"

    def _weights(
        self, model: MultiHeadAttention, X: tuple[IntegerToken, ...], Y: tuple[IntegerToken, ...]
    ) -> object:
        laws = self
        while laws.ring.digits <= MOST_DIGITS:
            poles = [[laws._pole(model, x, y) for y in Y] for x in X]
            try:
                return self.place.weights_from_poles(TokenBasis(laws.ring, X, Y), poles)
            except PrecisionTooLowError:
                laws = PlaceLaws(self.place, laws.ring.finer())
        raise AssertionError(f"the weights do not come back with {MOST_DIGITS} digits")

    def _pole(self, model: MultiHeadAttention, x: IntegerToken, y: IntegerToken) -> fmpz:
        """The image of t of a model with one head, from F(0), F(1) and F(2)."""
        start, *samples = self.images_of_copies(model, x, y, [0, 1, 2])
        try:
            seen = ProbeInterpolation(self.ring, 1).read(start, samples)
        except NotAttentionError as error:
            raise AssertionError(f"one head does not answer as one head at x = {x}, y = {y}: {error}") from None
        assert len(seen.poles) == 1, f"one head shows no pole at x = {x}, y = {y}"
        return seen.poles[0]


def check_place(place: Place, models: Sequence[MultiHeadAttention], *, seed: int = 0) -> None:
    """Try every law on models of the place's kind, one and two at a time, with random tokens.

    Args:
        place: The place that is judged.
        models: Models of the place's kind and unit, all of one dimension; the more varied the better.
        seed: What the tokens are drawn from.

    Raises:
        AssertionError: With a sentence that says which law is broken, and where.
    """
    laws, generator = PlaceLaws(place, first_ring(field_of(place), 0)), random.Random(f"conformance {seed}")
    for model in models:
        tokens = _random_tokens(generator, place, model.dim, generator.randint(1, 5))
        x, y = _random_pair(generator, place, model.dim)
        laws.images_are_reduced(model, tokens)
        laws.raw_heads_do_not_matter(model, tokens)
        laws.order_does_not_matter(model, tokens)
        laws.finer_rings_refine(model, tokens)
        laws.copies_are_written_out(model, x, y, (0, 1, 2, 5))
        laws.copies_are_written_out(model, x, y, (3, 1))
        laws.one_token_is_linear(model, y)
        laws.equal_scores_give_the_mean(model, tokens)
        laws.reflected_scores_complement(model, x, y)
        for head in model.heads:
            laws.poles_multiply(head, model, (x, _random_pair(generator, place, model.dim)[0]), y)
        X = _random_basis(generator, model.dim, place.token_multiple)
        laws.weights_come_back(model, X, _random_basis(generator, model.dim, 1))
    for left, right in itertools.pairwise(models):
        laws.values_add(left, right, _random_tokens(generator, place, left.dim, 3))
        pairs = [_random_pair(generator, place, left.dim, size=9) for _ in range(8)]
        laws.different_functions_differ(left, right, pairs)


def _random_token(generator: random.Random, dim: int, size: int = 3) -> IntegerToken:
    return tuple(generator.randint(-size, size) for _ in range(dim))


def _scaled(token: IntegerToken, multiple: int) -> IntegerToken:
    return tuple(multiple * a for a in token)


def _random_tokens(generator: random.Random, place: Place, dim: int, length: int) -> tuple[IntegerToken, ...]:
    """Tokens whose differences are multiples of the place's `token_multiple`."""
    offset = _random_token(generator, dim)
    steps = [_scaled(_random_token(generator, dim), place.token_multiple) for _ in range(length)]
    return tuple(tuple(a + b for a, b in zip(offset, step, strict=True)) for step in steps)


def _random_pair(
    generator: random.Random, place: Place, dim: int, size: int = 3
) -> tuple[IntegerToken, IntegerToken]:
    x = _scaled(_random_token(generator, dim, size), place.token_multiple)
    return x, _random_token(generator, dim, size)


def _random_basis(generator: random.Random, dim: int, multiple: int) -> tuple[IntegerToken, ...]:
    """A triangular matrix with units on the diagonal, times `multiple`: independent rows."""
    rows = [[generator.randint(-2, 2) if j < i else int(i == j) for j in range(dim)] for i in range(dim)]
    return tuple(_scaled(tuple(row), multiple) for row in rows)


def _functional_without_zeros(X: tuple[IntegerToken, ...]) -> list[int]:
    """A v with v.x != 0 for every non-zero x of X: powers of a base larger than all entries."""
    base = 2 * max(abs(a) for x in X for a in x) + 1
    return [base**i for i in range(len(X))]
