"""Tests of bad draws, forced by tiny boxes and special weights: recognised, named truly, redrawn, counted apart."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from flint import fmpq

from exactlearn.canonical import canonical_form
from exactlearn.draws import TokenSource
from exactlearn.errors import DegenerateDrawError, ExactlearnError, NotAttentionError
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention, WeightKind, dot
from exactlearn.oracle import Oracle, oracle_of, place_of
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken
from exactlearn.places.residues import ResidueRing
from exactlearn.result import LearnResult

KINDS: list[WeightKind] = ["rational", "log-rational"]
Event = tuple[IntegerToken, IntegerToken]


@dataclass
class RecordingBox:
    """A black box that writes down the probes that it is asked, and how many queries that makes."""

    box: BlackBox
    probes: list[Event] = field(default_factory=list)
    queries: int = 0

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """The value."""
        self.queries += 1
        return self.box.value(tokens, ring)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """The values of copies."""
        self.probes.append((x, y))
        self.queries += len(counts)
        return self.box.copies(x, y, counts, ring)


def _special_model(weights: WeightKind, seed: int, sizes: tuple[int, int] | None = None) -> MultiHeadAttention:
    """Whole entries of v and of W in {-1, 0, 1} (T in {1/2, 1, 2}: one prime), so that much vanishes at small tokens.

    `sizes` are the number of raw heads and the dimension; left out, both are drawn from 1, 2, 3.
    """
    generator = random.Random(f"special {seed}")
    dim, heads = generator.randint(1, 3), generator.randint(1, 3)
    if sizes:
        heads, dim = sizes
    raw = []
    for _ in range(heads):
        exponents = [[generator.randint(-1, 1) for _ in range(dim)] for _ in range(dim)]
        W = [[fmpq(2) ** e if weights == "log-rational" else fmpq(e) for e in row] for row in exponents]
        raw.append((W, [generator.randint(-1, 1) for _ in range(dim)]))
    return canonical_form(MultiHeadAttention(raw, weights=weights))


def _recorded(model: MultiHeadAttention) -> tuple[Oracle, RecordingBox]:
    place = place_of(model)
    box = RecordingBox(place.black_box(model))
    return Oracle(place, model.dim, box), box


def _exponent(model: MultiHeadAttention, head: int, x: Sequence[int], y: Sequence[int]) -> fmpq:
    """x^T W y, in units of log 2 for log-rational weights (all T are powers of 2)."""
    W = [[_log2(entry) if model.weights == "log-rational" else entry for entry in row] for row in model.heads[head].W]
    return dot([fmpq(a) for a in x], [dot(row, [fmpq(b) for b in y]) for row in W])


def _log2(power: fmpq) -> fmpq:
    return fmpq(int(power.p).bit_length() - int(power.q).bit_length())


def _minus(left: Sequence[int], right: Sequence[int]) -> IntegerToken:
    return tuple(a - b for a, b in zip(left, right, strict=True))


def _vanishes(model: MultiHeadAttention, polynomial: str, name: str, probe: Event, first: Event) -> bool:
    """Whether the named polynomial vanishes for some heads at this probe; `first` is P(1,1)."""
    heads, (x, y) = range(len(model.heads)), probe
    if polynomial == "v_h.x":
        return any(dot(head.v, [fmpq(a) for a in x]) == 0 for head in model.heads)
    if polynomial == "x^T (W_h - W_g) y":
        exponents = [_exponent(model, h, x, y) for h in heads]
        return len(set(exponents)) < len(exponents)
    assert polynomial == "false match"
    in_column_1 = name.endswith(",1)")
    left = first if in_column_1 else (x, first[1])
    right = (_minus(x, first[0]), y) if in_column_1 else (x, _minus(y, first[1]))
    return any(
        _exponent(model, h, *left) + _exponent(model, g, *right) == _exponent(model, m, *probe)
        for h in heads for g in heads for m in heads if not h == g == m
    )  # fmt: skip


REASON = re.compile(r"^(v_h\.x|x\^T \(W_h - W_g\) y|false match) = 0 at ([PS]\(\d,\d\)): .")


def _bad_probes(box: RecordingBox) -> list[Event]:
    """The probes before the questions on the side, which have a y far outside the box of size 1."""
    pairs = zip(box.probes, box.probes[1:], strict=False)
    return [bad for bad, side in pairs if max(map(abs, side[1])) > 2 and bad[0] == side[0]]


@pytest.mark.parametrize("weights", KINDS)
def test_named_polynomials_vanish(weights: WeightKind) -> None:
    """With box 1 and special weights each rejection names a polynomial that is zero at the probe that was asked."""
    named = set()
    for seed in range(80):
        model = _special_model(weights, seed)
        if not model.heads:
            continue
        oracle, box = _recorded(model)
        try:
            result = learn(oracle, heads=len(model.heads), seed=seed, box=1)
        except DegenerateDrawError:
            continue
        assert result.model == model
        assert result.queries == result.predicted_queries
        assert result.max_length == result.predicted_max_length
        first = (result.draw.X[0], result.draw.Y[0])
        sideways = iter(_bad_probes(box))
        for rejection in result.rejections:
            match = REASON.match(rejection.reason)
            assert match, rejection.reason
            polynomial, name = match.groups()
            named.add((polynomial, name[0]))
            assert rejection.queries > 0
            if polynomial != "false match":
                assert _vanishes(model, polynomial, name, next(sideways), first)
        assert next(sideways, None) is None
    assert named >= {(name, kind) for name in ("v_h.x", "x^T (W_h - W_g) y") for kind in "PS"}


@pytest.mark.parametrize("weights", KINDS)
def test_false_matches_are_true(weights: WeightKind) -> None:
    """At a sum probe named for a false match, another combination of heads fits as well."""
    shown = 0
    for seed in range(45):
        model = _special_model(weights, seed, (5, 2))
        oracle, box = _recorded(model)
        try:
            result = learn(oracle, heads=len(model.heads), seed=seed, box=4)
        except DegenerateDrawError:
            continue
        assert result.model == model
        reasons = [rejection.reason for rejection in result.rejections]
        if not reasons or not reasons[0].startswith("false match"):
            continue
        shown += 1
        name = re.search(r"[PS]\(\d,\d\)", reasons[0])
        assert name
        first = (result.draw.X[0], result.draw.Y[0])
        rejected = next(probe for probe in box.probes if not _belongs_to_draw(probe, result))
        following = box.probes[box.probes.index(rejected) :]
        assert any(_vanishes(model, "false match", name[0], probe, first) for probe in following[: 2 * model.dim])
    assert shown >= 3


def _belongs_to_draw(probe: Event, result: LearnResult) -> bool:
    """Whether this is one of the probes P(i,j) and S(i,j) of the accepted draw."""
    X, Y = result.draw.X, result.draw.Y
    base = {(x, y) for x in X for y in Y}
    column = {(tuple(a + b for a, b in zip(X[0], x, strict=True)), Y[0]) for x in X[1:]}
    rows = {(x, tuple(a + b for a, b in zip(Y[0], y, strict=True))) for x in X for y in Y[1:]}
    return probe in base | column | rows


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("bound", [{"heads": 0}, {"max_heads": 0}, {"max_heads": 2}], ids=str)
def test_counts_with_redraws(weights: WeightKind, bound: dict[str, int]) -> None:
    """However often tokens are redrawn, the accepted draw has the predicted counts, and the rest is counted apart.

    Asking again what was discarded counts again; at the rational place every single query is accounted for.
    """
    (name, extra), redraws = next(iter(bound.items())), 0
    for seed in range(90):
        model = _special_model(weights, seed)
        oracle, box = _recorded(model)
        try:
            result = learn(oracle, seed=seed, box=1, **{name: len(model.heads) + extra})  # type: ignore[arg-type]
        except DegenerateDrawError:
            continue
        redraws += result.redraws
        assert result.model == model
        assert result.queries == result.predicted_queries
        assert result.max_length == result.predicted_max_length
        if weights == "log-rational":
            assert box.queries == result.queries + result.audit_queries + result.redraw_queries
    assert redraws > 30


@pytest.mark.parametrize("weights", KINDS)
def test_a_small_box_is_never_called_no_attention(weights: WeightKind) -> None:
    """True attention seen through a box that is too small ends in DegenerateDrawError, never in NotAttentionError."""
    outcomes: dict[str, int] = {}
    for seed in range(50):
        model = _special_model(weights, seed)
        for name, extra in (("heads", 0), ("max_heads", 1)):
            try:
                outcome: Any = learn(oracle_of(model), seed=seed, box=1, **{name: len(model.heads) + extra})  # type: ignore[arg-type]
            except ExactlearnError as error:
                outcome = error
            kind = type(outcome).__name__
            outcomes[kind] = outcomes.get(kind, 0) + 1
            assert not isinstance(outcome, LearnResult) or outcome.model == model
    assert set(outcomes) == {"LearnResult", "DegenerateDrawError"}


def test_hidden_heads() -> None:
    """A head that hides at P(1,1) shows later: the whole draw is rejected, and something did vanish there."""
    shown = 0
    for seed in range(80):
        model = _special_model("log-rational", seed)
        try:
            result = learn(oracle_of(model), max_heads=len(model.heads), seed=seed, box=1)
        except DegenerateDrawError:
            continue
        whole = [r for r in result.rejections if r.reason.startswith("a hidden head at P(1,1): ")]
        for attempt, _ in enumerate(whole):
            if result.rejections[: len(whole)] != tuple(whole):
                break  # single tokens were redrawn in between: the attempts cannot be told
            source = TokenSource(model.dim, seed, attempt, 1, grows=False)
            first = (source.x(0), source.y(0))
            assert any(_vanishes(model, name, "P(1,1)", first, first) for name in ("v_h.x", "x^T (W_h - W_g) y"))
            shown += 1
    assert shown


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("extra", [1, 2])
def test_too_many_heads(weights: WeightKind, extra: int) -> None:
    """More heads than there are, given as exact, is a draw without end: the error suggests an upper bound."""
    for seed in range(6):
        model = _special_model(weights, seed)
        with pytest.raises(DegenerateDrawError, match="give an upper bound"):
            learn(oracle_of(model), heads=len(model.heads) + extra, seed=seed)
        assert learn(oracle_of(model), max_heads=len(model.heads) + extra, seed=seed).model == model


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("name", ["heads", "max_heads"])
def test_too_few_heads(weights: WeightKind, name: str) -> None:
    """Fewer heads than there are cannot have these outputs."""
    tried = 0
    for seed in range(40):
        model = _special_model(weights, seed)
        for fewer in range(len(model.heads)):
            tried += 1
            with pytest.raises(NotAttentionError):
                learn(oracle_of(model), seed=seed, **{name: fewer})  # type: ignore[arg-type]
    assert tried > 30
