"""Claims on Transformers: they hold, their controls fail, their certificates are accepted and bound."""

from __future__ import annotations

import copy
import json

import jsonschema  # type: ignore[import-untyped]
import pytest
from random_transformers import random_transformer

from exactlearn.certificate.counterexample import transformer_certificate
from exactlearn.certificate.writer import certificate_to_text
from exactlearn.checker import Status, check_text
from exactlearn.claims.transformer import TransformerInstance, verify_transformer
from exactlearn.errors import UnusableInputError
from exactlearn.examples import load_transformer
from exactlearn.files.transformer_file import any_model_to_text
from exactlearn.model import Transformer
from exactlearn.verdict import Fails, Holds, Undecided


@pytest.mark.parametrize("name", ["transformer", "transformer-true-e", "linear-part"])
def test_claims_hold_and_controls_fail(name: str) -> None:
    """Both claims on three examples, and both controls."""
    instance = TransformerInstance(load_transformer(name))
    assert [type(result.verdict) for result in verify_transformer(instance)] == [Holds, Holds]
    assert [type(result.verdict) for result in verify_transformer(instance, is_control=True)] == [Fails, Fails]


def test_a_failing_condition_is_undecided() -> None:
    """A Transformer that the learner refuses is no counterexample to the claim."""
    instance = TransformerInstance(load_transformer("parallel-units"))
    verdict = verify_transformer(instance)[1].verdict
    assert isinstance(verdict, Undecided)
    assert "parallel" in verdict.why


@pytest.mark.parametrize("weights", ["rational", "log-rational"])
def test_certificates_are_accepted_bound_and_rejected_when_changed(weights: str) -> None:
    """Accepted for the model's own file; rejected for another model and for a changed unit."""
    model = load_transformer("transformer" if weights == "log-rational" else "transformer-true-e")
    certificate = TransformerInstance(model).certificate()
    text = certificate_to_text(certificate)
    assert check_text(text, any_model_to_text(model)).status is Status.ACCEPTED
    assert check_text(text, any_model_to_text(random_transformer(1, weights=weights))).status is Status.REJECTED
    changed = copy.deepcopy(certificate)
    changed["transformer"]["models"][1]["ffn"]["u"][0] = "17"
    assert check_text(json.dumps(changed)).status is Status.REJECTED


def test_the_schema_knows_transformers() -> None:
    """The published schema of certificates takes the one that is written, and not one without a network."""
    from importlib import resources

    file = resources.files("exactlearn.certificate").joinpath("certificate.schema.json")
    schema = json.loads(file.read_text("utf-8"))
    certificate = TransformerInstance(load_transformer("transformer")).certificate()
    validator = jsonschema.Draft7Validator(schema)
    validator.validate(certificate)
    del certificate["transformer"]["models"][0]["ffn"]
    assert not validator.is_valid(certificate)


def test_different_functions_are_not_certified() -> None:
    """No certificate says that two different Transformers are the same."""
    with pytest.raises(UnusableInputError, match="not the same function"):
        transformer_certificate(random_transformer(1), random_transformer(2), ())


def test_certificates_of_the_zero_function() -> None:
    """Dead units alone are certified; a Transformer without units is refused in words."""
    dead = Transformer([([[2]], [[1]])], [[0]], [1], weights="log-rational")
    text = certificate_to_text(TransformerInstance(dead).certificate())
    assert check_text(text, any_model_to_text(dead)).status is Status.ACCEPTED
    with pytest.raises(UnusableInputError, match="one unit of one entry at least"):
        TransformerInstance(Transformer([], [], [], dim=1)).certificate()
