"""Tests of the learner on balls: every true parameter lies in its ball, over thousands of perturbed runs."""

from __future__ import annotations

import itertools
import random

import pytest
from flint import arb, ctx, fmpq
from perturbed import PerturbedBlackBox, random_draw, random_model

from exactlearn.draws import Draw
from exactlearn.enclosures.learner import EnclosedResult, learn_enclosures
from exactlearn.enclosures.oracles import BallOracle, ball_oracle
from exactlearn.enclosures.truth import contains, digits_kept, errors, radii, true_heads
from exactlearn.errors import NotAttentionError, TooCoarseError, UnusableInputError
from exactlearn.model import Head, MultiHeadAttention, Unit, WeightKind
from exactlearn.schedule import PaperSchedule

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (2, 3)]
KINDS: list[WeightKind] = ["rational", "log-rational"]


def _run(seed: int, shrunk: int = 1) -> bool | None:
    """One perturbed run: whether all true parameters were inside, None when the outputs were too coarse."""
    generator = random.Random(seed)
    heads, dim = generator.choice(SHAPES)
    model = random_model(generator, heads, dim, generator.choice(KINDS))
    delta = fmpq(1, 10 ** generator.randint(4, 50))
    draw = random_draw(seed, dim)
    oracle = BallOracle(dim, PerturbedBlackBox(model, delta, delta / shrunk, generator))
    try:
        found = learn_enclosures(oracle, draw, heads)
    except TooCoarseError:
        return None
    assert (found.queries, found.max_length) == (found.predicted_queries, found.predicted_max_length)
    return contains(found.heads, true_heads(model, draw))


def _check_runs(seeds: range) -> None:
    outcomes = [_run(seed) for seed in seeds]
    assert False not in outcomes
    assert outcomes.count(True) > len(seeds) / 2


def test_every_true_parameter_is_inside() -> None:
    """Perturbed runs of many models, errors from 1e-4 to 1e-50: no ball ever misses its parameter."""
    _check_runs(range(150))


@pytest.mark.long
def test_every_true_parameter_is_inside_thousands_of_times() -> None:
    """The same 5,000 times."""
    _check_runs(range(150, 5150))


def test_a_radius_too_small_is_noticed() -> None:
    """Negative control: told a thousandth of the true error, most runs miss a parameter or contradict themselves."""
    missed, seen = 0, 0
    for seed in range(60):
        try:
            outcome = _run(seed, 1000)
        except NotAttentionError:
            outcome = False
        seen += outcome is not None
        missed += outcome is False
    assert missed > seen * 0.8
    assert seen > 30


@pytest.mark.parametrize("weights", KINDS)
@pytest.mark.parametrize("unit", [Unit.of(1), Unit.of(fmpq(-1, 2))], ids=str)
def test_entries_as_the_file_has_them(weights: WeightKind, unit: Unit) -> None:
    """In the model's unit the balls hold the entries of the file, T and log T for log-rational weights."""
    model = random_model(random.Random(3), 2, 2, weights, unit)
    draw = random_draw(5, 2, 3)
    found = learn_enclosures(ball_oracle(model, 200), draw, 2)
    with ctx.workprec(500):
        for head in found.heads:
            balls = head.exponentials_in(unit) if weights == "log-rational" else head.weights_in(unit)
            assert sum(_holds_all(balls, head.v, true) for true in model.heads) == 1
            logarithms = [[entry.log() for entry in row] for row in head.exponentials_in(unit)]
            for row, other in zip(logarithms, head.weights_in(unit), strict=True):
                assert all(a.overlaps(b) for a, b in zip(row, other, strict=True))


def _holds_all(W: tuple[tuple[arb, ...], ...], v: tuple[arb, ...], true: Head) -> bool:
    entries = list(itertools.chain(*true.W, true.v))
    balls = list(itertools.chain(*W, v))
    return all(ball.overlaps(arb(e.p) / arb(e.q)) for ball, e in zip(balls, entries, strict=True))


def test_an_irrational_unit() -> None:
    """W = sqrt(1/2) times the entries of the file: the balls hold W, and divided by the unit the entries."""
    model = random_model(random.Random(9), 2, 2, "rational", Unit.sqrt(fmpq(1, 2)))
    draw = random_draw(1, 2)
    found = learn_enclosures(ball_oracle(model, 150), draw, 2)
    assert contains(found.heads, true_heads(model, draw))
    with ctx.workprec(300):
        assert all(
            any(_holds_all(head.weights_in(model.unit), head.v, true) for true in model.heads) for head in found.heads
        )


