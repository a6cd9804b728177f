"""Tests of exact exponents in normal form: equal numbers, equal keys."""

from __future__ import annotations

import time

import pytest
from flint import fmpq
from hypothesis import given

from exactlearn.exponents import ZERO_KEY, EntryKey, weight_key
from exactlearn.model import ONE, MultiHeadAttention, Unit, WeightKind
from exactlearn.strategies import positive_rationals, rationals


def _key(entry: fmpq, unit: Unit = ONE, weights: WeightKind = "rational", reference: Unit = ONE) -> EntryKey:
    model = MultiHeadAttention([([[entry]], [1])], weights=weights, unit=unit)
    return weight_key(model, model.heads[0].W, reference)[0][0]


@given(positive_rationals(), positive_rationals(), rationals(), rationals())
def test_logarithms(a: fmpq, b: fmpq, u: fmpq, w: fmpq) -> None:
    """Equal keys for u log a and w log b exactly when a^p = b^q for the whole p : q = u : w."""
    if not (u and w):
        return
    common = u.q * w.q
    p, q = int((u * common).p), int((w * common).p)
    equal = a**p == b**q
    left, right = _key(a, Unit.of(u), "log-rational"), _key(b, Unit.of(w), "log-rational")
    assert (left == right) == equal


@pytest.mark.parametrize(
    ("T", "unit", "key"),
    [
        (fmpq(1), fmpq(5), ZERO_KEY),
        (fmpq(8), fmpq(1), ("log", fmpq(2), fmpq(3))),
        (fmpq(1, 8), fmpq(1, 3), ("log", fmpq(2), fmpq(-1))),
        (fmpq(4, 9), fmpq(1), ("log", fmpq(3, 2), fmpq(-2))),
        (fmpq(8, 9), fmpq(1), ("log", fmpq(9, 8), fmpq(-1))),
        (fmpq(64, 729), fmpq(-1, 6), ("log", fmpq(3, 2), fmpq(1))),
        (fmpq(2) ** 210, fmpq(1, 210), ("log", fmpq(2), fmpq(1))),
        (fmpq(6) ** 30 / 35**42, fmpq(1), ("log", fmpq(35) ** 7 / fmpq(6) ** 5, fmpq(-6))),
    ],
)  # fmt: skip
def test_perfect_powers(T: fmpq, unit: fmpq, key: EntryKey) -> None:
    """The base is above 1 and no perfect power; the exponent carries the sign."""
    assert _key(T, Unit.of(unit), "log-rational") == key


@given(rationals(), rationals().filter(bool))
def test_units(entry: fmpq, factor: fmpq) -> None:
    """Commensurable units are expressed by the reference, others stay; zero is zero in every unit."""
    root = Unit.sqrt(2)
    scaled = Unit(2 * factor**2, 1 if factor > 0 else -1)
    assert _key(entry, scaled, reference=root) == _key(entry * factor, root, reference=root)
    if entry:
        assert _key(entry, root, reference=ONE) == ("e", root, entry)
        assert _key(entry, root, reference=ONE) != _key(entry, ONE, reference=ONE)
    else:
        assert _key(entry, root) == ZERO_KEY


def test_e_and_log_never_meet() -> None:
    """No rational multiple of a unit is a logarithm of a rational but zero."""
    assert _key(fmpq(1)) != _key(fmpq(3), ONE, "log-rational")
    assert _key(fmpq(0)) == _key(fmpq(1), ONE, "log-rational")


def test_long_entries() -> None:
    """Powers of long numbers are found in no time."""
    started = time.perf_counter()
    assert _key(fmpq(10**300 + 7) ** 2, ONE, "log-rational") == ("log", fmpq(10**300 + 7), fmpq(2))
    assert _key(fmpq(10**3000 + 7), ONE, "log-rational") == ("log", fmpq(10**3000 + 7), fmpq(1))
    assert time.perf_counter() - started < 5
