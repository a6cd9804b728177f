"""Runs for a page: made of a model, or read; what no page can show is refused in one line."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from flint import fmpq

from exactlearn import examples
from exactlearn.certificate.writer import certificate_to_text
from exactlearn.checker import Status, check_text
from exactlearn.errors import UnusableInputError
from exactlearn.explain import MAX_CHARACTERS, certificate_of_model, read_run, runs
from exactlearn.model import Head, MultiHeadAttention


def attention(dim: int, heads: int) -> MultiHeadAttention:
    """A log-rational model with so many different heads."""
    made = [
        Head(tuple(tuple(fmpq(h + 1) for _ in range(dim)) for _ in range(dim)), tuple(fmpq(1) for _ in range(dim)))
        for h in range(heads)
    ]
    return MultiHeadAttention(dim=dim, heads=tuple(made), weights="log-rational")


ATTENTION_EXAMPLES = [
    name
    for name in examples.names()
    if isinstance(model := examples.resolve_any(name), MultiHeadAttention) and model.field is None
]


@pytest.mark.parametrize("name", ATTENTION_EXAMPLES)
def test_every_example_has_a_run(name: str) -> None:
    """The certificate of each is accepted by the checker."""
    certificate = certificate_of_model(examples.load(name))
    assert check_text(certificate_to_text(certificate)).status is Status.ACCEPTED


def test_numbers_are_short() -> None:
    """The run of the example to start with has tokens and poles that a reader can follow."""
    certificate = certificate_of_model(examples.load("two-heads"))
    assert all(abs(int(a)) <= 3 for side in "XY" for token in certificate["draw"][side] for a in token)
    assert all(len(pole) <= 20 for probe in certificate["probes"] for pole in probe["poles"])


def test_the_seed_decides() -> None:
    """Another seed, another draw; the same seed, the same."""
    model = examples.load("true-e")
    first, again, other = (certificate_of_model(model, seed)["draw"] for seed in (0, 0, 1))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("name", "reason"),
    [("transformer", "this is a Transformer"), ("golden-ratio", "number field"), ("cosines", "number field")],
)
def test_other_models_are_refused(name: str, reason: str) -> None:
    """Transformers and number fields, by name."""
    with pytest.raises(UnusableInputError, match=reason):
        certificate_of_model(examples.resolve_any(name))


@pytest.mark.parametrize(("dim", "heads", "poles"), [(46, 1, 4231), (12, 14, 4018), (2, 101, 707)])
def test_large_models_are_refused_before_they_are_learned(dim: int, heads: int, poles: int) -> None:
    """The bound is on heads times probes, and on heads; the line says both."""
    with pytest.raises(UnusableInputError, match=rf"too large for a page: .* show {poles} poles.* at most 4000"):
        certificate_of_model(attention(dim, heads))


def test_long_certificates_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a million characters, however few the poles; checked with a smaller bound as well as by padding."""
    text = certificate_to_text(certificate_of_model(examples.load("two-heads")))
    with pytest.raises(UnusableInputError, match="too large for a page: its certificate has 500001 characters"):
        read_run(text + " " * (MAX_CHARACTERS + 1 - len(text)))
    monkeypatch.setattr(runs, "MAX_CHARACTERS", 1000)
    with pytest.raises(UnusableInputError, match="too large for a page"):
        certificate_of_model(examples.load("two-heads"))


def changed(path: list[Any], value: Any) -> str:
    """A certificate's text with one place changed."""
    certificate = certificate_of_model(examples.load("true-e"))
    holder: Any = certificate
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return json.dumps(certificate)


def test_a_false_certificate_is_explained() -> None:
    """It is well-formed, so the page can show which line is not so; the checker's reason comes with it."""
    document, outcome = read_run(changed(["probes", 2, "residues", 0], "17"))
    assert document["probes"][2]["residues"][0] == "17"
    assert outcome.status is Status.REJECTED
    assert outcome.reason.startswith("probes[2].residues[0]")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ('{"format": "exactlearn.certificate/2"}', "the one version"),
        ('{"format": "exactlearn.certificate/1", "claims": []}', "of the claim recovery"),
        ('{"format": "exactlearn.certificate/1", "claims": ["recovery"], "canonical": 1}', "can be explained"),
        (changed(["probes", 0, "poles"], 5), "can be explained"),
        (changed(["probes"], []), "can be explained"),
        (changed(["matchings"], []), "can be explained"),
        (changed(["draw", "heads"], 10**17), "can be explained|too large"),
    ],
)
def test_what_is_no_certificate_is_refused(text: str, reason: str) -> None:
    """One line each."""
    with pytest.raises(UnusableInputError, match=reason):
        read_run(text)


def test_a_false_certificate_without_shape_is_refused() -> None:
    """Rejected before its model is looked at, with a model that is none: no page."""
    document = certificate_of_model(examples.load("true-e"))
    document["model"] = 7
    document["claims"].remove("canonical")  # its lines stay, which the checker rejects first
    assert check_text(json.dumps(document)).status is Status.REJECTED
    with pytest.raises(UnusableInputError, match="no certificate that can be explained"):
        read_run(json.dumps(document))


def test_counterexamples_are_refused() -> None:
    """A certificate of the other form, which is accepted, has no run to explain."""
    text = (resources.files("exactlearn.certificate") / "SPEC.md").read_text(encoding="utf-8")
    other = next(block for block in text.split("```json")[1:] if '"counterexample": {' in block).split("```")[0]
    assert check_text(other).status is Status.ACCEPTED
    with pytest.raises(UnusableInputError, match="claim recovery"):
        read_run(other)
