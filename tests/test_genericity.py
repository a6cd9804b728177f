"""Tests of the genericity polynomials: brute force against the fast path, the schedule, poles and matchings."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw, TokenSource
from exactlearn.failure_rates import uniform_draw
from exactlearn.genericity import BadSet
from exactlearn.genericity_polynomials import FAMILIES, Polynomial, matching_triples, probes
from exactlearn.model import MultiHeadAttention
from exactlearn.places.rational import RationalBlackBox
from exactlearn.schedule import base_probe, sum_probe
from exactlearn.strategies import shaped_models

KINDS = ["rational", "log-rational"]
THREE_HEADS = MultiHeadAttention([([[1, 0], [0, 1]], [1, 1]), ([[2, 1], [0, 0]], [1, 2]), ([[0, 0], [1, 3]], [-1, 1])])


def sums(tokens: tuple[tuple[int, ...], ...], indices: tuple[int, ...]) -> tuple[int, ...]:
    """The sum of the tokens with these indices."""
    return tuple(sum(entries) for entries in zip(*(tokens[i] for i in indices), strict=True))


@given(st.data(), st.sampled_from(KINDS), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=80)
def test_vanishing_is_brute_force(data: st.DataObject, kind: str, box: int, seed: int) -> None:
    """The fast path names exactly the polynomials whose value, term by term, is zero; raw heads included."""
    model = data.draw(shaped_models(kind, dims=(1, 2), max_heads=4))  # type: ignore[arg-type]
    bad_set, draw = BadSet(model), uniform_draw(model.dim, box, str(seed))
    expected = {p for p in bad_set.polynomials() if not any(bad_set.value(p, draw))}
    found = bad_set.vanishing(draw)
    assert set(found) == expected
    assert len(found) == len(expected)


@given(st.data(), st.sampled_from(KINDS))
@settings(max_examples=30)
def test_witness_points(data: st.DataObject, kind: str) -> None:
    """Every polynomial is non-zero at its witness point; there is none exactly for equal W or v = 0 (raw heads)."""
    raw = data.draw(shaped_models(kind, dims=(1, 2), max_heads=4))  # type: ignore[arg-type]
    for model in (canonical_form(raw), raw):
        bad_set = BadSet(model)
        for polynomial in bad_set.polynomials():
            point = bad_set.witness_point(polynomial)
            assert (point is None) == is_identically_zero(model, polynomial)
            assert point is None or any(bad_set.value(polynomial, point))
        zero = [p for p in bad_set.polynomials() if bad_set.witness_point(p) is None]
        assert (bad_set.identically_zero() is None) == (not zero)
        assert model is raw or not zero


def is_identically_zero(model: MultiHeadAttention, polynomial: Polynomial) -> bool:
    """From the heads themselves."""
    if polynomial.family == "v_h.x":
        return not any(model.heads[polynomial.heads[0]].v)
    if polynomial.family in ("x^T (W_h - W_g) y", "false match"):
        return len({model.heads[h].W for h in polynomial.heads}) == 1
    return False


@given(st.integers(1, 4), st.integers(0, 5))
def test_counts(dim: int, heads: int) -> None:
    """The formulas count what the iterator yields; no polynomial is there twice, and names tell them apart."""
    model = MultiHeadAttention([([[h] * dim] * dim, [1] * dim) for h in range(heads)], dim=dim)
    bad_set = BadSet(model)
    everything = list(bad_set.polynomials())
    tally = Counter(p.family for p in everything)
    assert {family: tally[family] for family in FAMILIES} == bad_set.counts()
    assert len(set(everything)) == len({str(p) for p in everything}) == len(everything)
    assert all(p.degree == bad_set.degree(p.family) for p in everything)


@pytest.mark.parametrize("model", [THREE_HEADS, examples.load("two-heads")])
def test_degrees(model: MultiHeadAttention) -> None:
    """Every polynomial is homogeneous of its degree: doubling the draw multiplies its value by 2^degree."""
    bad_set, draw = BadSet(model), uniform_draw(model.dim, 50, "degrees")
    doubled = Draw(*(tuple(tuple(2 * a for a in token) for token in tokens) for tokens in (draw.X, draw.Y)))
    for polynomial in bad_set.polynomials():
        value = bad_set.value(polynomial, draw)
        assert any(value)
        assert bad_set.value(polynomial, doubled) == tuple(2**polynomial.degree * a for a in value)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_probes_are_those_of_the_schedule(dim: int) -> None:
    """Names and tokens agree with what the learner asks, and triples are (probe, probe, sum of the two)."""
    source = TokenSource(dim, seed=1, attempt=0, box=9)
    draw = source.draw()
    asked = {p.name: (p.x, p.y) for i in range(dim) for j in range(dim) for p in [base_probe(source, i, j)]}
    asked |= {
        p.name: (p.x, p.y)
        for i, j in itertools.product(range(dim), repeat=2)
        if i or j
        for p in [sum_probe(source, i, j)]
    }
    assert {p.name: (sums(draw.X, p.xs), sums(draw.Y, p.ys)) for p in probes(dim)} == asked
    for left, right, total in matching_triples(dim):
        assert set(total.xs) == {*left.xs, *right.xs}
        assert set(total.ys) == {*left.ys, *right.ys}
    assert len({total.name for _, _, total in matching_triples(dim)}) == dim**2 - 1


@given(st.data(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_values_are_logarithms_of_pole_relations(data: st.DataObject, seed: int) -> None:
    """Log-rational weights: a form vanishes exactly when the product of powers of rational poles is one."""
    model = data.draw(shaped_models("log-rational", dims=(1, 2), max_heads=3))
    bad_set, draw = BadSet(model), uniform_draw(model.dim, 2, str(seed))
    box = RationalBlackBox(model)
    for polynomial in bad_set.polynomials():
        if polynomial.family in ("x^T (W_h - W_g) y", "false match"):
            product = fmpq(1)
            for term in polynomial.terms:
                function = box.copy_count_function(sums(draw.X, term.xs), sums(draw.Y, term.ys))
                product *= function.poles[term.head] ** term.sign
            assert (product == 1) == (not any(bad_set.value(polynomial, draw)))


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=150)
def test_matching_is_unique_exactly_on_good_draws(seed: int, box: int) -> None:
    """With distinct poles everywhere, some head has a false candidate exactly when a false match form vanishes."""
    bad_set, draw = BadSet(THREE_HEADS), uniform_draw(2, box, str(seed))
    vanishing = {p.family for p in bad_set.vanishing(draw)}
    if "x^T (W_h - W_g) y" in vanishing:
        return
    form = bad_set.weights.form
    unique = True
    for triple in matching_triples(2):
        left, right, total = ([form(h, sums(draw.X, p.xs), sums(draw.Y, p.ys))[0] for h in range(3)] for p in triple)
        unique &= all([g for g in range(3) if left[h] + right[g] in total] == [h] for h in range(3))
    assert unique == ("false match" not in vanishing)


def test_the_last_test_sees_both_cases() -> None:
    """There are small draws with distinct poles on which a false match occurs, and draws without."""
    seen = {
        "false match" in families
        for seed in range(200)
        for families in [{p.family for p in BadSet(THREE_HEADS).vanishing(uniform_draw(2, 2, str(seed)))}]
        if "x^T (W_h - W_g) y" not in families
    }
    assert seen == {True, False}


def test_names() -> None:
    """Polynomials are named as in the design, tokens and heads from 1."""
    names = {str(p) for p in BadSet(THREE_HEADS).polynomials()}
    assert {"det X", "v_3.(x_1 + x_2)", "x_2^T (W_1 - W_3) (y_1 + y_2)"} <= names
    assert "x_1^T W_1 y_1 + x_2^T W_2 y_1 - (x_1 + x_2)^T W_3 y_1" in names
