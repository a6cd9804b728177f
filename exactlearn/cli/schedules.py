"""`exactlearn learn` of layers, and of attention models under the schedules lean, low-rank:R and adaptive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from exactlearn.canonical import canonical_form, same_function
from exactlearn.cli.output import console, describe_any, facts_table, print_json
from exactlearn.cli.progress import progress_bar
from exactlearn.errors import ConditionFailsError, DegenerateDrawError, NotAttentionError
from exactlearn.files.transformer_file import any_model_to_json, write_any_model
from exactlearn.layers.canonical import canonical_layer, same_layer
from exactlearn.layers.learner import ScheduledResult, learn_with_schedule
from exactlearn.layers.oracle import vector_oracle_of
from exactlearn.model import AttentionLayer, MultiHeadAttention

RESULT_FORMAT = "exactlearn.result/1"
ERROR_NAMES = {
    NotAttentionError: "not-attention",
    DegenerateDrawError: "degenerate-draw",
    ConditionFailsError: "condition-fails",
}


def learn_scheduled_command(
    given: AttentionLayer | MultiHeadAttention,
    schedule: str,
    *,
    heads: int | None,
    max_heads: int | None,
    seed: int,
    box: int | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Recover the model and compare canonical forms; exit status 1 when they differ or nothing was recovered."""
    if heads is None and max_heads is None:
        heads = len((canonical_layer(given) if isinstance(given, AttentionLayer) else canonical_form(given)).heads)
    oracle = vector_oracle_of(given)
    try:
        with progress_bar("probes") as progress:
            result = learn_with_schedule(
                oracle, schedule, heads=heads, max_heads=max_heads, seed=seed, box=box, progress=progress
            )
    except (NotAttentionError, DegenerateDrawError, ConditionFailsError) as error:
        told = f"told {heads} heads" if heads is not None else f"told at most {max_heads} heads"
        reason = f"{told}: {error}"
        name = ERROR_NAMES[type(error)]
        if as_json:
            failure = {"format": RESULT_FORMAT, "recovered": False, "place": oracle.place.name, "schedule": schedule}
            print_json({**failure, "error": name, "reason": reason, "seed": seed})
        sys.stderr.write(f"exactlearn: not recovered ({name}): {reason}\n")
        return 1
    recovered = _is_same(result.model, given)
    if output is not None:
        write_any_model(result.model, output)
    if as_json:
        print_json(_result_json(result, recovered=recovered))
    else:
        _print_result(result, recovered=recovered)
    return 0 if recovered else 1


def _is_same(found: AttentionLayer | MultiHeadAttention, given: AttentionLayer | MultiHeadAttention) -> bool:
    if isinstance(found, AttentionLayer) and isinstance(given, AttentionLayer):
        return same_layer(found, given).holds
    if isinstance(found, MultiHeadAttention) and isinstance(given, MultiHeadAttention):
        return same_function(found, given).holds
    return False


def _result_json(result: ScheduledResult, *, recovered: bool) -> dict[str, Any]:
    return {
        "format": RESULT_FORMAT,
        "recovered": recovered,
        "heads_found": len(result.model.heads),
        "queries": result.queries,
        "max_length": result.max_length,
        "predicted_queries": result.predicted_queries,
        "predicted_max_length": result.predicted_max_length,
        "paper_queries": result.paper_queries,
        "tied_rows": len(result.tied_rows),
        "redraws": len(result.rejections),
        "redraw_queries": sum(rejection.queries for rejection in result.rejections),
        "redraw_reasons": [rejection.reason for rejection in result.rejections],
        "audit_queries": result.audit_queries,
        "rank_queries": result.rank_queries,
        "place": result.place,
        "schedule": result.schedule.name,
        "assumes": list(result.schedule.assumptions),
        "seed": result.seed,
        "box": result.box,
        "prime": str(result.ring.prime),
        "digits": result.ring.digits,
        "model": any_model_to_json(result.model),
        "seconds": {"oracle": round(result.oracle_seconds, 6), "learner": round(result.learner_seconds, 6)},
    }


def _print_result(result: ScheduledResult, *, recovered: bool) -> None:
    rank = f", {result.rank_queries} that test the rank" if result.rank_queries else ""
    spent = sum(rejection.queries for rejection in result.rejections)
    rows = {
        "recovered": "yes: exactly the canonical form of the model" if recovered else "NO: it differs from the model",
        "heads found": str(len(result.model.heads)),
        "value queries": f"{result.queries} (the schedule {result.schedule.name!r} predicts "
        f"{result.predicted_queries}; the paper's {result.paper_queries})",
        "longest sequence": f"{result.max_length} tokens (predicted {result.predicted_max_length})",
        "redraws": str(len(result.rejections)) + (f", {spent} queries counted apart" if result.rejections else ""),
        "audit": f"{result.audit_queries} further queries agree{rank}",
        "place": f"{result.place}, seen modulo p^{result.ring.digits} with p = {result.ring.prime}",
        "seed": f"{result.seed} (tokens from [-{result.box}, {result.box}])",
        "seconds": f"{result.oracle_seconds:.2f} black box, {result.learner_seconds:.2f} learner",
    }
    if result.tied_rows:
        rows["ties"] = f"heads have equal residues in {len(result.tied_rows)} rows: sum probes were asked there"
    out = console()
    out.print(facts_table(rows))
    for assumption in result.schedule.assumptions:
        out.print(f"assumed: {assumption}", markup=False)
    for rejection in result.rejections:
        out.print(f"redrawn: {rejection.reason}", markup=False)
    for line in describe_any(result.model):
        out.print(line, markup=False)
