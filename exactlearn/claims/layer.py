"""Claims about layers with biases and vector outputs: what they are as functions, and what is learned of them.

The coordinates of a layer are attention models in homogeneous coordinates (DESIGN section 10): rational-form,
determination and merging are checked on one of them; what is about the learner or canonical layers is checked here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from flint import fmpq

from exactlearn.claims import determination, merging, rational_form
from exactlearn.claims.claim import Claim, ClaimResult
from exactlearn.claims.context import Context
from exactlearn.errors import (
    DegenerateDrawError,
    NotAttentionError,
    OverBudgetError,
    PrecisionTooLowError,
    UndecidedError,
    UnluckyPrimeError,
)
from exactlearn.layers.canonical import canonical_layer, evaluate_layer, same_layer
from exactlearn.layers.learner import ScheduledResult, learn_with_schedule
from exactlearn.layers.oracle import vector_oracle_of
from exactlearn.model import AttentionLayer, LayerHead, TokenSequence
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

SCHEDULES = ("paper", "lean", "adaptive")
_SEQUENCES = 6
_SEEDS = 20
_UNDECIDED = (DegenerateDrawError, OverBudgetError, PrecisionTooLowError, UndecidedError, UnluckyPrimeError)


@dataclass(frozen=True)
class LayerInstance:
    """One layer; runs of the learner are shared by the claims about it."""

    model: AttentionLayer
    seed: int = 0
    _runs: dict[tuple[str, int, int], ScheduledResult] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def canonical(self) -> AttentionLayer:
        """The canonical form."""
        return canonical_layer(self.model)

    @property
    def heads(self) -> int:
        """H, the number of canonical heads."""
        return len(self.canonical.heads)

    def run(self, schedule: str, heads: int | None = None, seed: int | None = None) -> ScheduledResult:
        """The learner's run on the raw layer; raises what the learner raises."""
        told, used = self.heads if heads is None else heads, self.seed if seed is None else seed
        key = (schedule, told, used)
        if key not in self._runs:
            self._runs[key] = learn_with_schedule(vector_oracle_of(self.model), schedule, heads=told, seed=used)
        return self._runs[key]

    @cached_property
    def coordinate(self) -> Context:
        """The first coordinate as an attention model on tokens [x, 1]."""
        return Context(self.model.reading(0), self.seed)

    def sequences(self) -> list[TokenSequence]:
        """Seeded random sequences of lengths 1 to 3."""
        generator, multiple = random.Random(f"layer {self.seed}"), vector_oracle_of(self.model).place.token_multiple
        return [
            tuple(
                tuple(fmpq(multiple * generator.randint(-3, 3)) for _ in range(self.model.dim))
                for _ in range(1 + n % 3)
            )
            for n in range(_SEQUENCES)
        ]

    @property
    def altered(self) -> AttentionLayer:
        """The canonical layer with one number of V, or of s, changed."""
        heads, s = list(self.canonical.heads), list(self.canonical.s)
        if not heads:
            return self.canonical.with_heads([], [s[0] + 1, *s[1:]])
        first = heads[0]
        V = [[first.V[0][0] + 1, *first.V[0][1:]], *first.V[1:]]
        return self.canonical.with_heads([LayerHead(first.W, first.p, V), *heads[1:]], s)


def _canonical(instance: LayerInstance) -> Verdict:
    """The canonical form is the same function, decided symbolically; another canonical form is another function."""
    verdict = _agrees(instance, instance.canonical)
    if isinstance(verdict, Fails):
        return verdict
    other = same_layer(instance.model, instance.altered)
    if not isinstance(other, Fails):
        return Fails(None, "a layer with another canonical form is said to be the same function")
    if evaluate_layer(instance.model, other.witness) == evaluate_layer(instance.altered, other.witness):
        return Fails(other.witness, "the separating sequence does not separate")
    return Holds(
        f"the canonical layer has the same values on {_SEQUENCES} random sequences, decided symbolically; with one "
        "number changed a separating sequence was found and evaluated"
    )


def _canonical_control(instance: LayerInstance) -> Verdict:
    verdict = same_layer(instance.model, instance.altered)
    return verdict if isinstance(verdict, Fails) else Holds("changing one number changes nothing")


