"""The kind units: Transformers that cannot be told apart, their values by the definition alone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from exactlearn.counterexamples import counterexample
from exactlearn.counterexamples.units import KIND
from exactlearn.errors import UnusableInputError
from exactlearn.transformers.evaluation import same_transformer

LEAST = {"proportional": (1, 1), "linear": (1, 2), "turned": (1, 2), "single-tokens": (2, 1)}
SIZES = [(H, d) for H in (1, 2, 3) for d in (1, 2, 3)]


def value(model: dict[str, Any], tokens: list[list[str]], by_definition: Callable[..., Fraction]) -> Fraction:
    """sum_j u_j max(0, z_j), each z_j an attention model read off the file."""
    total = Fraction(0)
    for b, u in zip(model["ffn"]["B"], model["ffn"]["u"], strict=True):
        heads = []
        for head in model["heads"]:
            columns = zip(*head["V"], strict=True)
            v = [sum(Fraction(e) * Fraction(c) for e, c in zip(b, column, strict=True)) for column in columns]
            heads.append({"W": head["W"], "v": [str(entry) for entry in v]})
        z = by_definition({**model, "heads": heads}, tokens)
        total += Fraction(u) * max(z, Fraction(0))
    return total


@pytest.mark.parametrize("case", KIND.cases)
@pytest.mark.parametrize("size", SIZES)
def test_values_by_definition(case: str, size: tuple[int, int], by_definition: Callable[..., Fraction]) -> None:
    """Where the case makes sense both models have the values that are said; elsewhere one line says why not."""
    H, d = size
    if not (LEAST[case][0] <= H and LEAST[case][1] <= d):
        with pytest.raises(UnusableInputError, match=r"a whole number from \d to 12 is expected"):
            counterexample("units", case=case, heads=H, dim=d)
        return
    for seed in (None, 0, 1):
        found = counterexample("units", case=case, heads=H, dim=d, seed=seed).to_json()
        for tokens, text in zip(found["agree_on"], found["agreeing_values"], strict=True):
            values = [value(model, tokens, by_definition) for model in found["models"]]
            assert values == [Fraction(text)] * 2
        if found["differ_on"] is not None:
            values = [value(model, found["differ_on"], by_definition) for model in found["models"]]
            assert values[0] != values[1]
            assert [str(entry) for entry in values] == found["values"]


@pytest.mark.parametrize("case", KIND.cases)
def test_same_or_different_functions(case: str) -> None:
    """Only those that agree on single tokens alone are different functions; the raw models never are the same."""
    models = counterexample("units", case=case).models
    assert same_transformer(*models).holds == (case != "single-tokens")  # type: ignore[arg-type]
    assert models[0] != models[1]
