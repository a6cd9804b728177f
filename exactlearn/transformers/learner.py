"""The learner of one-layer Transformers, from value queries alone (DESIGN section 9): reads like its four steps.

1. The odd part f(X) - f(-X) is an attention model, learned by the schedule of the paper.
2. The even part on single tokens along a random line shows a kink for every unit.
3. Its gradients between the kinks give the sign s_j and the direction m_j of every unit.
4. In each cell but the last the poles are known, and H values give all residues linearly; they give every w_hj.
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
from exactlearn.transformers.black_box import transformer_black_box
from exactlearn.transformers.canonical import (
    TransformerForm,
    TransformerUnit,
    in_order,
    normalized,
    transformer_of,
    unit_of,
)
from exactlearn.transformers.cells import CELLS, HIDDEN, SEARCH, Cell, CellReader, unit_values
from exactlearn.transformers.kinks import STEP, EvenAlongLine, Kink, Line, find_kinks, just_below, points_between
from exactlearn.transformers.oracle import OddPart, TransformerOracle, negated

AUDIT = "audit"
MOST_DIGITS = 640
MOST_UNITS = 64
LINE_BOX = 1000
RANDOM_AUDITS = 40


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
    form = TransformerForm(odd, _units(oracle, odd, cells, signs, ring, generator))
    model, is_units_alone = transformer_of(form)
    _audit(oracle, model, line, kinks, generator, ring)
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
        predicted_cell_queries=2 * len(kinks) * oracle.dim * (len(odd.heads) + 1) if odd.heads else 0,
        max_length=max(odd_result.max_length, len(odd.heads) + 2 if kinks and odd.heads else 0),
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


def _units(
    oracle: TransformerOracle,
    odd: MultiHeadAttention,
    cells: list[Cell],
    signs: list[int],
    ring: ResidueRing,
    generator: random.Random,
) -> tuple[TransformerUnit, ...]:
    """The units from their cells."""
    if not cells:
        return ()
    if not odd.heads:
        raise ConditionFailsError(HIDDEN)
    X, scales = _small_tokens(oracle, generator)
    reader = CellReader(oracle, odd, X, scales)
    found = []
    for values, sign in zip(unit_values(reader, cells, signs, ring, MOST_DIGITS), signs, strict=True):
        heads = [Head(head.W, v) for head, v in zip(odd.heads, values, strict=True)]
        direction, length = normalized(canonical_form(odd.with_heads(heads)))
        found.append(unit_of(direction, sign * length))
    return in_order(found)


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


def _audit(
    oracle: TransformerOracle,
    model: Transformer,
    line: Line,
    kinks: list[Kink],
    generator: random.Random,
    ring: ResidueRing,
) -> None:
    """Random sequences of several lengths, and sequences around every kink, where parallel units would part.

    Raises:
        ConditionFailsError: When the recovered Transformer has another value.
    """
    box = transformer_black_box(model)
    multiple, size = oracle.place.token_multiple, 3
    sequences = []
    for n in range(RANDOM_AUDITS):
        final = tuple(generator.randint(-size, size) for _ in range(oracle.dim))
        sequences.append(_around(final, 1 + n % 5, multiple, size, generator))
    for kink in kinks:
        final, _ = line.at(just_below(kink.tau))
        if not oracle.place.answers_are_exact or max(map(abs, final)) < LARGEST_AUDITED:
            sequences += [_around(final, length, multiple, size, generator) for length in (2, 2, 3, 4)]
    for sequence in sequences:
        answers = [oracle.value(sequence, ring, AUDIT), box.value(sequence, ring)]
        if answers[0] != answers[1]:
            raise ConditionFailsError(DIFFERS)


LARGEST_AUDITED = 400
DIFFERS = (
    "the Transformer that fits the probes differs elsewhere: two units whose m_j are parallel, a unit with z_j not zero "
    "but m_j zero, or a head whose odd part is zero"
)


def _around(
    final: IntegerToken, length: int, multiple: int, size: int, generator: random.Random
) -> tuple[IntegerToken, ...]:
    """A sequence of tokens near its final token."""
    others = [tuple(entry + multiple * generator.randint(-size, size) for entry in final) for _ in range(length - 1)]
    return (*others, final)
