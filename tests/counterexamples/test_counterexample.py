"""The constructor of a counterexample recomputes: whatever is not so is refused, with its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq

from exactlearn.counterexamples import Counterexample, counterexample
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_from_json
from exactlearn.model import Head, as_token_sequence


@pytest.fixture
def pair() -> Counterexample:
    """Two models that agree on two sequences and differ on a third."""
    return counterexample("too-few-copies")


def refused(found: Counterexample, place: str, **changes: Any) -> None:
    """The changed counterexample is refused at this place."""
    with pytest.raises(UnusableInputError, match=place):
        replace(found, **changes)


def test_a_sequence_on_which_they_differ_is_no_agreement(pair: Counterexample) -> None:
    """Agreement is recomputed on every sequence."""
    refused(pair, r"agree_on\[2\]", agree_on=(*pair.agree_on, pair.differ_on))


def test_a_sequence_on_which_they_agree_is_no_difference(pair: Counterexample) -> None:
    """The difference is recomputed."""
    refused(pair, "differ_on", differ_on=pair.agree_on[0])


def test_two_functions_need_a_difference(pair: Counterexample) -> None:
    """Without a sequence that parts them two models have to be one function."""
    refused(pair, "differ_on: two different functions", differ_on=None)


def test_one_model_twice_is_no_pair(pair: Counterexample) -> None:
    """Equal functions have to have different heads."""
    refused(pair, "one and the same model twice", models=(pair.attention[0],) * 2, differ_on=None)
    refused(pair, "differ_on", models=(pair.attention[0],) * 2)


def test_a_model_that_is_not_canonical(pair: Counterexample) -> None:
    """Canonical is checked where it is said."""
    model = pair.attention[0]
    raw = model.with_heads([*model.heads, Head([[1, 9], [1, 1]], [0, 0])])
    refused(pair, r"models\[0\]: not a canonical model", models=(raw, pair.attention[1]))
    assert replace(pair, models=(raw, pair.attention[1]), canonical=False).values == pair.values


def test_a_changed_number_is_noticed(pair: Counterexample) -> None:
    """Any entry that a sequence sees, changed by one, breaks the agreement."""
    first, second = pair.attention
    head = second.heads[0]
    worse = second.with_heads([Head(head.W, [head.v[0] + 1, head.v[1]])])
    refused(pair, r"agree_on\[1\]", models=(first, worse))


def test_no_models(pair: Counterexample) -> None:
    """A counterexample is about something."""
    refused(pair, "at least one model", models=())


def test_json(pair: Counterexample) -> None:
    """The document holds the model files and everything that was said."""
    document = pair.to_json()
    assert document["format"] == "exactlearn.counterexample/1"
    assert (document["kind"], document["dropped"]) == (pair.kind, pair.dropped)
    assert [model_from_json(model) for model in document["models"]] == list(pair.attention)
    assert document["agree_on"] == [[["0", "1"]], [["1", "1"], ["0", "1"]]]
    assert document["values"] == ["4/3", "3/2"]
    assert document["agreeing_values"] == ["0", "1"]


def test_values_without_a_difference() -> None:
    """Equal functions show their common value on the first sequence."""
    found = counterexample("equal-functions")
    assert found.differ_on is None
    assert [value.rational for value in found.values] == [fmpq(3), fmpq(3)]
    assert as_token_sequence([[1]], 1) == found.agree_on[0]
