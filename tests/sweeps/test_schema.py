"""The documents: SCHEMA.md names every column there is, its queries run, and the example specification is one."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from exactlearn.sweeps.axes import AXES
from exactlearn.sweeps.schema import SCHEMA
from exactlearn.sweeps.specification import specification_from_text

FOLDER = Path(__file__).parents[2] / "exactlearn" / "sweeps"
SCHEMA_TEXT = (FOLDER / "SCHEMA.md").read_text(encoding="utf-8")
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_column_is_documented() -> None:
    """Every table and every column of it stands in SCHEMA.md in code."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    named = set(re.findall(r"`(\w+)`", SCHEMA_TEXT))
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    assert len(tables) == 7
    for table in tables:
        assert table in named
        assert {row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})")} <= named
    connection.close()


def test_the_queries_run() -> None:
    """The examples are SQL that the tables understand."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    queries = re.findall(r"SELECT [^;]*;", SCHEMA_TEXT)
    assert len(queries) == 3
    for query in queries:
        connection.execute(query).fetchall()
    connection.close()


def test_the_example_specification() -> None:
    """The TOML on the page is read, and the table of keys is the list of axes and two more."""
    block = "\n".join(line[4:] for line in README.splitlines() if line.startswith("    ") or not line)
    text = block[block.index("format") :]
    assert len(list(specification_from_text(text, "README.md").works())) > 1200
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", README, re.MULTILINE)
    keys = set(re.findall(r"`(\w+)`", " ".join(rows)))
    assert keys == {*AXES, "draws", "boxes"}
