"""The commands on models over number fields, and learn --denominator."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_run import Run as OneRun

from exactlearn.examples import load

Run = Callable[..., tuple[Any, str, str]]

OVER_FIELDS = ["conjugate-heads", "golden-ratio", "cosines", "hidden-zero", "meeting-poles"]
ROOT_2 = {"minpoly": ["-2", "0", "1"], "root": ["1", "2"]}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program; gives status, standard output and standard error."""

    def once(*arguments: str) -> tuple[Any, str, str]:
        one = OneRun(capsys, *arguments)
        return one.status, one.out, one.err

    return once


def _file(folder: Path, name: str, entry: object, field: object = None, unit: str = "1") -> str:
    path = folder / name
    heads = [{"W": [[entry]], "v": ["1"]}]
    document = {"format": "exactlearn.model/1", "kind": "attention", "dim": 1, "weights": "rational", "unit": unit}
    path.write_text(json.dumps({**document, **({"field": field} if field else {}), "heads": heads}))
    return str(path)


@pytest.mark.parametrize("name", OVER_FIELDS)
def test_learn(run: Run, name: str) -> None:
    """Bundled models over fields are recovered; the result says where the generator went."""
    status, out, err = run("learn", name, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["recovered"]
    assert document["queries"] == document["predicted_queries"]
    p, r, s = (int(document[key]) for key in ("prime", "root_mod_p", "root_mod_q"))
    minpoly = load(name).field.polynomial.numer()  # type: ignore[union-attr]
    assert int(minpoly(r)) % p == 0
    assert int(minpoly(s)) % (p // 2) == 0
    status, out, err = run("learn", name)
    assert f"a goes to {r} mod p, in exponents to {s} mod (p - 1)/2" in out


def test_eval(run: Run) -> None:
    """Tokens may be lists of coefficients in the model's field, or in a field of their own."""
    tokens = '{"tokens": [[["0", "1"], "1"], [["0", "-2"], "-2"]]}'
    status, out, err = run("eval", "hidden-zero", tokens, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["exact"].endswith("/(1 + exp(24*sqrt(2)))")
    assert json.loads(out)["field"] == ROOT_2
    assert run("eval", "two-heads", tokens)[0] == 2
    tokens = '{"tokens": [[["0","1"],"1"], ["1","1"]], "field": ' + json.dumps(ROOT_2) + "}"
    status, out, err = run("eval", "true-e", tokens)
    assert (status, err) == (0, "")
    assert "sqrt(2)" in out
    status, out, err = run("eval", "golden-ratio", '{"tokens": [["1/2", "1"], ["1", "1"]]}')
    assert (status, err.count("\n")) == (2, 1)
    assert "a power of T with the exponent -1/2 need not lie in the number field" in err
    assert "in       Q(a), " in run("eval", "cosines", '{"tokens": [["1", "0"], ["0", "1"]]}')[1]


def test_compare(run: Run, tmp_path: Path) -> None:
    """Models over different fields, and units inside of a field, are compared exactly."""
    in_field = _file(tmp_path, "a.json", ["0", "1"], ROOT_2)
    as_unit = _file(tmp_path, "b.json", "1", unit="sqrt(2)")
    other_field = _file(tmp_path, "c.json", ["0", "1/2"], {"minpoly": ["-8", "0", "1"], "root": ["2", "3"]})
    conjugate = _file(tmp_path, "d.json", ["0", "1"], {"minpoly": ["-2", "0", "1"], "root": ["-2", "-1"]})
    assert run("compare", in_field, as_unit)[0] == 0
    assert run("compare", in_field, other_field)[0] == 0
    assert run("compare", other_field, as_unit)[0] == 0
    status, out, _ = run("compare", in_field, conjugate, "--json")
    assert status == 1
    assert json.loads(out)["tokens"] == [["2"], ["1"]]


def test_canonical(run: Run, tmp_path: Path) -> None:
    """Numbers that are equal after reduction merge; the canonical model is over the same field."""
    path = tmp_path / "m.json"
    heads = [{"W": [[["0", "1"]]], "v": ["1"]}, {"W": [[["0", "1", "0"]]], "v": ["1"]}]
    field = {"minpoly": ["-2", "0", "0", "1"], "root": ["1", "2"]}
    document = {"format": "exactlearn.model/1", "kind": "attention", "dim": 1, "weights": "rational"}
    path.write_text(json.dumps({**document, "field": field, "heads": heads}))
    status, out, _ = run("canonical", str(path), "--json")
    document = json.loads(out)
    assert (status, document["merged"], document["model"]["field"]) == (0, [[0, 1]], field)
    assert "over Q(a), -2 + a**3 = 0, a = 1.25992" in run("canonical", str(path))[1]


def test_one_line_for_each_mistake(run: Run, tmp_path: Path) -> None:
    """Fields that are none, and certificates, are refused in one line with exit status 2."""
    cases = {
        "the polynomial is reducible over Q": {"minpoly": ["-4", "0", "1"], "root": ["1", "3"]},
        "holds no real root": {"minpoly": ["-2", "0", "1"], "root": ["2", "3"]},
        "holds 2 real roots": {"minpoly": ["-2", "0", "1"], "root": ["-3", "3"]},
        "an element has at most 1 coefficients": {"minpoly": ["-2", "1"], "root": ["2", "2"]},
    }
    for message, field in cases.items():
        status, out, err = run("canonical", _file(tmp_path, "m.json", ["1", "2", "3"], field))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
    for arguments in (("verify", "golden-ratio", "-o"), ("learn", "golden-ratio", "--certificate")):
        status, out, err = run(*arguments, str(tmp_path / "c.json"))
        assert (status, out) == (2, "")
        assert "certificates do not reach models over a number field yet" in err
        assert not (tmp_path / "c.json").exists()


def test_denominator(run: Run, tmp_path: Path) -> None:
    """Tokens with denominators: the same model; refused where it makes no sense."""
    status, out, err = run("learn", "two-heads", "--denominator", "2", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert (document["recovered"], document["place"], document["denominator"]) == (True, "radical", 2)
    assert document["queries"] == 29
    assert "tokens from [-24, 24] over 3" in run("learn", "two-heads", "--denominator", "3")[1]
    for arguments, message in [
        (("true-e", "--denominator", "2"), "drawn for log-rational weights over Q"),
        (("two-heads", "--denominator", "0"), "denominator: a whole number from 1 to 64 is expected"),
        (("two-heads", "--denominator", "2", "--certificate", str(tmp_path / "c")), "not taken with --certificate"),
    ]:
        status, out, err = run("learn", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
