"""`exactlearn learn MODEL`: the model as a black box, recovered from value queries, then held against the model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from exactlearn.canonical import canonical_form, same_function
from exactlearn.certificate.writer import learn_certificate, write_certificate
from exactlearn.cli.full_size import is_layer, learn_at_full_size, refuse_options
from exactlearn.cli.output import (
    AsJson,
    ModelArgument,
    console,
    describe_model,
    facts_table,
    print_json,
    refuse_uncertifiable,
)
from exactlearn.cli.progress import progress_bar
from exactlearn.cli.rounded_outputs import learn_rounded
from exactlearn.cli.schedules import learn_scheduled_command
from exactlearn.cli.transformers import learn_transformer_command
from exactlearn.copy_count_figure import draw_probe, probe_curve, tokens_of_first_probe
from exactlearn.denominators import on_fractions, radical_oracle
from exactlearn.enclosures.output_formats import output_format
from exactlearn.errors import DegenerateDrawError, NotAttentionError, UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.files.model_file import model_to_json, write_model
from exactlearn.learner import learn as run_learner
from exactlearn.model import AttentionLayer, MultiHeadAttention, Transformer
from exactlearn.oracle import oracle_of
from exactlearn.places.field_rings import FieldRing
from exactlearn.result import LearnResult

RESULT_FORMAT = "exactlearn.result/1"


def learn(
    model: ModelArgument,
    heads: Annotated[
        int | None, typer.Option("--heads", metavar="H", help="The exact number of canonical heads.")
    ] = None,
    max_heads: Annotated[
        int | None, typer.Option("--max-heads", metavar="H0", help="An upper bound on it instead.")
    ] = None,
    schedule: Annotated[
        str,
        typer.Option(
            "--schedule",
            help="Which probes are asked: paper, or lean (heads told apart by their values; ties cost sum probes), "
            "low-rank:R (W has rank at most R: tested), adaptive (the first probe shows H), joined by + as in "
            "adaptive+lean+low-rank:4; at full size vector as well.",
        ),
    ] = "paper",
    seed: Annotated[int, typer.Option("--seed", help="Draws and primes come from it.")] = 0,
    box: Annotated[
        int | None, typer.Option("--box", metavar="B", help="Token entries lie in [-B, B].")
    ] = None,
    denominator: Annotated[
        int | None,
        typer.Option("--denominator", metavar="N", help="Log-rational weights: draw tokens with the denominator N."),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option("--outputs", metavar="FORMAT", help="Round the outputs: float32, float64 or decimal:N."),
    ] = None,
    max_units: Annotated[
        int | None, typer.Option("--max-units", metavar="M0", help="Of a Transformer: a bound on its ReLU units.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="A picture (.svg, .png, .pdf): the first probe's copy-count curve and poles; of a Transformer its "
            "even part and kinks.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the recovered model here.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="CERT", help="Write a certificate for `exactlearn check`.")
    ] = None,
    full_size: Annotated[
        bool,
        typer.Option("--full-size", help="Learn a large model over worker processes; a layer's file always is."),
    ] = False,
    layer: Annotated[int | None, typer.Option("--layer", metavar="N", help="Which layer of a layer's file.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Processes at full size.")] = None,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="DIR", help="At full size: go on here where a run was stopped.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Recover every head of MODEL from value queries alone and compare with its canonical form."""
    if full_size or is_layer(model):
        unknown = {"--max-heads": max_heads, "--box": box, "--denominator": denominator, "--certificate": certificate}
        refuse_options({**unknown, "--outputs": outputs, "--plot": plot}, "not taken at full size")
        return learn_at_full_size(
            model, layer=layer, heads=heads, schedule=schedule, seed=seed, workers=workers, state=state, output=output,
            as_json=as_json,
        )  # fmt: skip
    refuse_options({"--layer": layer, "--workers": workers, "--state": state}, "taken at full size only")
    _refuse_contradictions(heads, max_heads, output, certificate)
    rounded_to = None if outputs is None else output_format(outputs)
    given = resolve_any(model)
    if isinstance(given, Transformer):
        attention_alone = {"--certificate": certificate, "--box": box, "--denominator": denominator}
        refuse_options(attention_alone, "goes with attention models")
        refuse_options({"--outputs": outputs, "--schedule": _unless_paper(schedule)}, "goes with attention models")
        return learn_transformer_command(
            given, heads=heads, max_heads=max_heads, max_units=max_units, seed=seed, output=output, plot=plot,
            as_json=as_json,
        )  # fmt: skip
    refuse_options({"--max-units": max_units}, "goes with Transformers")
    if isinstance(given, AttentionLayer) or schedule != "paper":
        refused = {"--certificate": certificate, "--denominator": denominator, "--outputs": outputs, "--plot": plot}
        what = "layers" if isinstance(given, AttentionLayer) else f"--schedule {schedule}"
        refuse_options(refused, f"not taken with {what}")
        return learn_scheduled_command(
            given, schedule, heads=heads, max_heads=max_heads, seed=seed, box=box, output=output, as_json=as_json
        )
    if rounded_to is not None:
        refused = {"--max-heads": max_heads, "--denominator": denominator, "--output": output, "--plot": plot}
        refuse_options({**refused, "--certificate": certificate}, "not taken with --outputs")
        return learn_rounded(given, rounded_to, heads=heads, seed=seed, box=box, as_json=as_json)
    if certificate is not None:
        refuse_options({"--denominator": denominator}, "not taken with --certificate")
        refuse_uncertifiable(given, "--certificate")
    return _learn_exactly(
        given, heads=heads, max_heads=max_heads, seed=seed, box=box, denominator=denominator, output=output,
        certificate=certificate, plot=plot, as_json=as_json,
    )  # fmt: skip


