"""The learner at full size: an affine attention layer from value queries, to the last bit, over worker processes."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from flint import fmpz_mat

from exactlearn.errors import NotAttentionError, PrecisionTooLowError, UnluckyPrimeError, UnusableInputError
from exactlearn.full_size.assembly import unpack_matrix
from exactlearn.full_size.audit import audit_layer
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.layer import AffineHead, AffineLayer
from exactlearn.full_size.plan import BlackBoxSource, Plan
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.full_size.schedules import BRIDGE, RANK_PROBE, X_INVERSE, Y_INVERSE, ZERO, LayerSchedule
from exactlearn.full_size.state import StateFolder, unpack
from exactlearn.full_size.work import Cost, Task, Worker, cost_of, read_block
from exactlearn.full_size.workers import Workers, default_workers
from exactlearn.model import ONE, Unit
from exactlearn.places.residues import DIGITS, ResidueRing

MAX_DIGITS = 40
"""Digits base p, of 61 bits, after which numbers are held to be no rationals of any use: about 2,400 bits."""

MAX_PRIMES = 4
"""A collapse modulo this many primes in a row is no accident of the prime."""


@dataclass(frozen=True)
class LayerQuestion:
    """What is known before: the shape of the layer, how many heads it has, and the unit of its scores."""

    dim: int
    outputs: int
    heads: int
    unit: Unit = ONE


@dataclass(frozen=True)
class LayerResult:
    """The recovered layer and what it took.

    Attributes:
        layer: The layer, heads in the order in which row 0 showed them.
        queries: Value queries asked, each counted once however often a killed run asked it again.
        predicted_queries: What the schedule predicts.
        max_length: Tokens in the longest.
        predicted_max_length: What the schedule predicts.
        audit_queries: Queries beyond the schedule that test the result.
        schedule: Its name.
        seed: The draw's.
        ring: Z/p^k in which the layer was read.
        resumed_blocks: Pieces of work that an earlier run had left.
        oracle_seconds: Processor time inside the black box, over all processes and runs.
        learner_seconds: Processor time of the learner itself, likewise.
        wall_seconds: Time since this run began.
    """

    layer: AffineLayer
    queries: int
    predicted_queries: int
    max_length: int
    predicted_max_length: int
    audit_queries: int
    schedule: str
    seed: int
    ring: ResidueRing
    resumed_blocks: int
    oracle_seconds: float
    learner_seconds: float
    wall_seconds: float


Progress = Callable[[int, int], None]
"""Called with (queries answered, queries in all)."""


def learn_layer(
    source: BlackBoxSource,
    question: LayerQuestion,
    schedule: LayerSchedule,
    *,
    seed: int = 0,
    workers: int | None = None,
    state: Path | None = None,
    label: str = "",
    progress: Progress | None = None,
) -> LayerResult:
    """Recover (W_h, p_h, V_h) of every head, and s, from value queries alone.

    Args:
        source: Makes the black box in each worker; nothing else is known of the layer.
        question: Its shape and number of heads.
        schedule: Which probes are asked.
        seed: Draws and the prime come from it.
        workers: Processes; left out, one for each processor.
        state: A folder that keeps finished pieces; the same call goes on where an earlier one was stopped.
        label: Names the black box in the state, so that a state is not continued with another one.
        progress: Called after every piece of work.

    Raises:
        NotAttentionError: When the answers are not those of such a layer, or a head has a larger rank than assumed.
        DegenerateDrawError: When the draw is bad; another seed helps.
        UnusableInputError: For arguments out of range, and a state folder that cannot be used.
    """
    if question.heads < 1:
        raise UnusableInputError("a layer has at least one head", "heads")
    workers = default_workers() if workers is None else workers
    if workers < 1:
        raise UnusableInputError("at least one worker is needed", "workers")
    draw = LayerDraw(question.dim, question.outputs, question.heads, seed)
    ring = ResidueRing.seeded(seed, DIGITS)
    with contextlib.ExitStack() as stack:
        if state is None:
            state = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="exactlearn-")))
        else:
            stack.enter_context(StateFolder(state).opened({"label": label, "seed": seed, "schedule": schedule.name}))
        primes = 1
        while True:
            folder = state / f"prime-{primes}-digits-{ring.digits}"
            plan = Plan(source, draw, ring.prime, ring.digits, schedule, str(folder))
            try:
                with StateFolder(folder).opened(plan.manifest(label)):
                    return _Run(plan, question, workers, progress).learn()
            except PrecisionTooLowError:
                ring = ring.finer()
                if ring.digits > MAX_DIGITS:
                    raise NotAttentionError("the parameters that fit the answers are no rational numbers") from None
            except UnluckyPrimeError as error:
                ring, primes = ring.with_next_prime(), primes + 1
                if primes > MAX_PRIMES:
                    raise NotAttentionError(f"modulo every prime tried: {error}") from None


@dataclass
class _Run:
    plan: Plan
    question: LayerQuestion
    workers: int
    progress: Progress | None
    resumed: int = 0
    answered: int = 0
    started: float = field(default_factory=time.perf_counter)

    def learn(self) -> LayerResult:
        plan = self.plan
        with contextlib.closing(Workers(plan, self.workers)) as pool:
            for tasks in self._stages():
                self._work_off(pool, tasks)
        before = time.process_time()
        layer = self._layer()
        own = Worker(plan).black_box
        audit_layer(own, layer, plan)
        learner = time.process_time() - before - own.seconds
        costs = {task: cost_of(plan, task.name) for tasks in self._stages() for task in tasks}
        aside = costs.pop(Task(RANK_PROBE), Cost())
        return LayerResult(
            layer=layer,
            queries=sum(cost.queries for cost in costs.values()),
            predicted_queries=plan.schedule.predicted_queries,
            max_length=max(cost.max_length for cost in costs.values()),
            predicted_max_length=plan.schedule.predicted_max_length,
            audit_queries=own.queries + aside.queries,
            schedule=plan.schedule.name,
            seed=plan.draw.seed,
            ring=plan.ring,
            resumed_blocks=self.resumed,
            oracle_seconds=sum(c.oracle_seconds for c in (*costs.values(), aside)) + own.seconds,
            learner_seconds=sum(c.learner_seconds for c in (*costs.values(), aside)) + learner,
            wall_seconds=time.perf_counter() - self.started,
        )

    def _stages(self) -> Iterator[list[Task]]:
        """What can be done side by side; each stage needs the one before."""
        schedule = self.plan.schedule
        first, *others = schedule.blocks_of_column_zero()
        yield [Task(X_INVERSE), Task(Y_INVERSE), Task(ZERO)]
        yield [Task("rows", first)]
        yield [Task("rows", block) for block in others]
        yield [Task(BRIDGE)]
        columns = [Task("columns", block) for block in schedule.blocks_of_columns()]
        yield columns if schedule.rank is None else [*columns, Task(RANK_PROBE)]
        yield [Task("head", head=h) for h in range(self.question.heads)]

    def _work_off(self, pool: Workers, tasks: list[Task]) -> None:
        missing = []
        for task in tasks:
            if self.plan.state.has(task.name):
                self.resumed += 1
                self._advance(task)
            else:
                missing.append(task)
        for task in pool.run(missing):
            self._advance(task)

    def _advance(self, task: Task) -> None:
        if task.block is not None:
            self.answered += self.plan.schedule.queries_of(task.block)
        elif task.kind == ZERO:
            self.answered += 1
        if self.progress is not None:
            self.progress(self.answered, self.plan.schedule.predicted_queries)

    def _layer(self) -> AffineLayer:
        plan, question = self.plan, self.question
        heads = []
        for h in range(question.heads):
            scores, rest = unpack_matrix(read_block(plan, Task("head", head=h).name))
            heads.append(AffineHead(scores, unpack_matrix(rest)[0]))
        return AffineLayer(tuple(heads), self._constant(heads), question.dim, question.unit)

    def _constant(self, heads: list[AffineHead]) -> ScaledMatrix:
        """The constant s = f(y_0) - V y_0."""
        ring = self.plan.ring
        numbers = unpack(read_block(self.plan, ZERO), ring.modulus)
        column = fmpz_mat([[entry] for entry in self.plan.draw.ys[0]])
        for head in heads:
            scale = ring.inverse(head.values.denominator)
            shares = (head.values.numerators * column).entries()
            numbers = [(s - v * scale) % ring.modulus for s, v in zip(numbers, shares, strict=True)]
        return ScaledMatrix.read(fmpz_mat([[number] for number in numbers]), ring.modulus)
