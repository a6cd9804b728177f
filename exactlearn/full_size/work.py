"""The pieces of work of a run, done in whichever process: each reads finished blocks, asks, and leaves one block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from flint import fmpz, fmpz_mat

from exactlearn.full_size.assembly import HeadAssembly, pack_matrix
from exactlearn.full_size.black_box import LayerBlackBox, Look
from exactlearn.full_size.bridge import Bridge
from exactlearn.full_size.column_zero import ColumnZero, RowFormat
from exactlearn.full_size.columns import Columns
from exactlearn.full_size.parity import Parity
from exactlearn.full_size.plan import Plan
from exactlearn.full_size.schedules import BRIDGE, RANK_PROBE, X_INVERSE, Y_INVERSE, ZERO, Block
from exactlearn.full_size.state import pack, unpack
from exactlearn.interpolation import PolesAndResidues

COST_BYTES = 32


@dataclass(frozen=True)
class Cost:
    """What a piece of work took: processor seconds, queries, and the length of the longest."""

    oracle_seconds: float = 0.0
    learner_seconds: float = 0.0
    queries: int = 0
    max_length: int = 0

    def packed(self) -> bytes:
        """As four numbers of 8 bytes, the times in microseconds."""
        numbers = (int(1e6 * self.oracle_seconds), int(1e6 * self.learner_seconds), self.queries, self.max_length)
        return b"".join(number.to_bytes(8, "little") for number in numbers)

    @classmethod
    def unpacked(cls, content: bytes) -> Cost:
        """From the first bytes of a block."""
        oracle, learner, queries, length = (int.from_bytes(content[at : at + 8], "little") for at in (0, 8, 16, 24))
        return cls(oracle / 1e6, learner / 1e6, queries, length)


@dataclass(frozen=True)
class Task:
    """What to do: a kind, and the block or head that it is about."""

    kind: str
    block: Block | None = None
    head: int = 0

    @property
    def name(self) -> str:
        """The name of the block that it leaves."""
        if self.block is not None:
            return self.block.name
        return f"head-{self.head:04d}" if self.kind == "head" else self.kind


@dataclass
class Worker:
    """One process's share of a run: what it has made for itself is kept here."""

    plan: Plan
    _kept: dict[str, fmpz_mat] = field(default_factory=dict)

    def run(self, task: Task) -> None:
        """Do a task and leave its block, with what it took in front."""
        before, asked = time.process_time(), self._asked()
        content = self._content(task)
        total, now = time.process_time() - before, self._asked()
        oracle = now.oracle_seconds - asked.oracle_seconds
        cost = Cost(oracle, max(total - oracle, 0), now.queries - asked.queries, now.max_length)
        self.plan.state.write(task.name, cost.packed() + content)

    @cached_property
    def black_box(self) -> LayerBlackBox:
        """The layer that is asked; to make it is the black box's own time."""
        started = time.process_time()
        made = self.plan.source()
        made.seconds += time.process_time() - started
        return made

    def _asked(self) -> Cost:
        """What the black box has spent and answered so far."""
        if "black_box" not in self.__dict__:
            return Cost()
        return Cost(self.black_box.seconds, 0, self.black_box.queries, self.black_box.max_length)

    def _content(self, task: Task) -> bytes:
        if task.kind == "rows" and task.block is not None:
            return self._rows(task.block)
        if task.kind == "columns" and task.block is not None:
            return self._columns_of(task.block)
        return self._head(task.head) if task.kind == "head" else self._single(task.kind)

    def _single(self, kind: str) -> bytes:
        ring, draw = self.plan.ring, self.plan.draw
        if kind == ZERO:
            return pack(self._column_zero.at_length_one(), ring.modulus)
        if kind == X_INVERSE:
            return pack(draw.x_inverse(ring).entries(), ring.modulus)
        if kind == Y_INVERSE:
            return pack(draw.y_inverse(ring).entries(), ring.modulus)
        if kind == RANK_PROBE:
            return pack(self._columns.read_one(draw.dim - 1, draw.dim), ring.log_modulus)
        zero = unpack(read_block(self.plan, ZERO), ring.modulus)
        return Bridge.build(draw, ring, zero, _rows_seen(self.plan), self._inverse(X_INVERSE, draw.dim)).packed(ring)

    def _rows(self, block: Block) -> bytes:
        first = None if block.first == 0 else self._first_row
        zeros = unpack(read_block(self.plan, ZERO), self.plan.ring.modulus)
        readings = self._column_zero.read(range(block.first, block.last), zeros, first)
        return b"".join(reading.packed(self.plan.ring) for reading in readings)

    def _columns_of(self, block: Block) -> bytes:
        logs = self._columns.read(range(block.first, block.last), block.rows)
        by_head = [log for h in range(self.plan.draw.heads) for of_row in logs for log in of_row[h]]
        return pack(by_head, self.plan.ring.log_modulus)

    def _head(self, head: int) -> bytes:
        plan = self.plan
        dim = plan.draw.dim
        assembly = HeadAssembly(plan.ring, head, self._inverse(X_INVERSE, dim), self._inverse(Y_INVERSE, dim + 1))
        scores = assembly.scores(plan.schedule, self._bridge, lambda name: read_block(plan, name))
        values = assembly.values(_values_of_head(plan, head))
        return pack_matrix(scores) + pack_matrix(values)

    def _inverse(self, name: str, size: int) -> fmpz_mat:
        if name not in self._kept:
            self._kept[name] = fmpz_mat(size, size, unpack(read_block(self.plan, name), self.plan.ring.modulus))
        return self._kept[name]

    @cached_property
    def _first_row(self) -> PolesAndResidues:
        poles, seen = next(_rows_seen(self.plan))
        return PolesAndResidues(poles, [of_head[0] for of_head in seen.tolist()])

    @cached_property
    def _column_zero(self) -> ColumnZero:
        plan = self.plan
        functional = fmpz_mat(plan.draw.functionals.tolist()[:1])
        return ColumnZero(self.black_box, plan.draw, self.black_box.look(None, plan.ring), functional, plan.ring)

    @cached_property
    def _bridge(self) -> Bridge:
        return Bridge.unpacked(read_block(self.plan, BRIDGE), self.plan.draw, self.plan.ring)

    @cached_property
    def _look(self) -> Look:
        return self.black_box.look(self.plan.draw.functionals, self.plan.ring)

    @cached_property
    def _columns(self) -> Columns:
        plan = self.plan
        parity = Parity(plan.ring, plan.draw.heads, plan.draw.seed)
        return Columns(
            self.black_box, plan.draw, self._look, self._bridge, plan.ring, parity, plan.schedule.single_query
        )


def read_block(plan: Plan, name: str) -> bytes:
    """The content of a finished block without its cost."""
    return plan.state.read(name)[COST_BYTES:]


def cost_of(plan: Plan, name: str) -> Cost:
    """What a finished block took."""
    return Cost.unpacked(plan.state.read(name))


def _format_of(plan: Plan) -> RowFormat:
    return RowFormat(plan.ring, plan.draw.heads, plan.draw.functionals.nrows(), plan.draw.outputs)


def _rows_seen(plan: Plan) -> Iterator[tuple[list[fmpz], fmpz_mat]]:
    """The poles and the P V_h x_i of column 0, row by row."""
    for block in plan.schedule.blocks_of_column_zero():
        yield from _format_of(plan).poles_and_seen(read_block(plan, block.name))


def _values_of_head(plan: Plan, head: int) -> Iterator[list[fmpz]]:
    """V_h x_i of one head, row by row."""
    for block in plan.schedule.blocks_of_column_zero():
        yield from _format_of(plan).values_of_head(read_block(plan, block.name), head)
