"""What the commands do with Transformers: learn, eval, canonical and compare (DESIGN section 9)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from exactlearn.cli.output import console, describe_model, facts_table, print_json
from exactlearn.cli.progress import progress_bar
from exactlearn.errors import ConditionFailsError, DegenerateDrawError, NotAttentionError, UnusableInputError
from exactlearn.files.field_numbers import print_field
from exactlearn.files.model_file import model_to_json
from exactlearn.files.token_file import tokens_to_json
from exactlearn.files.transformer_file import transformer_to_json, write_any_model
from exactlearn.model import Transformer, abbreviate
from exactlearn.oracle import place_of
from exactlearn.transformers.canonical import TransformerForm, canonical_transformer, reduce_transformer, transformer_of
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.transformers.figure import draw_units
from exactlearn.transformers.learner import MOST_UNITS, TransformerResult, learn_transformer
from exactlearn.transformers.oracle import transformer_oracle
from exactlearn.verdict import Fails

RESULT_FORMAT = "exactlearn.result/1"
ODD_FORMULA = "2 (4 H d^2 - 2 H + 1)"
CELL_FORMULA = "2 m d (H + 1)"  # H counts the heads seen in the cells too


def learn_transformer_command(
    given: Transformer,
    *,
    heads: int | None,
    max_heads: int | None,
    max_units: int | None,
    seed: int,
    output: Path | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Recover a Transformer as a function and compare canonical forms; exit status 1 when they differ."""
    form = canonical_transformer(given)
    if heads is None and max_heads is None:
        heads = len(form.odd.heads)
    failure = {"format": RESULT_FORMAT, "recovered": False, "place": place_of(form.odd).name, "schedule": "paper"}
    try:
        with progress_bar("probes of the odd part") as progress:
            result = learn_transformer(
                transformer_oracle(given),
                heads=heads,
                max_heads=max_heads,
                max_units=MOST_UNITS if max_units is None else max_units,
                seed=seed,
                progress=progress,
            )
    except (NotAttentionError, DegenerateDrawError, ConditionFailsError) as error:
        names = {NotAttentionError: "not-attention", DegenerateDrawError: "degenerate-draw"}
        name = names.get(type(error), "condition-fails")
        return _report_failure({**failure, "error": name, "reason": str(error), "seed": seed}, as_json=as_json)
    recovered = same_transformer(given, result.model).holds
    if output is not None:
        write_any_model(result.model, output)
    if plot is not None:
        draw_units(result, plot)
    if as_json:
        print_json(_result_json(result, recovered=recovered))
    else:
        _print_result(result, recovered=recovered)
    return 0 if recovered else 1


def evaluate_transformer_command(given: Transformer, tokens: Any, digits: int, *, as_json: bool) -> int:
    """The exact value on one sequence."""
    value = evaluate_transformer(given, tokens)
    exact, decimal = str(value), value.decimal(digits)
    if as_json:
        field = {} if value.field is None else {"field": print_field(value.field)}
        print_json({"exact": exact, "decimal": decimal, **field})
    else:
        console().print(f"exact    {abbreviate(exact, 2000)}", markup=False)
        console().print(f"decimal  {decimal}", markup=False)
    return 0


def canonical_transformer_command(given: Transformer, *, as_json: bool) -> int:
    """Which units are dead, merge or cancel, and the canonical form."""
    reduction = reduce_transformer(given)
    form = reduction.form
    model, is_units_alone = transformer_of(form)
    cancelled = [list(members) for members, unit in reduction.groups if unit is None]
    merged = [list(members) for members, unit in reduction.groups if unit is not None and len(members) > 1]
    if as_json:
        print_json(
            {
                "format": "exactlearn.canonical/1",
                "units_given": len(given.u),
                "units_found": len(form.units),
                "dead": list(reduction.dead),
                "merged": merged,
                "cancelled": cancelled,
                "heads_found": len(form.odd.heads),
                **_form_json(form),
                "linear_part": not is_units_alone,
                "model": transformer_to_json(model),
            }
        )
        return 0
    out = console()
    out.print(
        f"{len(given.u)} units given, {len(form.units)} that can be told apart; odd part: {len(form.odd.heads)} heads"
    )
    for text, groups in (
        ("dead (u = 0 or z = 0)", [[j] for j in reduction.dead]),
        ("proportional z: merged", merged),
        ("proportional z whose |z| cancel", cancelled),
    ):
        for group in groups:
            out.print(f"units {', '.join(map(str, group))}: {text}")
    _print_form(form, is_units_alone=is_units_alone)
    return 0


