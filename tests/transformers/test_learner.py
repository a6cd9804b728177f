"""The learner of Transformers: recovery with exact counts, and refusals that name the condition."""

from __future__ import annotations

import random

import pytest
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st
from random_transformers import random_transformer

from exactlearn.errors import ConditionFailsError, NotAttentionError
from exactlearn.examples import load_transformer
from exactlearn.model import Transformer
from exactlearn.places.residues import ResidueRing
from exactlearn.transformers.black_box import transformer_black_box
from exactlearn.transformers.canonical import canonical_transformer
from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
from exactlearn.transformers.learner import TransformerResult, learn_transformer
from exactlearn.transformers.oracle import transformer_oracle


def learned(model: Transformer, seed: int = 0) -> TransformerResult:
    """A run told the number of heads of the odd part."""
    return learn_transformer(transformer_oracle(model), heads=len(canonical_transformer(model).odd.heads), seed=seed)


def check(model: Transformer, result: TransformerResult) -> None:
    """Equal canonical forms, counts by the formulas."""
    form = canonical_transformer(model)
    assert result.form == form
    assert same_transformer(model, result.model).holds
    H, d, m = len(form.odd.heads), model.dim, len(form.units)
    assert result.odd_queries == 2 * (4 * H * d * d - 2 * H + 1)
    everywhere = H + result.heads_in_cells
    assert result.cell_queries == result.predicted_cell_queries == 2 * m * d * (everywhere + 1)
    if not result.heads_in_cells:
        assert result.max_length == max(2 * H + 1, H + 2 if m else 0)


def has_parallel_units(model: Transformer) -> bool:
    """Whether two units, or none, can be told apart on one token."""
    m = [unit.z.value_sum for unit in canonical_transformer(model).units]
    zero = any(not any(one) for one in m)
    return zero or any(
        all(a[i] * b[j] == a[j] * b[i] for i in range(len(a)) for j in range(i)) for n, a in enumerate(m) for b in m[:n]
    )


def hides_a_head(model: Transformer) -> bool:
    """Whether a unit has a head that the odd part has not."""
    form = canonical_transformer(model)
    odd = {head.W for head in form.odd.heads}
    return any(head.W not in odd for unit in form.units for head in unit.z.heads)


@given(st.integers(0, 10**6), st.sampled_from(["rational", "log-rational"]))
@settings(max_examples=20, deadline=None)
def test_random_transformers_are_recovered_or_refused_by_name(seed: int, weights: str) -> None:
    """Recovered exactly when no condition fails; else refused, never returned wrong."""
    model = random_transformer(seed, weights=weights, size=3)
    if has_parallel_units(model) or (hides_a_head(model) and weights == "log-rational"):
        with pytest.raises(ConditionFailsError, match=r"parallel|odd part|apart"):
            learned(model, seed=seed)
    else:
        check(model, learned(model, seed=seed))


@pytest.mark.parametrize("name", ["transformer", "transformer-true-e", "linear-part", "digits-transformer"])
def test_examples_are_recovered(name: str) -> None:
    """The bundled Transformers, the float32 one to the last bit."""
    model = load_transformer(name)
    check(model, learned(model))


def test_more_units_than_heads_times_dimension() -> None:
    """M = 6 > H d = 4: the units are recovered although the z are linearly dependent."""
    model = random_transformer(21, heads=2, dim=2, units=6, weights="rational")
    assert not has_parallel_units(model)
    check(model, learned(model))


@pytest.mark.long
@pytest.mark.parametrize(("heads", "dim", "units"), [(4, 8, 8), (4, 4, 8), (3, 8, 6)])
def test_larger_sizes(heads: int, dim: int, units: int) -> None:
    """H up to 4, d up to 8, m up to 8."""
    model = random_transformer(heads, heads=heads, dim=dim, units=units, width=5, weights="rational")
    check(model, learned(model))


def test_dead_duplicate_and_opposite_units() -> None:
    """Raw units that are dead, doubled or cancel in the even part make no difference to the learner."""
    model = random_transformer(5)
    rows = [list(row) for row in model.B]
    B = [*rows, rows[0], [fmpq(0)] * 3, [-b for b in rows[1]], rows[1]]
    u = [*model.u, fmpq(2), fmpq(1), -fmpq(3), fmpq(3)]
    larger = Transformer(model.heads, B, u, dim=2, weights="log-rational")
    check(larger, learned(larger))


def test_the_zero_function() -> None:
    """No heads, no units."""
    model = Transformer([], [], [], dim=2)
    result = learned(model)
    assert (result.form.units, result.model.u, result.odd_queries) == ((), (), 2)


