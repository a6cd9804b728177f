"""Where rational intuition fails: each case at several sizes, recomputed from its JSON with real balls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flint import arb, ctx, fmpq

from exactlearn.canonical import canonical_form
from exactlearn.counterexamples import counterexample
from exactlearn.errors import UnusableInputError
from exactlearn.fields import NumberField
from exactlearn.files.field_numbers import parse_field, parse_scalar
from exactlearn.strategies import NUMBER_FIELDS

ROOT_2 = NUMBER_FIELDS[0]
LEAST = {"hidden-zero": 2, "conjugate": 1, "cosines": 3}


def ball(text: Any, field: NumberField) -> arb:
    """A number of a model or token file as a ball."""
    number: arb = parse_scalar(text, field).ball()
    return number


def value(model: dict[str, Any], tokens: list[list[Any]]) -> arb:
    """F by its definition, in real arithmetic, from a model file's JSON."""
    field = parse_field(model["field"])
    sequence = [[ball(entry, field) for entry in token] for token in tokens]
    total, axes = arb(0), range(model["dim"])
    for head in model["heads"]:
        W = [[ball(entry, field) for entry in row] for row in head["W"]]
        v = [ball(entry, field) for entry in head["v"]]
        weights = [
            sum((x[i] * W[i][j] * sequence[-1][j] for i in axes for j in axes), arb(0)).exp() for x in sequence
        ]
        values = [sum((x[i] * v[i] for i in axes), arb(0)) for x in sequence]
        total += sum((w * c for w, c in zip(weights, values, strict=True)), arb(0)) / sum(weights, arb(0))
    return total


@pytest.mark.parametrize("case", LEAST)
@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_recomputed(case: str, heads: int, dim: int) -> None:
    """Both models agree where they are said to, to 80 digits, and differ where they are said to differ."""
    if dim < LEAST[case]:
        with pytest.raises(UnusableInputError, match=r"^dim: a whole number from \d to 12 is expected"):
            counterexample("number-fields", case=case, heads=heads, dim=dim)
        return
    for seed in (None, 5):
        found = counterexample("number-fields", case=case, heads=heads, dim=dim, seed=seed)
        assert all(len(canonical_form(model).heads) == heads for model in found.attention)
        document = json.loads(json.dumps(found.to_json()))
        with ctx.workprec(400):
            for tokens in document["agree_on"]:
                left, right = (value(model, tokens) for model in document["models"])
                assert left.overlaps(right)
                assert abs(left - right) < arb(10) ** -80
            left, right = (value(model, document["differ_on"]) for model in document["models"])
            assert not left.overlaps(right)


def test_the_hidden_zero_is_at_an_irrational_token() -> None:
    """The token of agreement is (sqrt(2), 1); at rational tokens up to height 20 the form does not vanish."""
    found = counterexample("number-fields", case="hidden-zero")
    assert found.agree_on[0] == ((ROOT_2.generator, fmpq(1)),)
    box = range(-20, 21)
    assert all(x * x - 2 * y * y for x in box for y in box if (x, y) != (0, 0))


def test_images_of_conjugates_are_swapped() -> None:
    """The table of images has the two values in both orders: an image does not tell the embedding."""
    (table,) = counterexample("number-fields", case="conjugate").tables
    (_, first, second), (_, third, fourth) = table.rows
    assert (first, second) == (fourth, third)
    assert first != second
