"""The checker: a text or a file to an outcome.  The two tables of rules are the whole proof system."""

import os
from collections.abc import Callable
from typing import Any

from . import rules
from .counterexample import check_values
from .model import Model, Reader, difference
from .numerals import quote, wide_number
from .outcome import Clock, NotAccepted, Outcome, Rejected, Status, Unusable
from .reading import expect, items, parse_json, read_text, record
from .run import Run, read_run

# What stands in every certificate; together these are the claim recovery.
RULES: dict[str, Callable[[Run], Any]] = {
    "draw": rules.draw,
    "first_value": lambda run: run.probes["P(1,1)"].at_zero,
    "probes": rules.probes,
    "matchings": rules.matchings,
    "heads": lambda run: [{"W": list(map(list, W)), "v": list(v)} for W, v, *_ in run.heads],
}

# Every other claim: the rule of its lines, and what is said when it is accepted.
CLAIMS = {
    "query-count": (rules.query_count, "{queries} queries were asked, the longest of {length} tokens, by the formula"),
    "canonical": (rules.canonical, "the {raw} raw heads have the canonical form of {H}"),
    "merging": (rules.merging, "raw heads of equal W share a pole, their residues add, and what cancels is gone"),
    "rational-form": (rules.rational_form, "at each probe F is the function of type (H, H) of its poles and residues"),
    "determination": (rules.determination, "2H values and F(0) determine F; two functions agree at all k < 2H"),
    "matching": (rules.matching, "the sum probes match the right poles, and no false match fits at this draw"),
    "probability-one": (rules.probability_one, "no genericity polynomial vanishes at this draw, so none is zero"),
}
RECOVERY = (
    "the answers to {queries} queries of the schedule paper, with {known} known, determine {H} in dimension {d} "
    "among all {kind} attention models with at most {bound}, and these are the canonical heads of the model"
)

def check_file(
    path: str | os.PathLike[str], model_path: str | os.PathLike[str] | None = None, *, seconds: float | None = None
) -> Outcome:
    """Check a certificate, bound to the user's own model file if given; whatever they hold, it has an outcome."""
    name = None if model_path is None else os.fspath(model_path)
    texts = lambda: (read_text(os.fspath(path)), None if name is None else read_text(name))  # noqa: E731
    return _answer(texts, ascii(name), seconds)

def check_text(text: str, model_text: str | None = None, *, seconds: float | None = None) -> Outcome:
    """The same for the texts of the files."""
    return _answer(lambda: (text, model_text), "the model file", seconds)

def _answer(texts: Callable[[], tuple[str, str | None]], model_name: str, seconds: float | None) -> Outcome:
    try:
        return _check(*texts(), model_name, seconds)
    except NotAccepted as refusal:
        return Outcome(refusal.status, str(refusal))
    except MemoryError:
        return Outcome(Status.NO_VERDICT, "out of memory")

def _check(text: str, model_text: str | None, model_name: str, seconds: float | None) -> Outcome:
    clock = Clock(10 + 5 * (len(text) + len(model_text or "")) / 2**20 if seconds is None else seconds)
    models, claims = _accepted(parse_json(text, ""), clock)
    which = "model is the one that is" if len(models) == 1 else "models are those that are"
    binding = f"bound to no model file: the {which} written in the certificate"
    if model_text is not None:
        model = Reader(wide_number, clock).model(parse_json(model_text, model_name), model_name)
        reasons = [difference(candidate, model, clock) for candidate in models]
        if all(reasons):
            raise Rejected(f"another function than the certificate's: {reasons[0]}", model_name)
        which = "" if len(models) == 1 else f" as models[{reasons.index('')}]"
        binding = f"bound to {model_name}, which is the same function{which} (equal canonical forms)"
    return Outcome(Status.ACCEPTED, "", claims, binding)

def _accepted(document: Any, clock: Clock) -> tuple[list[Model], tuple[tuple[str, str], ...]]:
    """The models that a certificate is about, and its claims with their words."""
    if not isinstance(document, dict) or next(iter(document), None) != "format":
        raise Unusable('a certificate is an object whose first key is "format"')
    if document["format"] != "exactlearn.certificate/1":
        raise Unusable('"exactlearn.certificate/1" is expected, the one version that is read here', "format")
    claims = items(document.get("claims"), "claims")
    if claims[:1] in (["counterexample"], ["transformer"]):
        record(document, ("format", "claims", *items(claims, "claims", 1)), "")
        models, sentence = check_values(document[claims[0]], claims[0], clock)
        return models, ((claims[0], sentence),)
    if claims[:1] != ["recovery"]:
        raise Rejected("the first claim is recovery, without which nothing is claimed", "claims")
    if claims[1:] != [claim for claim in CLAIMS if claim in claims]:
        raise Unusable("a claim is unknown, stands twice or not in the order of the specification", "claims")
    for claim in CLAIMS:
        if (claim in document) != (claim in claims):
            raise Rejected("a claim is made without its lines, or lines are there without their claim", claim)
    if "probability-one" in claims and "matching" not in claims:
        raise Rejected("the claim probability-one needs the claim matching", "claims")
    record(document, ("format", "claims", "model", *RULES, *claims[1:]), "")
    run = read_run(document, clock)
    for part, rule in (RULES | {claim: CLAIMS[claim][0] for claim in claims[1:]}).items():
        expect(document[part], rule(run), part)
    letter, bound, raw = "H" if run.is_exact else "H0", run.bound, len(run.model.heads)
    H = f"{len(run.heads)} head{'' if len(run.heads) == 1 else 's'}"
    kind = "log-rational" if run.model.is_log else f"true-e (unit {quote(str(run.model.unit))})"
    facts = {"known": f"{letter} = {bound}", "bound": bound, "kind": kind, "H": H, "d": run.model.dim}
    facts |= {"queries": 1 + 2 * bound * len(run.probes), "length": 2 * bound + 1, "raw": raw}
    words = {"recovery": RECOVERY} | {claim: sentence for claim, (_, sentence) in CLAIMS.items()}
    return [run.model], tuple((claim, words[claim].format(**facts)) for claim in claims)
