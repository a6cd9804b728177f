"""An independent way to a value: the definition of f in the standard library's fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

Definition = Callable[[dict[str, Any], Sequence[Sequence[str]]], Fraction]


@pytest.fixture
def by_definition() -> Definition:
    """F of a log-rational model file on tokens with whole entries, from the definition alone."""
    return _value


def _value(model: dict[str, Any], tokens: Sequence[Sequence[str]]) -> Fraction:
    assert (model["weights"], model["unit"]) == ("log-rational", "1")
    sequence = [[int(entry) for entry in token] for token in tokens]
    final, total = sequence[-1], Fraction(0)
    for head in model["heads"]:
        weights = []
        for x in sequence:
            weight = Fraction(1)
            for a, row in zip(x, head["W"], strict=True):
                for b, entry in zip(final, row, strict=True):
                    weight *= Fraction(Fraction(entry) ** (a * b))
            weights.append(weight)
        readouts = [sum((Fraction(v) * a for v, a in zip(head["v"], x, strict=True)), Fraction(0)) for x in sequence]
        weighted = [w * r for w, r in zip(weights, readouts, strict=True)]
        total += sum(weighted, Fraction(0)) / sum(weights, Fraction(0))
    return total
