"""Certificates as written: accepted, as the schema says, with the oracle's own answers; refused where they must be."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import fastjsonschema
import jsonschema  # type: ignore[import-untyped]
import pytest
from cli_run import attention_examples
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.certificate.counterexample import counterexample_certificate
from exactlearn.certificate.writer import (
    CERTIFIABLE_CLAIMS,
    certificate_to_text,
    learn_certificate,
    verify_certificate,
    write_certificate,
)
from exactlearn.checker import Status, check_file, check_text
from exactlearn.draws import Draw
from exactlearn.errors import DegenerateDrawError, UnusableInputError
from exactlearn.files.model_file import write_model
from exactlearn.files.numerals import parse_number
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.oracle import ProbeKey, oracle_of
from exactlearn.result import LearnResult

FOLDER = resources.files("exactlearn.certificate")
SCHEMA: dict[str, Any] = json.loads(FOLDER.joinpath("certificate.schema.json").read_text(encoding="utf-8"))
CHECKER_CASES = Path(__file__).parents[1] / "checker"


def learned(model: MultiHeadAttention, **arguments: Any) -> LearnResult:
    """What the learner finds for a model, with its number of heads unless a bound is given."""
    if "max_heads" not in arguments:
        arguments["heads"] = len(canonical_form(model).heads)
    return learn(oracle_of(model), **arguments)


@pytest.mark.parametrize("name", [name for name in attention_examples() if examples.load(name).field is None])
def test_every_example_is_certified(name: str, tmp_path: Path) -> None:
    """The checker accepts the file with all claims, bound to the model file; both schemas' validators accept it too."""
    model = examples.load(name)
    certificate = learn_certificate(model, learned(model))
    write_certificate(certificate, tmp_path / "c.json")
    write_model(model, tmp_path / "m.json")
    outcome = check_file(tmp_path / "c.json", tmp_path / "m.json")
    assert (outcome.status, outcome.reason) == (Status.ACCEPTED, "")
    assert tuple(name for name, _ in outcome.claims) == CERTIFIABLE_CLAIMS
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8")) == certificate
    jsonschema.Draft7Validator(SCHEMA).validate(certificate)
    fastjsonschema.compile(SCHEMA)(certificate)


@pytest.mark.parametrize("name", ["two-heads", "true-e", "cancelling-pair", "one-dimensional", "empty"])
def test_with_an_upper_bound(name: str) -> None:
    """A run with a bound on the number of heads is certified, with its counts in the bound."""
    model = examples.load(name)
    bound = len(canonical_form(model).heads) + 1
    result = learned(model, max_heads=bound)
    certificate = learn_certificate(model, result)
    assert check_text(certificate_to_text(certificate)).status is Status.ACCEPTED
    assert certificate["draw"]["max_heads"] == bound
    counts = certificate["query-count"]
    assert (counts["queries"], counts["max_length"]) == (result.queries, result.max_length)
    assert counts["formula"] == "4 H0 d^2 - 2 H0 + 1"


def test_answers_are_those_of_the_oracle() -> None:
    """At the rational place every answer in the certificate is the one that the oracle gave."""
    model = examples.load("two-heads")
    oracle = oracle_of(model)
    certificate = learn_certificate(model, learn(oracle, heads=2))
    answers = oracle.exact_answers()
    for probe in certificate["probes"]:
        x, y = (tuple(map(int, probe[side])) for side in "xy")
        assert answers[ProbeKey(x, y, 4)] == list(map(parse_number, probe["values"]))
    y = tuple(map(int, certificate["draw"]["Y"][0]))
    assert answers[(y,)] == [parse_number(certificate["first_value"])]


