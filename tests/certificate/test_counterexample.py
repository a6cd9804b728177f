"""Certificates of counterexamples as written: accepted, as the schema says; rejected once a value is changed."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import same_function
from exactlearn.certificate.counterexample import counterexample_certificate
from exactlearn.certificate.writer import certificate_to_text
from exactlearn.checker import Outcome, Status, check_text
from exactlearn.cli import main
from exactlearn.counterexamples import KINDS, counterexample
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_to_text
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.places.symbolic import evaluate

FOLDER = resources.files("exactlearn.certificate")
SCHEMA: dict[str, Any] = json.loads(FOLDER.joinpath("certificate.schema.json").read_text(encoding="utf-8"))
OTHERS = {"number-fields", "too-coarse"}  # their values are not rational, or not those of a model
NAMES = [kind.name for kind in KINDS if kind.name not in OTHERS]


def checked(certificate: dict[str, Any], model: MultiHeadAttention | None = None) -> Outcome:
    """What the checker says of a certificate, bound to a model when one is given."""
    return check_text(certificate_to_text(certificate), None if model is None else model_to_text(model))


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_certified(name: str) -> None:
    """The default certificate is accepted and as the schema says; with any one value changed it is rejected."""
    certificate = counterexample(name).certificate()
    jsonschema.Draft7Validator(SCHEMA).validate(certificate)
    outcome = checked(certificate)
    assert (outcome.status, outcome.reason) == (Status.ACCEPTED, "")
    for n, line in enumerate(certificate["counterexample"]["sequences"]):
        for m, text in enumerate(line["values"]):
            changed = copy.deepcopy(certificate)
            changed["counterexample"]["sequences"][n]["values"][m] = str(Fraction(text) + 1)
            assert checked(changed).status is Status.REJECTED


@pytest.mark.parametrize("name", NAMES)
def test_on_the_command_line(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`counterexample KIND -o CERT` writes what `check CERT` accepts, in words; a changed value is rejected."""
    path = tmp_path / "c.json"
    statuses = []
    for arguments in (("counterexample", name, "-o", str(path)), ("check", str(path))):
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        statuses.append(stopped.value.code)
    out = capfd.readouterr().out
    assert statuses == [0, 0]
    assert f"certificate: {path}; it covers the" in out
    assert ("not beta" in out) == (name == "error-growth")
    assert "canonical heads, which are" in out
    assert ("the same function" in out.rpartition("counterexample: ")[2]) == (name in {"equal-functions", "units"})
    document = json.loads(path.read_text(encoding="utf-8"))
    document["counterexample"]["sequences"][0]["values"][0] = "77"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["check", str(path)])
    assert stopped.value.code == 1
    assert "sequences[0].values[0]: '77' stands here" in capfd.readouterr().err


def test_words() -> None:
    """The accepted claim says how many heads, whether one function, and on how many sequences the values are equal."""
    (said,) = checked(counterexample("base-probes-alone").certificate()).claims
    assert said[0] == "counterexample"
    assert said[1] == (
        "2 models of 2 and 2 canonical heads, which are 2 different functions, "
        "have equal values on 18 of 19 sequences and different values on 1"
    )
    (said,) = checked(counterexample("equal-functions").certificate()).claims
    assert said[1].endswith("which are the same function, have equal values on all 3")


def test_family() -> None:
    """Of error-growth the first and the last model are certified, at F(0) and the probe's 2H copy counts."""
    found = counterexample("error-growth", heads=3)
    body = found.certificate()["counterexample"]
    assert len(body["models"]) == 2
    assert [len(line["tokens"]) for line in body["sequences"]] == list(range(1, 8))


def test_binding() -> None:
    """A model file is bound to the model that it is the same function as, and no other one is accepted."""
    found = counterexample("fewer-heads")
    certificate = found.certificate()
    for index, model in enumerate(found.attention):
        assert f"the same function as models[{index}]" in checked(certificate, model).binding
    other = counterexample("fewer-queries").attention[0].with_heads([Head([[9]], [9])])
    assert checked(certificate, other).status is Status.REJECTED


def log_model(T: int, dim: int = 1, unit: Unit | None = None) -> MultiHeadAttention:
    """One head."""
    return MultiHeadAttention([Head([[T] * dim] * dim, [1] * dim)], weights="log-rational", unit=unit or Unit.of(1))


@pytest.mark.parametrize(
    ("models", "sequences", "reason"),
    [
        ([log_model(2)], [[[1]]], "models: a certificate of a counterexample has two models"),
        ([log_model(2), MultiHeadAttention([([[1]], [1])])], [[[1]]], r"models\[1\]: only models with log-rational"),
        ([log_model(2), log_model(2, 2)], [[[1]]], r"models\[1\]: its dimension is 2, not 1"),
        ([log_model(2), log_model(3)], [], "sequences: a certificate has one sequence"),
        ([log_model(2), log_model(3)], [[[fmpq(1, 2)]]], r"sequences\[0\]: the entries of tokens are whole"),
        ([log_model(2), log_model(4, 1, Unit.of(fmpq(1, 2)))], [[[1]]], "the unit times a token is not whole"),
    ],
)
def test_what_cannot_be_certified(models: list[MultiHeadAttention], sequences: list[Any], reason: str) -> None:
    """One clear line with its place."""
    with pytest.raises(UnusableInputError, match=reason):
        counterexample_certificate(models, sequences)


POSITIVE = st.sampled_from([fmpq(1), fmpq(2), fmpq(3), fmpq(1, 2), fmpq(4)])
WHOLE = st.integers(-2, 2)


@given(
    st.lists(st.lists(st.tuples(POSITIVE, WHOLE), max_size=3), min_size=2, max_size=3),
    st.lists(st.lists(WHOLE, min_size=1, max_size=4), min_size=1, max_size=4),
)
@settings(max_examples=100)
def test_any_models(heads: list[list[tuple[fmpq, int]]], sequences: list[list[int]]) -> None:
    """Whatever the models, writer and checker agree on values, canonical heads and functions."""
    models = [
        MultiHeadAttention([Head([[T]], [v]) for T, v in of_one], dim=1, weights="log-rational") for of_one in heads
    ]
    tokens: list[Any] = [[[entry] for entry in sequence] for sequence in sequences]
    certificate = counterexample_certificate(models, tokens)
    assert checked(certificate).reason == ""
    body = certificate["counterexample"]
    assert (body["functions"] == 1) == all(same_function(models[0], model).holds for model in models)
    known = {tuple(line["values"]) for line in body["sequences"]}
    assert known == {tuple(str(evaluate(model, one)) for model in models) for one in tokens}
    changed = copy.deepcopy(certificate)
    changed["counterexample"]["functions"] += 1
    assert checked(changed).status is Status.REJECTED
