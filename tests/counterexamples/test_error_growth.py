"""Error growth: the constant is the exact norm of the inverse Jacobian, it is attained, and it grows without bound."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from flint import fmpq, fmpq_mat

from exactlearn.claims.jacobian import jacobian, product_formula
from exactlearn.counterexamples import Request, counterexample
from exactlearn.counterexamples.error_growth import error_constant, error_growth
from exactlearn.counterexamples.plotting import plot_error_growth
from exactlearn.errors import MissingExtraError, UnusableInputError


def test_the_smallest_member_by_hand() -> None:
    """One head: J = [[t/(1+t), c/(1+t)^2], [t/(1+2t), c/(1+2t)^2]], at t = c = 1 [[1/2, 1/4], [1/3, 1/9]]."""
    inverse = [[fmpq(1, 9), fmpq(-1, 4)], [fmpq(-1, 3), fmpq(1, 2)]]
    determinant = fmpq(1, 18) - fmpq(1, 12)
    by_hand = max(sum(abs(entry / determinant) for entry in row) for row in inverse)
    assert error_constant([fmpq(1)], [fmpq(1)]) == by_hand == 30


@pytest.mark.parametrize("heads", [2, 3])
def test_the_constant_is_attained(heads: int) -> None:
    """Some vector of errors +1 and -1 makes a first-order error of just beta in one parameter, none a larger one."""
    member = error_growth(Request(heads=heads))[0]
    J = jacobian([fmpq(1)] * heads, member.poles)
    inverse = J.inv().tolist()
    worst = max(inverse, key=lambda row: sum(abs(entry) for entry in row))
    signs = fmpq_mat([[fmpq(1 if entry > 0 else -1)] for entry in worst])
    error = J.solve(signs).entries()
    assert max(abs(entry) for entry in error) == member.constant


@pytest.mark.parametrize("seed", [None, 0, 5])
@pytest.mark.parametrize("heads", [2, 3, 4])
def test_it_grows(heads: int, seed: int | None) -> None:
    """The distance is halved and the constant grows at every step, in the end more than sixfold."""
    growth = error_growth(Request(heads=heads, seed=seed))
    assert all(after.distance == before.distance / 2 for before, after in pairwise(growth))
    assert all(after.constant > before.constant for before, after in pairwise(growth))
    assert growth[-1].constant > 6 * growth[-2].constant
    table = counterexample("error-growth", heads=heads, seed=seed).tables[0]
    assert [row[1] for row in table.rows] == [str(member.constant) for member in growth]


def test_in_the_limit_the_jacobian_is_singular() -> None:
    """Where two poles are equal the determinant is zero, as the product formula says: so there is no bound."""
    ones = [fmpq(1)] * 2
    assert jacobian(ones, ones).det() == product_formula(ones, ones) == 0
    assert error_growth(Request(heads=2))[0].poles == (fmpq(1), fmpq(2))


def test_plot(tmp_path: Path) -> None:
    """A picture with both axes named; the same to the byte when drawn again."""
    pytest.importorskip("matplotlib")
    growth = error_growth(Request(heads=2))
    paths = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for path in paths:
        plot_error_growth(growth, path)
    assert paths[0].read_text().startswith("<?xml")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    plot_error_growth(growth[:3], paths[1])
    assert paths[0].read_bytes() != paths[1].read_bytes()
    plot_error_growth(growth, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_plot_cannot_be_written(tmp_path: Path) -> None:
    """A folder that is not there, and an ending that is no picture."""
    pytest.importorskip("matplotlib")
    with pytest.raises(UnusableInputError, match="cannot be written"):
        plot_error_growth(error_growth(Request()), tmp_path / "none" / "one.svg")
    with pytest.raises(UnusableInputError, match="ends in one of"):
        plot_error_growth(error_growth(Request()), tmp_path / "one.txt")


def test_plot_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"a plot needs the package matplotlib: .*exactlearn\[plot\]"):
        plot_error_growth(error_growth(Request()), tmp_path / "one.svg")
