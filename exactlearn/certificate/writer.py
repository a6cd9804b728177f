"""Writing certificates: a known model and what `learn` found become one JSON document (SPEC.md, DESIGN section 11)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exactlearn.canonical import same_function
from exactlearn.certificate.claims import SECTIONS, Subject, number, pair_products
from exactlearn.certificate.lines import MODULI, RunLines, Triple
from exactlearn.errors import UnusableInputError
from exactlearn.files.atomic import write_text_atomically
from exactlearn.files.model_file import model_to_json
from exactlearn.files.numerals import print_unit
from exactlearn.model import MultiHeadAttention
from exactlearn.result import LearnResult

FORMAT = "exactlearn.certificate/1"
CERTIFIABLE_CLAIMS = ("recovery", *SECTIONS)
"""The claims that a certificate can make, in the order of the specification."""

MAX_NUMBER_LENGTH = 2**18
"""Characters of the longest number that the checker reads."""


def learn_certificate(model: MultiHeadAttention, result: LearnResult) -> dict[str, Any]:
    """The certificate of a run of `learn` on a known model, with every claim that a certificate can make.

    Args:
        model: The raw model behind the oracle.
        result: What `learn` found for it, with the draw that it accepted.

    Returns:
        A JSON-ready document; the same for the same model and draw.

    Raises:
        UnusableInputError: When `result` is not a run on this model, or a number is too long for a certificate.
    """
    return _certificate(model, result, CERTIFIABLE_CLAIMS)


def verify_certificate(
    model: MultiHeadAttention, result: LearnResult, claims: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The same with the claims that are named, for example those of a table of verified claims.

    Args:
        model: The raw model.
        result: What `learn` found for it.
        claims: Mappings with a "name"; one with "holds" not true is refused.  Recovery is always claimed, and
            "matching" along with "probability-one".  Only names of `CERTIFIABLE_CLAIMS` can be certified.

    Raises:
        UnusableInputError: As `learn_certificate`, and for claims that do not hold or that a certificate cannot make.
    """
    names = {"recovery"}
    for index, claim in enumerate(claims):
        name = claim["name"]
        if name not in CERTIFIABLE_CLAIMS:
            known = ", ".join(CERTIFIABLE_CLAIMS)
            reason = f"certificates cannot make the claim {name!r}; they can make {known}"
            raise UnusableInputError(reason, f"claims[{index}]")
        if claim.get("holds", True) is not True:
            reason = f"the claim {name!r} does not hold: there is nothing to certify"
            raise UnusableInputError(reason, f"claims[{index}]")
        names |= {name, "matching"} if name == "probability-one" else {name}
    return _certificate(model, result, names)


def certificate_to_text(certificate: Mapping[str, Any]) -> str:
    """The document as ASCII text, the version in its first line, a probe a line."""
    members = [f'"{key}": {_member_text(value)}' for key, value in certificate.items()]
    return "{" + ",\n ".join(members) + "}\n"


def write_certificate(certificate: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a certificate file, atomically.

    Raises:
        UnusableInputError: When the file cannot be written.
    """
    write_text_atomically(path, certificate_to_text(certificate))


def _certificate(model: MultiHeadAttention, result: LearnResult, claims: Iterable[str]) -> dict[str, Any]:
    if result.model.dim != model.dim or not same_function(result.model, model).holds:
        raise UnusableInputError("the model that was learned is not the same function as this model", "result")
    bound = (result.predicted_max_length - 1) // 2
    lines = RunLines(model, result.draw, bound)
    # With a bound that is the number of heads, both kinds of run ask the same; the certificate calls it known.
    subject = _subject(lines, is_exact=bound == len(lines.heads))
    names = [name for name in CERTIFIABLE_CLAIMS if name in claims]
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "claims": names,
        "model": model_to_json(model),
        "draw": {
            "schedule": result.schedule,
            "place": "rational" if lines.is_rational_place else "padic",
            "unit": print_unit(model.unit),
            "modulus": number(subject.modulus),
            "heads" if subject.is_exact else "max_heads": bound,
            "X": [list(map(number, token)) for token in lines.draw.X],
            "Y": [list(map(number, token)) for token in lines.draw.Y],
        },
        "first_value": number(lines.probes["P(1,1)"].at_zero),
        "probes": _probes(lines),
        "matchings": [_matching(triple) for triple in lines.triples],
        "heads": [
            {"W": [list(map(number, row)) for row in head.W], "v": list(map(number, head.v))} for head in lines.heads
        ],
    }
    for name in names[1:]:
        certificate[name] = SECTIONS[name](subject)
    return certificate


def _subject(lines: RunLines, *, is_exact: bool) -> Subject:
    """With the first modulus that divides nothing that it must not divide."""
    for modulus in MODULI:
        try:
            products = lines.false_match_products(modulus)
            if all(products) and all(pair_products(lines, modulus)):
                return Subject(lines, is_exact, modulus, tuple(products))
        except ZeroDivisionError:
            continue
    raise UnusableInputError("a genericity polynomial vanishes at this draw, modulo four primes at least", "draw")


def _probes(lines: RunLines) -> list[dict[str, Any]]:
    written = []
    for name, probe in lines.probes.items():
        line = {
            "name": name,
            "x": list(map(number, probe.x)),
            "y": list(map(number, probe.y)),
            "at_zero": number(probe.at_zero),
            "copies": 2 * lines.bound,
            "poles": [number(probe.poles[h]) for h in probe.order],
            "residues": [number(probe.residues[h]) for h in probe.order],
        }
        if lines.is_rational_place:
            values = list(map(number, lines.values(probe)))
            if any(len(value) > MAX_NUMBER_LENGTH for value in values):
                raise UnusableInputError(f"an answer at {name} is too long for a certificate", "draw")
            line["values"] = values
        written.append(line)
    return written


def _matching(triple: Triple) -> dict[str, Any]:
    left = triple.left.order
    return {
        "probe": triple.joint.name,
        "left": triple.left.name,
        "right": triple.right.name,
        "partner": [triple.right.order.index(h) for h in left],
        "sum": [triple.joint.order.index(h) for h in left],
    }


def _member_text(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[" + ",\n  ".join(json.dumps(line) for line in value) + "]"
    return json.dumps(value)
