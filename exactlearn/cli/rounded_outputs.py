"""`exactlearn learn MODEL --outputs FORMAT`: outputs rounded to a format; how many digits of the parameters survive."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from exactlearn.canonical import canonical_form, same_function
from exactlearn.cli.output import console, facts_table, print_json
from exactlearn.enclosures.output_formats import OutputFormat
from exactlearn.enclosures.report import FORMAT, head_to_json, rounded_run_to_json
from exactlearn.enclosures.rounded_run import RoundedRun, rounded_run
from exactlearn.errors import DegenerateDrawError, NotAttentionError, TooCoarseError
from exactlearn.learner import learn as run_learner
from exactlearn.model import MultiHeadAttention
from exactlearn.oracle import oracle_of
from exactlearn.result import LearnResult

DEFAULT_BOXES = (1, 2, 3)
"""The first one with a good draw: small tokens, since poles t far from 1 hide behind the rounding of the outputs."""

_WIDEST_DIMENSION = 3


def learn_rounded(
    given: MultiHeadAttention, outputs: OutputFormat, *, heads: int | None, seed: int, box: int | None, as_json: bool
) -> int:
    """Exit status 0 when every parameter was enclosed, 1 when the outputs are too coarse or the draw is degenerate."""
    model = canonical_form(given)
    heads = len(model.heads) if heads is None else heads
    report: dict[str, Any] = {
        "format": FORMAT,
        "outputs": outputs.name,
        "heads_found": len(model.heads),
        "dim": model.dim,
        "seed": seed,
    }
    try:
        exact = _exact_run(model, heads, seed, DEFAULT_BOXES if box is None else (box,))
    except (NotAttentionError, DegenerateDrawError) as error:
        name = "not-attention" if isinstance(error, NotAttentionError) else "degenerate-draw"
        if as_json:
            nothing = {"box": box, "heads_found": None, "enclosed": False}
            print_json({**report, **nothing, "error": name, "reason": str(error)})
        sys.stderr.write(f"exactlearn: exact outputs give no heads ({name}): told {heads} heads: {error}\n")
        return 1
    run = rounded_run(model, exact.draw, outputs)
    recovered = same_function(exact.model, given).holds
    report |= {
        "box": exact.box,
        "exact": {"recovered": recovered, "queries": exact.queries, "redraws": exact.redraws, "place": exact.place},
        **rounded_run_to_json(run, model),
    }
    if as_json:
        print_json(report)
    else:
        _print(run, report, model)
    return 0 if run.enclosed is not None and run.holds else 1


def _exact_run(model: MultiHeadAttention, heads: int, seed: int, boxes: tuple[int, ...]) -> LearnResult:
    for box in boxes[:-1]:
        with contextlib.suppress(DegenerateDrawError):
            return run_learner(oracle_of(model), heads=heads, seed=seed, box=box)
    return run_learner(oracle_of(model), heads=heads, seed=seed, box=boxes[-1])


def _print(run: RoundedRun, report: dict[str, Any], model: MultiHeadAttention) -> None:
    digits, exact = report["digits"], report["exact"]
    proved = _too_coarse(run.too_coarse) if run.enclosed is None else _digits(digits["proved"])
    estimate = _garbage(run.no_estimate) if run.estimate is None else _digits(digits["estimate"])
    rows = {
        "outputs": f"rounded to {run.outputs}",
        "digits proved": proved,
        "digits in fact": "" if run.enclosed is None else _digits(digits["actual"]) + ", the middles of the balls",
        "plain estimate": estimate,
        "exact outputs": f"all heads {'recovered exactly' if exact['recovered'] else 'NOT recovered'}"
        f" by {exact['queries']} queries",
        "heads": f"{report['heads_found']}, dimension {report['dim']}",
        "value queries": "" if run.enclosed is None else f"{run.enclosed.queries}, as the schedule predicts",
        "seed": f"{report['seed']} (tokens from [-{report['box']}, {report['box']}], redraws {exact['redraws']})",
    }
    out = console()
    out.print(facts_table({name: value for name, value in rows.items() if value}))
    if run.enclosed is None or model.dim > _WIDEST_DIMENSION:
        return
    for index, head in enumerate(run.enclosed.heads):
        for name, value in head_to_json(head, model).items():
            rows_of_balls = value if name == "v" else ["  ".join(row) for row in value]
            out.print(f"head {index}: {name} in", markup=False)
            for line in rows_of_balls:
                out.print(f"    {line}", markup=False)


def _digits(digits: dict[str, float | None]) -> str:
    return ", ".join(f"{name} {'all' if kept is None else f'{kept:.1f}'}" for name, kept in digits.items())


def _too_coarse(error: TooCoarseError | None) -> str:
    return f"none, the outputs are too coarse: {error}"


def _garbage(error: TooCoarseError | None) -> str:
    return f"none, there is no such model: {error}"
