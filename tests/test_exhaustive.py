"""Tests of the exhaustive small scope: against the library's canonical form, symbolic values, and counts by hand."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, reduce_heads, same_function
from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.exhaustive import ExhaustiveReport, exhaustive, general_sequences
from exactlearn.model import Head, MultiHeadAttention, WeightKind, as_token_sequence
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails, Holds

LOG_ENTRIES = [Fraction(1, 2), 1, 2]


def all_models(
    heads: int, dim: int, entries: list[int], values: list[int], kind: WeightKind
) -> list[MultiHeadAttention]:
    """Every unordered list of at most `heads` raw heads, made by the model's own constructor."""
    rows = list(itertools.product(entries, repeat=dim))
    singles = [
        Head(W, v) for W in itertools.product(rows, repeat=dim) for v in itertools.product(values, repeat=dim)
    ]
    return [
        MultiHeadAttention(members, dim=dim, weights=kind)
        for count in range(heads + 1)
        for members in itertools.combinations_with_replacement(singles, count)
    ]


@pytest.mark.parametrize(
    ("heads", "dim", "entries", "values", "kind"),
    [
        (2, 1, [-1, 0, 1], [-1, 0, 1], "rational"),
        (3, 1, [0, 2], [-1, 0, 1], "rational"),
        (2, 1, [1, 2, 4], [-1, 0, 1], "log-rational"),
        (1, 2, [1, 2], [0, 1], "log-rational"),
    ],
)
def test_counts_are_the_library_s(
    heads: int, dim: int, entries: list[int], values: list[int], kind: WeightKind
) -> None:
    """Models, functions, merges and drops by `reduce_heads` on every model; value classes by symbolic equality."""
    report = exhaustive(heads, dim, entries, weights=kind, values=values)
    models = all_models(heads, dim, entries, values, kind)
    reductions = [reduce_heads(model) for model in models]
    assert report.models == len(models)
    forms = {reduction.model for reduction in reductions}
    assert report.functions == report.value_classes == len(forms)
    assert report.merged == sum(bool(reduction.merges) for reduction in reductions)
    assert report.dropped == sum(bool(reduction.drops) for reduction in reductions)
    assert report.canonical == sum(len(r.model.heads) == len(m.heads) for r, m in zip(reductions, models, strict=True))
    assert report.functions_by_heads == tuple(sum(len(f.heads) == n for f in forms) for n in range(heads + 1))
    assert isinstance(report.verdict, Holds)


def test_images_agree_with_symbolic_values() -> None:
    """On one family: equal symbolic values on the same sequences, exactly for equal canonical forms."""
    sequences = [as_token_sequence(tokens, 1) for tokens in general_sequences(1, (1, 2, 3), 0)]
    models = all_models(2, 1, [-1, 0, 1], [0, 1], "rational")
    for left, right in itertools.combinations(models, 2):
        equal = all(evaluate(left, tokens) == evaluate(right, tokens) for tokens in sequences)
        assert equal == (canonical_form(left) == canonical_form(right))


def test_count_by_hand() -> None:
    """H <= 1, d = 1, W and v in {0, 1}: 1 + 4 models, 3 functions (zero, and v = 1 with two W)."""
    report = exhaustive(1, 1, [0, 1])
    assert (report.models, report.functions, report.canonical, report.merged, report.dropped) == (5, 3, 3, 0, 2)
    assert report.functions_by_heads == (1, 2)


@pytest.mark.parametrize(("entries", "kind"), [([-1, 0, 1], "rational"), (LOG_ENTRIES, "log-rational")])
def test_two_heads_in_two_dimensions(entries: list[int], kind: WeightKind) -> None:
    """The headline family: 266,815 models, 209,305 functions, in seconds."""
    report = exhaustive(2, 2, entries, weights=kind)
    assert (report.models, report.functions, report.value_classes) == (266_815, 209_305, 209_305)
    assert report.functions == 1 + 81 * 24 + sum(report.functions_by_heads[2:])
    assert report.verdict.holds
    assert report.seconds < 30


