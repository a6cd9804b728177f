"""What rounded outputs tell of a model, as a JSON-ready document."""

from __future__ import annotations

from typing import Any

from flint import arb, ctx

from exactlearn.enclosures.learner import EnclosedHead
from exactlearn.enclosures.rounded_run import RoundedRun
from exactlearn.enclosures.truth import Accuracy, digits_kept
from exactlearn.errors import TooCoarseError
from exactlearn.model import MultiHeadAttention

FORMAT = "exactlearn.outputs/1"

_SHOWN_DIGITS = 25


def rounded_run_to_json(run: RoundedRun, model: MultiHeadAttention) -> dict[str, Any]:
    """The digits that are proved, those that are so, the estimate's, and the balls.

    Digits are -log10 of the largest error of an entry over the largest entry of its W or v, for the worst head.
    """
    found = run.enclosed
    return {
        "outputs": run.outputs.name,
        "enclosed": found is not None,
        "contains_truth": run.holds,
        "digits": {"proved": _digits(run.proved), "actual": _digits(run.actual), "estimate": _digits(run.estimate)},
        "too_coarse": _reason(run.too_coarse),
        "no_estimate": _reason(run.no_estimate),
        "queries": None if found is None else found.queries,
        "max_length": None if found is None else found.max_length,
        "predicted_queries": None if found is None else found.predicted_queries,
        "predicted_max_length": None if found is None else found.predicted_max_length,
        "draw": {"X": [list(x) for x in run.draw.X], "Y": [list(y) for y in run.draw.Y]},
        "heads": None if found is None else [head_to_json(head, model) for head in found.heads],
    }


def head_to_json(head: EnclosedHead, model: MultiHeadAttention) -> dict[str, Any]:
    """The balls as decimals "[m +/- r]" that contain them: W in the model's unit, for log-rational weights T too."""
    report: dict[str, Any] = {"W": [[ball_text(w) for w in row] for row in head.weights_in(model.unit)]}
    if model.weights == "log-rational":
        report["T"] = [[ball_text(t) for t in row] for row in head.exponentials_in(model.unit)]
    return {**report, "v": [ball_text(entry) for entry in head.v]}


def ball_text(ball: arb) -> str:
    """A decimal enclosure of a ball."""
    with ctx.workprec(128):
        return str(ball.str(_SHOWN_DIGITS))


def _digits(accuracy: Accuracy | None) -> dict[str, float | None] | None:
    return None if accuracy is None else {"W": digits_kept(accuracy.W), "v": digits_kept(accuracy.v)}


def _reason(error: TooCoarseError | None) -> dict[str, str] | None:
    return None if error is None else {"what": error.what, "probe": error.probe, "detail": error.detail}