def _agrees(instance: LayerInstance, other: AttentionLayer) -> Verdict:
    for tokens in instance.sequences():
        if evaluate_layer(instance.model, tokens) != evaluate_layer(other, tokens):
            return Fails(tokens, "the values differ here")
    return Holds("equal values")


def _recovery(instance: LayerInstance) -> Verdict:
    for schedule in SCHEDULES:
        result = instance.run(schedule)
        if result.model != instance.canonical:
            return Fails(None, f"the schedule {schedule} found another layer (seed {instance.seed})")
    verdict = _agrees(instance, instance.canonical)
    if isinstance(verdict, Fails):
        return verdict
    names = ", ".join(SCHEDULES)
    return Holds(
        f"{instance.heads} heads, p, V and s from value queries with the schedules {names} (seed {instance.seed}): "
        "equal to the canonical layer, number for number"
    )


def _recovery_control(instance: LayerInstance) -> Verdict:
    """One head fewer than there are is told."""
    try:
        result = instance.run("paper", heads=instance.heads - 1)
    except (NotAttentionError, DegenerateDrawError) as error:
        return Fails(None, f"told {instance.heads - 1} heads, the learner refuses: {error}")
    if result.model != instance.canonical:
        return Fails(None, "told one head fewer, the learner finds another layer")
    return Holds("told one head fewer, the learner finds the layer")


def _counts(instance: LayerInstance, *, change: int = 0) -> Verdict:
    """The counts of the oracle against the formulas, written out here once more."""
    H, d = instance.heads, instance.model.dim
    paper, lean = instance.run("paper"), instance.run("lean")
    expected = 1 + 2 * H * (2 * d**2 + 2 * d - 1) + change
    if paper.queries != expected:
        return Fails(paper.queries, f"the paper's schedule asked {paper.queries} queries, not {expected}")
    tied = len(lean.tied_rows)
    expected = 1 + 2 * H * (2 * d - 1) + max(2 * H - 1, 0) * d * (d + tied)
    if lean.queries != expected:
        return Fails(lean.queries, f"the schedule lean asked {lean.queries} queries, not {expected}")
    if not paper.max_length == lean.max_length == 2 * H + 1:
        return Fails(paper.max_length, "the longest sequence has not 2H + 1 tokens")
    return Holds(
        f"counted by the oracle: paper 1 + 2H(2d^2 + 2d - 1) = {paper.queries}, lean 1 + 2H(2d - 1) + (2H - 1) d "
        f"(d + rows with ties) = {lean.queries}, the longest sequence 2H + 1 = {paper.max_length} tokens"
    )


def _matching(instance: LayerInstance) -> Verdict:
    """The matches of the run are those of the canonical heads: else V or W would mix two heads."""
    result = instance.run("paper")
    found = {(head.W, head.p) for head in result.model.heads if isinstance(head, LayerHead)}
    if found != {(head.W, head.p) for head in instance.canonical.heads}:
        return Fails(None, "a head found mixes two heads")
    return Holds("t(x, 2 y_j - y_0) t(x, y_0) = t(x, y_j)^2 matched the right heads: no (W, p) found mixes two")


def _matching_control(instance: LayerInstance) -> Verdict:
    """Two heads exchange p, as a false match in the last column would have it."""
    first, second, *rest = instance.canonical.heads
    mixed = [LayerHead(first.W, second.p, first.V), LayerHead(second.W, first.p, second.V), *rest]
    verdict = same_layer(instance.canonical, instance.canonical.with_heads(mixed, instance.canonical.s))
    return verdict if isinstance(verdict, Fails) else Holds("exchanging p between two heads changes nothing")


def _probability_one(instance: LayerInstance) -> Verdict:
    """One good draw shows that no genericity polynomial is the zero polynomial; how many are good is observed."""
    runs = [instance.run("paper", seed=instance.seed + n) for n in range(_SEEDS)]
    if any(run.model != instance.canonical for run in runs):
        return Fails(None, "a run found another layer")
    bad = sum(bool(run.rejections) for run in runs)
    return Holds(
        "an accepted draw is a point where no genericity polynomial vanishes (images that differ are of numbers that "
        "differ), so none is the zero polynomial and bad draws have measure zero; observed: "
        f"{bad} of {_SEEDS} seeded draws had a bad token"
    )


