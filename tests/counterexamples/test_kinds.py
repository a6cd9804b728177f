"""Every kind at many sizes and seeds: the values are those of the definition, the models are canonical, and small."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from exactlearn.canonical import canonical_form
from exactlearn.counterexamples import KINDS, Counterexample, counterexample, kind
from exactlearn.errors import UnusableInputError

OTHERS = {"number-fields", "units"}
"""Values that are not rational, and Transformers: test_number_fields.py and test_units.py have them."""
CASES = [(one.name, case) for one in KINDS if one.name not in OTHERS for case in one.cases or (None,)]
LEAST = {
    ("equal-functions", "permute"): (2, 1),
    ("too-few-copies", None): (1, 2),
    ("base-probes-alone", None): (2, 2),
    ("fixed-probes", None): (1, 2),
    ("bad-draw", "v-x"): (1, 2),
    ("bad-draw", "poles-meet"): (2, 2),
    ("bad-draw", "false-match"): (3, 2),
    ("fewer-heads", None): (2, 1),
    ("error-growth", None): (2, 1),
    ("too-coarse", "complex-poles"): (2, 1),
    ("too-coarse", "two-models"): (2, 1),
}
SIZES = list(itertools.product((1, 2, 3), (1, 2, 3)))
LARGE = [(4, d) for d in (1, 2, 3, 4)] + [(H, 4) for H in (1, 2, 3)]


def recompute(found: Counterexample, by_definition: Callable[..., Fraction]) -> None:
    """Everything a counterexample says, from its JSON alone."""
    document = json.loads(json.dumps(found.to_json()))
    models = document["models"]
    for tokens, value in zip(document["agree_on"], document["agreeing_values"], strict=True):
        assert [by_definition(model, tokens) for model in models] == [Fraction(value)] * len(models)
    if document["differ_on"] is not None:
        first, second = (by_definition(model, document["differ_on"]) for model in models)
        assert [str(first), str(second)] == document["values"]
        assert first != second


def check(name: str, case: str | None, size: tuple[int, int], seed: int | None) -> Counterexample:
    """The counterexample of this size, which has its size and canonical models."""
    H, d = size
    found = counterexample(name, case=case, heads=H, dim=d, seed=seed)
    assert all(model.dim == d for model in found.attention)
    if found.canonical:
        assert all(len(canonical_form(model).heads) == len(model.heads) for model in found.attention)
    heads = max(len(canonical_form(model).heads) for model in found.attention)
    assert heads == H
    return found


@pytest.mark.parametrize(("name", "case"), CASES)
@pytest.mark.parametrize("size", SIZES)
def test_sizes_and_seeds(
    name: str, case: str | None, size: tuple[int, int], by_definition: Callable[..., Fraction]
) -> None:
    """Where the kind makes sense the pair is right, by the definition of f; elsewhere one clear line says why not."""
    H, d = size
    least_heads, least_dim = LEAST.get((name, case), (1, 1))
    if not (least_heads <= H and least_dim <= d):
        with pytest.raises(UnusableInputError, match=r"^(heads|dim): a whole number from \d to 12 is expected"):
            counterexample(name, case=case, heads=H, dim=d)
        return
    for seed in (None, 0, 1) if H * d < 6 else (None, 0):
        recompute(check(name, case, size, seed), by_definition)


@pytest.mark.long
@pytest.mark.parametrize(("name", "case"), CASES)
@pytest.mark.parametrize("size", LARGE)
def test_larger_sizes(
    name: str, case: str | None, size: tuple[int, int], by_definition: Callable[..., Fraction]
) -> None:
    """The same up to four heads and four dimensions."""
    least_heads, least_dim = LEAST.get((name, case), (1, 1))
    if size[0] >= least_heads and size[1] >= least_dim:
        for seed in (None, 0):
            recompute(check(name, case, size, seed), by_definition)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_the_default_is_the_smallest_instance(name: str, case: str | None) -> None:
    """The first thing that is shown has short numbers, few heads and few dimensions."""
    found = counterexample(name, case=case)
    for model in found.attention[:2]:
        assert model.dim <= 2
        assert len(model.heads) <= 3
        for head in model.heads:
            assert all(abs(entry.p) <= 10 and entry.q <= 4 for row in (*head.W, head.v) for entry in row)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_seeds(name: str, case: str | None) -> None:
    """A seed repeats itself, and the seeds do not all give one instance (permuted heads may look alike)."""
    H, d = LEAST.get((name, case), (1, 1))
    instances, again = (
        [counterexample(name, case=case, heads=H, dim=max(d, 2), seed=seed).models for seed in range(6)]
        for _ in range(2)
    )
    assert instances == again
    assert any(instance != instances[0] for instance in instances)


def test_names() -> None:
    """The kinds of DESIGN section 7 are there; an unknown one gets a near name."""
    assert [one.name for one in KINDS] == [
        "equal-functions", "too-few-copies", "fewer-queries", "base-probes-alone",
        "fixed-probes", "bad-draw", "fewer-heads", "error-growth", "too-coarse", "number-fields",
        "units",
    ]  # fmt: skip
    with pytest.raises(UnusableInputError, match="did you mean bad-draw"):
        kind("bad-drawn")
    with pytest.raises(UnusableInputError, match="there are equal-functions, "):
        kind("xyz")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "bad-draw", "case": "v-y"}, "case: bad-draw has no case 'v-y': its cases are v-x"),
        ({"name": "fewer-heads", "case": "x"}, "it has no cases"),
        ({"name": "fewer-heads", "probes": [((1,), (1,))]}, "probes: fewer-heads takes no probes"),
        ({"name": "fewer-heads", "heads": True}, "heads: a whole number"),
        ({"name": "fewer-heads", "heads": 13}, "from 2 to 12"),
        ({"name": "fewer-heads", "heads": 1}, "H0 = H - 2"),
        ({"name": "too-few-copies", "dim": 1}, "in one dimension"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, Any], message: str) -> None:
    """One line that names the argument."""
    with pytest.raises(UnusableInputError, match=message):
        counterexample(**arguments)
