"""Tests of the token file: round trips and malformed files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.files.token_file import read_tokens, tokens_from_json, tokens_to_json

numbers = st.fractions().map(lambda q: fmpq(q.numerator, q.denominator))
sequences = st.integers(1, 3).flatmap(
    lambda dim: st.lists(st.lists(numbers, min_size=dim, max_size=dim), min_size=1, max_size=4)
)


@given(sequences)
def test_round_trips(tokens: list[list[fmpq]]) -> None:
    """A sequence is read back equal."""
    sequence = tuple(map(tuple, tokens))
    document = json.loads(json.dumps(tokens_to_json(sequence)))
    assert tokens_from_json(document, len(tokens[0])) == sequence


def test_file(tmp_path: Path) -> None:
    """The file of the design document is the sequence that it describes."""
    file = tmp_path / "t.json"
    file.write_text('{"tokens": [["1","0"], ["-1/2","0.25"]]}')
    assert read_tokens(file, 2) == ((fmpq(1), fmpq(0)), (fmpq(-1, 2), fmpq(1, 4)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", r"t\.json: an object \{\.\.\.\} is expected, not a list"),
        ("{}", r"t\.json: the key 'tokens' is missing$"),
        ('{"tokens": [["1","0"]], "x": 1}', r"t\.json: unknown key 'x'$"),
        ('{"tokens": []}', r"t\.json: tokens: a list of at least 1 is expected, not of 0$"),
        ('{"tokens": ["10"]}', r"t\.json: tokens\[0\]: a list \[\.\.\.\] is expected, not '10'$"),
        ('{"tokens": [["1","0"],["1"]]}', r"t\.json: tokens\[1\]: a token has 2 entries here, not 1$"),
        ('{"tokens": [["1",0]]}', r"t\.json: tokens\[0\]\[1\]: a string is expected, .*: write it as a string, \"0\"$"),
        ('{"tokens": [["1",0.5]]}', r"t\.json: tokens\[0\]\[1\]: the JSON number '0.5' is ambiguous"),
        ('{"tokens": [["1","1/0"]]}', r"t\.json: tokens\[0\]\[1\]: '1/0' has the denominator zero$"),
        ('{"tokens": [["1","1e5"]]}', r"t\.json: tokens\[0\]\[1\]: '1e5' is not a number here"),
        ('{"tokens": [["1","2"]]', r"t\.json: not JSON"),
        ('{"tokens": [], "tokens": []}', r"t\.json: the key 'tokens' stands twice in one object$"),
    ],
    ids=range(12),
)
def test_malformed(tmp_path: Path, text: str, message: str) -> None:
    """Each malformed token file has one line that names the place."""
    file = tmp_path / "t.json"
    file.write_text(text)
    with pytest.raises(UnusableInputError, match=message):
        read_tokens(file, 2)
