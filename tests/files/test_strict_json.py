"""Tests of strict JSON: what has two readings, or takes too much to read, is refused with its place."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.strict_json import parse_json, read_json

documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17) + 1, 10**18 - 1) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(documents)
def test_agrees_with_json(document: Any) -> None:
    """A document without floats is what the standard library reads."""
    text = json.dumps(document)
    assert parse_json(text, "x") == json.loads(text) == document


@given(documents, st.sampled_from([0.5, float("inf"), 10**18]))
def test_a_refused_leaf_is_found(document: Any, leaf: Any) -> None:
    """Wherever a float, an infinity or a long integer stands, it is refused."""
    text = json.dumps({"a": [document, {"b": [document, leaf]}], "c": document})
    with pytest.raises(UnusableInputError, match=r"^x: a\[1\]\.b\[1\]: "):
        parse_json(text, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^x: not JSON: Expecting value, line 1 column 1$"),
        ('{"a": [1, 2', r"^x: not JSON: Expecting ',' delimiter, line 1 column 12$"),
        ('{"a": 1} tail', r"^x: not JSON: Extra data, line 1 column 10$"),
        ("{'a': 1}", r"^x: not JSON: Expecting property name enclosed in double quotes, line 1 column 2$"),
        ('"a\nb"', r"^x: not JSON: Invalid control character at, line 1 column 3$"),
        ('{"a": 1, "a": 1}', r"^x: the key 'a' stands twice in one object$"),
        ('{"b": [{"a": 1, "\\u0061": 2}]}', r"^x: b\[0\]: the key 'a' stands twice in one object$"),
        ('{"a": 0.5, "a": 1}', r"^x: the key 'a' stands twice in one object$"),
        ('[1, {"W": [0.1]}]', r"^x\[1\]\.W\[0\]: the JSON number '0\.1' is ambiguous: write the string \"0\.25\""),
        ("[1e5]", r"^x\[0\]: the JSON number '1e5' is ambiguous"),
        ("1e999999999", r"^x: the JSON number '1e999999999' is ambiguous"),
        ("[[], NaN]", r"^x\[1\]: NaN is not a number$"),
        ('{"a b": -Infinity}', r"^x: 'a b': -Infinity is not a number$"),
        ('{"k": ' + "9" * 19 + "}", r"^x: k: the JSON integer '9{19}' is too long"),
        ("[" + "9" * 1_000_000 + "]", r"^x\[0\]: the JSON integer '9{40}'\.\.\. \(1000000 characters\) is too long"),
        ("\ufeff{}", r"^x: the file begins with a byte order mark"),
        ("[" * 100_000, r"^x: the JSON is nested too deeply$"),
        ("[" * 100_000 + "]" * 100_000, r"^x: the JSON is nested too deeply$"),
        ('{"a":' * 100_000, r"^x: the JSON is nested too deeply$"),
    ],
    ids=range(19),
)
def test_refused(text: str, message: str) -> None:
    """Each kind of unusable JSON has its own line, in a moment."""
    start = time.perf_counter()
    with pytest.raises(UnusableInputError, match=message) as caught:
        parse_json(text, "x")
    assert time.perf_counter() - start < 2
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_first_refusal_is_reported() -> None:
    """Of several refusals the first one in the text is named."""
    with pytest.raises(UnusableInputError, match=r"^x: a\[1\]: the JSON number '0\.5'"):
        parse_json('{"a": [1, 0.5], "b": NaN, "c": 1.5}', "x")


def test_negative_control() -> None:
    """The standard library alone takes what is refused here."""
    assert json.loads('{"a": 1, "a": 2}') == {"a": 2}
    assert json.loads("1e999999999") == float("inf")


def test_not_utf8(tmp_path: Path) -> None:
    """Other encodings, and a byte order mark, are refused with the file's name."""
    file = tmp_path / "m.json"
    file.write_bytes('{"é": 1}'.encode("latin-1"))
    with pytest.raises(UnusableInputError, match=r"m\.json: not UTF-8 text: byte 2 cannot be decoded$"):
        read_json(file)
    file.write_bytes("{}".encode("utf-8-sig"))
    with pytest.raises(UnusableInputError, match=r"m\.json: the file begins with a byte order mark"):
        read_json(file)
    file.write_bytes("{}".encode("utf-16"))
    with pytest.raises(UnusableInputError, match=r"m\.json: not UTF-8 text: byte 0"):
        read_json(file)
    file.write_bytes(b'{"a": "\xc3\xa9"}')
    assert read_json(file) == {"a": "é"}
