"""Tests of the model file: round trips, and a table of malformed files, each pinned to its line."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import (
    model_from_json,
    model_from_text,
    model_to_json,
    model_to_text,
    read_model,
    write_model,
)
from exactlearn.model import Head, MultiHeadAttention, Unit

GOOD = """{"format": "exactlearn.model/1", "kind": "attention", "dim": 2, "weights": "rational",
 "unit": "1", "heads": [{"W": [["1","0"],["-1/2","3"]], "v": ["1","2/3"]},
 {"W": [["0","7"],["2","5"]], "v": ["4","9"]}]}"""

numbers = st.fractions().map(lambda q: fmpq(q.numerator, q.denominator))


@st.composite
def models(draw: st.DrawFn) -> MultiHeadAttention:
    """Models of both kinds with any unit, zero heads included."""
    dim = draw(st.integers(1, 3))
    is_log = draw(st.booleans())
    entries = numbers.filter(lambda q: q > 0) if is_log else numbers
    square = draw(numbers.filter(lambda q: q > 0))
    sign = draw(st.sampled_from([1, -1]))
    rows = st.lists(entries, min_size=dim, max_size=dim)
    heads = st.builds(Head, st.lists(rows, min_size=dim, max_size=dim), st.lists(numbers, min_size=dim, max_size=dim))
    return MultiHeadAttention(
        draw(st.lists(heads, max_size=3)),
        dim=dim,
        weights="log-rational" if is_log else "rational",
        unit=Unit(square * square if is_log else square, sign),
    )


@given(models())
def test_round_trips(model: MultiHeadAttention) -> None:
    """A model is read back equal from its text, from its document, and from the document as other JSON text."""
    assert model_from_text(model_to_text(model), "x") == model
    document = model_to_json(model)
    assert model_from_json(document) == model
    assert model_from_text(json.dumps(document, indent=3), "x") == model
    assert json.loads(model_to_text(model)) == document


def test_good_file(tmp_path: Path) -> None:
    """The file of the design document is the model that it describes, and is written and read back."""
    file = tmp_path / "m.json"
    file.write_text(GOOD)
    model = read_model(file)
    assert model == MultiHeadAttention(
        [([[1, 0], [fmpq(-1, 2), 3]], [1, fmpq(2, 3)]), ([[0, 7], [2, 5]], [4, 9])], unit=1
    )
    write_model(model, file)
    assert read_model(file) == model
    assert model_from_text(GOOD.replace(' "unit": "1",', ""), "x") == model
    assert model_from_text(GOOD.replace('"unit": "1"', '"unit": "2"'), "x") != model


def test_empty_model() -> None:
    """A model without heads is the zero function of its dimension."""
    document = {"format": "exactlearn.model/1", "kind": "attention", "dim": 5, "weights": "rational", "heads": []}
    model = model_from_json(document)
    assert (model.dim, model.heads, model.unit) == (5, (), Unit.of(1))


def test_long_numbers() -> None:
    """Numbers of 5,000 digits, beyond Python's limit, are written in hexadecimal and read back."""
    long = fmpq(-(fmpz(10) ** 5000) - 1, fmpz(7) ** 6000)
    model = MultiHeadAttention([([[long]], [1 / long])])
    assert model_to_json(model)["heads"][0]["W"][0][0].startswith("-0x")
    assert model_from_text(model_to_text(model), "x") == model


