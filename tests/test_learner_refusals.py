"""Tests on black boxes that are not attention, as plain functions in Fractions: a clear error, never a wrong model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from exactlearn.canonical import canonical_form
from exactlearn.errors import DegenerateDrawError, NotAttentionError, UnusableInputError
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import oracle_of_function

Tokens = Sequence[Sequence[int]]
Function = Callable[[Tokens], Fraction]
RawHead = tuple[list[list[Fraction]], list[Fraction]]

BOUNDS = [{"heads": 1}, {"heads": 2}, {"max_heads": 1}, {"max_heads": 2}, {"max_heads": 3}]


def _heads(dim: int, seed: int = 0) -> list[RawHead]:
    """Three heads (T, v) in Fractions; no entry of T is 1 and none of v is 0."""
    generator = random.Random(f"{dim} {seed}")
    entries = [Fraction(2), Fraction(3), Fraction(1, 2), Fraction(2, 3)]
    rows, values = range(dim), [Fraction(-2), Fraction(1), Fraction(3)]
    return [
        ([[generator.choice(entries) for _ in rows] for _ in rows], [generator.choice(values) for _ in rows])
        for _ in range(3)
    ]


def _dot(v: Sequence[Fraction], x: Sequence[int]) -> Fraction:
    return sum((a * b for a, b in zip(v, x, strict=True)), Fraction(0))


def _weight(T: list[list[Fraction]], x: Sequence[int], y: Sequence[int]) -> Fraction:
    """exp(x^T W y) = prod T_ij^(x_i y_j)."""
    weight = Fraction(1)
    for a, row in zip(x, T, strict=True):
        for b, entry in zip(y, row, strict=True):
            weight *= entry ** (a * b)
    return weight


def _average(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


def _attention(*heads: RawHead) -> Function:
    """Attention written from its definition, without this package."""

    def function(tokens: Tokens) -> Fraction:
        total = Fraction(0)
        for T, v in heads:
            total += _average([_weight(T, x, tokens[-1]) for x in tokens], [_dot(v, x) for x in tokens])
        return total

    return function


def _hard_max(head: RawHead) -> Function:
    """A max instead of a softmax; ties share."""

    def function(tokens: Tokens) -> Fraction:
        scores = [_weight(head[0], x, tokens[-1]) for x in tokens]
        best = [Fraction(int(score == max(scores))) for score in scores]
        return _average(best, [_dot(head[1], x) for x in tokens])

    return function


def _positional(head: RawHead) -> Function:
    """Scores that depend on the position."""

    def function(tokens: Tokens) -> Fraction:
        scores = [_weight(head[0], x, tokens[-1]) / 2**i for i, x in enumerate(tokens)]
        return _average(scores, [_dot(head[1], x) for x in tokens])

    return function


def _square_value(head: RawHead) -> Function:
    """A value that is quadratic in x."""

    def function(tokens: Tokens) -> Fraction:
        scores = [_weight(head[0], x, tokens[-1]) for x in tokens]
        return _average(scores, [_dot(head[1], x) ** 2 for x in tokens])

    return function


def _square_score(head: RawHead) -> Function:
    """Scores quadratic in x."""

    def function(tokens: Tokens) -> Fraction:
        scores = [Fraction(2) ** sum(a * a for a in x) for x in tokens]
        return _average(scores, [_dot(head[1], x) for x in tokens])

    return function


def _noisy(function: Function) -> Function:
    """A relative error of 10^-30 on each answer, the same for the same question."""

    def noisy(tokens: Tokens) -> Fraction:
        sign = random.Random(str(tokens)).choice([-1, 1])
        return function(tokens) * (1 + Fraction(sign, 10**30))

    return noisy


IMPOSTORS: dict[str, Callable[[list[RawHead]], Function]] = {
    "max instead of softmax": lambda heads: _hard_max(heads[0]),
    "max of one of two heads": lambda heads: lambda tokens: _hard_max(heads[0])(tokens) + _attention(heads[1])(tokens),
    "a bias": lambda heads: lambda tokens: _attention(heads[0])(tokens) + 1,
    "a tiny bias": lambda heads: lambda tokens: _attention(heads[0])(tokens) + Fraction(1, 10**40),
    "position-dependent score": lambda heads: _positional(heads[0]),
    "quadratic value": lambda heads: _square_value(heads[0]),
    "quadratic score": lambda heads: _square_score(heads[0]),
    "noisy last digit": lambda heads: _noisy(_attention(heads[0])),
    "noisy last digit of two heads": lambda heads: _noisy(_attention(*heads[:2])),
    "constant": lambda _: lambda tokens: Fraction(7),  # noqa: ARG005  # constant
    "length": lambda _: lambda tokens: Fraction(len(tokens)),
    "length inverted": lambda _: lambda tokens: Fraction(1, len(tokens)),
    "final token alone": lambda heads: lambda tokens: _dot(heads[0][1], tokens[-1]),
    "first token alone": lambda heads: lambda tokens: _dot(heads[0][1], tokens[0]),
    "sum instead of mean": lambda heads: lambda tokens: sum((_dot(heads[0][1], x) for x in tokens), Fraction(0)),
    "zero on one token, else one": lambda _: lambda tokens: Fraction(int(len(tokens) > 1)),
    "product of two heads": lambda heads: lambda tokens: _attention(heads[0])(tokens) * _attention(heads[1])(tokens),
    "square of attention": lambda heads: lambda tokens: _attention(heads[0])(tokens) ** 2,
    "absolute value": lambda heads: lambda tokens: abs(_attention(*heads[:2])(tokens)),
    "rounded down": lambda heads: lambda tokens: Fraction(_attention(heads[0])(tokens).__floor__()),
}


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("name", IMPOSTORS)
def test_impostors(name: str, dim: int) -> None:
    """Whatever is not attention ends in a clear error, for every bound on the heads."""
    function = IMPOSTORS[name](_heads(dim))
    for options in BOUNDS if dim < 3 else BOUNDS[:4]:
        with pytest.raises((NotAttentionError, DegenerateDrawError)) as caught:
            learn(function, dim, seed=dim - 1, **options)  # type: ignore[arg-type]
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) > 30
        if isinstance(caught.value, DegenerateDrawError):
            # Only where heads given as exact do not show, so that nothing contradicts them yet.
            assert "heads" in options
            assert "give an upper bound" in message


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_hidden_extra_head(dim: int, count: int) -> None:
    """One head more than allowed is noticed; with room for it, it is found."""
    heads = _heads(dim)[:count]
    expected = canonical_form(MultiHeadAttention(heads, weights="log-rational"))
    for options in ({"heads": len(expected.heads) - 1}, {"max_heads": len(expected.heads) - 1}):
        with pytest.raises(NotAttentionError):
            learn(_attention(*heads), dim, **options)  # type: ignore[arg-type]
    for options in ({"heads": len(expected.heads)}, {"max_heads": len(expected.heads) + 1}):
        assert learn(_attention(*heads), dim, **options).model == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_somebody_elses_attention(dim: int, seed: int) -> None:
    """Attention written elsewhere, in Fractions, is learned, and it is called as often as the result says."""
    heads, calls = _heads(dim, seed)[:2], 0
    function = _attention(*heads)

    def counted(tokens: Tokens) -> Fraction:
        nonlocal calls
        calls += 1
        return function(tokens)

    expected = canonical_form(MultiHeadAttention(heads, weights="log-rational"))
    result = learn(counted, dim, heads=len(expected.heads), seed=seed)
    assert result.model == expected
    assert result.queries == calls - result.audit_queries - result.redraw_queries
    assert result.queries == result.predicted_queries


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("options", [{"heads": 1}, {"max_heads": 2}], ids=str)
def test_mean_is_attention(dim: int, options: dict[str, int]) -> None:
    """A mean instead of a softmax is attention with W = 0, T = 1, and is learned as such."""
    v = _heads(dim)[0][1]
    result = learn(lambda tokens: _average([Fraction(1)] * len(tokens), [_dot(v, x) for x in tokens]), dim, **options)  # type: ignore[arg-type]
    assert result.model == MultiHeadAttention([([[1] * dim] * dim, v)], weights="log-rational")


@pytest.mark.parametrize("options", BOUNDS[:2], ids=str)
@pytest.mark.parametrize("dim", [1, 2])
def test_attention_on_probes_alone(dim: int, options: dict[str, int]) -> None:
    """A function that is attention as long as all but the final token agree is caught by the audit."""
    heads = _heads(dim)[1 : 1 + options["heads"]]

    def function(tokens: Tokens) -> Fraction:
        return _attention(*heads)(tokens) + int(len(set(map(tuple, tokens[:-1]))) > 1)

    with pytest.raises(NotAttentionError, match="contradicts the audit on"):
        learn(function, dim, **options)  # type: ignore[arg-type]


def test_attention_on_short_sequences_alone() -> None:
    """With d = 1 and one head three answers always fit; longer sequences tell."""

    def function(tokens: Tokens) -> Fraction:
        return _attention(*_heads(1)[:1])(tokens) + (len(tokens) > 3)

    with pytest.raises(NotAttentionError, match="contradicts the audit on"):
        learn(function, 1, heads=1)


@pytest.mark.parametrize("dim", [2, 3])
def test_values_that_do_not_add(dim: int) -> None:
    """With a quadratic value the poles match, and the residues along the sum probe give it away at once."""
    with pytest.raises(NotAttentionError, match=r"^the residues at S\(2,1\) are not those of its row$"):
        learn(IMPOSTORS["quadratic value"](_heads(dim)), dim, heads=1)


@pytest.mark.parametrize("options", BOUNDS, ids=str)
def test_float_answers(options: dict[str, int]) -> None:
    """A float is refused with the way to say what is meant."""
    with pytest.raises(UnusableInputError, match=r"the black box's answer: the float .* is ambiguous"):
        learn(lambda tokens: float(len(tokens)), 2, **options)  # type: ignore[arg-type]


def test_exceptions_of_the_function() -> None:
    """An exception in the user's own code comes through as it is."""

    def function(tokens: Tokens) -> Fraction:
        raise LookupError(f"no answer for {len(tokens)} tokens")

    with pytest.raises(LookupError, match="no answer for 1 tokens"):
        learn(function, 2, heads=1)


def test_exceptions_of_a_flaky_function() -> None:
    """Also in the middle of a run, and when the exception is one that the learner itself knows."""
    calls = 0

    def function(tokens: Tokens) -> Fraction:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise ValueError("flaky")
        return _attention(*_heads(2)[:1])(tokens)

    with pytest.raises(ValueError, match="flaky"):
        learn(function, 2, heads=1)


def test_only_the_function_is_needed() -> None:
    """The learner calls the function and looks at nothing else: an object with a call alone will do."""

    class Sealed:
        __slots__ = ("_function",)

        def __init__(self, function: Function) -> None:
            object.__setattr__(self, "_function", function)

        def __call__(self, tokens: Tokens) -> Fraction:
            inner: Function = object.__getattribute__(self, "_function")
            return inner(tokens)

        def __getattribute__(self, name: str) -> object:
            if name == "__class__":  # isinstance asks
                return Sealed
            raise AssertionError(f"the learner looked at {name}")

    heads = _heads(2)[:1]
    expected = MultiHeadAttention(heads, weights="log-rational")
    assert learn(Sealed(_attention(*heads)), 2, heads=1).model == expected
    assert learn(oracle_of_function(Sealed(_attention(*heads)), 2), heads=1).model == expected