def _probability_one_control(instance: LayerInstance) -> Verdict:
    """For a layer with a head written twice, told as two, no draw is good."""
    first = instance.canonical.heads[0]
    twice = instance.canonical.with_heads([*instance.canonical.heads, first], instance.canonical.s)
    try:
        learn_with_schedule(vector_oracle_of(twice), "paper", heads=instance.heads + 1, seed=instance.seed)
    except (DegenerateDrawError, NotAttentionError) as error:
        return Fails(None, f"with two heads of equal (W, p) every draw is bad: {error}")
    return Holds("a draw was good")


@dataclass(frozen=True)
class _Part:
    name: str
    statement: str
    altered: str
    check: Callable[[LayerInstance], Verdict]
    control: Callable[[LayerInstance], Verdict]
    least_heads: int = 0
    needs_p: bool = False


def _on_coordinate(claim: Claim) -> _Part:
    """A claim about attention models, on the layer's first coordinate in homogeneous coordinates."""

    def run(check: Callable[[Context], Verdict], instance: LayerInstance) -> Verdict:
        return check(instance.coordinate)

    where = " (on the first coordinate, tokens [x, 1])"
    return _Part(
        claim.name,
        claim.statement + where,
        claim.altered + where,
        lambda instance: run(claim.check, instance),
        lambda instance: run(claim.control, instance),
    )


_BORROWED = (rational_form.CLAIM, determination.CLAIM, merging.CLAIM)
PARTS: tuple[_Part, ...] = (
    _Part(
        "canonical",
        "two layers are the same function exactly when their canonical forms agree: distinct (W, p), no V zero, one s",
        "the same with one number of V changed",
        _canonical,
        _canonical_control,
    ),
    _Part(
        "matching",
        "the sum probes with the final token 2 y_j - y_0 match the right heads",
        "the same with p exchanged between two heads",
        _matching,
        _matching_control,
        least_heads=2,
        needs_p=True,
    ),
    _Part(
        "recovery",
        "value queries alone give every canonical head (W, p, V) and s",
        "the same, told one head fewer",
        _recovery,
        _recovery_control,
        least_heads=1,
    ),
    _Part(
        "query-count",
        "1 + 2H(2d^2 + 2d - 1) queries of at most 2H + 1 tokens; lean 1 + 2H(2d - 1) + (2H - 1) d^2 without ties",
        "one query more",
        _counts,
        lambda instance: _counts(instance, change=1),
    ),
    _Part(
        "probability-one",
        "almost every draw is good",
        "the same for a head that is written twice and told as two",
        _probability_one,
        _probability_one_control,
        least_heads=1,
    ),
)
"""What is about layers themselves; the claims borrowed from attention models come before."""


def verify_layer(layer: AttentionLayer, *, seed: int = 0, is_control: bool = False) -> tuple[ClaimResult, ...]:
    """Every claim that applies to a layer, checked on it; or the negative controls, each of which must fail."""
    instance = LayerInstance(layer, seed)
    borrowed = [_on_coordinate(claim) for claim in _BORROWED if claim.applies(instance.coordinate)]
    return tuple(
        _result(part, instance, is_control=is_control) for part in (*borrowed, *PARTS) if _applies(part, instance)
    )


def _applies(part: _Part, instance: LayerInstance) -> bool:
    if instance.heads < part.least_heads:
        return False
    return not part.needs_p or instance.canonical.heads[0].p != instance.canonical.heads[1].p


def _result(part: _Part, instance: LayerInstance, *, is_control: bool) -> ClaimResult:
    started = time.perf_counter()
    try:
        verdict = (part.control if is_control else part.check)(instance)
    except NotAttentionError as error:
        verdict = Fails(None, str(error))
    except _UNDECIDED as error:
        verdict = Undecided(str(error))
    statement = part.altered if is_control else part.statement
    why = verdict.why if isinstance(verdict, Holds | Fails | Undecided) else ""
    return ClaimResult(part.name, statement, verdict, why, time.perf_counter() - started)