def test_the_worked_example_of_the_specification() -> None:
    """The example that SPEC.md works out by hand is what the writer writes, and the checker accepts it."""
    text = FOLDER.joinpath("SPEC.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3  # the other two are of the other form
    model = MultiHeadAttention([([[2]], [3])], weights="log-rational")
    result = dataclasses.replace(learned(model), draw=Draw(((1,),), ((1,),)))
    assert json.loads(blocks[0]) == learn_certificate(model, result)
    assert check_text(blocks[0]).status is Status.ACCEPTED
    two = [MultiHeadAttention([([[T]], [3])], weights="log-rational") for T in (2, 3)]
    assert json.loads(blocks[1]) == counterexample_certificate(two, [((fmpq(2),), (fmpq(1),)), ((fmpq(1),),)])
    assert check_text(blocks[1]).status is Status.ACCEPTED


def test_the_specification_names_every_claim_and_key() -> None:
    """SPEC.md speaks of each claim, each key of a certificate and each exit status."""
    text = FOLDER.joinpath("SPEC.md").read_text(encoding="utf-8")
    certificate = learn_certificate(examples.load("two-heads"), learned(examples.load("two-heads")))
    keys = {*certificate, *certificate["draw"], *certificate["probes"][0], *certificate["matchings"][0], "max_heads"}
    for claim in CERTIFIABLE_CLAIMS[1:]:
        section = certificate[claim][0] if isinstance(certificate[claim], list) else certificate[claim]
        keys |= set(section) if isinstance(section, dict) else set()
    for word in {*keys, *CERTIFIABLE_CLAIMS} - {"X", "Y"}:
        assert re.search(rf"[`\"]{re.escape(word)}[`\"]", text), word
    assert all(f"| {int(status)} |" in text for status in Status)


def test_first_line_is_the_version(tmp_path: Path) -> None:
    """The file opens with its version, and is plain ASCII."""
    write_certificate(learn_certificate(examples.load("true-e"), learned(examples.load("true-e"))), tmp_path / "c.json")
    content = (tmp_path / "c.json").read_bytes()
    assert content.splitlines()[0] == b'{"format": "exactlearn.certificate/1",'
    assert content.isascii()


def test_schema_refuses_what_is_malformed() -> None:
    """The published schema is a schema, and refuses most malformed certificates; it never refuses an accepted one."""
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft7Validator(SCHEMA)
    for path in (CHECKER_CASES / "accept").glob("*.json"):
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
    refused = set()
    for path in (CHECKER_CASES / "malformed").glob("number_*.json"):
        if not validator.is_valid(json.loads(path.read_text(encoding="utf-8"))):
            refused.add(path.stem)
    # What a pattern cannot say: lowest terms, -0, and which texts are too short for hexadecimal.
    beyond = {"number_unreduced", "number_with_denominator_one", "number_minus_zero", "number_short_hexadecimal"}
    assert {path.stem for path in (CHECKER_CASES / "malformed").glob("number_*.json")} - refused == beyond


RATIONALS = st.sampled_from([fmpq(n, d) for n in (-3, -1, 0, 1, 2, 5) for d in (1, 2, 3)])
POSITIVE = st.sampled_from([fmpq(n, d) for n in (1, 2, 3, 5) for d in (1, 2)])
UNITS = st.sampled_from([Unit.of(1), Unit.of(fmpq(-2)), Unit.sqrt(fmpq(1, 2))])


@st.composite
def models(draw: st.DrawFn) -> MultiHeadAttention:
    """Small raw models of both kinds, with merges and cancellations, in dimension 1 or 2."""
    dim, is_log = draw(st.sampled_from([1, 2])), draw(st.booleans())
    row = st.lists(POSITIVE if is_log else RATIONALS, min_size=dim, max_size=dim)
    pool = draw(st.lists(st.lists(row, min_size=dim, max_size=dim), min_size=1, max_size=2))
    value = st.lists(RATIONALS, min_size=dim, max_size=dim)
    heads = draw(st.lists(st.builds(Head, st.sampled_from(pool), value), max_size=3))
    kind: Any = "log-rational" if is_log else "rational"
    return MultiHeadAttention(heads, dim=dim, weights=kind, unit=Unit.of(1) if is_log else draw(UNITS))


@given(models(), st.integers(0, 1))
@settings(max_examples=60)
def test_any_model_is_certified(model: MultiHeadAttention, slack: int) -> None:
    """Whatever was learned is certified and accepted: the writer and the checker compute the same lines."""
    try:
        result = learned(model, max_heads=len(canonical_form(model).heads) + slack)
    except DegenerateDrawError:
        return
    outcome = check_text(certificate_to_text(learn_certificate(model, result)))
    assert (outcome.status, outcome.reason) == (Status.ACCEPTED, "")


def test_claims_are_chosen_by_name() -> None:
    """Recovery is always claimed, the order is the specification's, and matching comes along with probability-one."""
    model = examples.load("true-e")
    result = learned(model)
    for names, written in [
        ([], ["recovery"]),
        (["query-count", "recovery"], ["recovery", "query-count"]),
        (["probability-one", "canonical"], ["recovery", "canonical", "matching", "probability-one"]),
    ]:
        certificate = verify_certificate(model, result, [{"name": name, "holds": True} for name in names])
        assert certificate["claims"] == written
        outcome = check_text(certificate_to_text(certificate))
        assert [name for name, _ in outcome.claims] == written
    every = verify_certificate(model, result, [{"name": name} for name in CERTIFIABLE_CLAIMS])
    assert every == learn_certificate(model, result)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({"name": "stability"}, "certificates cannot make the claim 'stability'; they can make recovery, query-count"),
        ({"name": "canonical", "holds": False}, "the claim 'canonical' does not hold: there is nothing to certify"),
        ({"name": "canonical", "holds": None}, "the claim 'canonical' does not hold"),
    ],
)
def test_claims_that_cannot_be_made(claim: dict[str, Any], reason: str) -> None:
    """An unknown claim and one that does not hold are refused, with their place."""
    model = examples.load("one-dimensional")
    with pytest.raises(UnusableInputError, match=rf"claims\[0\]: {reason}"):
        verify_certificate(model, learned(model), [claim])