def test_finer_answers_give_narrower_balls() -> None:
    """A thousandfold smaller radius of the answers gives a thousandfold smaller radius of the parameters."""
    model, draw = random_model(random.Random(4), 2, 2), random_draw(2, 2)
    truth, widths = true_heads(model, draw), []
    for digits in (30, 33):
        box = PerturbedBlackBox(model, fmpq(1, 10**digits), fmpq(1, 10**digits), random.Random(1))
        widths.append(radii(learn_enclosures(BallOracle(2, box), draw, 2).heads, truth))
    assert 990 < widths[0].W / widths[1].W < 1010
    assert 990 < widths[0].v / widths[1].v < 1010


def test_the_middles_are_nearer_than_the_radii() -> None:
    """The true error is never larger than the proved one, in digits as well."""
    model, draw = random_model(random.Random(4), 2, 2), random_draw(2, 2)
    box = PerturbedBlackBox(model, fmpq(1, 10**20), fmpq(1, 10**20), random.Random(1))
    found, truth = learn_enclosures(BallOracle(2, box), draw, 2), true_heads(model, draw)
    proved, actual = radii(found.heads, truth), errors([(h.W, h.v) for h in found.heads], truth)
    assert actual.W <= proved.W
    assert actual.v <= proved.v
    assert (digits_kept(proved.W) or 0) <= (digits_kept(actual.W) or 0) < 20


def test_digits() -> None:
    """Digits are -log10, rounded down to a tenth, never negative; no error at all has no number."""
    assert digits_kept(arb("1e-7")) in {6.9, 7.0}
    assert digits_kept(arb(5)) == 0
    assert digits_kept(arb("+inf")) == 0
    assert digits_kept(arb(0)) is None


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_no_heads(dim: int) -> None:
    """The zero function takes the one query of the schedule."""
    model = MultiHeadAttention([], dim=dim)
    found = learn_enclosures(ball_oracle(model, 50), random_draw(0, dim), 0)
    assert found == EnclosedResult((), random_draw(0, dim), 1, 1, 1, 1)


def test_a_bad_draw_is_too_coarse() -> None:
    """On a draw with v.x_1 = 0 a head shows nowhere, however exact the answers are."""
    model = MultiHeadAttention([Head([[1, 2], [3, 4]], [0, 1]), Head([[0, 1], [1, 1]], [1, 1])])
    draw = Draw(((1, 0), (0, 1)), ((1, 0), (0, 1)))
    with pytest.raises(TooCoarseError, match=r"P\(1,1\)"):
        learn_enclosures(ball_oracle(model, 400), draw, 2)


def test_too_few_heads_are_refused() -> None:
    """Told one head where there are three, the outputs contradict themselves at a match, or need a negative pole."""
    model, draw = random_model(random.Random(5), 3, 2), random_draw(0, 2)
    with pytest.raises((NotAttentionError, TooCoarseError), match=r"no partner for head 1|negative pole"):
        learn_enclosures(ball_oracle(model, 300), draw, 1)


def test_arguments() -> None:
    """A draw of another dimension and a negative number of heads are refused."""
    oracle = ball_oracle(MultiHeadAttention([], dim=2), 50)
    with pytest.raises(UnusableInputError, match="draw: the draw has 3 and 3 tokens, not 2"):
        learn_enclosures(oracle, random_draw(0, 3), 1)
    with pytest.raises(UnusableInputError, match="heads: a whole number from 0 on"):
        learn_enclosures(oracle, random_draw(0, 2), -1)


@pytest.mark.parametrize(("heads", "dim"), [(1, 1), (2, 2), (1, 3)])
def test_counts_are_the_papers(heads: int, dim: int) -> None:
    """4 H d^2 - 2 H + 1 queries of at most 2 H + 1 tokens."""
    model, schedule = random_model(random.Random(8), heads, dim), PaperSchedule(dim, heads)
    found = learn_enclosures(ball_oracle(model, 300), random_draw(3, dim, 3), heads)
    assert found.queries == schedule.predicted_queries == 4 * heads * dim**2 - 2 * heads + 1
    assert found.max_length == schedule.predicted_max_length == 2 * heads + 1