@pytest.mark.parametrize(("entries", "kind"), [([-1, 0, 1], "rational"), (LOG_ENTRIES, "log-rational")])
def test_sequences_that_are_not_general(entries: list[int], kind: WeightKind) -> None:
    """Negative control: on sequences of length 1 only V shows, and the groupings differ; a pair of models shows it."""
    report = exhaustive(2, 1, entries, weights=kind, lengths=(1, 1))
    verdict = report.verdict
    assert isinstance(verdict, Fails)
    assert report.value_classes == 5  # V = -2..2
    assert report.functions > 5
    left, right = verdict.witness
    assert not same_function(left, right).holds
    for tokens in report.sequences:
        sequence = as_token_sequence(tokens, 1)
        assert evaluate(left, sequence) == evaluate(right, sequence)


def test_repeated_tokens_are_not_general() -> None:
    """Negative control: equal tokens in a sequence hide the weights just as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exactlearn.exhaustive.general_sequences", lambda *_: (((3,), (3,)), ((5,), (5,), (5,))))
        report = exhaustive(2, 1, [-1, 0, 1])
    assert not report.verdict.holds
    assert report.value_classes == 5


def test_a_wrong_canonical_form_is_noticed() -> None:
    """When sums of v are miscounted the groupings differ: the values are an independent witness."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exactlearn.exhaustive.Grouping._sum", lambda _self, left, _right: left)
        report = exhaustive(2, 1, [0, 1])
    assert not report.verdict.holds


@given(st.integers(0, 3), st.integers(0, 5), st.booleans())
@settings(max_examples=20)
def test_seeds_and_exactly(heads: int, seed: int, exactly: bool) -> None:
    """The counts do not depend on the seed; "exactly" counts multisets of that size alone."""
    report = exhaustive(heads, 1, [0, 1], exactly=exactly, seed=seed)
    at_most = [exhaustive(count, 1, [0, 1]) for count in (heads - 1, heads) if count >= 0]
    assert report.verdict.holds
    fewer = at_most[0].models if exactly and heads else 0
    assert report.models == at_most[-1].models - fewer


def test_duplicates_in_the_entries_do_not_count() -> None:
    """1, 1 and 2/2 are one number."""
    left, right = exhaustive(1, 1, [0, 1, 1, Fraction(2, 2)]), exhaustive(1, 1, [0, 1])
    assert left == right
    assert isinstance(left, ExhaustiveReport)


def test_progress() -> None:
    """Called with (done, all) from the start."""
    calls: list[tuple[int, int]] = []
    report = exhaustive(2, 2, [0, 1], progress=lambda done, total: calls.append((done, total)))
    assert calls == [(0, report.models)]


@pytest.mark.parametrize(
    "arguments", [(2, 3, [-1, 0, 1]), (3, 2, [-1, 0, 1]), (10**9, 1, [1]), (64, 1, [0, 1]), (1, 10**6, [0, 1])]
)
def test_too_large_families(arguments: tuple[int, int, list[int]]) -> None:
    """Refused at once, before any large number is made."""
    with pytest.raises(OverBudgetError, match=r"^the family has more than 3000000 models"):
        exhaustive(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((-1, 1, [1]), {}, "^heads: a whole number from 0 on"),
        ((1, 0, [1]), {}, "^dim: a whole number from 1 on"),
        ((True, 1, [1]), {}, "^heads: "),
        ((1, 1, []), {}, "^entries: at least one number"),
        ((1, 1, [1]), {"values": []}, "^values: at least one number"),
        ((1, 1, [0.5]), {}, r"^entries\[0\]: the float 0.5 is ambiguous"),
        ((1, 1, [1, -1]), {"weights": "log-rational"}, r"W\[0\]\[0\]: an entry of T is positive"),
        ((1, 1, [1]), {"lengths": ()}, "^lengths: "),
        ((1, 1, [1]), {"lengths": (0,)}, "^lengths: "),
    ],
)
def test_unusable_arguments(arguments: tuple[int, int, list[int]], options: dict[str, object], message: str) -> None:
    """One line that names the argument."""
    with pytest.raises(UnusableInputError, match=message):
        exhaustive(*arguments, **options)  # type: ignore[arg-type]
