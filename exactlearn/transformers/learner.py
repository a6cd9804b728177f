"""The learner of one-layer Transformers, from value queries alone (DESIGN section 9): reads like its four steps.

1. The odd part f(X) - f(-X) is an attention model, learned by the schedule of the paper.
2. The even part on single tokens along a random line shows a kink for every unit.
3. Its gradients between the kinks give the sign s_j and the direction m_j of every unit.
4. In each cell but the last the poles are known, and H values give all residues linearly; they give every w_hj.
   Heads whose odd part is zero are learned inside a cell where they show.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from flint import fmpq, fmpz_mat

from exactlearn.canonical import canonical_form
from exactlearn.errors import ConditionFailsError, PrecisionTooLowError
from exactlearn.fields.scalars import Scalar
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, Transformer
from exactlearn.oracle import Oracle
from exactlearn.places.protocol import IntegerToken
from exactlearn.places.residues import ResidueRing
from exactlearn.transformers.auditing import AUDIT, audit_transformer
from exactlearn.transformers.canonical import (
    TransformerForm,
    TransformerUnit,
    in_order,
    normalized,
    transformer_of,
    unit_of,
)
from exactlearn.transformers.cells import CELLS, HIDDEN, SEARCH, Cell, CellReader, HiddenHeadError, unit_values
from exactlearn.transformers.hidden_heads import heads_in_cell
from exactlearn.transformers.kinks import STEP, EvenAlongLine, Kink, Line, find_kinks, points_between
from exactlearn.transformers.oracle import OddPart, TransformerOracle, negated

MOST_DIGITS = 640
MOST_UNITS = 64
LINE_BOX = 1000


@dataclass(frozen=True)
class TransformerResult:
    """What `learn_transformer` found, and how.

    Attributes:
        form: The canonical form that was recovered.
        model: An equivalent Transformer.
        is_units_alone: Whether `model` needs no units for a linear part.
        odd_queries, cell_queries: Value queries for the odd part and in the cells; equal to those predicted.
        search_queries: Value queries for kinks, gradients and cells that turned out too narrow: not predicted.
        audit_queries: Asked afterwards, counted apart.
        heads_in_cells: Heads with no odd part, learned inside cells; what they took belongs to the search.
        max_length: Tokens in the longest query of the odd part and the cells.
        kinks: Along `line`, in order; they belong to the units in the order found.
    """

    form: TransformerForm
    model: Transformer
    is_units_alone: bool
    odd_queries: int
    cell_queries: int
    search_queries: int
    audit_queries: int
    predicted_odd_queries: int
    predicted_cell_queries: int
    heads_in_cells: int
    max_length: int
    predicted_max_length: int
    place: str
    seed: int
    line: Line
    kinks: tuple[Kink, ...]
    oracle_seconds: float = field(repr=False, compare=False)
    learner_seconds: float = field(repr=False, compare=False)

    @property
    def queries(self) -> int:
        """All value queries but those of the audit."""
        return self.odd_queries + self.cell_queries + self.search_queries


def learn_transformer(
    oracle: TransformerOracle,
    *,
    heads: int | None = None,
    max_heads: int | None = None,
    max_units: int = MOST_UNITS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> TransformerResult:
    """Recover a Transformer as a function.

    Args:
        oracle: The black box.
        heads: The number H of canonical heads of the odd part; this or `max_heads`, an upper bound.
        max_heads: See `heads`.
        max_units: An upper bound on the number of units that can be told apart.
        seed: All draws come from it.
        progress: As for `learn`, of the odd part.

    Raises:
        ConditionFailsError: When a condition of the method fails; it is named.
        NotAttentionError, DegenerateDrawError: From the odd part.
    """
    started = time.perf_counter()
    odd_oracle = Oracle(oracle.place, oracle.dim, OddPart(oracle))
    odd_result = learn(odd_oracle, heads=heads, max_heads=max_heads, seed=seed, progress=progress)
    odd = odd_result.model
    generator = random.Random(f"units {seed}")
    ring = odd_result.ring
    single = _SingleTokens(oracle, ring)
    line = _line(oracle.dim, generator)
    along = EvenAlongLine(single, line)
    kinks = find_kinks(along, generator, max_units)
    cells = [_cell(along, tau) for tau in points_between(kinks)]
    signs = [1 if kink.jump > 0 else -1 for kink in kinks]
    _check_gradients(cells, kinks, line)
    units, known, longest = _units(oracle, odd, cells, signs, ring, generator, seed)
    form = TransformerForm(odd, units)
    model, is_units_alone = transformer_of(form)
    audit_transformer(oracle, model, line, kinks, generator, ring)
    H = (odd_result.predicted_max_length - 1) // 2
    seconds = time.perf_counter() - started
    return TransformerResult(
        form=form,
        model=model,
        is_units_alone=is_units_alone,
        odd_queries=2 * odd_result.queries,
        cell_queries=oracle.counts.get(CELLS, 0),
        search_queries=oracle.counts.get(SEARCH, 0) + _wasted(oracle, odd_result.queries),
        audit_queries=oracle.counts.get(AUDIT, 0),
        predicted_odd_queries=2 * odd_result.predicted_queries,
        predicted_cell_queries=2 * len(kinks) * oracle.dim * (len(known.heads) + 1),
        heads_in_cells=len(known.heads) - len(odd.heads),
        max_length=max(odd_result.max_length, longest),
        predicted_max_length=2 * H + 1,
        place=oracle.place.name,
        seed=seed,
        line=line,
        kinks=tuple(kinks),
        oracle_seconds=oracle.seconds,
        learner_seconds=seconds - oracle.seconds,
    )


def _wasted(oracle: TransformerOracle, odd_queries: int) -> int:
    """Queries of the odd part's redraws and audits: part of the search here."""
    return oracle.counts.get("odd", 0) - 2 * odd_queries


