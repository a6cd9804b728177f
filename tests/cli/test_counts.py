"""The command counts: formulas written out once more, the picture, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactlearn.cli import main
from exactlearn.query_counts import query_counts


@pytest.mark.parametrize("heads", [1, 2, 5])
@pytest.mark.parametrize("dim", [1, 2, 3, 8])
@pytest.mark.parametrize("rank", [1, 2, 8])
def test_formulas(heads: int, dim: int, rank: int) -> None:
    """Each count by its formula; the bound is below all that hold for every model."""
    row, H, d, r = query_counts(heads, dim, rank), heads, dim, min(rank, dim)
    assert row.paper == 4 * H * d * d - 2 * H + 1
    assert row.lean == 1 + 2 * H * (2 * d - 1) + (2 * H - 1) * d * (d - 1)
    assert row.low_rank == 1 + 2 * H * (4 * d * r - 2 * r * r - 1)
    assert row.lower_bound == H * d * d + H * d
    assert row.lower_bound <= row.lean <= row.paper or d == 1


def test_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """JSON, a picture, and one line for bad input."""
    picture = tmp_path / "counts.svg"
    with pytest.raises(SystemExit) as stopped:
        main(["counts", "--heads", "2", "--dim", "2,4", "--rank", "1", "--plot", str(picture), "--json"])
    assert not stopped.value.code
    found = json.loads(capfd.readouterr().out)
    assert [row["paper"] for row in found["counts"]] == [29, 125]
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    for wrong in (["--heads", "0"], ["--dim", "2,x"], ["--rank", "0"], ["--plot", "counts.gif"]):
        with pytest.raises(SystemExit) as stopped:
            main(["counts", *wrong])
        assert stopped.value.code == 2
        assert capfd.readouterr().err.count("\n") == 1