def compare_transformers_command(
    left: Transformer, right: Transformer, names: tuple[str, str], *, as_json: bool
) -> int:
    """The same function, or a separating sequence; exit status 1 then."""
    if left.dim != right.dim:
        raise UnusableInputError(f"the models have different dimensions, {left.dim} and {right.dim}", names[1])
    verdict = same_transformer(left, right)
    if not isinstance(verdict, Fails):
        if as_json:
            print_json({"equal": True})
        else:
            console().print("equal: the same function on all sequences (the canonical forms agree)")
        return 0
    values = [str(evaluate_transformer(model, verdict.witness)) for model in (left, right)]
    shown = tokens_to_json(verdict.witness)["tokens"]
    if as_json:
        print_json({"equal": False, "tokens": shown, "values": values})
        return 1
    out = console()
    out.print(f"different functions ({verdict.why}); they differ on the sequence")
    for token in shown:
        out.print("  (" + ", ".join(token) + ")", markup=False)
    for name, value in zip(names, values, strict=True):
        out.print(f"{name}: {abbreviate(value, 200)}", markup=False)
    return 1


def _report_failure(failure: dict[str, Any], *, as_json: bool) -> int:
    if as_json:
        print_json(failure)
    sys.stderr.write(f"exactlearn: not recovered ({failure['error']}): {failure['reason']}\n")
    return 1


def _form_json(form: TransformerForm) -> dict[str, Any]:
    return {
        "odd": model_to_json(form.odd),
        "units": [{"sign": unit.sign, "z": model_to_json(unit.z)} for unit in form.units],
    }


def _result_json(result: TransformerResult, *, recovered: bool) -> dict[str, Any]:
    return {
        "format": RESULT_FORMAT,
        "recovered": recovered,
        "heads_found": len(result.form.odd.heads),
        "heads_in_cells": result.heads_in_cells,
        "units_found": len(result.form.units),
        "queries": result.queries,
        "predicted_queries": result.predicted_odd_queries + result.predicted_cell_queries + result.search_queries,
        "odd_queries": result.odd_queries,
        "predicted_odd_queries": result.predicted_odd_queries,
        "cell_queries": result.cell_queries,
        "predicted_cell_queries": result.predicted_cell_queries,
        "search_queries": result.search_queries,
        "audit_queries": result.audit_queries,
        "max_length": result.max_length,
        "predicted_max_length": result.predicted_max_length,
        "place": result.place,
        "schedule": "paper",
        "seed": result.seed,
        "linear_part": not result.is_units_alone,
        **_form_json(result.form),
        "model": transformer_to_json(result.model),
        "seconds": {"oracle": round(result.oracle_seconds, 6), "learner": round(result.learner_seconds, 6)},
    }


def _print_result(result: TransformerResult, *, recovered: bool) -> None:
    verdict = "yes: exactly the canonical form of the Transformer" if recovered else "NO: it differs from the model"
    rows = {
        "recovered": verdict,
        "found": f"{len(result.form.units)} units, {len(result.form.odd.heads)} heads in the odd part"
        + (f", {result.heads_in_cells} more inside cells" if result.heads_in_cells else ""),
        "value queries": f"{result.queries}: odd part {result.odd_queries} (predicted {result.predicted_odd_queries} = "
        f"{ODD_FORMULA}), cells {result.cell_queries} (predicted {result.predicted_cell_queries} = {CELL_FORMULA}), "
        f"search for the kinks {result.search_queries}",
        "longest sequence": f"{result.max_length} tokens",
        "audit": f"{result.audit_queries} further queries agree",
        "place": result.place,
        "seed": str(result.seed),
        "seconds": f"oracle {result.oracle_seconds:.2f}, learner {result.learner_seconds:.2f}",
    }
    console().print(facts_table(rows))
    _print_form(result.form, is_units_alone=result.is_units_alone)


def _print_form(form: TransformerForm, *, is_units_alone: bool) -> None:
    out = console()
    out.print("odd part, f(X) - f(-X):")
    for line in describe_model(form.odd):
        out.print(f"  {line}", markup=False)
    for index, unit in enumerate(form.units):
        out.print(f"unit {index}: {'+' if unit.sign > 0 else '-'}|z(X)| in f(X) + f(-X), z up to its sign:")
        for line in describe_model(unit.z):
            out.print(f"  {line}", markup=False)
    if not is_units_alone:
        out.print("the units alone leave a linear part, which is written with one or two more ReLUs")
    out.print(
        "unique: the odd part, and the units up to the sign of z; not unique: V, B, u, and which of z and -z it is"
    )
