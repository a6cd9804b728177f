"""Model and token files over number fields: read, written, and each malformed one refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.fields import NumberField
from exactlearn.files.field_numbers import parse_field, parse_scalar, print_field, print_scalar
from exactlearn.files.model_file import model_from_text, model_to_text, read_model, write_model
from exactlearn.files.token_file import tokens_from_json, tokens_to_json
from exactlearn.model import MultiHeadAttention

GOOD = """{"format": "exactlearn.model/1", "kind": "attention", "dim": 1, "weights": "rational", "unit": "1",
 "field": {"minpoly": ["-2", "0", "1"], "root": ["1", "2"]},
 "heads": [{"W": [[["1/2", "3"]]], "v": ["2"]}, {"W": [["-1"]], "v": [["0", "1"]]}]}"""

ROOT_2 = NumberField([-2, 0, 1], [1, 2])
CUBIC = NumberField([-1, -2, 1, 1], [1, 2])


def test_good_file(tmp_path: Path) -> None:
    """The design document's number ["1/2", "3"] is 1/2 + 3a, rationals are strings, and the file is written back."""
    a = ROOT_2.generator
    model = model_from_text(GOOD, "m")
    assert model == MultiHeadAttention([([[fmpq(1, 2) + 3 * a]], [2]), ([[-1]], [a])])
    assert model.field == ROOT_2
    write_model(model, tmp_path / "m.json")
    assert read_model(tmp_path / "m.json") == model
    assert json.loads(model_to_text(model))["heads"][1] == {"W": [["-1"]], "v": [["0", "1"]]}


def test_a_field_without_heads() -> None:
    """The field of a model without heads is kept."""
    empty = MultiHeadAttention([], dim=2, field=CUBIC)
    assert model_from_text(model_to_text(empty), "m") == empty


@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=3))
def test_numbers_come_back(coefficients: list[fmpq]) -> None:
    """Printing and parsing an element of a field is the identity."""
    number = CUBIC.element(coefficients)
    assert parse_scalar(print_scalar(number), CUBIC) == number


def test_fields_come_back() -> None:
    """Every conjugate field is read back as itself."""
    for field in (*CUBIC.conjugates, *ROOT_2.conjugates, NumberField([2, -4], [0, 1])):
        assert parse_field(print_field(field)) == field


def test_tokens_in_the_field() -> None:
    """Tokens may be lists of coefficients in the model's field, or in a field of their own."""
    a = ROOT_2.generator
    tokens = [[ROOT_2(1), a], [1 - a, ROOT_2(0)]]
    document = tokens_to_json(tokens)
    assert document == {"tokens": [["1", ["0", "1"]], [["1", "-1"], "0"]]}
    assert tokens_from_json(document, 2, field=ROOT_2) == tuple(map(tuple, tokens))
    assert tokens_from_json({**document, "field": print_field(ROOT_2)}, 2) == tuple(map(tuple, tokens))
    with pytest.raises(UnusableInputError, match=r'^tokens\[0\]\[1\]: a list of .* needs a "field"$'):
        tokens_from_json(document, 2)


MALFORMED = [
    (('["-2", "0", "1"]', '["-4", "0", "1"]'), r"field\.minpoly: the polynomial is reducible over Q: -2 \+ x divides"),
    (('["-2", "0", "1"]', '["4", "-4", "1"]'), r"field\.minpoly: .* -2 \+ x divides it \(to the power 2\)$"),
    (('["-2", "0", "1"]', '["-2", "0"]'), r"field\.minpoly: a minimal polynomial is not constant$"),
    (('["-2", "0", "1"]', "[" + '"1",' * 40 + '"1"]'), r"field\.minpoly: a list of at most 33 is expected, not of 41$"),
    (('["-2", "0", "1"]', '["-2", "0", "1/0"]'), r"field\.minpoly\[2\]: '1/0' has the denominator zero$"),
    (('["-2", "0", "1"]', '["-2", "0", 1]'), r'field\.minpoly\[2\]: a string is expected, .* "1"$'),
    (('["-2", "0", "1"]', '["-2", "0", "1e9"]'), r"field\.minpoly\[2\]: '1e9' is not a number here"),
    (('["1", "2"]', '["2", "3"]'), r"field\.root: the interval from 2 to 3 holds no real root of the polynomial$"),
    (('["1", "2"]', '["-2", "2"]'), r"field\.root: the interval from -2 to 2 holds 2 real roots of the polynomial$"),
    (('["1", "2"]', '["2", "1"]'), r"field\.root: the lower end of the interval comes first$"),
    (('["1", "2"]', '["1"]'), r"field\.root: a list of at least 2 is expected, not of 1$"),
    (('["1", "2"]', '["1", "2"], "name": "x"'), r"field: unknown key 'name'$"),
    (('["1/2", "3"]', '["1/2", "3", "0"]'), r"heads\[0\]\.W\[0\]\[0\]: an element has at most 2 coefficients"),
    (('["1/2", "3"]', "[]"), r"heads\[0\]\.W\[0\]\[0\]: a list of coefficients is not empty$"),
    (('["1/2", "3"]', '["1/2", 3]'), r'heads\[0\]\.W\[0\]\[0\]: coefficient 1: a string is .* "3"$'),
    (('["1/2", "3"]', '["1/2", "x"]'), r"heads\[0\]\.W\[0\]\[0\]: coefficient 1: 'x' is not a number here"),
    (('["1/2", "3"]', '["1/2", "1/0"]'), r"heads\[0\]\.W\[0\]\[0\]: coefficient 1: '1/0' has the denominator zero"),
    (('"weights": "rational"', '"weights": "log-rational"'), r"heads\[1\]\.W\[0\]\[0\]: an entry of T is positive"),
]


@pytest.mark.parametrize(("change", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(change: tuple[str, str], message: str) -> None:
    """Each malformed file has one line that names the place and the reason."""
    assert change[0] in GOOD
    with pytest.raises(UnusableInputError, match=f"^m: {message}") as caught:
        model_from_text(GOOD.replace(*change, 1), "m")
    assert "\n" not in str(caught.value)


def test_no_real_root() -> None:
    """A polynomial without real roots has no real field."""
    with pytest.raises(UnusableInputError, match=r"^root: .* holds no real root"):
        NumberField([1, 0, 1], [-9, 9])
