"""Tests of the Schwartz-Zippel bound against the exact failure probability, and of the observed counts."""

from __future__ import annotations

import itertools
import time

import pytest
from flint import fmpq

from exactlearn import examples
from exactlearn.draws import Draw
from exactlearn.errors import UnusableInputError
from exactlearn.failure_rates import genericity_report, observed_failures, schwartz_zippel_bound
from exactlearn.genericity import BadSet
from exactlearn.genericity_polynomials import FAMILIES
from exactlearn.model import MultiHeadAttention

ONE_DIMENSIONAL = MultiHeadAttention([([[2]], [1]), ([[3]], [-1]), ([[5]], [4])])


@pytest.mark.parametrize(
    ("model", "box"),
    [(ONE_DIMENSIONAL, 1), (ONE_DIMENSIONAL, 6), (ONE_DIMENSIONAL, 20)]
    + [(examples.load("one-dimensional"), box) for box in (1, 3, 10)]
    + [(examples.load("empty"), 1), (examples.load("two-heads"), 1)],
)
def test_bound_is_an_upper_bound(model: MultiHeadAttention, box: int) -> None:
    """The fraction of bad draws among all draws of the box is at most the bound, for every family and in all."""
    bound, bad_set, d = schwartz_zippel_bound(model, box), BadSet(model), model.dim
    bad, by_family, count = 0, dict.fromkeys(FAMILIES, 0), 0
    tokens = list(itertools.product(range(-box, box + 1), repeat=d))
    for chosen in itertools.product(tokens, repeat=2 * d):
        families = {p.family for p in bad_set.vanishing(Draw(chosen[:d], chosen[d:]))}
        count, bad = count + 1, bad + bool(families)
        for family in families:
            by_family[family] += 1
    assert fmpq(bad, count) <= bound.total
    assert all(fmpq(by_family[family], count) <= bound.by_family[family] for family in FAMILIES)
    assert bad > 0


def test_bound_by_hand() -> None:
    """With d = 1, H = 3: det X, det Y and 3 readouts of degree 1, 3 separations of degree 2: 11 over 2B + 1."""
    assert schwartz_zippel_bound(ONE_DIMENSIONAL, 50).total == fmpq(11, 101)
    assert schwartz_zippel_bound(ONE_DIMENSIONAL, 5).total == 1
    assert schwartz_zippel_bound(ONE_DIMENSIONAL, 50).by_family["x^T (W_h - W_g) y"] == fmpq(6, 101)


def test_bound_of_a_trained_layer() -> None:
    """digits-h4: 8 + 8 + 60 + 2 * 762 + 2 * 1512 = 4624."""
    assert schwartz_zippel_bound(examples.load("digits-h4"), 1_000_000).total == fmpq(4624, 2_000_001)


def test_merged_heads_count_once() -> None:
    """The bad set is that of the canonical form: raw heads with equal W do not make every draw bad."""
    observed = observed_failures(examples.load("equal-w"), 1000, 50)
    assert observed.failures < 5


def test_observed_failures() -> None:
    """Seeded, consistent with its families, rarer in larger boxes."""
    model = examples.load("two-heads")
    small, large = observed_failures(model, 1, 100), observed_failures(model, 100, 100)
    assert small == observed_failures(model, 1, 100)
    assert small != observed_failures(model, 1, 100, seed=1)
    assert max(small.by_family.values()) <= small.failures <= sum(small.by_family.values())
    assert large.rate < small.rate


def test_report() -> None:
    """Counts, degrees, no zero polynomial, one row a box; a trained layer takes seconds."""
    started = time.perf_counter()
    report = genericity_report(examples.load("digits-h4"), boxes=(1, 7), draws=50)
    assert time.perf_counter() - started < 20
    assert report.counts["false match"] == 63 * 24
    assert report.degrees == {"det X": 8, "det Y": 8, "v_h.x": 1, "x^T (W_h - W_g) y": 2, "false match": 2}
    assert report.identically_zero is None
    assert [(bound.box, observed.box, observed.draws) for bound, observed in report.rows] == [(1, 1, 50), (7, 7, 50)]


@pytest.mark.parametrize("box", [0, -1, True, "3", 2.0])
def test_unusable_boxes(box: object) -> None:
    """A box is a whole number from 1 on."""
    with pytest.raises(UnusableInputError, match=r"^box: a whole number from 1 on"):
        schwartz_zippel_bound(ONE_DIMENSIONAL, box)  # type: ignore[arg-type]
    with pytest.raises(UnusableInputError, match=r"^draws: a whole number from 1 on"):
        observed_failures(ONE_DIMENSIONAL, 1, 0)
