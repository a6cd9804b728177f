"""Tests of the published strategies: each shape is what it says, and the package runs without hypothesis."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from flint import fmpq, fmpq_mat, fmpz_mat
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from exactlearn import strategies
from exactlearn.canonical import canonical_form
from exactlearn.model import Head, MultiHeadAttention, WeightKind
from exactlearn.strategies import HUGE, SHAPES, TINY

kinds: st.SearchStrategy[WeightKind] = st.sampled_from(["rational", "log-rational"])


@given(st.data(), kinds, st.sampled_from(SHAPES))
def test_models(data: st.DataObject, weights: WeightKind, shape: strategies.Shape) -> None:
    """Models have the kind, the dimension, the unit and the shape that were asked for."""
    model = data.draw(strategies.models(weights, shape=shape, dims=(1, 2), max_heads=2))
    assert model.weights == weights
    assert model.dim in (1, 2)
    assert str(model.unit) == "1"
    heads = model.heads
    assert heads
    if shape == "shared W":
        assert heads[-1].W == heads[0].W
    elif shape == "shared v":
        assert heads[-1].v == heads[0].v
    elif shape == "cancelling":
        assert heads[-1] == Head(heads[0].W, [-entry for entry in heads[0].v])
    elif shape == "zero heads":
        assert not any(heads[0].v)
        assert {entry for row in heads[-1].W for entry in row} == {fmpq(0 if weights == "rational" else 1)}
    elif shape == "rank one" and weights == "rational":
        assert all(fmpq_mat([list(row) for row in head.W]).rank() <= 1 for head in heads)
    elif shape == "huge and tiny":
        assert all(entry == 0 or abs(entry) >= HUGE / 4 or abs(entry) <= 6 * TINY for head in heads for entry in head.v)


@pytest.mark.parametrize("weights", ["rational", "log-rational"])
def test_interesting_models_are_found(weights: WeightKind) -> None:
    """The strategies reach what they are for: merges to nothing, irrational units, entries 1e30."""
    anything = strategies.shaped_models(weights, unit=None)
    assert _first(anything, lambda model: not canonical_form(model).heads).heads
    assert _first(anything, lambda model: any(entry >= HUGE for head in model.heads for row in head.W for entry in row))
    assert _first(anything, lambda model: model.unit.sign < 0)
    if weights == "rational":
        assert _first(anything, lambda model: model.unit.rational is None)


def _first(
    anything: st.SearchStrategy[MultiHeadAttention], condition: Callable[[MultiHeadAttention], bool]
) -> MultiHeadAttention:
    """The first example with a property, not made smaller."""
    return find(anything, condition, settings=settings(phases=[Phase.generate], max_examples=500))


@given(st.data(), kinds)
def test_same_function(data: st.DataObject, weights: WeightKind) -> None:
    """Other raw heads of the same function have its canonical form."""
    model = data.draw(strategies.shaped_models(weights))
    other = data.draw(strategies.same_function_models(model))
    assert canonical_form(other) == canonical_form(model)


def test_same_function_models_differ() -> None:
    """They do change the raw heads: splitting and cancelling both happen."""
    model = MultiHeadAttention([([[1]], [1])])
    assert _first(strategies.same_function_models(model), lambda other: len(other.heads) >= 4)


@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_tokens_and_bases(data: st.DataObject, dim: int, multiple: int) -> None:
    """Sequences have tokens of the dimension with whole entries, and bases are independent."""
    sequence = data.draw(strategies.token_sequences(dim, max_length=3, size=2, multiple=multiple))
    assert 1 <= len(sequence) <= 3
    assert {len(token) for token in sequence} == {dim}
    assert all(a % multiple == 0 and abs(a) <= 2 * multiple for token in sequence for a in token)
    basis = data.draw(strategies.bases(dim))
    assert fmpz_mat([list(row) for row in basis]).det() != 0


def _run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603  # our own code


WITHOUT = "import sys; sys.modules['hypothesis'] = None; "


def test_without_hypothesis() -> None:
    """Importing the package and learning need no hypothesis; the strategies say what is missing, as the family does."""
    run = _run(
        WITHOUT + "import exactlearn; from exactlearn.places import conformance; "
        "m = exactlearn.MultiHeadAttention([([[1]], [1])]); "
        "print(exactlearn.learn(exactlearn.oracle_of(m), heads=1).model == m)"
    )
    assert (run.returncode, run.stdout.strip()) == (0, "True"), run.stderr
    run = _run(
        WITHOUT + "from exactlearn.errors import MissingExtraError\n"
        "try:\n    import exactlearn.strategies\nexcept MissingExtraError as error:\n    print(error)"
    )
    assert run.returncode == 0, run.stderr
    assert "needs the package hypothesis: pip install 'exactlearn[" in run.stdout


def test_hypothesis_is_not_loaded_at_import() -> None:
    """Even where hypothesis is installed, the package alone does not load it."""
    run = _run("import sys, exactlearn; exactlearn.learn; print('hypothesis' in sys.modules)")
    assert (run.returncode, run.stdout.strip()) == (0, "False"), run.stderr
