"""Genericity polynomials over number fields: exact values, what vanishes, poles that meet among the cosines."""

from __future__ import annotations

from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import canonical_form
from exactlearn.draws import Draw
from exactlearn.examples import load
from exactlearn.genericity import BadSet
from exactlearn.log_weights import LogWeights
from exactlearn.model import MultiHeadAttention, dot
from exactlearn.places.rational import RationalBlackBox
from exactlearn.strategies import NUMBER_FIELDS, bases, models_over, tokens

any_field = st.sampled_from(NUMBER_FIELDS)


@settings(max_examples=40)
@given(any_field.flatmap(models_over), st.data())
def test_coordinates_are_those_of_the_score(model: MultiHeadAttention, data: st.DataObject) -> None:
    """The coordinates of x^T W y over 1, a, a^2, ... are its coefficients."""
    x, y = (data.draw(tokens(model.dim)) for _ in range(2))
    weights = LogWeights.of(model)
    for h, head in enumerate(model.heads):
        score = dot([fmpq(a) for a in x], [dot(row, [fmpq(b) for b in y]) for row in head.W])
        assert model.field is not None
        assert weights.form(h, x, y) == model.field(score).coefficients


@settings(max_examples=25)
@given(any_field.flatmap(lambda field: models_over(field, "log-rational")), st.data())
def test_logarithms_vanish_with_their_coordinates(model: MultiHeadAttention, data: st.DataObject) -> None:
    """Two poles of a log-rational model are equal exactly when their coordinates are."""
    x, y = (data.draw(tokens(model.dim, 2)) for _ in range(2))
    weights, poles = LogWeights.of(model), RationalBlackBox(model).copy_count_function(x, y).poles
    for h in range(len(poles)):
        assert (poles[h] == 1) == (not any(weights.form(h, x, y)))
        for g in range(h):
            assert (poles[h] == poles[g]) == (weights.form(h, x, y) == weights.form(g, x, y))


@settings(max_examples=25)
@given(any_field, st.sampled_from(["rational", "log-rational"]), st.data())
def test_what_vanishes(field: object, weights: str, data: st.DataObject) -> None:
    """`vanishing` lists exactly the polynomials whose value is zero, and none vanishes identically."""
    model = canonical_form(data.draw(models_over(field, weights)))  # type: ignore[arg-type]
    bad = BadSet(model)
    draw = Draw(data.draw(bases(model.dim, 2)), data.draw(bases(model.dim, 2)))
    assert bad.identically_zero() is None
    assert bad.vanishing(draw) == [p for p in bad.polynomials() if not any(bad.value(p, draw))]


def test_poles_that_meet_only_on_a_line() -> None:
    """In the bundled example poles meet at a rational probe exactly when all products x_i y_i are equal."""
    weights = LogWeights.of(load("meeting-poles"))
    probes = [((a, b, c), (1, 2, -1)) for a in range(-4, 5) for b in range(-4, 5) for c in range(-4, 5)]
    for x, y in probes:
        products = {p * q for p, q in zip(x, y, strict=True)}
        assert (weights.form(0, x, y) == weights.form(1, x, y)) == (len(products) == 1)
