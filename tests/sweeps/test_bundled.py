"""The bundled sweep "paper" holds, and leaves no claim of the theory out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from exactlearn.claims import CLAIMS
from exactlearn.sweeps.running import run_sweep
from exactlearn.sweeps.specification import bundled_specification


@pytest.mark.long
def test_paper_holds_and_checks_every_claim(tmp_path: Path) -> None:
    """Nothing but holds and does not apply; every claim holds on at least ten instances."""
    summary = run_sweep(bundled_specification("paper"), tmp_path / "r.sqlite")
    assert set(summary.verdicts) == {"holds", "not-applicable"}
    connection = sqlite3.connect(tmp_path / "r.sqlite")
    holding = dict(connection.execute("SELECT claim, count(*) FROM results WHERE holds = 1 GROUP BY claim"))
    connection.close()
    assert {claim.name for claim in CLAIMS} | {"exhaustive"} == set(holding)
    assert min(holding.values()) >= 10
