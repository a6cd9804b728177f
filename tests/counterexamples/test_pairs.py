"""What is special about each kind of pair: which hypothesis fails, and that one query or another draw mends it."""

from __future__ import annotations

import itertools

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form, same_function
from exactlearn.copy_count import CopyCountFunction
from exactlearn.counterexamples import counterexample
from exactlearn.counterexamples.fewer_queries import queries
from exactlearn.counterexamples.fixed_draw import FixedTokens, read_fixed_draw
from exactlearn.counterexamples.partial_fractions import coprime, split_terms
from exactlearn.draws import Draw
from exactlearn.errors import DegenerateDrawError
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention, as_token_sequence
from exactlearn.oracle import oracle_of
from exactlearn.places.symbolic import evaluate


@given(st.sets(st.integers(1, 12), min_size=2, max_size=8).map(sorted), st.data())
def test_split_terms_agree_exactly_up_to_the_number_of_copies(numbers: list[int], data: st.DataObject) -> None:
    """The two functions agree at k = 0, ..., n and differ at the next ten; residues are whole, coprime and not zero."""
    copies = data.draw(st.integers(0, len(numbers) - 1))
    mine = data.draw(st.sets(st.integers(0, len(numbers) - 1), min_size=1).map(sorted))
    first, second = (
        CopyCountFunction(fmpq(0), tuple(t for t, _ in terms), tuple(c for _, c in terms))
        for terms in split_terms(numbers, copies, mine)
    )
    assert [first(k) == second(k) for k in range(copies + 11)] == [True] * (copies + 1) + [False] * 10
    residues = [*first.residues, *second.residues]
    assert all(residues)
    assert coprime(residues) == residues
    if copies <= len(numbers) - 2:
        assert first.value_at_infinity == second.value_at_infinity


@given(st.lists(st.builds(fmpq, st.integers(-9, 9), st.integers(1, 9)), min_size=1).filter(any))
def test_coprime(numbers: list[fmpq]) -> None:
    """A positive multiple with whole entries; no larger number divides all of them."""
    found = coprime(numbers)
    pivot = next(i for i, number in enumerate(numbers) if number)
    factor = found[pivot] / numbers[pivot]
    assert factor > 0
    assert found == [factor * number for number in numbers]
    assert all(entry.q == 1 for entry in found)
    assert any(entry.p % n for n in range(2, 10) for entry in found) or {abs(int(entry.p)) for entry in found} <= {0, 1}


@pytest.mark.parametrize("H", [1, 2, 3])
def test_too_few_copies_is_sharp(H: int) -> None:
    """2H - 1 copy counts and F(0) are asked, no more and no less; all residues are positive."""
    found = counterexample("too-few-copies", heads=H)
    assert [len(tokens) for tokens in found.agree_on] == list(range(1, 2 * H + 1))
    assert found.differ_on is not None
    assert len(found.differ_on) == 2 * H + 1
    assert all(head.v[0] > 0 for model in found.attention for head in model.heads)


@pytest.mark.parametrize(("H", "d"), list(itertools.product((1, 2, 3), (1, 2, 3))))
def test_fewer_queries_counts(H: int, d: int) -> None:
    """One query fewer than H d^2 + H d, all different; with the one left out they are as many as parameters."""
    asked, left_out = queries(H, d)
    assert len({*asked, left_out}) == len(asked) + 1 == H * d**2 + H * d
    found = counterexample("fewer-queries", heads=H, dim=d)
    assert (found.agree_on, found.differ_on) == (asked, left_out)


@pytest.mark.parametrize(("H", "d"), [(2, 2), (3, 2), (2, 3)])
def test_base_probes_alone_are_not_degenerate(H: int, d: int) -> None:
    """The poles at every base probe are distinct in both models, and the learner, which asks sum probes, finds both."""
    found = counterexample("base-probes-alone", heads=H, dim=d)
    for model in found.attention:
        for i, j in itertools.product(range(d), repeat=2):
            assert len({head.W[i][j] for head in model.heads}) == H
        assert learn(oracle_of(model), heads=H).model == canonical_form(model)


@pytest.mark.parametrize(
    ("case", "polynomial"),
    [
        ("v-x", "v_1.x_1"),
        ("poles-meet", "x_1^T (W_1 - W_2) y_1"),
        ("false-match", "x_1^T W_1 y_1 + x_2^T W_2 y_1 - (x_1 + x_2)^T W_3 y_1"),
        ("det-x", "det X"),
        ("det-y", "det Y"),
    ],
)
def test_bad_draw_names_its_polynomial(case: str, polynomial: str) -> None:
    """The polynomial of the case vanishes; the learner names it on this draw and recovers both on draws of its own."""
    found = counterexample("bad-draw", case=case)
    draw, vanishing, learner = found.tables
    assert draw.columns == ("i", "x_i", "y_i")
    assert vanishing.rows[0][0] == polynomial
    said = {"v-x": "v_h.x = 0", "poles-meet": "x^T (W_h - W_g) y = 0", "false-match": "false match = 0"}
    for _, when, words in learner.rows:
        if when == "on this draw":
            assert words.startswith(f"bad draw: {said[case]} at" if case in said else "never asks")
        else:
            assert words.startswith(f"recovered {len(found.attention[0].heads)} head")


@pytest.mark.parametrize("case", ["v-x", "poles-meet"])
def test_bad_draw_by_one_polynomial_only(case: str) -> None:
    """The smallest instance drops nothing else."""
    assert len(counterexample("bad-draw", case=case).tables[1].rows) == 1


def test_a_good_draw_is_read() -> None:
    """Negative control of the fixed draw: where no polynomial vanishes the learner reads the model."""
    found = counterexample("bad-draw", case="poles-meet")
    good = Draw(((1, 2), (3, 1)), ((1, 1), (2, -1)))
    for model in found.attention:
        read = read_fixed_draw(model, good, 2)
        assert isinstance(read, MultiHeadAttention)
        assert same_function(read, model).holds
    with pytest.raises(DegenerateDrawError, match="fixed"):
        FixedTokens.of(good).redraw("x0")


@pytest.mark.parametrize("H", [2, 3, 4])
def test_fewer_heads_deceives_what_was_asked(H: int) -> None:
    """On this draw the learner's one candidate is the model with fewer heads; a whole run refuses it, and finds H."""
    found = counterexample("fewer-heads", heads=H)
    assert [len(model.heads) for model in found.attention] == [H, H - 2]
    rows = found.tables[1].rows
    assert rows[0][2].endswith(", the second one")
    assert all(words.startswith("not attention") for told, _, words in rows[1:] if 0 < int(told) < H)
    assert rows[-1][2] == f"recovered {H} heads"


@pytest.mark.parametrize("case", ["merge", "cancel", "permute"])
def test_equal_functions_everywhere(case: str) -> None:
    """The raw heads differ, the canonical forms do not, nor do values on sequences that were not shown."""
    left, right = counterexample("equal-functions", case=case, heads=2, dim=2, seed=3).attention
    assert left.heads != right.heads
    assert canonical_form(left) == canonical_form(right)
    tokens = as_token_sequence([[1, 2], [-1, 0], [3, 1]], 2)
    assert evaluate(left, tokens) == evaluate(right, tokens)
