"""What a worker does with one instance: build it, check its claims one by one, and say at once what it found.

Everything that leaves a worker is JSON made of whole numbers and text: FLINT objects do not cross processes.
"""

from __future__ import annotations

import importlib
import json
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from exactlearn import __version__
from exactlearn.claims import Claim, check_claim
from exactlearn.claims.context import Context
from exactlearn.errors import ExactlearnError
from exactlearn.failure_rates import observed_failures, schwartz_zippel_bound
from exactlearn.sweeps.building import build_model, number_bits
from exactlearn.sweeps.exhaustive_parts import check_part
from exactlearn.sweeps.instance import EXHAUSTIVE_CLAIM, ExhaustivePart, Instance, ModelInstance
from exactlearn.verdict import Fails, Undecided

Say = Callable[[dict[str, Any]], None]

CLAIM_TABLE = "exactlearn.claims:CLAIMS"

LEARNING_CLAIMS = {"recovery", "query-count", "matching", "probability-one"}
"""Claims that run the learner anyway: with one of them, the counts of the run are recorded too."""

HOLDS, FAILS, UNDECIDED, NOT_APPLICABLE = "holds", "fails", "undecided", "not-applicable"
CRASHED, OUT_OF_TIME, OUT_OF_MEMORY, ERROR = "crashed", "out-of-time", "out-of-memory", "error"
TROUBLES = (FAILS, CRASHED, OUT_OF_TIME, OUT_OF_MEMORY, ERROR, UNDECIDED)
"""What a summary leads with, the worst first."""

INTERRUPTIONS = (CRASHED, OUT_OF_TIME, OUT_OF_MEMORY, ERROR)
"""What is no verdict and may come out otherwise with other limits."""


@dataclass(frozen=True)
class Row:
    """What is recorded for one instance and claim."""

    claim: str
    verdict: str
    why: str
    seconds: float


def versions() -> dict[str, str]:
    """What the results depend on."""
    return {
        "exactlearn": __version__,
        "python_flint": metadata.version("python-flint"),
        "python": platform.python_version(),
        "platform": platform.machine(),
    }


def claim_table(reference: str) -> dict[str, Claim]:
    """The claims by name of a table named ``module:attribute``."""
    module, _, attribute = reference.partition(":")
    return {claim.name: claim for claim in getattr(importlib.import_module(module), attribute)}


def check_instance(instance: Instance, claims: Sequence[str], table: str, say: Say) -> None:
    """Check these claims; `say` gets {"start": claim} before and {"row": ...} after each, and {"facts": ...}."""
    say({"versions": versions()})
    if isinstance(instance, ExhaustivePart):
        _check_part(instance, say)
        return
    known = claim_table(table)
    say({"start": claims[0]})
    try:
        context = Context(build_model(instance), instance.seed, instance.draws)
        facts = _model_facts(context)
    except ExactlearnError as error:
        for name in claims:
            say({"row": _row(name, ERROR, str(error), 0.0)})
        return
    say({"facts": facts})
    counted = False
    for name in claims:
        say({"start": name})
        row = _checked(known[name], context)
        if name in LEARNING_CLAIMS and not counted:
            say({"facts": _learner_facts(context)})
            counted = True
        if name == "probability-one":
            say({"draws": _failure_rates(context, instance)})
        say({"row": row})


def _checked(claim: Claim, context: Context) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        if not claim.applies(context):
            return _row(claim.name, NOT_APPLICABLE, "", 0.0)
        result = check_claim(claim, context)
    except MemoryError:
        return _row(claim.name, OUT_OF_MEMORY, "the memory limit was reached", time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001  # recorded as a failure of this instance; the sweep goes on
        return _row(claim.name, ERROR, f"{type(error).__name__}: {error}", time.perf_counter() - started)
    verdict = result.verdict
    word = FAILS if isinstance(verdict, Fails) else UNDECIDED if isinstance(verdict, Undecided) else HOLDS
    return _row(claim.name, word, result.checked, result.seconds)


def _row(claim: str, verdict: str, why: str, seconds: float) -> dict[str, Any]:
    return {"claim": claim, "verdict": verdict, "why": why, "seconds": round(seconds, 6)}


def _model_facts(context: Context) -> dict[str, Any]:
    return {
        "canonical_heads": context.heads,
        "raw_heads": len(context.model.heads),
        "model_bits": number_bits(context.model),
    }


def _learner_facts(context: Context) -> dict[str, Any]:
    """The counts of the run told H; nothing when it had none, which its claims have said."""
    try:
        result = context.learned.result
    except ExactlearnError:
        return {}
    return {
        "queries": result.queries,
        "predicted_queries": result.predicted_queries,
        "max_length": result.max_length,
        "predicted_max_length": result.predicted_max_length,
        "redraws": result.redraws,
        "redraw_queries": result.redraw_queries,
        "audit_queries": result.audit_queries,
        "oracle_seconds": round(result.oracle_seconds, 6),
        "learner_seconds": round(result.learner_seconds, 6),
    }


def _failure_rates(context: Context, instance: ModelInstance) -> list[dict[str, Any]]:
    rates = []
    for box in instance.boxes:
        bound = schwartz_zippel_bound(context.model, box).total
        seen = observed_failures(context.model, box, instance.draws, instance.seed)
        rates.append({"box": box, "bound": str(bound), "draws": seen.draws, "bad_draws": seen.failures})
    return rates


def _check_part(part: ExhaustivePart, say: Say) -> None:
    say({"start": EXHAUSTIVE_CLAIM})
    started = time.perf_counter()
    try:
        found = check_part(part)
    except (ExactlearnError, MemoryError) as error:
        verdict = OUT_OF_MEMORY if isinstance(error, MemoryError) else ERROR
        say({"row": _row(EXHAUSTIVE_CLAIM, verdict, str(error), time.perf_counter() - started)})
        return
    say({"part": found.counts})
    if found.models_text:
        say({"model": found.models_text})
    verdict = FAILS if found.failure else HOLDS
    say({"row": _row(EXHAUSTIVE_CLAIM, verdict, found.failure or found.why, time.perf_counter() - started)})


def said_to_text(said: dict[str, Any]) -> str:
    """One line of what a worker says."""
    return json.dumps(said, separators=(",", ":"))
