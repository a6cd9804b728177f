"""Tests of the black box as the learner holds it: it counts, it remembers exact answers, and it has no way back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.oracle import Oracle, ProbeKey, oracle_of, oracle_of_function, place_of
from exactlearn.places.padic import PadicPlace
from exactlearn.places.rational import RationalPlace
from exactlearn.places.residues import ResidueRing

RING = ResidueRing.seeded(0)
RATIONAL = MultiHeadAttention([([[1, 2], [0, 1]], [1, 3]), ([[0, 1], [1, 1]], [2, 1])])
LOG = MultiHeadAttention([([[1, 2], [3, 1]], [1, 3]), ([[2, 1], [1, 1]], [2, 1])], weights="log-rational")


def test_places() -> None:
    """Each kind of model has its exact place, with its unit."""
    assert place_of(RATIONAL) == PadicPlace()
    assert place_of(LOG) == RationalPlace()
    assert place_of(MultiHeadAttention([], dim=1, unit=Unit.sqrt(3))) == PadicPlace(Unit.sqrt(3))
    assert place_of(MultiHeadAttention([], dim=1, weights="log-rational", unit=2)) == RationalPlace(Unit.of(2))


@pytest.mark.parametrize("model", [RATIONAL, LOG], ids=["padic", "rational"])
def test_counting(model: MultiHeadAttention) -> None:
    """Each query counts once, with its length; the same seen finer or modulo another prime is the same query."""
    oracle = oracle_of(model)
    assert (oracle.tally.queries, oracle.tally.max_length) == (0, 0)
    oracle.copies((1, 0), (0, 1), 4, RING)
    assert (oracle.tally.queries, oracle.tally.max_length) == (4, 5)
    oracle.value(((1, 1),), RING)
    assert (oracle.tally.queries, oracle.tally.max_length) == (5, 5)
    for ring in (RING, RING.finer(), RING.with_next_prime()):
        oracle.copies((1, 0), (0, 1), 4, ring)
        oracle.value(((1, 1),), ring)
    assert (oracle.tally.queries, oracle.tally.max_length) == (5, 5)
    oracle.value(((1, 1),) * 7, RING)
    assert (oracle.tally.queries, oracle.tally.max_length) == (6, 7)
    oracle.copies((1, 0), (0, 1), 0, RING)
    assert (oracle.tally.queries, oracle.tally.max_length) == (6, 7)
    assert oracle.new_tally() == oracle.tally
    assert (oracle.tally.queries, oracle.tally.max_length) == (0, 0)
    oracle.value(((1, 1),), RING)
    assert oracle.tally.queries == 1


@pytest.mark.parametrize("model", [RATIONAL, LOG], ids=["padic", "rational"])
def test_discarding(model: MultiHeadAttention) -> None:
    """What is discarded is counted apart, and counts again when it is asked again; what was kept does not."""
    oracle = oracle_of(model)
    oracle.value(((1, 1),), RING)
    mark = oracle.mark()
    oracle.value(((1, 1),), RING)
    oracle.copies((1, 0), (0, 1), 4, RING)
    assert oracle.discard_since(mark) == 4
    assert (oracle.tally.queries, oracle.tally.max_length) == (1, 1)
    oracle.copies((1, 0), (0, 1), 4, RING)
    oracle.value(((1, 1),), RING)
    assert (oracle.tally.queries, oracle.tally.max_length) == (5, 5)
    assert oracle.discard_since(oracle.mark()) == 0


def test_recounting() -> None:
    """After a recount a query counts anew, and an exact answer is not asked for again."""
    calls = 0

    def function(tokens: Any) -> int:
        nonlocal calls
        calls += 1
        return len(tokens)

    oracle = oracle_of_function(function, 1)
    oracle.copies((1,), (1,), 3, RING)
    oracle.recount()
    assert oracle.tally.queries == 0
    oracle.copies((1,), (1,), 3, RING)
    assert oracle.tally.queries == calls == 3


def test_exact_answers() -> None:
    """At the rational place all answers are kept, discarded ones too; at the p-adic place there are none to keep."""
    oracle, sequence, key = oracle_of(LOG), ((1, 0), (2, 1)), ProbeKey((1, 0), (0, 1), 2)
    mark = oracle.mark()
    oracle.value(sequence, RING)
    oracle.discard_since(mark)
    oracle.copies(key.x, key.y, key.most, RING)
    answers = oracle.exact_answers()
    assert list(answers) == [sequence, key]
    assert all(isinstance(value, fmpq) for values in answers.values() for value in values)
    assert answers[key] == RationalPlace().black_box(LOG).copies((1, 0), (0, 1), [1, 2], RING)
    padic = oracle_of(RATIONAL)
    padic.value(sequence, RING)
    assert padic.exact_answers() == {}


def _reachable(thing: Any, depth: int = 4) -> list[Any]:
    """Everything that public attributes, items and fields lead to."""
    found = [thing]
    if depth == 0 or isinstance(thing, int | float | str | type) or callable(thing):
        return found
    names = [name for name in dir(thing) if not name.startswith("_")]
    inner = [getattr(thing, name) for name in names]
    if isinstance(thing, dict):
        inner += [*thing, *thing.values()]
    elif isinstance(thing, list | tuple | set):
        inner += list(thing)
    for part in inner:
        found += _reachable(part, depth - 1)
    return found


@pytest.mark.parametrize("model", [RATIONAL, LOG], ids=["padic", "rational"])
def test_no_way_to_the_parameters(model: MultiHeadAttention) -> None:
    """Nothing public leads from an oracle to a model or a head, nor does its repr."""
    oracle = oracle_of(model)
    oracle.value(((1, 0), (2, 1)), RING)
    reached = _reachable(oracle)
    assert not any(isinstance(thing, Head | MultiHeadAttention) for thing in reached)
    assert not any(thing in (head.W, head.v) for thing in reached for head in model.heads)
    assert "Head" not in repr(oracle)
    assert "black_box" not in repr(oracle)
    public = {entry.name for entry in dataclasses.fields(Oracle) if not entry.name.startswith("_")}
    assert public == {"place", "dim", "tally", "seconds"}
    # The control: the search does find a head where there is one to find.
    assert any(isinstance(thing, Head) for thing in _reachable(model))


def test_functions() -> None:
    """A function becomes a black box at the rational place; what cannot be called does not."""
    oracle = oracle_of_function(len, 3)
    assert oracle.place == RationalPlace()
    assert oracle.dim == 3
    assert oracle.value(((1, 2, 3),) * 5, RING) == 5
    with pytest.raises(UnusableInputError, match="a black box is a function of a token sequence"):
        oracle_of_function("f", 3)  # type: ignore[arg-type]
