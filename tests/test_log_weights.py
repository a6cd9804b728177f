"""Tests of weights over Q-independent units, against the symbolic place's powers and exponentials."""

from __future__ import annotations

from flint import fmpq, fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.claims.symbolic_probe import pole
from exactlearn.log_weights import LogWeights
from exactlearn.model import MultiHeadAttention
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.strategies import shaped_models, tokens, units

KINDS = ["rational", "log-rational"]


def value_of(model: MultiHeadAttention, weights: LogWeights, form: tuple[fmpq, ...]) -> SymbolicValue:
    """The power of e to the number whose coordinates are `form`."""
    if model.weights == "rational":
        return SymbolicValue.exp(form[0], model.unit)
    product = SymbolicValue.of(1)
    for base, exponent in zip(weights.base, form, strict=True):
        product *= SymbolicValue.power(base, exponent)
    return product


@given(st.data(), st.sampled_from(KINDS))
@settings(max_examples=60)
def test_form_is_the_logarithm_of_the_pole(data: st.DataObject, kind: str) -> None:
    """The coordinates of x^T W y give back exp(x^T W y)."""
    model = data.draw(shaped_models(kind, dims=(1, 2), unit=data.draw(units(kind))))  # type: ignore[arg-type]
    weights = LogWeights.of(model)
    x, y = data.draw(tokens(model.dim)), data.draw(tokens(model.dim))
    for h, head in enumerate(model.heads):
        assert value_of(model, weights, weights.form(h, x, y)) == pole(model, head, x, y)


@given(st.data(), st.sampled_from(KINDS))
@settings(max_examples=60)
def test_packed_values_compare_as_the_forms(data: st.DataObject, kind: str) -> None:
    """A sum of packed values is zero exactly when the sum of the coordinate vectors is."""
    model = data.draw(shaped_models(kind, dims=(1, 2), max_heads=3))  # type: ignore[arg-type]
    weights, d = LogWeights.of(model), model.dim
    x, y = data.draw(tokens(d)), data.draw(tokens(d))
    packed = [(fmpz_mat([list(x)]) * m * fmpz_mat([[b] for b in y]))[0, 0] for m in weights.packed(3)]
    forms = [weights.form(h, x, y) for h in range(len(model.heads))]
    signs = data.draw(st.lists(st.integers(-1, 1), min_size=len(forms), max_size=len(forms)))
    total = [sum((s * a for s, a in zip(signs, unit, strict=True)), fmpq(0)) for unit in zip(*forms, strict=True)]
    assert (sum(s * p for s, p in zip(signs, packed, strict=True)) == 0) == (not any(total))


def test_multiplicative_relations_are_seen() -> None:
    """The logarithms of 4, 2 and 6 over one coprime base: log 4 = 2 log 2, and log 6 = log 2 + log 3."""
    model = MultiHeadAttention([([[4]], [1]), ([[2]], [1]), ([[6]], [1]), ([[3]], [1])], weights="log-rational")
    weights = LogWeights.of(model)
    assert [int(b) for b in weights.base] == [2, 3]
    four, two, six, three = (weights.form(h, (1,), (1,)) for h in range(4))
    assert four == weights.form(1, (2,), (1,)) != two
    assert six == tuple(a + b for a, b in zip(two, three, strict=True))