@pytest.mark.parametrize("scale", [1, 5])
def test_a_head_whose_odd_part_is_zero_is_refused(scale: int) -> None:
    """|z| alone: u ReLU(z) + u ReLU(-z)."""
    model = random_transformer(9, units=1)
    row = [scale * b for b in model.B[0]]
    even = Transformer(model.heads, [row, [-b for b in row]], [fmpq(1), fmpq(1)], dim=2, weights="log-rational")
    with pytest.raises(ConditionFailsError, match="a head whose odd part is zero"):
        learned(even)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("heads", [1, 2])
def test_true_e_heads_without_an_odd_part_are_learned_inside_a_cell(seed: int, heads: int) -> None:
    """Every unit with its opposite, so that f is even: no head is seen in the odd part, all are seen in a cell."""
    model = random_transformer(seed, heads=heads, units=2, weights="rational", size=3)
    B = [*model.B, *([-b for b in row] for row in model.B)]
    even = Transformer(model.heads, B, [*model.u, *model.u], dim=2)
    assert not canonical_transformer(even).odd.heads
    result = learned(even)
    check(even, result)
    assert result.heads_in_cells == heads


def test_one_head_of_two_without_an_odd_part() -> None:
    """The second head is read by one unit and its opposite alone."""
    model = random_transformer(2, weights="rational")
    zero, one = (fmpq(0), fmpq(0)), (fmpq(1), fmpq(2))
    layers = [(model.heads[0].W, [*model.heads[0].V, zero]), (model.heads[1].W, [zero, zero, zero, one])]
    B = [*((*row, fmpq(0)) for row in model.B), [0, 0, 0, 1], [0, 0, 0, -1]]
    hidden = Transformer(layers, B, [*model.u, 1, 1], dim=2)
    result = learned(hidden)
    check(hidden, result)
    assert (len(result.form.odd.heads), result.heads_in_cells) == (1, 1)


def test_parallel_units_are_refused() -> None:
    """Two units that part on no single token are not returned as one."""
    with pytest.raises(ConditionFailsError, match="two units whose m_j are parallel"):
        learned(load_transformer("parallel-units"))


def test_too_small_bounds_are_refused() -> None:
    """Fewer heads, or fewer units, than there are."""
    model = load_transformer("transformer")
    with pytest.raises(NotAttentionError):
        learn_transformer(transformer_oracle(model), heads=1)
    with pytest.raises(ConditionFailsError, match="more than 2 units"):
        learn_transformer(transformer_oracle(model), heads=2, max_units=2)


def test_an_upper_bound_on_the_heads() -> None:
    """With H0 = 4 for H = 2 the odd part takes 2 (4 H0 d^2 - 2 H0 + 1) queries."""
    model = load_transformer("transformer")
    result = learn_transformer(transformer_oracle(model), max_heads=4)
    assert result.form == canonical_transformer(model)
    assert result.odd_queries == 2 * (4 * 4 * 4 - 8 + 1)


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_the_black_box_answers_by_definition(seed: int, length: int) -> None:
    """At the rational place it gives the exact value; copies asked for at once answer as the sequence does."""
    model = random_transformer(seed)
    box, ring, generator = transformer_black_box(model), ResidueRing.seeded(0), random.Random(seed)
    tokens = [tuple(generator.randint(-2, 2) for _ in range(2)) for _ in range(length)]
    assert evaluate_transformer(model, tokens).rational == box.value(tokens, ring)
    x, y = (1, -1), (2, 1)
    assert box.copies(x, y, [1, 2], ring) == [box.value([(3, 0)] * k + [y], ring) for k in (1, 2)]


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_padic_black_box_decides_signs_as_the_symbolic_place_does(seed: int) -> None:
    """Sum over the units that are active by the symbolic sign, in residues."""
    from exactlearn.places.padic import PadicBlackBox
    from exactlearn.places.symbolic import evaluate

    model, ring, generator = random_transformer(seed, weights="rational"), ResidueRing.seeded(1), random.Random(seed)
    tokens = [tuple(generator.randint(-2, 2) for _ in range(2)) for _ in range(3)]
    expected = fmpz(0)
    for u, z in zip(model.u, model.preactivations, strict=True):
        if evaluate(z, [[fmpq(a) for a in token] for token in tokens]).sign() > 0:
            expected += ring.reduce(u) * PadicBlackBox(z).value(tokens, ring)
    assert transformer_black_box(model).value(tokens, ring) == expected % ring.modulus