class _SingleTokens:
    """E on one token, as a rational: exact, or read from its residue with as many digits as it takes."""

    def __init__(self, oracle: TransformerOracle, ring: ResidueRing) -> None:
        self._oracle, self._ring = oracle, ring

    def __call__(self, token: IntegerToken) -> Scalar:
        field = self._ring.number_field
        numbers = 1 if field is None else field.degree + 1
        bits = numbers * (max(entry.bit_length() for entry in token) + 600)
        ring = self._ring.with_digits(max(self._ring.digits, bits // self._ring.prime.bit_length() + 1))
        while True:
            answers = [self._oracle.value([one], ring, SEARCH) for one in (token, negated(token))]
            if self._oracle.place.answers_are_exact:
                return answers[0] + answers[1]
            try:
                return ring.read_numbers([(answers[0] + answers[1]) % ring.modulus], ring.modulus)[0]
            except PrecisionTooLowError:
                if 2 * ring.digits > MOST_DIGITS:
                    raise ConditionFailsError(
                        "the values on single tokens are no exact numbers of reasonable length"
                    ) from None
                ring = ring.finer()


def _line(dim: int, generator: random.Random) -> Line:
    """A random line; not through 0 unless d = 1."""
    while True:
        p, q = (tuple(generator.randint(-LINE_BOX, LINE_BOX) for _ in range(dim)) for _ in range(2))
        if all(q) and (dim == 1 or fmpz_mat([list(p), list(q)]).rank() == 2):
            return Line(p, q)


def _cell(along: EvenAlongLine, tau: fmpq) -> Cell:
    """The cell with the point at tau: the gradient by small steps along the axes."""
    inside, _ = along.line.at(tau)
    value = along.on_token(inside)
    shift = int(1 / STEP)
    gradient = []
    for axis in range(len(inside)):
        # E is homogeneous: E(inside + step e) = step E(inside / step + e)
        token = tuple(shift * entry + int(axis == a) for a, entry in enumerate(inside))
        gradient.append(along.on_token(token) - shift * value)
    return Cell(inside, tuple(gradient))


def _check_gradients(cells: list[Cell], kinks: list[Kink], line: Line) -> None:
    """The gradients along the line jump as the slopes do; otherwise there are kinks nearer than the steps."""
    slopes = [sum((g * q for g, q in zip(cell.gradient, line.q, strict=True)), fmpq(0)) for cell in cells]
    following = [*slopes[1:], *(-slope for slope in slopes[:1])]
    if any(after - before != kink.jump for before, after, kink in zip(slopes, following, kinks, strict=True)):
        raise ConditionFailsError("kinks of the even part lie too close to each other to be told apart")


def _units(  # noqa: PLR0917  # one step, its state handed over
    oracle: TransformerOracle,
    odd: MultiHeadAttention,
    cells: list[Cell],
    signs: list[int],
    ring: ResidueRing,
    generator: random.Random,
    seed: int,
) -> tuple[tuple[TransformerUnit, ...], MultiHeadAttention, int]:
    """The units from their cells, the heads seen there or in the odd part, and the longest sequence of that."""
    if not cells:
        return (), odd, 0
    X, scales = _small_tokens(oracle, generator)
    known, longest = odd, 0
    for _ in range(len(cells) + 1):
        try:
            if not known.heads:
                raise HiddenHeadError(cells[0])  # noqa: TRY301  # as when a cell shows more heads than are known
            values = unit_values(CellReader(oracle, known, X, scales), cells, signs, ring, MOST_DIGITS)
            break
        except HiddenHeadError as hidden:
            oracle.recount(CELLS, SEARCH)
            known, tokens = _with_heads_in_cell(oracle, known, hidden.cell, generator, seed)
            longest = max(longest, tokens)
    else:
        raise ConditionFailsError(HIDDEN)
    found = []
    for rows, s in zip(values, signs, strict=True):
        heads = [Head(head.W, v) for head, v in zip(known.heads, rows, strict=True)]
        direction, length = normalized(canonical_form(known.with_heads(heads)))
        found.append(unit_of(direction, length * s))
    return in_order(found), known, max(longest, len(known.heads) + 2)


def _with_heads_in_cell(
    oracle: TransformerOracle, known: MultiHeadAttention, cell: Cell, generator: random.Random, seed: int
) -> tuple[MultiHeadAttention, int]:
    """The known heads and those that this cell shows beside them."""
    seen, longest = heads_in_cell(oracle, cell, len(known.heads), generator, seed)
    weights = {head.W for head in known.heads}
    new = [head for head in seen.heads if head.W not in weights]
    if not new:
        raise ConditionFailsError(HIDDEN)
    return known.with_heads([*known.heads, *new]), longest


def _small_tokens(oracle: TransformerOracle, generator: random.Random) -> tuple[list[IntegerToken], list[int]]:
    """x_1..x_d and how far out the final tokens are tried; at the p-adic place size costs nothing."""
    exact, dim = oracle.place.answers_are_exact, oracle.dim
    box, multiple = (2 if exact else 1000), oracle.place.token_multiple
    X: list[IntegerToken] = []
    while len(X) < dim:
        token = tuple(multiple * generator.randint(-box, box) for _ in range(dim))
        if fmpz_mat([list(x) for x in [*X, token]]).rank() == len(X) + 1:
            X.append(token)
    return X, [4**n for n in range(8)] if exact else [10 ** (6 + 6 * n) for n in range(4)]
