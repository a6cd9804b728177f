"""Transformers over number fields: files, exact values, canonical form and equality, learning, claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.any_model import evaluate_any, same_any
from exactlearn.claims.transformer import TransformerInstance, verify_transformer
from exactlearn.fields import NumberField, compose, rational_part
from exactlearn.files.transformer_file import any_model_from_text, any_model_to_text, read_any_model, write_any_model
from exactlearn.model import Transformer
from exactlearn.places.symbolic import evaluate
from exactlearn.strategies import NUMBER_FIELDS, field_elements, token_sequences
from exactlearn.transformers.canonical import canonical_transformer, transformer_of
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.transformers.learner import learn_transformer
from exactlearn.transformers.oracle import transformer_oracle
from exactlearn.verdict import Fails

ROOT_2, BIQUADRATIC = NUMBER_FIELDS[0], NUMBER_FIELDS[-1]


@st.composite
def transformers(draw: st.DrawFn, field: NumberField) -> Transformer:
    """One or two heads and units in one or two dimensions."""
    d, H, D, m = (draw(st.integers(1, 2)) for _ in range(4))

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[draw(field_elements(field, 2)) for _ in range(columns)] for _ in range(rows)]

    return Transformer([(matrix(d, d), matrix(D, d)) for _ in range(H)], matrix(m, D), matrix(1, m)[0], field=field)


any_transformer = st.sampled_from([ROOT_2, NUMBER_FIELDS[2]]).flatmap(transformers)


@settings(max_examples=25)
@given(any_transformer, st.data())
def test_files_canonical_form_and_values(model: Transformer, data: st.DataObject) -> None:
    """A file is read back; the canonical form is a Transformer with the same values; odd and even parts are right."""
    assert any_model_from_text(any_model_to_text(model), "m") == model
    again, _ = transformer_of(canonical_transformer(model))
    assert again.field == model.field
    tokens = data.draw(token_sequences(model.dim, max_length=2, size=2))
    value = evaluate_transformer(model, tokens)
    assert evaluate_transformer(again, tokens) == value
    assert same_transformer(model, again).holds
    negative = evaluate_transformer(model, [[-a for a in token] for token in tokens])
    assert value - negative == evaluate(model.odd_part, tokens)


@settings(max_examples=15)
@given(transformers(ROOT_2), st.data())
def test_a_larger_field_changes_nothing(model: Transformer, data: st.DataObject) -> None:
    """Over a larger field it is the same function."""
    both = compose(ROOT_2, BIQUADRATIC)
    larger = model.over(both.field, both.of_left)
    assert same_any(model, larger).holds
    tokens = data.draw(token_sequences(model.dim, max_length=2, size=1))
    assert evaluate_any(model, tokens) == evaluate_any(larger, tokens)


def test_merging_and_separating(tmp_path: Path) -> None:
    """Units that are proportional by a number of the field merge; the conjugate Transformer is another function."""
    a = ROOT_2.generator
    heads: Any = [([[a, 1], [0, 1]], [[1, a], [0, 1]])]
    model = Transformer(heads, [[1, 0], [a, 1], [-a, 0]], [1, a, fmpq(1, 2)])
    assert model.field == ROOT_2
    assert len(canonical_transformer(model).units) == 2
    conjugate = model.over(ROOT_2.conjugates[0], lambda entry: entry.in_field(ROOT_2.conjugates[0]))
    verdict = same_any(model, conjugate)
    assert isinstance(verdict, Fails)
    assert evaluate_any(model, verdict.witness) != evaluate_any(conjugate, verdict.witness)
    write_any_model(model, tmp_path / "m.json")
    assert read_any_model(tmp_path / "m.json") == model


@pytest.mark.parametrize("weights", ["rational", "log-rational"])
@pytest.mark.parametrize("field", NUMBER_FIELDS[:3], ids=str)
def test_learning(field: NumberField, weights: Any) -> None:
    """A Transformer whose kinks are irrational is recovered exactly, with the stated counts of both parts."""
    a = abs(field.generator)
    heads: Any = [
        ([[a, 1], [2, 1 + a]], [[1, a], [-2, 1]]),
        ([[1 + a, 2], [1, a]], [[a, 1 - a], [1, 3]]),
    ]
    model = Transformer(heads, [[1, a], [a - 2, 1]], [1, -a], weights=weights, field=field)
    result = learn_transformer(transformer_oracle(model), heads=2)
    assert same_transformer(result.model, model).holds
    assert result.form == canonical_transformer(model)
    assert (result.odd_queries, result.cell_queries) == (result.predicted_odd_queries, result.predicted_cell_queries)
    assert any(rational_part(kink.tau) is None for kink in result.kinks)


@pytest.mark.parametrize("control", [False, True])
def test_claims(control: bool) -> None:
    """The claims about Transformers hold over a field, and their controls fail."""
    a = ROOT_2.generator
    model = Transformer([([[a, 1], [0, 1]], [[1, a], [0, 1]])], [[1, 0], [a, 1]], [1, a])
    verdicts = [result.verdict for result in verify_transformer(TransformerInstance(model), is_control=control)]
    assert verdicts
    assert all(isinstance(verdict, Fails) if control else verdict.holds for verdict in verdicts)
