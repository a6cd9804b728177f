"""Tests of layers: canonical form, equality, exact values, and their files."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_from_json
from exactlearn.files.transformer_file import any_model_from_json, any_model_to_json, any_model_to_text
from exactlearn.layers.canonical import canonical_layer, evaluate_layer, reduce_layer, same_layer
from exactlearn.model import AttentionLayer, LayerHead, MultiHeadAttention, Unit, WeightKind
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails

small = st.integers(-2, 2)


@st.composite
def layers(draw: st.DrawFn, *, log: bool | None = None) -> AttentionLayer:
    """Small layers whose heads often coincide."""
    is_log = draw(st.booleans()) if log is None else log
    dim, outputs = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    scores = st.integers(1, 2) if is_log else st.integers(-1, 1)

    def matrix(rows: int, of: st.SearchStrategy[int]) -> list[list[int]]:
        return draw(st.lists(st.lists(of, min_size=dim, max_size=dim), min_size=rows, max_size=rows))

    constant = st.lists(small, min_size=outputs, max_size=outputs)
    heads = [
        LayerHead(matrix(dim, scores), matrix(1, scores)[0], matrix(outputs, small), draw(constant))
        for _ in range(draw(st.integers(0, 3)))
    ]
    kind: WeightKind = "log-rational" if is_log else "rational"
    return AttentionLayer(heads, dim=dim, outputs=outputs, s=draw(constant), weights=kind)


def _tokens(layer: AttentionLayer, seed: int) -> list[list[fmpq]]:
    generator = random.Random(seed)
    return [[fmpq(generator.randint(-2, 2)) for _ in range(layer.dim)] for _ in range(1 + seed % 3)]


@settings(max_examples=40, deadline=None)
@given(layers(), st.integers(0, 99))
def test_the_canonical_layer_is_the_same_function(layer: AttentionLayer, seed: int) -> None:
    """Equal values on any sequence, decided symbolically; reducing twice changes nothing."""
    canonical = canonical_layer(layer)
    tokens = _tokens(layer, seed)
    assert evaluate_layer(layer, tokens) == evaluate_layer(canonical, tokens)
    assert canonical_layer(canonical) == canonical
    assert same_layer(layer, canonical).holds
    assert same_layer(layer, layer.with_heads(reversed(layer.heads), layer.s)).holds


@settings(max_examples=40, deadline=None)
@given(layers(), st.data())
def test_different_functions_have_a_separating_sequence(layer: AttentionLayer, data: st.DataObject) -> None:
    """Equal exactly when the canonical layers agree; else the witness separates."""
    other = data.draw(layers(log=layer.weights == "log-rational"))
    if (other.dim, other.outputs) != (layer.dim, layer.outputs):
        return
    verdict = same_layer(layer, other)
    assert verdict.holds == (canonical_layer(layer) == canonical_layer(other))
    if isinstance(verdict, Fails):
        assert evaluate_layer(layer, verdict.witness) != evaluate_layer(other, verdict.witness)


def test_p_alone_makes_a_difference() -> None:
    """Heads that differ in p alone are two, and a sequence of two tokens tells a changed p."""
    W, V = [[1, 0], [0, 1]], [[1, 2]]
    layer = AttentionLayer([LayerHead(W, [1, 0], V), LayerHead(W, [0, 0], V)])
    assert len(canonical_layer(layer).heads) == 2
    verdict = same_layer(layer, layer.with_heads([LayerHead(W, [1, 0], V), LayerHead(W, [0, 1], V)], [0]))
    assert isinstance(verdict, Fails)
    assert len(verdict.witness) >= 2


def test_the_value_by_hand() -> None:
    """One dimension, log-rational: the softmax written out."""
    layer = AttentionLayer([LayerHead([[3]], [4], [[5], [0]], [1, 0])], s=[0, 7], weights="log-rational")
    # Tokens 1, then 2 (final): weights (3^2 4)^1 = 36 and (3^2 4)^2 = 1296.
    first, second = evaluate_layer(layer, [[1], [2]])
    assert first == evaluate(MultiHeadAttention([([[1]], [fmpq(5 * (36 + 2 * 1296), 36 + 1296) + 1])]), [[1]])
    assert str(second) == "7"


def test_a_plain_model_is_the_layer_with_zero_biases() -> None:
    """Same values and the same canonical form."""
    model = MultiHeadAttention([([[1, 2], [0, 1]], [1, 2]), ([[1, 2], [0, 1]], [3, 1])], unit=Unit.sqrt(fmpq(1, 2)))
    layer = AttentionLayer.of(model)
    tokens = [[1, 0], [2, 1]]
    assert evaluate_layer(layer, tokens) == (evaluate(model, tokens),)
    assert canonical_layer(layer) == canonical_layer(AttentionLayer.of(canonical_form(model)))


@settings(max_examples=40, deadline=None)
@given(layers())
def test_files_give_back_the_layer(layer: AttentionLayer) -> None:
    """Written and read: the constants of the heads are gathered in one s, all else is the same."""
    expected = layer.with_heads([LayerHead(h.W, h.p, h.V) for h in layer.heads], layer.constant)
    assert any_model_from_json(any_model_to_json(layer)) == expected
    assert any_model_from_json(json.loads(any_model_to_text(layer))) == expected


HEAD: dict[str, Any] = {"W": [["1", "2"], ["3", "4"]], "p": ["1", "2"], "V": [["1", "0"], ["0", "1"]]}
FILE: dict[str, Any] = {
    "format": "exactlearn.model/1", "kind": "attention", "dim": 2, "weights": "rational", "heads": [HEAD],
    "s": ["1", "2"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"s": "1"}, "s: a list of 2 numbers"),
        ({"s": ["1"]}, "s: a list of 2 is expected"),
        ({"outputs": 3}, "3 outputs are expected"),
        ({"heads": [{**HEAD, "p": ["1"]}]}, r"heads\[0\].p: 2 entries"),
        ({"heads": [{**HEAD, "v": ["1", "2"]}]}, r"heads\[0\]: a head has"),
        ({"heads": [HEAD, {"W": HEAD["W"], "v": ["1", "2"]}]}, r"heads\[1\]: 2 outputs"),
        ({"heads": [{**HEAD, "q": []}]}, "unknown key 'q'"),
        ({"heads": [{**HEAD, "V": [["1"], ["2"]]}]}, r"heads\[0\].V\[0\]: 2 entries"),
        ({"weights": "log-rational", "heads": [{**HEAD, "p": ["0", "1"]}]}, r"heads\[0\].p\[0\]: .*positive"),
    ],
)
def test_files_that_do_not_fit_are_refused(change: dict[str, Any], reason: str) -> None:
    """One line that says what and where."""
    assert isinstance(any_model_from_json(FILE), AttentionLayer)
    with pytest.raises(UnusableInputError, match=reason):
        any_model_from_json({**FILE, **change})


def test_plain_files_stay_plain() -> None:
    """Without p, V and s a file is read as before; with them the plain reader says what it takes."""
    plain = {**FILE, "heads": [{"W": HEAD["W"], "v": ["1", "2"]}]}
    del plain["s"]
    assert isinstance(any_model_from_json(plain), MultiHeadAttention)
    with pytest.raises(UnusableInputError, match="without biases"):
        model_from_json(FILE)


def test_what_was_merged_and_dropped_is_told() -> None:
    """Members by index, in order of first appearance."""
    head = LayerHead([[1]], [0], [[1]])
    opposite, other = LayerHead([[2]], [0], [[1]]), LayerHead([[2]], [0], [[-1]])
    reduction = reduce_layer(AttentionLayer([head, opposite, head, other]))
    assert [group.members for group in reduction.merges] == [(0, 2)]
    assert [group.members for group in reduction.drops] == [(1, 3)]
