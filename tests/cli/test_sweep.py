"""The commands sweep and report."""

from __future__ import annotations

import csv
import itertools
import json
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_run import Run

from exactlearn.cli.sweep_progress import duration, progress_line
from exactlearn.errors import MissingExtraError
from exactlearn.sweeps.running import Progress, run_sweep
from exactlearn.sweeps.specification import specification_from_text

SPEC = """format = "exactlearn.sweep/1"
name = "tiny"
claims = ["recovery", "query-count", "probability-one"]
[[family]]
name = "two kinds"
heads = [1, 2]
dim = [1, 2]
draws = 10
seed = "3..4"
[[exhaustive]]
heads = 2
dim = 1
"""
TROUBLED = """format = "exactlearn.sweep/1"
name = "troubled"
claims = ["recovery", "rational-form"]
[[family]]
heads = 1
dim = 1
weights = "rational"
seed = "0..2"
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the small sweep."""
    path = tmp_path_factory.mktemp("sweep") / "r.sqlite"
    run_sweep(specification_from_text(SPEC, "tiny.toml"), path, workers=2)
    return path


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a sweep with a claim that fails on seed 1 and one that aborts on seed 0."""
    path = tmp_path_factory.mktemp("troubled") / "r.sqlite"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "sweeps"))
        run_sweep(
            specification_from_text(TROUBLED, "troubled.toml"), path, workers=2, table="troubled_claims:TROUBLED"
        )
    return path


def test_sweep_from_a_file_and_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Status 0, one JSON object with the seeds; the same again has nothing to do."""
    (tmp_path / "tiny.toml").write_text(SPEC)
    arguments = ("sweep", str(tmp_path / "tiny.toml"), "-o", str(tmp_path / "r.sqlite"), "--workers", "2", "--json")
    first = Run(capsys, *arguments)
    assert first.status == 0
    assert first.json["instances"] == first.json["recorded"] == 17
    assert first.json["verdicts"] == {"holds": 16 * 3 + 1}
    assert "3..4" in first.json["seeds"]
    again = Run(capsys, *arguments)
    assert (again.json["recorded"], again.json["done_before"], again.json["failures"]) == (0, 17, [])
    printed = Run(capsys, *arguments[:-1]).out
    assert printed.startswith("no failures")
    assert "seeds 0; 3..4" in printed


def test_refusals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line and status 2 for what cannot be used."""
    output = str(tmp_path / "r.sqlite")
    Run(capsys, "sweep", "papper", "-o", output).assert_refused("bundled are paper and nightly")
    Run(capsys, "sweep", "paper", "-o", output, "--workers", "0").assert_refused("--workers: a number from 1")
    Run(capsys, "sweep", "paper", "-o", output, "--workers", "1", "--dask", "x").assert_refused("not both")
    Run(capsys, "sweep", "paper", "-o", str(tmp_path / "no" / "r")).assert_refused("cannot be written")
    Run(capsys, "report", output).assert_refused("there is no such file")
    (tmp_path / "other.sqlite").write_text("something else, and long enough to be looked at as a database" * 20)
    Run(capsys, "report", str(tmp_path / "other.sqlite")).assert_refused("no database of results")


def test_report_prints_the_tables(capsys: pytest.CaptureFixture[str], database: Path) -> None:
    """Counts against formulas, draws against the bound, times, exhaustive families; status 0 without failures."""
    run = Run(capsys, "report", str(database))
    assert run.status == 0
    assert run.out.startswith("no failures")
    found = Run(capsys, "report", str(database), "--json").json
    assert found["failures"] == []
    for row in found["tables"]["queries"]:
        H, d = row["H"], row["d"]
        assert row["formula"] == row["least"] == row["most"] == 4 * H * d**2 - 2 * H + 1
        assert row["agrees"] == "yes"
        assert row["runs"] == 4
    boxes = found["tables"]["draws"]
    seen = {(row["H"], row["d"], row["box"]) for row in boxes}
    assert seen == set(itertools.product((1, 2), (1, 2), (2, 25)))
    assert all(row["draws"] == 40 for row in boxes)
    (exhaustive,) = found["tables"]["exhaustive"]
    assert (exhaustive["models"], exhaustive["by canonical form"], exhaustive["by values"]) == (55, 25, 25)
    assert sum(row["runs"] for row in found["tables"]["times"]) == 16


def test_a_wrong_count_is_seen(capsys: pytest.CaptureFixture[str], database: Path, tmp_path: Path) -> None:
    """Negative control: one query more in one run, and the table says NO."""
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(database) as source, sqlite3.connect(copy) as target:
        source.backup(target)
        target.execute(
            "UPDATE instances SET queries = queries + 1 WHERE id = (SELECT min(id) FROM instances WHERE queries > 0)"
        )
    source.close()
    target.close()
    answers = [row["agrees"] for row in Run(capsys, "report", str(copy), "--json").json["tables"]["queries"]]
    assert sorted(answers) == ["NO", "yes", "yes", "yes"]


def test_failures_come_first_and_can_be_reproduced(
    capsys: pytest.CaptureFixture[str], troubled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 1, the failing claim and the crash at the top; --model prints the model, --again checks it again."""
    monkeypatch.chdir(tmp_path)
    run = Run(capsys, "report", str(troubled))
    assert run.status == 1
    lines = run.out.splitlines()
    assert lines[0] == "2 failures"
    assert lines[1].startswith("FAILS recovery on ")
    assert lines[3].startswith("CRASHED rational-form on ")
    name = lines[1].split()[3].rstrip(":")
    model = Run(capsys, "report", str(troubled), "--model", name)
    assert model.status == 0
    assert json.loads(model.out)["format"] == "exactlearn.model/1"
    short = Run(capsys, "report", str(troubled), "--model", name[:8])
    assert short.out == model.out
    again = Run(capsys, "report", str(troubled), "--again", name, "--json")
    assert again.status == 0
    assert all(claim["holds"] for claim in again.json["claims"])
    assert again.json["seed"] == 1
    command = again.err.split()
    assert command[:2] == ["exactlearn", "verify"]
    assert (tmp_path / command[2]).read_text() == model.out
    Run(capsys, "report", str(troubled), "--model", "zz").assert_refused("there is no instance")
    Run(capsys, "report", str(troubled), "--model", "%").assert_refused("there is no instance")
    Run(capsys, "report", str(troubled), "--model", "").assert_refused("there is no instance")


