"""`exactlearn learn LAYER` at full size: the layer of a published model, or a large model, over worker processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from exactlearn.cli.output import console, facts_table, print_json
from exactlearn.errors import DegenerateDrawError, NotAttentionError, UnusableInputError
from exactlearn.examples import LAYERS, layer_path
from exactlearn.files.atomic import write_text_atomically
from exactlearn.full_size.engine import LayerResult, learn_layer
from exactlearn.full_size.layer import AffineLayer, canonical_layer, first_difference
from exactlearn.full_size.schedules import parse_schedule
from exactlearn.full_size.sources import LayerSource, ModelSource, find_layer, holds_layer, question_of
from exactlearn.full_size.writing import layer_text

RESULT_FORMAT = "exactlearn.result/1"


def is_layer(name: str) -> bool:
    """Whether the argument names a layer that is learned at full size without being asked to."""
    return (name in LAYERS and not Path(name).exists()) or holds_layer(name)


def learn_at_full_size(
    name: str,
    *,
    layer: int | None,
    heads: int | None,
    schedule: str,
    seed: int,
    workers: int | None,
    state: Path | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Recover the layer, hold it against the truth, and report."""
    source = _source(name, layer, heads)
    truth = canonical_layer(source.layer())
    question = question_of(truth)
    asked = parse_schedule(schedule, question.dim, question.heads)
    failure = {"format": RESULT_FORMAT, "recovered": False, "place": "padic", "schedule": schedule, "seed": seed}
    try:
        with _progress() as progress:
            result = learn_layer(
                source, question, asked, seed=seed, workers=workers, state=state, label=source.label, progress=progress
            )
    except (NotAttentionError, DegenerateDrawError) as error:
        kind = "not-attention" if isinstance(error, NotAttentionError) else "degenerate-draw"
        reason = f"told {question.heads} heads: {error}"
        if as_json:
            print_json({**failure, "error": kind, "reason": reason})
        sys.stderr.write(f"exactlearn: not recovered ({kind}): {reason}\n")
        return 1
    difference = first_difference(result.layer, truth)
    if output is not None:
        write_text_atomically(output, "".join(layer_text(result.layer)))
    if as_json:
        print_json(_as_json(result, difference))
    else:
        console().print(facts_table(_facts(result, difference)))
    return 0 if difference is None else 1


def refuse_options(options: Mapping[str, object], reason: str) -> None:
    """Options that mean nothing in this run are no mistake to pass over.

    Raises:
        UnusableInputError: When one was given.
    """
    for option, value in options.items():
        if value is not None:
            raise UnusableInputError(reason, option)


def _source(name: str, layer: int | None, heads: int | None) -> LayerSource:
    if name in LAYERS and not Path(name).exists():
        return find_layer(layer_path(name), layer, heads)
    if layer is not None or holds_layer(name):
        return find_layer(name, layer, heads)
    if heads is not None:
        raise UnusableInputError("a model tells its heads itself at full size", "--heads")
    return ModelSource(name)


def _as_json(result: LayerResult, difference: str | None) -> dict[str, Any]:
    return {
        "format": RESULT_FORMAT,
        "recovered": difference is None,
        "dim": result.layer.dim,
        "outputs": result.layer.outputs,
        "heads_found": len(result.layer.heads),
        "queries": result.queries,
        "max_length": result.max_length,
        "predicted_queries": result.predicted_queries,
        "predicted_max_length": result.predicted_max_length,
        "audit_queries": result.audit_queries,
        "place": "padic",
        "schedule": result.schedule,
        "seed": result.seed,
        "prime": str(result.ring.prime),
        "digits": result.ring.digits,
        "resumed_blocks": result.resumed_blocks,
        "bits": {"W and p": _bits(result.layer)[0], "V": _bits(result.layer)[1]},
        "seconds": {
            "oracle": round(result.oracle_seconds, 3),
            "learner": round(result.learner_seconds, 3),
            "wall": round(result.wall_seconds, 3),
        },
    }


def _facts(result: LayerResult, difference: str | None) -> dict[str, str]:
    layer = result.layer
    scores, values = _bits(layer)
    numbers = len(layer.heads) * layer.dim * (layer.dim + 1 + layer.outputs)
    same = "yes: W, p, V of every head and s, to the last bit"
    return {
        "recovered": same if difference is None else f"NO: {difference} differs",
        "layer": f"{len(layer.heads)} heads, dimension {layer.dim}, {layer.outputs} outputs, unit {layer.unit}",
        "exact numbers": f"{numbers + layer.outputs} of up to {scores} bits in W and p, {values} in V",
        "value queries": f"{result.queries} (the schedule {result.schedule!r} predicts {result.predicted_queries})",
        "longest sequence": f"{result.max_length} tokens (predicted {result.predicted_max_length})",
        "audit": f"{result.audit_queries} further queries agree",
        "place": f"padic, seen modulo p^{result.ring.digits} with p = {result.ring.prime}",
        "looked at": f"{min(layer.outputs, len(layer.heads))} functionals of an answer; all outputs in column 0",
        "seed": str(result.seed),
        "seconds": f"{result.wall_seconds:.1f} in all; of processors: {result.oracle_seconds:.1f} black box, "
        f"{result.learner_seconds:.1f} learner" + _resumed(result),
    }


def _resumed(result: LayerResult) -> str:
    return f"; {result.resumed_blocks} pieces of work were there already" if result.resumed_blocks else ""


def _bits(layer: AffineLayer) -> tuple[int, int]:
    return max(head.scores.bits for head in layer.heads), max(head.values.bits for head in layer.heads)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """On a terminal: queries answered, rate, and the time left; nothing on a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("queries"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True), TextColumn("{task.fields[then]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("queries", total=None, rate="", then="")
        began: list[tuple[float, int]] = []

        def advance(done: int, total: int) -> None:
            now = time.monotonic()
            if not began:
                began.append((now, done))
            seconds = max(now - began[0][0], 1e-9)
            rate = f"{(done - began[0][1]) / seconds:,.0f}/s"
            bar.update(task, completed=done, total=total, rate=rate, then="assembling" if done == total else "")

        yield advance
