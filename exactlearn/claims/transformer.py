"""Claim transformer: it is recovered as a function, of which its canonical form is all there is to know (DESIGN 9)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import fmpq

from exactlearn.certificate.counterexample import transformer_certificate
from exactlearn.claims.claim import ClaimResult
from exactlearn.errors import ConditionFailsError, DegenerateDrawError, NotAttentionError, OverBudgetError
from exactlearn.model import Transformer
from exactlearn.places.field_rings import first_ring
from exactlearn.places.symbolic import evaluate
from exactlearn.transformers.black_box import transformer_black_box
from exactlearn.transformers.canonical import canonical_transformer, transformer_of
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.transformers.learner import TransformerResult, learn_transformer
from exactlearn.transformers.oracle import transformer_oracle
from exactlearn.verdict import Fails, Holds, Undecided, Verdict

CERTIFIED = 12
"""Sequences whose values a certificate holds."""

SEQUENCES = 300
"""Random sequences of lengths 1 to 6 on which the recovered Transformer is compared beside the canonical forms."""


@dataclass(frozen=True)
class TransformerInstance:
    """One Transformer, and what the claims about it share.

    Attributes:
        model: Any exact Transformer; units that cannot be told apart are allowed.
        seed: Every random choice comes from it.
    """

    model: Transformer
    seed: int = 0

    @cached_property
    def learned(self) -> TransformerResult:
        """One run of the learner."""
        heads = len(canonical_transformer(self.model).odd.heads)
        return learn_transformer(transformer_oracle(self.model), heads=heads, seed=self.seed)


    def certificate(self) -> dict[str, Any]:
        """That the Transformer and the learned one are the same function, with values where they are rational."""
        sequences = [tuple(tuple(map(fmpq, x)) for x in tokens) for tokens in _whole_sequences(self, CERTIFIED)]
        return transformer_certificate(self.model, self.learned.model, sequences)


def _negation(instance: TransformerInstance) -> Verdict:
    """f(X) - f(-X) is the odd part's value, exactly, at a few sequences."""
    generator, odd = random.Random(f"negation {instance.seed}"), instance.model.odd_part
    checked = 0
    for n in range(1, 4):
        tokens = _tokens(instance.model, n, generator)
        negated = tuple(tuple(-a for a in token) for token in tokens)
        difference = evaluate_transformer(instance.model, tokens) - evaluate_transformer(instance.model, negated)
        if difference != evaluate(odd, tokens):
            return Fails(tokens, "f(X) - f(-X) is not sum_j u_j z_j(X) here")
        checked += 1
    return Holds(f"decided symbolically on {checked} random sequences of lengths 1 to 3")


def _negation_control(instance: TransformerInstance) -> Verdict:
    """Only the final token is negated."""
    generator, odd = random.Random(f"negation {instance.seed}"), instance.model.odd_part
    for n in range(2, 8):
        tokens = _tokens(instance.model, n, generator)
        turned = (*tokens[:-1], tuple(-a for a in tokens[-1]))
        if evaluate_transformer(instance.model, tokens) - evaluate_transformer(instance.model, turned) != evaluate(
            odd, tokens
        ):
            return Fails(tokens, "with the final token alone negated the difference is another")
    return Holds("no sequence was found")


def _recovery(instance: TransformerInstance) -> Verdict:
    """Canonical forms equal; exact agreement on random sequences."""
    try:
        result = instance.learned
    except (NotAttentionError, DegenerateDrawError) as error:
        return Fails(None, str(error))
    verdict = same_transformer(instance.model, result.model)
    if isinstance(verdict, Fails):
        return verdict
    if result.odd_queries != result.predicted_odd_queries or result.cell_queries != result.predicted_cell_queries:
        return Fails(None, "the counts are not those of the formulas")
    for tokens in _whole_sequences(instance, SEQUENCES):
        if _differ(instance.model, result.model, tokens):
            return Fails(tokens, "the recovered Transformer has another value here")
    form = result.form
    return Holds(
        f"{len(form.units)} units and {len(form.odd.heads)} heads of the odd part from {result.queries} value queries: "
        f"2(4Hd^2-2H+1) = {result.odd_queries} for the odd part, 2md(H+1) = {result.cell_queries} in the cells, "
        f"{result.search_queries} for the kinks (seed {result.seed}); equal canonical forms, and equal values on "
        f"{SEQUENCES} random sequences of up to 6 tokens"
    )


def _recovery_control(instance: TransformerInstance) -> Verdict:
    """One u_j is doubled behind the learner's back."""
    form = canonical_transformer(instance.model)
    other, _ = transformer_of(form)
    changed = Transformer(
        other.heads, other.B, [2 * other.u[0], *other.u[1:]], dim=other.dim, weights=other.weights, unit=other.unit
    )
    verdict = same_transformer(instance.model, changed)
    if not isinstance(verdict, Fails):
        return Holds("doubling u_1 changes nothing")
    return Fails(verdict.witness, "with one u_j doubled the function is another, and a sequence shows it")


@dataclass(frozen=True)
class _Part:
    name: str
    statement: str
    altered: str
    check: Callable[[TransformerInstance], Verdict]
    control: Callable[[TransformerInstance], Verdict]


PARTS = (
    _Part(
        "negation",
        "f(X) - f(-X) = sum_j u_j z_j(X), a multi-head attention model",
        "the same with the final token alone negated",
        _negation,
        _negation_control,
    ),
    _Part(
        "transformer",
        "value queries alone give an equivalent Transformer: equal odd parts and equal units up to sign, by the counts "
        "2(4Hd^2-2H+1) and 2md(H+1) beside the search for the kinks",
        "the same with one u_j doubled",
        _recovery,
        _recovery_control,
    ),
)


def verify_transformer(instance: TransformerInstance, *, is_control: bool = False) -> tuple[ClaimResult, ...]:
    """Every claim about Transformers on one instance, or the negative controls, each of which must fail."""
    results = []
    for part in PARTS:
        if is_control and not canonical_transformer(instance.model).units:
            continue  # without units there is nothing to change
        started = time.perf_counter()
        try:
            verdict = (part.control if is_control else part.check)(instance)
        except (ConditionFailsError, OverBudgetError) as error:
            verdict = Undecided(str(error))
        why = verdict.why if isinstance(verdict, Holds | Fails | Undecided) else ""
        statement = part.altered if is_control else part.statement
        results.append(ClaimResult(part.name, statement, verdict, why, time.perf_counter() - started))
    return tuple(results)


def _multiple(model: Transformer) -> int:
    rational = model.unit.rational
    return int(rational.q) if model.weights == "log-rational" and rational is not None else 1


def _tokens(model: Transformer, n: int, generator: random.Random) -> tuple[tuple[fmpq, ...], ...]:
    multiple = _multiple(model)
    return tuple(tuple(fmpq(multiple * generator.randint(-3, 3)) for _ in range(model.dim)) for _ in range(n))


def _whole_sequences(instance: TransformerInstance, count: int) -> list[tuple[tuple[int, ...], ...]]:
    generator = random.Random(f"sequences {instance.seed}")
    return [
        tuple(tuple(int(a.p) for a in token) for token in _tokens(instance.model, 1 + n % 6, generator))
        for n in range(count)
    ]


def _differ(left: Transformer, right: Transformer, tokens: tuple[tuple[int, ...], ...]) -> bool:
    """Whether two values differ: exactly at the rational place, else modulo p^5."""
    ring = first_ring(left.field, 0)
    values = [transformer_black_box(model).value(tokens, ring) for model in (left, right)]
    return bool(values[0] != values[1])
