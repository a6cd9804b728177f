"""The picture of a probe: the rounded curve against exact values, its poles, and what is refused."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from cli_run import Run
from flint import fmpq

from exactlearn import examples
from exactlearn.copy_count import CopyCountFunction
from exactlearn.copy_count_figure import ProbeCurve, draw_probe, probe_curve, tokens_of_first_probe
from exactlearn.places.real import evaluate


@pytest.mark.parametrize("name", ["two-heads", "true-e", "sqrt-unit", "golden-ratio", "cancelling-pair", "empty"])
def test_the_curve_is_the_models(name: str) -> None:
    """F(k) of the picture is f of k copies of x + y and then y, to twelve digits, for every kind of weights."""
    model = examples.load(name)
    x, y = [fmpq(a + 1) for a in range(model.dim)], [fmpq(1 - 2 * a) for a in range(model.dim)]
    both = [a + b for a, b in zip(x, y, strict=True)]
    curve = probe_curve(model, x, y)
    for k in range(6):
        exact = float(evaluate(model, [*[both] * k, y], 80))
        assert math.isclose(curve(k), exact, rel_tol=1e-12, abs_tol=1e-12), k
    limit = float(evaluate(model, [both], 80))
    assert math.isclose(curve.value_at_infinity, limit, rel_tol=1e-12, abs_tol=1e-12)


def test_left_of_zero_it_is_the_same_fraction() -> None:
    """Between and beyond the poles, where no query is: the exact partial fractions; the wrong sign is another curve."""
    t, c = (fmpq(1, 3), fmpq(2)), (fmpq(-2), fmpq(3))
    exact = CopyCountFunction(fmpq(1), t, c)
    curve = ProbeCurve(1.0, (math.log(1 / 3), math.log(2)), (-2.0, 3.0))
    for k in (fmpq(-7), fmpq(-2), fmpq(-1, 4), fmpq(1, 4), fmpq(5)):
        at, value = (int(a.p) / int(a.q) for a in (k, fmpq(exact(k))))
        assert math.isclose(curve(at), value, rel_tol=1e-12)
        assert not math.isclose(curve(-at), value, rel_tol=1e-2)


def test_large_poles_are_no_overflow() -> None:
    """Exponents beyond all floats give the limit, the start, and no error."""
    curve = ProbeCurve(1.0, (1e5, -1e5), (2.0, 4.0))
    assert [curve(k) for k in (0, 1, 9)] == [1.0, 3.0, 3.0]
    assert curve.value_at_infinity == 7.0
    assert [curve.at(log) for log in (-2e5, 0, 2e5)] == [1.0, 3.0, 7.0]
    assert [curve.at(log, -1) for log in (-2e5, 0, 2e5)] == [1.0, 3.0, 7.0]


def test_tokens_are_over_the_denominator() -> None:
    """The tokens of P(1,1) are the first of each basis."""
    assert tokens_of_first_probe([(1, 2), (3, 4)], [(5, 6), (7, 8)], 3) == (
        [fmpq(1, 3), fmpq(2, 3)],
        [fmpq(5, 3), fmpq(2)],
    )


@pytest.mark.parametrize(
    ("name", "more", "poles"), [("two-heads", [], 2), ("empty", [], 0), ("two-heads", ["--denominator", "3"], 2)]
)
def test_learn_draws_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, more: list[str], poles: int
) -> None:
    """`learn --plot`: a dotted line for every pole, the axes named, one JSON object; the same file on every run."""
    pytest.importorskip("matplotlib")
    files = tmp_path / "a.svg", tmp_path / "b.svg"
    for file in files:
        run = Run(capsys, "learn", name, *more, "--plot", str(file), "--json")
        assert run.status == 0
        assert json.loads(run.out)["recovered"] is True
    text = files[0].read_text(encoding="utf-8")
    assert files[1].read_text(encoding="utf-8") == text
    assert "F(k) at P(1,1)" in text
    assert "s, for k = -10^s" in text
    dotted = re.findall(r"stroke-dasharray: 1.5,2.475; stroke-dashoffset: 0; stroke: #d62728", text)
    assert len(dotted) == poles + (poles > 0)  # one more in the legend


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["two-heads", "--plot", "x.gif"], "a picture's file ends in one of"),
        (["two-heads", "--plot", "none/x.svg"], "none/x.svg: cannot be written"),
        (["two-heads", "--schedule", "lean", "--plot", "x.svg"], "--plot: not taken with --schedule lean"),
        (["two-heads", "--outputs", "float64", "--plot", "x.svg"], "--plot: not taken with --outputs"),
        (["rxnmapper", "--plot", "x.svg"], "--plot: not taken at full size"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """One line each, never a picture that is left out in silence."""
    pytest.importorskip("matplotlib")
    Run(capsys, "learn", *arguments).assert_refused(message)


def test_a_constant_has_a_picture(tmp_path: Path) -> None:
    """No heads, nothing asked: a flat line, as a raster picture too."""
    pytest.importorskip("matplotlib")
    draw_probe(ProbeCurve(0.0, (), ()), "P(1,1)", 0, tmp_path / "flat.png")
    assert (tmp_path / "flat.png").read_bytes()[:4] == b"\x89PNG"
