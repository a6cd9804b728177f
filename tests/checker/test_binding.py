"""Binding to the user's own model file: the same function in any writing is accepted, every other is rejected."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactlearn.canonical import same_function
from exactlearn.checker import Status, check_file, check_text
from exactlearn.checker.model import Reader, difference
from exactlearn.checker.numerals import wide_number
from exactlearn.checker.outcome import Clock, Unusable
from exactlearn.files.model_file import model_to_json
from exactlearn.model import Head, MultiHeadAttention, Unit

ACCEPT = Path(__file__).parent / "accept"
TRUE_E = (ACCEPT / "true_e.json").read_text(encoding="utf-8")  # W = 1, v = 1/2 and W = 2/3, v = 1
LOG = (ACCEPT / "negative_fractional_unit.json").read_text(encoding="utf-8")  # -1/2 log 4, v = 3; -1/2 log 9, v = 1
ROOT = (ACCEPT / "irrational_unit_and_bound.json").read_text(encoding="utf-8")  # sqrt(1/2) * 1, v = 1
ZERO = (ACCEPT / "no_heads.json").read_text(encoding="utf-8")


def model_text(weights: str, heads: list[tuple[str, str]], **more: Any) -> str:
    """A model file in one dimension from pairs of W and v."""
    document = {"format": "exactlearn.model/1", "kind": "attention", "dim": 1, "weights": weights}
    return json.dumps(document | {"heads": [{"W": [[W]], "v": [v]} for W, v in heads]} | more)


SAME = {
    "without a unit": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "1")])),
    "other order": (TRUE_E, model_text("rational", [("2/3", "1"), ("1", "1/2")])),
    "decimals": (TRUE_E, model_text("rational", [("1.000", "0.5"), ("02/3", "1.0")])),
    "hexadecimal": (TRUE_E, model_text("rational", [("0x1", "0x1/0x2"), ("0xA/0xf", "0x01")])),
    "unreduced": (TRUE_E, model_text("rational", [("6/6", "3/6"), ("4/6", "1")])),
    "long decimals": (TRUE_E, model_text("rational", [("1", "0.5" + "0" * 9_000), ("2/3", "1")])),
    "another unit": (TRUE_E, model_text("rational", [("3/2", "1/2"), ("1", "1")], unit="2/3")),
    "a negative unit": (TRUE_E, model_text("rational", [("-1", "1/2"), ("-2/3", "1")], unit="-1")),
    "a root that is rational": (TRUE_E, model_text("rational", [("1/2", "1/2"), ("1/3", "1")], unit="sqrt(4)")),
    "split and cancelled": (TRUE_E, model_text("rational", [("1", "1"), ("2/3", "1"), ("1", "-0.5"), ("9", "0")])),
    "powers of T": (LOG, model_text("log-rational", [("1/2", "3"), ("1/3", "1")])),
    "other powers of T": (LOG, model_text("log-rational", [("8", "3"), ("27", "1")], unit="-1/3")),
    "another root": (ROOT, model_text("rational", [("1/2", "1")], unit="sqrt(2)")),
    "a negative root": (ROOT, model_text("rational", [("-1", "1")], unit="-sqrt(0.5)")),
    "zero functions": (ZERO, model_text("rational", [("1", "0")])),
}
OTHER = {
    "another weight": (TRUE_E, model_text("rational", [("1", "1/2"), ("3/2", "1")])),
    "another value": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "2")])),
    "values exchanged": (TRUE_E, model_text("rational", [("1", "1"), ("2/3", "1/2")])),
    "a head less": (TRUE_E, model_text("rational", [("1", "1/2")])),
    "a head more": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "1"), ("0", "1")])),
    "no heads": (TRUE_E, model_text("rational", [])),
    "another unit": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "1")], unit="2")),
    "another sign of the unit": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "1")], unit="-1")),
    "an irrational unit": (TRUE_E, model_text("rational", [("1", "1/2"), ("2/3", "1")], unit="sqrt(2)")),
    "T instead of W": (TRUE_E, model_text("log-rational", [("1", "1/2"), ("2/3", "1")])),
    "another power of T": (LOG, model_text("log-rational", [("2", "3"), ("1/3", "1")])),
    "another root": (ROOT, model_text("rational", [("1", "1")], unit="sqrt(1/3)")),
    "another dimension": (
        ZERO,
        json.dumps({"format": "exactlearn.model/1", "kind": "attention", "dim": 2, "weights": "rational", "heads": []}),
    ),
}
UNUSABLE = {
    "no JSON": ("W = 1", "the model file: not JSON"),
    "empty": ("", "the model file: not JSON"),
    "a certificate": (TRUE_E, "the key .kind. is missing|unknown key"),
    "unknown key": (model_text("rational", [], comment="hm"), "unknown key 'comment'"),
    "a float": (model_text("rational", []).replace('"dim": 1', '"dim": 1.0'), "the JSON number '1.0' is not exact"),
    "an exponent": (model_text("rational", [("1e9", "1")]), r"heads\[0\].W\[0\]\[0\]: '1e9' is not a number here"),
    "a zero denominator": (model_text("rational", [("1/0", "1")]), "'1/0' has the denominator zero"),
    "unicode digits": (model_text("rational", [("\u0661", "1")]), "is not a number here"),
    "too long": (model_text("rational", [("1" * 100_001, "1")]), r"\(100001 characters\) is not a number here"),
    "a zero unit": (model_text("rational", [], unit="0"), "'0' is no unit"),
    "a nested root": (model_text("rational", [], unit="sqrt(sqrt(2))"), r"'sqrt\(2\)' is not a number here"),
    "T not positive": (model_text("log-rational", [("0", "1")]), "an entry of T is positive"),
    "an irrational unit on T": (model_text("log-rational", [], unit="sqrt(2)"), "take a rational unit"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_function_is_bound(name: str) -> None:
    """Another way to write the same function is accepted, and the file is named."""
    outcome = check_text(*SAME[name])
    assert (outcome.status, outcome.reason) == (Status.ACCEPTED, "")
    assert outcome.binding == "bound to the model file, which is the same function (equal canonical forms)"


@pytest.mark.parametrize("name", OTHER)
def test_another_function_is_rejected(name: str) -> None:
    """A certificate is not accepted for a model that it is not about."""
    outcome = check_text(*OTHER[name])
    assert (outcome.status, outcome.claims) == (Status.REJECTED, ())
    assert outcome.reason.startswith("the model file: another function than the certificate's: its ")


@pytest.mark.parametrize("name", UNUSABLE)
def test_no_model_file(name: str) -> None:
    """A file that is no model file is unusable, never a rejection and never left out of account."""
    text, reason = UNUSABLE[name]
    outcome = check_text(TRUE_E, text)
    assert outcome.status is Status.UNUSABLE
    with pytest.raises(Unusable, match=reason):
        raise Unusable(outcome.reason)


def test_powers_of_units_are_bounded() -> None:
    """Units a billion apart are no verdict: the powers that would decide are not taken."""
    far = model_text("log-rational", [("2", "3"), ("3", "1")], unit="1000000007/1000000009")
    assert check_text(LOG, far).status is Status.NO_VERDICT


def test_the_file_is_named(tmp_path: Path) -> None:
    """From a file the binding and the errors name it; a file that is not there is unusable, so is an empty name."""
    path = tmp_path / "mine.json"
    path.write_text(SAME["decimals"][1], encoding="utf-8")
    certificate = ACCEPT / "true_e.json"
    assert check_file(certificate, path).binding.startswith(f"bound to {str(path)!r}, which is the same function")
    for missing in (tmp_path / "none.json", "", tmp_path, "nul\0"):
        outcome = check_file(certificate, missing)
        assert outcome.status is Status.UNUSABLE
        assert "cannot be read" in outcome.reason or "not a regular file" in outcome.reason


SMALL = st.sampled_from([fmpq(n, d) for n in (-1, 1, 2, 4) for d in (1, 2)] + [fmpq(0)])
UNITS = st.sampled_from([Unit.of(fmpq(n, 2)) for n in (-2, 1, 2, 4)] + [Unit.sqrt(fmpq(2)), Unit.sqrt(fmpq(1, 2))])


@st.composite
def models(draw: st.DrawFn) -> MultiHeadAttention:
    """Small models of both kinds in one dimension, so that equal functions are frequent."""
    is_log = draw(st.booleans())
    weight = SMALL.filter(lambda number: number > 0) if is_log else SMALL
    unit = draw(UNITS.filter(lambda unit: unit.rational is not None) if is_log else UNITS)
    heads = draw(st.lists(st.tuples(weight, SMALL), max_size=2))
    kind: Any = "log-rational" if is_log else "rational"
    return MultiHeadAttention([Head([[W]], [v]) for W, v in heads], dim=1, weights=kind, unit=unit)


@given(models(), models())
@settings(max_examples=600)
def test_comparison_agrees_with_the_package(left: MultiHeadAttention, right: MultiHeadAttention) -> None:
    """The checker's own comparison of functions says what the package's says."""
    ours = [Reader(wide_number, Clock(60)).model(model_to_json(model), "") for model in (left, right)]
    assert (difference(ours[0], ours[1], Clock(60)) == "") == same_function(left, right).holds


@given(st.fractions(), st.integers(0, 60))
def test_model_numbers_in_any_writing(value: Fraction, zeros: int) -> None:
    """The wider grammar reads decimal, unreduced and hexadecimal writings of one number alike."""
    p, q = value.numerator, value.denominator
    sign = "-" if p < 0 else ""
    texts = [f"{p}/{q}", f"{sign}{'0' * zeros}{abs(p)}/{q}", f"{3 * p}/{3 * q}", f"{p:#x}/{q:#x}"]
    assert {wide_number(text, "") for text in texts} == {value}
    assert wide_number(f"{p}.{'0' * zeros}5", "") == p + Fraction(-1 if sign else 1, 2 * 10**zeros)