def test_another_models_run_is_refused() -> None:
    """A result is not certified for a model that it is not about."""
    result = learned(examples.load("two-heads"))
    with pytest.raises(UnusableInputError, match="not the same function as this model"):
        learn_certificate(examples.load("shared-v"), result)
    with pytest.raises(UnusableInputError, match="not the same function as this model"):
        learn_certificate(examples.load("one-dimensional"), result)


def test_a_bad_draw_is_refused() -> None:
    """A draw at which a head does not show, or a false match fits, is not certified."""
    model = MultiHeadAttention([([[1, 0], [0, 1]], [1, 1]), ([[2, 0], [0, 5]], [1, 2])])
    result = learned(model)
    hidden = dataclasses.replace(result, draw=Draw(((1, -1), (0, 1)), ((1, 1), (1, 3))))
    with pytest.raises(UnusableInputError, match=r"draw: not every head of the model shows at the probe P\(1,1\)"):
        learn_certificate(model, hidden)
    three = MultiHeadAttention([([[a, 0], [0, b]], [1, 1]) for a, b in ((1, 1), (2, 9), (4, 6))])
    false = dataclasses.replace(learned(three), draw=Draw(((1, 0), (0, 1)), ((1, 1), (1, 3))))
    with pytest.raises(UnusableInputError, match="draw: a genericity polynomial vanishes at this draw"):
        learn_certificate(three, false)


def test_another_modulus_when_the_first_divides() -> None:
    """A denominator that is the first modulus makes the writer take the second, and the checker accepts that."""
    prime = 2**61 - 1
    model = MultiHeadAttention([([[Fraction(1, prime)]], [3])])
    certificate = learn_certificate(model, learned(model))
    assert certificate["draw"]["modulus"] == str(2**89 - 1)
    assert check_text(certificate_to_text(certificate)).status is Status.ACCEPTED


def test_long_numbers_are_hexadecimal() -> None:
    """Numbers from 1,000 digits on are written in hexadecimal, beyond Python's limit on digits, and accepted."""
    model = MultiHeadAttention([([[1]], [Fraction(10**6000 + 1, 7)])])
    short = learned(MultiHeadAttention([([[1]], [1])]))  # so long a number takes the learner its time
    certificate = learn_certificate(model, dataclasses.replace(short, model=model))
    assert certificate["first_value"].lstrip("-").startswith("0x")
    assert check_text(certificate_to_text(certificate)).status is Status.ACCEPTED


@pytest.mark.parametrize("name", ["two-heads", "true-e", "digits-h4"])
def test_checking_takes_no_longer_than_making(name: str, tmp_path: Path) -> None:
    """A check takes at most ten times the time that learning and writing took (it takes about half of it)."""
    model = examples.load(name)
    ratios = []
    for _ in range(3):  # the best of three: the machine is shared
        started = time.process_time()
        write_certificate(learn_certificate(model, learned(model)), tmp_path / "c.json")
        made = time.process_time()
        assert check_file(tmp_path / "c.json").status is Status.ACCEPTED
        ratios.append((time.process_time() - made) / (made - started))
    assert min(ratios) < 10
