"""The run that a page explains: a certificate that is read, or one made of a model, with numbers as short as can be."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib import resources
from typing import Any, cast

import fastjsonschema

from exactlearn.canonical import canonical_form
from exactlearn.certificate.writer import certificate_to_text, learn_certificate
from exactlearn.checker import Outcome, Status, check_text
from exactlearn.errors import DegenerateDrawError, UnusableInputError
from exactlearn.files.strict_json import parse_json
from exactlearn.learner import learn
from exactlearn.model import AttentionLayer, MultiHeadAttention, Transformer
from exactlearn.oracle import oracle_of
from exactlearn.result import LearnResult

MAX_POLES = 4_000
"""The most poles that a page shows: heads times probes, H (2 d^2 - 1); 8 heads in 12 dimensions have fewer."""

MAX_CHARACTERS = 500_000
"""The longest certificate that a page holds, so that its check takes seconds at most."""

_MOST_HEADS = 100
_BOXES = (1, 2, 3, 5, 10)
"""Entries of tokens in [-b, b] are tried in this order before the learner's own choice: small tokens, short numbers."""


def certificate_of_model(model: MultiHeadAttention | Transformer | AttentionLayer, seed: int = 0) -> dict[str, Any]:
    """The certificate of a run of the learner on a model, drawn from the smallest box that has a good draw.

    Raises:
        UnusableInputError: For Transformers, layers, number fields, and models too large for a page.
        DegenerateDrawError: When no draw is good.
    """
    if isinstance(model, Transformer):
        raise UnusableInputError("a page explains attention models, and this is a Transformer")
    if isinstance(model, AttentionLayer):
        raise UnusableInputError("a page explains models without biases, with one output, and this is a layer")
    if model.field is not None:
        raise UnusableInputError("a page does not explain models over a number field yet")
    heads = len(canonical_form(model).heads)
    _refuse_size(model.dim, max(heads, len(model.heads)))
    certificate = learn_certificate(model, _smallest(model, heads, seed))
    _refuse_length(len(certificate_to_text(certificate)))
    return certificate


def read_run(text: str) -> tuple[dict[str, Any], Outcome]:
    """A certificate from its text, and what the checker says of it: a false one is explained too.

    Raises:
        UnusableInputError: When it is none, or of counterexamples or Transformers, or too large for a page.
    """
    _refuse_length(len(text))
    outcome = check_text(text)
    if outcome.status in {Status.UNUSABLE, Status.NO_VERDICT}:
        raise UnusableInputError(f"no certificate that can be explained: {outcome.reason}")
    document = parse_json(text, "certificate")
    if document["claims"][:1] != ["recovery"]:
        raise UnusableInputError("a page explains certificates of the claim recovery")
    # A certificate that the checker accepts is well-formed; one that it rejects need not be, beyond the line at fault.
    if outcome.status is Status.REJECTED:
        _refuse_shape(document, outcome.reason)
    draw = document["draw"]
    bound = draw["heads"] if "heads" in draw else draw["max_heads"]
    _refuse_size(document["model"]["dim"], max(bound, len(document["model"]["heads"])))
    return document, outcome


def _smallest(model: MultiHeadAttention, heads: int, seed: int) -> LearnResult:
    for box in _BOXES:
        try:
            return learn(oracle_of(model), heads=heads, seed=seed, box=box)
        except DegenerateDrawError:
            continue
    return learn(oracle_of(model), heads=heads, seed=seed)


def _refuse_shape(document: Any, reason: str) -> None:
    """A page walks along the lists of a certificate: they have to be there, whatever numbers stand in them."""
    try:
        _validator()(document)
        dim = document["model"]["dim"]
        is_shaped = len(document["probes"]) == 2 * dim**2 - 1 and len(document["matchings"]) == dim**2 - 1
    except fastjsonschema.JsonSchemaValueException:
        is_shaped = False
    if not is_shaped:
        raise UnusableInputError(f"no certificate that can be explained: {reason}")


@functools.cache
def _validator() -> Callable[[Any], Any]:
    text = resources.files("exactlearn.certificate").joinpath("certificate.schema.json").read_text(encoding="utf-8")
    return cast("Callable[[Any], Any]", fastjsonschema.compile(json.loads(text)))


def _refuse_size(dim: int, heads: int) -> None:
    poles = heads * (2 * dim**2 - 1)
    if heads > _MOST_HEADS or 2 * dim**2 - 1 > MAX_POLES or poles > MAX_POLES:
        raise UnusableInputError(
            f"too large for a page: {heads} heads in {dim} dimensions show {poles} poles, and a page takes at most "
            f"{MAX_POLES} (heads times probes, H (2 d^2 - 1)) and {_MOST_HEADS} heads"
        )


def _refuse_length(characters: int) -> None:
    if characters > MAX_CHARACTERS:
        raise UnusableInputError(
            f"too large for a page: its certificate has {characters} characters, and a page takes {MAX_CHARACTERS}"
        )