def _unless_paper(schedule: str) -> str | None:
    return None if schedule == "paper" else schedule


def _learn_exactly(
    given: MultiHeadAttention,
    *,
    heads: int | None,
    max_heads: int | None,
    seed: int,
    box: int | None,
    denominator: int | None,
    output: Path | None,
    certificate: Path | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """A model without biases by the schedule of the paper, at its exact place."""
    oracle = oracle_of(given) if denominator is None else radical_oracle(given, denominator)
    if heads is None and max_heads is None:
        heads = len(canonical_form(given).heads)
    failure = {"format": RESULT_FORMAT, "recovered": False, "place": oracle.place.name, "schedule": "paper"}
    try:
        with progress_bar("probes") as progress:
            result = run_learner(oracle, heads=heads, max_heads=max_heads, seed=seed, box=box, progress=progress)
    except (NotAttentionError, DegenerateDrawError) as error:
        name = "not-attention" if isinstance(error, NotAttentionError) else "degenerate-draw"
        told = f"told {heads} heads" if heads is not None else f"told at most {max_heads} heads"
        reason = f"{told}: {error}"
        return _report_failure({**failure, "error": name, "reason": reason, "seed": seed}, as_json=as_json)
    if denominator is not None:
        result = on_fractions(result, denominator)
    recovered = same_function(result.model, given).holds
    if certificate is not None and recovered:
        write_certificate(learn_certificate(given, result), certificate)
    if output is not None:
        write_model(result.model, output)
    if plot is not None:
        x, y = tokens_of_first_probe(result.draw.X, result.draw.Y, denominator or 1)
        draw_probe(probe_curve(result.model, x, y), "P(1,1)", result.max_length - 1, plot)
    if as_json:
        drawn = {} if denominator is None else {"denominator": denominator}
        print_json({**_result_json(result, recovered=recovered), **drawn})
    else:
        _print_result(result, recovered=recovered, denominator=denominator or 1)
    return 0 if recovered else 1


def _refuse_contradictions(
    heads: int | None, max_heads: int | None, output: Path | None, certificate: Path | None
) -> None:
    if heads is not None and max_heads is not None:
        raise UnusableInputError("give --heads or --max-heads, not both", "--max-heads")
    if output is not None and certificate is not None and output.absolute() == certificate.absolute():
        raise UnusableInputError("is the file of -o as well", "--certificate")


def _report_failure(failure: dict[str, Any], *, as_json: bool) -> int:
    if as_json:
        print_json(failure)
    sys.stderr.write(f"exactlearn: not recovered ({failure['error']}): {failure['reason']}\n")
    return 1


def _result_json(result: LearnResult, *, recovered: bool) -> dict[str, Any]:
    return {
        "format": RESULT_FORMAT,
        "recovered": recovered,
        "heads_found": result.heads_found,
        "queries": result.queries,
        "max_length": result.max_length,
        "predicted_queries": result.predicted_queries,
        "predicted_max_length": result.predicted_max_length,
        "paper_queries": result.predicted_queries,
        "redraws": result.redraws,
        "redraw_queries": result.redraw_queries,
        "redraw_reasons": [rejection.reason for rejection in result.rejections],
        "audit_queries": result.audit_queries,
        "place": result.place,
        "schedule": result.schedule,
        "seed": result.seed,
        "box": result.box,
        "prime": str(result.ring.prime),
        "digits": result.ring.digits,
        **_roots(result),
        "model": model_to_json(result.model),
        "seconds": {"oracle": round(result.oracle_seconds, 6), "learner": round(result.learner_seconds, 6)},
    }


def _over(denominator: int) -> str:
    return "" if denominator == 1 else f" over {denominator}"


def _roots(result: LearnResult) -> dict[str, str]:
    """Where the generator of the number field goes: mod p, and mod (p - 1)/2 in the exponents."""
    ring = result.ring
    if not isinstance(ring, FieldRing):
        return {}
    return {"root_mod_p": str(ring.root_mod_p), "root_mod_q": str(ring.root_mod_q)}


def _print_result(result: LearnResult, *, recovered: bool, denominator: int) -> None:
    verdict = "yes: exactly the canonical form of the model" if recovered else "NO: it differs from the model"
    rows = {
        "recovered": verdict,
        "heads found": str(result.heads_found),
        "value queries": f"{result.queries} (the schedule {result.schedule!r} predicts {result.predicted_queries})",
        "longest sequence": f"{result.max_length} tokens (predicted {result.predicted_max_length})",
        "redraws": str(result.redraws)
        + (f", {result.redraw_queries} queries counted apart" if result.redraws else ""),
        "audit": f"{result.audit_queries} further queries agree",
        "place": f"{result.place}, seen modulo p^{result.ring.digits} with p = {result.ring.prime}",
        "seed": f"{result.seed} (tokens from [-{result.box}, {result.box}]{_over(denominator)})",
        "seconds": f"{result.oracle_seconds:.2f} black box, {result.learner_seconds:.2f} learner",
    }
    roots = _roots(result)
    if roots:
        rows["field"] = "a goes to {root_mod_p} mod p, in exponents to {root_mod_q} mod (p - 1)/2".format(**roots)
    out = console()
    out.print(facts_table(rows))
    for rejection in result.rejections:
        out.print(f"redrawn: {rejection.reason}", markup=False)
    for line in describe_model(result.model):
        out.print(line, markup=False)