def test_a_part_is_checked_again(capsys: pytest.CaptureFixture[str], database: Path) -> None:
    """A part of a finite family has no model file, and is checked again whole."""
    connection = sqlite3.connect(database)
    ((name,),) = connection.execute("SELECT id FROM instances WHERE kind = 'exhaustive'")
    connection.close()
    Run(capsys, "report", str(database), "--model", name).assert_refused("a part of a finite family")
    assert Run(capsys, "report", str(database), "--again", name, "--json").json["models"] == 55
    assert Run(capsys, "report", str(database), "--again", name).out.startswith("holds: 55 models")


def test_html_is_self_contained(
    capsys: pytest.CaptureFixture[str], troubled: Path, database: Path, tmp_path: Path
) -> None:
    """One page with three plots and nothing loaded from elsewhere, the same every time; failures before tables."""
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    Run(capsys, "report", str(database), "--html", str(page))
    text = page.read_text(encoding="utf-8")
    svgs = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(svgs) == 3
    for svg in svgs:
        assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314  # our own page
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", re.sub(r'xlink:href="#', 'xlink:href="#', text))
    assert "No failures" in text
    Run(capsys, "report", str(database), "--html", str(page))
    assert page.read_text(encoding="utf-8") == text
    Run(capsys, "report", str(troubled), "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert text.index("2 failures") < text.index("<table>")
    assert "SIGABRT" in text


def test_csv_holds_every_row(capsys: pytest.CaptureFixture[str], database: Path, tmp_path: Path) -> None:
    """The view as CSV has a line for each row of the results, with the parameters beside."""
    Run(capsys, "report", str(database), "--csv", str(tmp_path / "csv"))
    with (tmp_path / "csv" / "all_results.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 49
    assert {line["seed"] for line in lines} == {"0", "3", "4"}
    (tmp_path / "file").touch()
    Run(capsys, "report", str(database), "--csv", str(tmp_path / "file")).assert_refused("cannot be written")


def test_parquet_is_the_same_as_csv(capsys: pytest.CaptureFixture[str], database: Path, tmp_path: Path) -> None:
    """Every table has the same names and as many rows, numbers as numbers."""
    parquet = pytest.importorskip("pyarrow.parquet")
    Run(capsys, "report", str(database), "--csv", str(tmp_path / "a"), "--parquet", str(tmp_path / "b"))
    for file in (tmp_path / "a").iterdir():
        table = parquet.read_table(tmp_path / "b" / f"{file.stem}.parquet")
        with file.open(encoding="utf-8", newline="") as text:
            names, *rows = list(csv.reader(text))
        assert table.column_names == names
        assert [["" if cell is None else str(cell) for cell in row.values()] for row in table.to_pylist()] == rows


def test_missing_extras_are_named(
    capsys: pytest.CaptureFixture[str], database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the optional package, one line with the way to get it."""
    for module in ("pebble", "matplotlib.figure", "pyarrow", "distributed"):
        monkeypatch.setitem(sys.modules, module, None)
    Run(capsys, "sweep", "paper", "-o", str(tmp_path / "r")).assert_refused(r"pip install 'exactlearn\[sweep\]'")
    Run(capsys, "sweep", "paper", "-o", str(tmp_path / "r"), "--dask", "x").assert_refused(r"exactlearn\[dask\]")
    Run(capsys, "report", str(database), "--html", str(tmp_path / "h")).assert_refused(r"exactlearn\[plot\]")
    Run(capsys, "report", str(database), "--parquet", str(tmp_path / "p")).assert_refused(r"exactlearn\[parquet\]")
    assert issubclass(MissingExtraError, Exception)


def test_progress_lines() -> None:
    """How many of how many, how fast, how long still, and failures when there are any."""
    assert progress_line(Progress(10, 100, 5, 0, 2.0)) == "10 of 100 instances, 2.5/s, 36 s left"
    assert progress_line(Progress(1, 100, 0, 2, 2.0)) == "1 of 100 instances, 0.0/s, 2 failures"
    assert [duration(seconds) for seconds in (59, 61, 3700)] == ["59 s", "1 min 1 s", "1 h 1 min"]


def test_interrupt_leaves_a_database_that_goes_on(tmp_path: Path) -> None:
    """Ctrl-C: status 130, no traceback, and what was recorded stays."""
    path = tmp_path / "r.sqlite"
    script = (
        "import _thread, sys\nfrom exactlearn.cli import sweep_progress, main, sweep\n"
        "from contextlib import contextmanager\n"
        "@contextmanager\ndef stop():\n    yield lambda progress: progress.recorded == 5 and _thread.interrupt_main()\n"
        "if __name__ == '__main__':\n    sys.modules['exactlearn.cli.sweep'].sweep_progress = stop\n"
        f"    main(['sweep', 'paper', '-o', {str(path)!r}, '--workers', '1'])\n"
    )
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(DISTINCT instance) FROM results").fetchone()[0] >= 5
    connection.close()