MALFORMED = [
    # the text
    (GOOD[:-1], r"^m: not JSON: Expecting ',' delimiter, line 3 column \d+$"),
    (GOOD + "x", r"^m: not JSON: Extra data, line 3 column \d+$"),
    ("", "^m: not JSON: Expecting value"),
    ("[]", r"^m: an object \{\.\.\.\} is expected, not a list"),
    ("null", r"^m: an object \{\.\.\.\} is expected, not null$"),
    ("3", r"^m: an object \{\.\.\.\} is expected, not the number 3$"),
    ('{"heads":' * 50_000, "^m: the JSON is nested too deeply$"),
    (GOOD.replace('"1","0"', "[" * 900 + "]" * 900), r"^m: heads\[0\]\.W\[0\]\[0\]: coefficient 0: a string is"),
    # keys
    (GOOD.replace('"dim": 2', '"dim": 2, "dim": 2'), "^m: the key 'dim' stands twice in one object$"),
    (GOOD.replace('"v": ["4","9"]', '"v": ["4","9"], "v": []'), r"^m: heads\[1\]: the key 'v' stands twice"),
    (GOOD.replace('"unit"', '"units"'), "^m: unknown key 'units'$"),
    (GOOD.replace('"unit"', '"un\\nit\\ud800"'), r"^m: unknown key 'un\\nit\\ud800'$"),
    (GOOD.replace('"v": ["4"', '"bias": [], "v": ["4"'), r"^m: heads\[1\]: unknown key 'bias'$"),
    (GOOD.replace('"kind": "attention", ', ""), "^m: the key 'kind' is missing$"),
    (GOOD.replace(', "v": ["4","9"]', ""), r"^m: heads\[1\]: the key 'v' is missing$"),
    (GOOD.replace("model/1", "model/2"), '^m: format: "exactlearn.model/1" is expected, not \'exactlearn.model/2\'$'),
    (GOOD.replace('"attention"', '"transformer"'), '^m: kind: this is for models of kind "attention", not for a Trans'),
    (GOOD.replace('"attention"', '"lstm"'), "^m: kind: \"attention\" is expected, not 'lstm'$"),
    (GOOD.replace('"dim"', '"field": {}, "dim"'), "^m: field: the key 'minpoly' is missing$"),
    (GOOD.replace('"rational"', '"real"'), '^m: weights: "rational" or "log-rational" is expected, not \'real\'$'),
    # dim
    (GOOD.replace('"dim": 2', '"dim": 0'), "^m: dim: 0 is too small: at least 1$"),
    (GOOD.replace('"dim": 2', '"dim": 100001'), "^m: dim: 100001 is too large: at most 100000$"),
    (GOOD.replace('"dim": 2', '"dim": true'), "^m: dim: a whole number is expected, not true$"),
    (GOOD.replace('"dim": 2', '"dim": "2"'), "^m: dim: a whole number is expected, not '2'$"),
    (GOOD.replace('"dim": 2', '"dim": 2.0'), "^m: dim: the JSON number '2.0' is ambiguous"),
    (GOOD.replace('"dim": 2', '"dim": ' + "2" * 10_000), r"^m: dim: the JSON integer '2{40}'\.\.\. \(10000 char"),
    # unit
    (GOOD.replace('"unit": "1"', '"unit": "0"'), "^m: unit: a unit is not zero$"),
    (GOOD.replace('"unit": "1"', '"unit": 1'), '^m: unit: a string is expected, .*: write it as a string, "1"$'),
    (GOOD.replace('"unit": "1"', '"unit": "sqrt(-1)"'), r"^m: unit: 'sqrt\(-1\)' is no unit: sqrt\(q\) needs q > 0$"),
    (GOOD.replace('"unit": "1"', '"unit": "sqrt(0)"'), r"^m: unit: 'sqrt\(0\)' is no unit"),
    (GOOD.replace('"unit": "1"', '"unit": "e"'), "^m: unit: 'e' is not a number here"),
    (GOOD.replace('"unit": "1"', '"unit": "1\\n"'), r"^m: unit: '1\\n' is not a number here"),
    # shapes
    (GOOD.replace('["0","7"],', ""), r"^m: heads\[1\]\.W: W has 2 rows here \(dim is 2\), not 1$"),
    (GOOD.replace('["0","7"]', '["0","7","8"]'), r"^m: heads\[1\]\.W\[0\]: 2 entries are expected here .*not 3$"),
    (GOOD.replace('["4","9"]', '["4"]'), r"^m: heads\[1\]\.v: 2 entries are expected here \(dim is 2\), not 1$"),
    (GOOD.replace('"dim": 2', '"dim": 3'), r"^m: heads\[0\]\.W: W has 3 rows here \(dim is 3\), not 2$"),
    (GOOD.replace('["0","7"]', '"07"'), r"^m: heads\[1\]\.W\[0\]: a list \[\.\.\.\] is expected, not '07'$"),
    (GOOD.replace('"heads": [', '"heads": [3, '), r"^m: heads\[0\]: an object \{\.\.\.\} is expected, not the number"),
    # entries
    (GOOD.replace('"7"', "7.5"), r"^m: heads\[1\]\.W\[0\]\[1\]: the JSON number '7.5' is ambiguous: write the string"),
    (GOOD.replace('"7"', "7"), r'^m: heads\[1\]\.W\[0\]\[1\]: a string is expected, .*: write it as a string, "7"$'),
    (GOOD.replace('"7"', "NaN"), r"^m: heads\[1\]\.W\[0\]\[1\]: NaN is not a number$"),
    (GOOD.replace('"7"', "-Infinity"), r"^m: heads\[1\]\.W\[0\]\[1\]: -Infinity is not a number$"),
    (GOOD.replace('"7"', "null"), r"^m: heads\[1\]\.W\[0\]\[1\]: a string is expected, not null$"),
    (GOOD.replace('"7"', "false"), r"^m: heads\[1\]\.W\[0\]\[1\]: a string is expected, not false$"),
    (GOOD.replace('"7"', '["1/2", "3"]'), r'^m: heads\[1\]\.W\[0\]\[1\]: a list of .* needs a "field"$'),
    (GOOD.replace('"7"', '"1/0"'), r"^m: heads\[1\]\.W\[0\]\[1\]: '1/0' has the denominator zero$"),
    (GOOD.replace('"9"', '"1/00"'), r"^m: heads\[1\]\.v\[1\]: '1/00' has the denominator zero$"),
    (GOOD.replace('"7"', '"' + "7" * 10**6 + '"'), r"^m: heads\[1\]\.W\[0\]\[1\]: the number '7{40}'\.\.\. .* long"),
    *(
        (GOOD.replace('"7"', json.dumps(text)), r"^m: heads\[1\]\.W\[0\]\[1\]: '.*' is not a number here")
        for text in ["1e5", "1_000", "0x", "7\n", "\n7", " 7", "\u0667", "\uff17", "+7", "", "nan", "7/", "log(2)"]
    ),
    # log-rational
    (GOOD.replace('"rational"', '"log-rational"'), r"^m: heads\[0\]\.W\[0\]\[1\]: an entry of T is positive \(W = "),
    (
        GOOD.replace('"rational"', '"log-rational"').replace('"0"', '"1"').replace('"-1/2"', '"-0"'),
        r"^m: heads\[0\]\.W\[1\]\[0\]: an entry of T is positive",
    ),
    (
        GOOD.replace('"rational"', '"log-rational"').replace('"unit": "1"', '"unit": "sqrt(2)"'),
        "^m: unit: log-rational weights take a rational unit$",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(text: str, message: str) -> None:
    """Each malformed file has one line that names the place and the reason, in a moment."""
    start = time.perf_counter()
    with pytest.raises(UnusableInputError, match=message) as caught:
        model_from_text(text, "m")
    assert time.perf_counter() - start < 2
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 250


def line_of(text: str) -> str:
    """The line that a text is refused with; empty when it is a model."""
    try:
        model_from_text(text, "m")
    except UnusableInputError as error:
        return str(error)
    return ""


@given(st.integers(0, len(GOOD) - 1), st.characters())
def test_one_character_changed(position: int, character: str) -> None:
    """A file with one character changed is a model or one line, never another exception."""
    assert line_of(GOOD[:position] + character + GOOD[position + 1 :]).isprintable()


KEYS = st.sampled_from(["format", "kind", "dim", "heads", "W", "v", "unit"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=10))
def test_any_document(document: Any) -> None:
    """Any document at all is refused in one line."""
    with pytest.raises(UnusableInputError) as caught:
        model_from_json(document, "m")
    assert str(caught.value).isprintable()


def test_files_that_are_none(tmp_path: Path) -> None:
    """A missing file and a directory are refused by name."""
    with pytest.raises(UnusableInputError, match=r"none\.json: there is no such file$"):
        read_model(tmp_path / "none.json")
    with pytest.raises(UnusableInputError, match=r"this is a directory, not a file$"):
        read_model(tmp_path)
    with pytest.raises(UnusableInputError, match=r"cannot be written: No such file or directory$"):
        write_model(MultiHeadAttention([], dim=1), tmp_path / "none" / "m.json")


def test_what_cannot_be_read_back_is_not_written(tmp_path: Path) -> None:
    """A model that the reader would refuse is refused by the writer, and no file appears."""
    huge = fmpq(fmpz(2) ** 400_001)
    with pytest.raises(UnusableInputError, match=r"heads\[0\]\.W\[0\]\[0\]: the number has 100003 characters"):
        write_model(MultiHeadAttention([([[huge]], [1])]), tmp_path / "m.json")
    with pytest.raises(UnusableInputError, match="unit: the number has 100003 characters"):
        write_model(MultiHeadAttention([], dim=1, unit=huge), tmp_path / "m.json")
    with pytest.raises(UnusableInputError, match="dim: 100001 is too large"):
        model_to_json(MultiHeadAttention([], dim=100_001))
    assert list(tmp_path.iterdir()) == []


def test_speed(tmp_path: Path) -> None:
    """A model with d = 64 and 8 heads of float32 size is written and read in about a second."""
    entry = fmpq(12345678901234567, 1 << 60)
    rows = [[entry + i + j for j in range(64)] for i in range(64)]
    model = MultiHeadAttention([(rows, rows[h]) for h in range(8)])
    start = time.perf_counter()
    write_model(model, tmp_path / "m.json")
    assert read_model(tmp_path / "m.json") == model
    assert time.perf_counter() - start < 3
