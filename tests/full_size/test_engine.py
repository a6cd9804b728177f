"""The engine at full size, on small layers: every schedule, to the last bit, with exact counts; and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flint import fmpz, fmpz_mat
from small_layers import SmallLayer

from exactlearn.errors import NotAttentionError, UnusableInputError
from exactlearn.full_size.assembly import thin_factors
from exactlearn.full_size.engine import LayerQuestion, LayerResult, learn_layer
from exactlearn.full_size.layer import AffineHead, AffineLayer, canonical_layer, first_difference
from exactlearn.full_size.scaled_matrix import ScaledMatrix
from exactlearn.full_size.schedules import LayerSchedule, parse_schedule
from exactlearn.places.residues import ResidueRing


def learned(layer: SmallLayer, schedule: str, seed: int = 0) -> LayerResult:
    """A run in this process."""
    question = layer.question()
    return learn_layer(layer, question, parse_schedule(schedule, layer.dim, layer.heads), workers=1, seed=seed)


def paper_count(d: int, h: int) -> int:
    """The count of the paper's schedule with biases, from its statement."""
    return 1 + 2 * h * (2 * d * d + 2 * d - 1)


def low_rank_count(d: int, h: int, r: int) -> int:
    """The count of the low-rank schedule with biases, from its statement."""
    return 1 + 2 * h * (4 * d * r + 2 * r - 2 * r * r - 1)


@pytest.mark.parametrize("schedule", ["paper", "low-rank:2", "low-rank:3", "low-rank:5", "vector", "vector:2"])
def test_every_schedule_recovers_to_the_last_bit(schedule: str) -> None:
    """W, p, V, s come back exactly, with the predicted counts; another layer is told from it."""
    layer = SmallLayer()
    result = learned(layer, schedule)
    assert first_difference(result.layer, layer.layer()) is None
    assert result.queries == result.predicted_queries
    assert result.max_length == result.predicted_max_length == 5
    assert first_difference(result.layer, SmallLayer(seed=1).layer()) is not None


@pytest.mark.parametrize(("d", "h", "r"), [(1, 1, 1), (3, 2, 1), (5, 3, 2), (6, 1, 4)])
def test_counts_are_those_of_the_statement(d: int, h: int, r: int) -> None:
    """Queries really answered, against the formulas written down a second time here."""
    layer = SmallLayer(dim=d, heads=h, outputs=h + 1, rank=min(r, d), seed=3)
    assert learned(layer, "paper").queries == paper_count(d, h)
    assert learned(layer, f"low-rank:{r}").queries == low_rank_count(d, h, r)
    base = 2 * d * r + r - r * r
    assert learned(layer, f"vector:{r}").queries == 1 + 2 * h * (2 * d - 1) + base - d


@pytest.mark.parametrize("schedule", ["paper", "low-rank:2"])
@pytest.mark.parametrize("layer", [SmallLayer(outputs=1), SmallLayer(heads=3, shared_values=True)])
def test_without_independent_values_probes_are_interpolated(layer: SmallLayer, schedule: str) -> None:
    """One output for several heads, or one V for all heads: sum probes tell the heads apart."""
    result = learned(layer, schedule)
    assert first_difference(result.layer, layer.layer()) is None
    assert result.queries == result.predicted_queries


@pytest.mark.parametrize("outputs", [2, 3])
def test_a_head_that_leaves_an_output_alone(outputs: int) -> None:
    """A head may write to some outputs only: what is looked at are functionals in general position."""

    class Sparse(SmallLayer):
        def layer(self) -> AffineLayer:
            plain = super().layer()
            first, *others = plain.heads
            rows = [[fmpz(0)] * self.dim, *first.values.numerators.tolist()[1:]]
            cleared = AffineHead(first.scores, ScaledMatrix(fmpz_mat(rows), first.values.denominator))
            return AffineLayer((cleared, *others), plain.constant, plain.dim, plain.unit)

    layer = Sparse(outputs=outputs)
    assert first_difference(learned(layer, "paper").layer, layer.layer()) is None


def test_heads_that_always_meet_are_refused() -> None:
    """Two heads with one (W, p), told as two: the poles meet modulo every prime."""

    class Doubled(SmallLayer):
        def layer(self) -> AffineLayer:
            plain = super().layer()
            first, second = plain.heads
            return AffineLayer((first, AffineHead(first.scores, second.values)), plain.constant, plain.dim, plain.unit)

    with pytest.raises(NotAttentionError, match="1 heads show"):
        learned(Doubled(), "paper")


def test_single_queries_need_independent_values() -> None:
    """The schedule of single queries says when it cannot be used."""
    with pytest.raises(NotAttentionError, match="V_h x are dependent"):
        learned(SmallLayer(outputs=1), "vector")


@pytest.mark.parametrize("schedule", ["low-rank:1", "vector:1"])
def test_a_rank_assumed_too_small_is_noticed(schedule: str) -> None:
    """Heads of rank 2 under the assumption of rank 1."""
    with pytest.raises(NotAttentionError, match="rank larger than 1"):
        learned(SmallLayer(rank=2), schedule)


def test_a_rank_assumed_too_large_is_fine() -> None:
    """Heads of rank 1 under the assumption of rank 3: the corner is singular, its invertible part does it."""
    layer = SmallLayer(rank=1)
    assert first_difference(learned(layer, "low-rank:3").layer, layer.layer()) is None


@pytest.mark.parametrize(("told", "message"), [(1, "belong to one head|does not split"), (3, "2 heads show")])
def test_a_wrong_number_of_heads_is_noticed(told: int, message: str) -> None:
    """One head too few, one too many."""
    layer = SmallLayer()
    question = replace(layer.question(), heads=told)
    with pytest.raises(NotAttentionError, match=message):
        learn_layer(layer, question, LayerSchedule(layer.dim, told), workers=1)


