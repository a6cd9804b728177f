"""Digits kept: how many digits of the parameters outlive rounded outputs, against H, d and the distance of the poles.

The models are seeded: v_h, A and B_h have random entries, and W_h = A + gap B_h, so that the log-poles of two heads are
gap x^T (B_g - B_h) y apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from flint import fmpq

from exactlearn.canonical import canonical_form, same_function
from exactlearn.enclosures.output_formats import OutputFormat
from exactlearn.enclosures.rounded_run import RoundedRun, rounded_run
from exactlearn.enclosures.truth import Accuracy, digits_kept
from exactlearn.errors import DegenerateDrawError
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.oracle import oracle_of

Axis = Literal["heads", "dim", "gap"]

BOXES = (1, 2, 3, 5)

_DENOMINATOR = 8

_PLAIN_HEADS = 2
_PLAIN_DIM = 2
_PLAIN_GAP = fmpq(1)


@dataclass(frozen=True)
class Setting:
    """What is varied, and the point: H, d and the gap."""

    axis: Axis
    heads: int = _PLAIN_HEADS
    dim: int = _PLAIN_DIM
    gap: fmpq = _PLAIN_GAP


@dataclass(frozen=True)
class DigitsRow:
    """The digits of the median model at one setting; a model without enclosures or without an estimate counts as 0.

    Attributes:
        setting: Where.
        models: How many were tried.
        enclosed: For how many the learner on balls found all heads.
        estimated: For how many there was a plain estimate.
        proved: Digits of W and of v that are proved.
        estimate: Digits of W and of v that the plain estimate has in fact.
        exact: For how many the exact learner found all heads from the exact outputs at the same tokens.
    """

    setting: Setting
    models: int
    enclosed: int
    estimated: int
    proved: tuple[float, float]
    estimate: tuple[float, float]
    exact: int


def settings(heads: Sequence[int], dims: Sequence[int], gaps: Sequence[fmpq]) -> list[Setting]:
    """One axis after the other, the rest at H = 2, d = 2, gap = 1."""
    return [
        *(Setting("heads", heads=H) for H in heads),
        *(Setting("dim", dim=d) for d in dims),
        *(Setting("gap", gap=gap) for gap in gaps),
    ]


def seeded_model(setting: Setting, seed: int) -> MultiHeadAttention:
    """The model of this seed: for one setting of H and d the models of all gaps share A, B_h and v_h."""
    generator = random.Random(f"digits {seed} {setting.heads} {setting.dim}")
    d = range(setting.dim)

    def entry(least: int) -> fmpq:
        sign = generator.choice((-1, 1))
        return sign * fmpq(generator.randint(least, _DENOMINATOR), _DENOMINATOR)

    A = [[entry(0) / 2 for _ in d] for _ in d]
    return MultiHeadAttention(
        [
            Head([[A[a][b] + setting.gap * entry(1) for b in d] for a in d], [entry(1) for _ in d])
            for _ in range(setting.heads)
        ]
    )


def measure(setting: Setting, outputs: OutputFormat, seed: int, models: int) -> DigitsRow:
    """The row of a setting, from so many models of consecutive seeds.

    Raises:
        DegenerateDrawError: When no small tokens are a good draw for a model.
        UnusableInputError: When an output is too large for the format.
    """
    both = [_run(seeded_model(setting, seed + n), outputs, seed + n) for n in range(models)]
    runs = [run for run, _ in both]
    return DigitsRow(
        setting,
        models,
        sum(run.enclosed is not None for run in runs),
        sum(run.estimate is not None for run in runs),
        _median([run.proved for run in runs]),
        _median([run.estimate for run in runs]),
        sum(is_exact for _, is_exact in both),
    )


def measure_all(
    rows: Sequence[Setting],
    outputs: OutputFormat,
    *,
    seed: int,
    models: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[DigitsRow]:
    """All rows, in order."""
    measured = []
    for done, setting in enumerate(rows, 1):
        measured.append(measure(setting, outputs, seed, models))
        if progress:
            progress(done, len(rows))
    return measured


def _run(model: MultiHeadAttention, outputs: OutputFormat, seed: int) -> tuple[RoundedRun, bool]:
    """At the draw that the exact learner accepts, and whether that learner found the model."""
    for box in BOXES:
        try:
            exact = learn(oracle_of(model), heads=len(model.heads), seed=seed, box=box)
        except DegenerateDrawError as error:
            degenerate = error
        else:
            is_exact = bool(same_function(exact.model, model).holds)
            return rounded_run(canonical_form(model), exact.draw, outputs), is_exact
    raise degenerate


def _median(found: Sequence[Accuracy | None]) -> tuple[float, float]:
    """The lower median of W and of v."""
    middle = (len(found) - 1) // 2
    of_W = sorted(0.0 if accuracy is None else digits_kept(accuracy.W) or 0.0 for accuracy in found)
    of_v = sorted(0.0 if accuracy is None else digits_kept(accuracy.v) or 0.0 for accuracy in found)
    return of_W[middle], of_v[middle]
