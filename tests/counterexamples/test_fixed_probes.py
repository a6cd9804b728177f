"""Lists of probes: for each there are two models that agree on all of it; the file in which a list comes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.counterexamples import counterexample
from exactlearn.counterexamples.blind_spots import blind_spots
from exactlearn.counterexamples.probe_file import probes_from_json, read_probes
from exactlearn.counterexamples.request import ProbePair
from exactlearn.errors import UnusableInputError
from exactlearn.places.rational import RationalBlackBox
from exactlearn.strategies import tokens

Probes = list[ProbePair]


def lists(dim: int, most: int = 9) -> st.SearchStrategy[Probes]:
    """Lists of probes with small entries."""
    return st.lists(st.tuples(tokens(dim, 2), tokens(dim, 2)), min_size=1, max_size=most)


@given(lists(2))
@settings(max_examples=30)
def test_every_list_has_a_blind_spot(probes: Probes) -> None:
    """Every probe sees the same poles with the same residues in both models, so they agree at every copy count."""
    found = counterexample("fixed-probes", probes=probes)
    assert found.differ_on is not None
    boxes = [RationalBlackBox(model) for model in found.attention]
    for x, y in probes:
        functions = [box.copy_count_function(x, y) for box in boxes]
        seen = [sorted((t, c) for t, c in zip(f.poles, f.residues, strict=True) if c) for f in functions]
        assert seen[0] == seen[1]
        assert functions[0].value_at_zero == functions[1].value_at_zero


@given(lists(3, 12))
@settings(max_examples=20)
def test_groups_are_blind(probes: Probes) -> None:
    """Each matrix A is not zero, and every probe is annihilated by one of them or has v.x = 0."""
    for spot in blind_spots(probes, 3):
        for x, y in probes:
            forms = [
                sum(a * entry * b for a, row in zip(x, A, strict=True) for entry, b in zip(row, y, strict=True))
                for A in spot.directions
            ]
            assert 0 in forms or not sum(a * b for a, b in zip(spot.v, x, strict=True))
        assert all(any(any(row) for row in A) for A in spot.directions)


def test_more_heads_on_request() -> None:
    """The number of heads that is asked for, from the smallest that this list allows on."""
    for H in (1, 2, 3, 5):
        assert len(counterexample("fixed-probes", heads=H).attention[0].heads) == H
    with pytest.raises(UnusableInputError, match=r"heads: .* built with 4 to 64 heads, not 1"):
        counterexample("fixed-probes", heads=1, probes=_generic(6))


def _generic(count: int) -> Probes:
    return [((1, n), (1, n * n + 1)) for n in range(1, count + 1)]


def test_large_tokens_take_true_e() -> None:
    """When log-rational weights would give very long numbers the models are rational ones, with symbolic values."""
    found = counterexample("fixed-probes", probes=[((1, 999), (1, 998)), ((997, 1), (1, 996)), ((1, 1), (1, 1))])
    assert found.attention[0].weights == "rational"


def test_too_many_probes() -> None:
    """Where the construction would take more heads than is reasonable it says so."""
    with pytest.raises(UnusableInputError, match=r"probes: two models .* would have \d+ heads or more"):
        counterexample("fixed-probes", probes=_generic(40))


def test_one_dimension() -> None:
    """In one dimension a probe with x, y not zero parts all heads: no list is bad, unless it is of zeros alone."""
    with pytest.raises(UnusableInputError, match="in one dimension"):
        counterexample("fixed-probes", probes=[((1,), (1,))])
    assert counterexample("fixed-probes", probes=[((0,), (1,))]).differ_on is not None


def test_a_list_that_does_not_span() -> None:
    """Then there is no draw for the learner, and the sentence says so."""
    found = counterexample("fixed-probes", probes=[((1, 0), (1, 0)), ((2, 0), (0, 1))])
    assert "do not span" in found.why
    assert [table.title for table in found.tables] == ["the probes"]


def test_the_learner_on_the_users_list() -> None:
    """With two bases in the list the learner is run on them and calls the draw bad; on its own draws it recovers."""
    found = counterexample("fixed-probes", probes=[((2, 1), (1, 3)), ((1, -1), (2, 1)), ((3, 0), (1, 3))])
    rows = found.tables[-1].rows
    assert [words.split(":")[0] for _, when, words in rows if when == "on the fixed tokens"] == ["bad draw"] * 2
    assert all(words.startswith("recovered") for _, when, words in rows if when != "on the fixed tokens")


def test_a_file(tmp_path: Path) -> None:
    """The documented form."""
    path = tmp_path / "probes.json"
    path.write_text('{"probes": [{"x": ["1", "0"], "y": ["0", "-1"]}, {"x": ["2", "1"], "y": ["1", "1"]}]}')
    assert read_probes(path) == (((1, 0), (0, -1)), ((2, 1), (1, 1)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", 'the one key "probes"'),
        ('{"probes": []}', "probes: a list of 1 to 1000"),
        ('{"probes": [], "more": 1}', "one key"),
        ('{"probes": ["x"]}', r"probes\[0\]: a probe is an object"),
        ('{"probes": [{"x": ["1"]}]}', r"probes\[0\]: .*keys"),
        ('{"probes": [{"x": ["1"], "y": [1]}]}', r"probes\[0\]\.y\[0\]: a number is a string"),
        ('{"probes": [{"x": ["1"], "y": []}]}', r"probes\[0\]\.y: a token is a list"),
        ('{"probes": [{"x": ["1/2"], "y": ["1"]}]}', r"probes\[0\]\.x\[0\]: a whole number"),
        ('{"probes": [{"x": ["1e3"], "y": ["1"]}]}', r"probes\[0\]\.x\[0\]: .*not a number"),
        ('{"probes": [{"x": ["1"], "y": ["1", "0"]}]}', r"probes\[0\]\.y: 1 entries are expected, not 2"),
        ("{", "not JSON"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    """One line with the file and the entry."""
    path = tmp_path / "probes.json"
    path.write_text(text)
    with pytest.raises(UnusableInputError, match=f"{re.escape(str(path))}.*{message}"):
        read_probes(path)


@given(lists(2))
def test_files_round_trip(probes: Probes) -> None:
    """What is written is read."""
    document = {"probes": [{"x": [str(a) for a in x], "y": [str(b) for b in y]} for x, y in probes]}
    assert list(probes_from_json(json.loads(json.dumps(document)))) == probes