def test_values_of_small_rank() -> None:
    """V of rank 1 in 7 dimensions is read through thin factors, which are checked; other ranks are not taken for it."""

    class Narrow(SmallLayer):
        def layer(self) -> AffineLayer:
            plain = super().layer()
            heads = []
            for head in plain.heads:
                rows = head.values.numerators.tolist()
                outer = fmpz_mat([[row[0]] for row in rows]) * fmpz_mat(rows[:1])
                heads.append(AffineHead(head.scores, ScaledMatrix(outer, head.values.denominator)))
            return AffineLayer(tuple(heads), plain.constant, plain.dim, plain.unit)

    layer = Narrow(dim=7, outputs=8)
    assert first_difference(learned(layer, "paper").layer, layer.layer()) is None
    ring = ResidueRing.seeded(0, 3)
    values = fmpz_mat([[e % ring.modulus for e in row] for row in layer.layer().heads[0].values.numerators.tolist()])
    found = thin_factors(values, ring)
    assert found is not None
    assert [factor.ncols() for factor in found] == [1, 7]
    spoilt = values.tolist()
    spoilt[3][4] += ring.prime  # of rank 1 mod p, not mod p^3
    assert thin_factors(fmpz_mat([[e % ring.modulus for e in row] for row in spoilt]), ring) is None
    assert thin_factors(SmallLayer(dim=7, outputs=8).layer().heads[0].values.numerators, ring) is None


def test_other_seeds_give_the_same_layer() -> None:
    """The result does not depend on the draw."""
    layer = SmallLayer(seed=5)
    for seed in (1, 2):
        assert first_difference(learned(layer, "low-rank:2", seed).layer, layer.layer()) is None


def test_worker_processes_give_the_same() -> None:
    """Two processes, the same layer and counts as in one."""
    layer = SmallLayer()
    alone = learned(layer, "paper")
    together = learn_layer(layer, layer.question(), LayerSchedule(5, 2), workers=2)
    assert first_difference(alone.layer, together.layer) is None
    assert together.queries == alone.queries


def test_long_parameters_take_more_digits() -> None:
    """Numbers that do not stand out mod p^5 are read with more digits, counts unchanged."""

    class Long(SmallLayer):
        def layer(self) -> AffineLayer:
            plain = super().layer()
            grown = [AffineHead(_longer(head.scores), _longer(head.values)) for head in plain.heads]
            return AffineLayer(tuple(grown), plain.constant, plain.dim, plain.unit)

    layer = Long(dim=3, outputs=3)
    result = learned(layer, "paper")
    assert result.ring.digits > 5
    assert first_difference(result.layer, layer.layer()) is None
    assert result.queries == paper_count(3, 2)


def _longer(matrix: ScaledMatrix) -> ScaledMatrix:
    return ScaledMatrix(matrix.numerators * 3**80, matrix.denominator * 2**150)


def test_canonical_layers_merge_and_drop() -> None:
    """Equal scores merge their values; values that add up to zero drop the head."""
    layer = SmallLayer().layer()
    first, second = layer.heads
    opposite = AffineHead(second.scores, ScaledMatrix(second.values.numerators * -1, second.values.denominator))
    raw = AffineLayer((first, second, first, opposite), layer.constant, layer.dim, layer.unit)
    canonical = canonical_layer(raw)
    doubled = AffineHead(first.scores, first.values + first.values)
    assert first_difference(canonical, AffineLayer((doubled,), layer.constant, layer.dim, layer.unit)) is None


@pytest.mark.parametrize("what", ["W or p", "V", "s"])
def test_one_bit_is_a_difference(what: str) -> None:
    """A change of one numerator by one is found and named."""
    layer = SmallLayer().layer()
    head, other = layer.heads
    shape = (layer.dim, layer.unit)

    def nudged(matrix: ScaledMatrix) -> ScaledMatrix:
        rows, columns = matrix.shape
        last = fmpz_mat(rows, columns, [0] * (rows * columns - 1) + [1])
        return ScaledMatrix(matrix.numerators + last, matrix.denominator)

    changed = {
        "W or p": AffineLayer((head, AffineHead(nudged(other.scores), other.values)), layer.constant, *shape),
        "V": AffineLayer((head, AffineHead(other.scores, nudged(other.values))), layer.constant, *shape),
        "s": AffineLayer(layer.heads, nudged(layer.constant), *shape),
    }[what]
    assert first_difference(layer, layer) is None
    found = first_difference(layer, changed)
    assert found is not None
    assert found.startswith(what)


@pytest.mark.parametrize(
    ("text", "message"),
    [("lean", "no schedule"), ("low-rank", "no schedule"), ("low-rank:0", "rank from 1"), ("low-rank:x", "rank from 1"),
     ("paper:3", "no schedule"), ("vector:9", "rank from 1 to 5")],
)  # fmt: skip
def test_unknown_schedules(text: str, message: str) -> None:
    """Names and ranks that are none."""
    with pytest.raises(UnusableInputError, match=message):
        parse_schedule(text, 5, 2)


def test_no_heads_and_no_workers() -> None:
    """Arguments out of range."""
    layer = SmallLayer()
    with pytest.raises(UnusableInputError, match="at least one head"):
        learn_layer(layer, LayerQuestion(5, 6, 0), LayerSchedule(5, 0), workers=1)
    with pytest.raises(UnusableInputError, match="at least one worker"):
        learn_layer(layer, layer.question(), LayerSchedule(5, 2), workers=0)
