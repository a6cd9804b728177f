"""The results in SQLite: one writer, one transaction for all that is known of a task; SCHEMA.md says what is where."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.reading import place_of
from exactlearn.sweeps.checking import FAILS, HOLDS
from exactlearn.sweeps.instance import identity, instance_text
from exactlearn.sweeps.schema import SCHEMA, SCHEMA_VERSION
from exactlearn.sweeps.specification import Work

Connection = sqlite3.Connection


def open_readable(path: str | os.PathLike[str]) -> Connection:
    """A database of results, to be read; a sweep may be writing to it at the same time.

    Raises:
        UnusableInputError: When there is none, or it is of another version.
    """
    if not Path(path).is_file():
        raise UnusableInputError("there is no such file", place_of(path))
    connection = _connected(path)
    connection.execute("PRAGMA query_only = 1")
    return connection


@contextmanager
def open_writable(path: str | os.PathLike[str]) -> Iterator[Connection]:
    """A database to write to, made when it is not there; no second sweep can write to it meanwhile.

    Raises:
        UnusableInputError: When it cannot be written, another sweep writes to it, or it is of another version.
    """
    with _only_writer(path), closing(_connected(path)) as connection:
        yield connection


def finished_claims(connection: Connection, name: str, again: Sequence[str]) -> set[str]:
    """The claims of an instance that have a row, without those whose verdict is among `again`."""
    rows = connection.execute("SELECT claim, verdict FROM results WHERE instance = ?", (name,))
    return {claim for claim, verdict in rows if verdict not in again}


def begin_run(connection: Connection, name: str, text: str, where: str) -> int:
    """A new row in `runs`."""
    with connection:
        cursor = connection.execute(
            "INSERT INTO runs (started, name, specification, place) VALUES (?, ?, ?, ?)", (_now(), name, text, where)
        )
    return int(cursor.lastrowid or 0)


def record(
    connection: Connection, run: int, work: Work, said: Iterable[Mapping[str, Any]], model: str | None
) -> None:
    """All that a worker said of one task, in one transaction: it is there whole or not at all.

    Args:
        connection: As `open_writable` gives it.
        run: The row of `runs`.
        work: What was to be done.
        said: The worker's lines.
        model: The model file, to be kept when something went wrong.
    """
    name = identity(work.instance)
    with connection:
        connection.execute(
            "INSERT OR IGNORE INTO instances (id, kind, family, parameters) VALUES (?, ?, ?, ?)",
            (name, work.instance.kind, work.family, instance_text(work.instance)),
        )
        version = None
        for line in said:
            if "versions" in line:
                version = _version(connection, line["versions"])
            if "row" in line:
                _record_row(connection, run, name, line["row"], version)
            _update(connection, name, line.get("facts", {}))
            _record_draws(connection, name, line.get("draws", []))
            if "part" in line:
                _insert(connection, "exhaustive_parts", {"instance": name, **line["part"]})
            model = line.get("model", model)
        if model is not None:
            _update(connection, name, {"model": model})


def _record_row(connection: Connection, run: int, name: str, row: Mapping[str, Any], version: int | None) -> None:
    holds = {HOLDS: 1, FAILS: 0}.get(row["verdict"])
    values = {"instance": name, **row, "holds": holds, "versions": version, "run": run, "recorded": _now()}
    _insert(connection, "results", values)


def _record_draws(connection: Connection, name: str, rates: Sequence[Mapping[str, Any]]) -> None:
    for rate in rates:
        numerator, _, denominator = str(rate["bound"]).partition("/")
        decimal = int(numerator) / int(denominator or 1)  # for plots and sorting; `bound` is exact
        _insert(connection, "draws", {"instance": name, **rate, "bound_decimal": decimal})


def _insert(connection: Connection, table: str, values: Mapping[str, Any]) -> None:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", list(values.values()))  # noqa: S608  # our own names


def _update(connection: Connection, name: str, values: Mapping[str, Any]) -> None:
    if values:
        changes = ", ".join(f"{key} = ?" for key in values)
        connection.execute(f"UPDATE instances SET {changes} WHERE id = ?", [*values.values(), name])  # noqa: S608  # our own names


def _version(connection: Connection, versions: Mapping[str, str]) -> int:
    text = json.dumps(dict(versions), sort_keys=True)
    connection.execute("INSERT OR IGNORE INTO versions (text) VALUES (?)", (text,))
    row = connection.execute("SELECT id FROM versions WHERE text = ?", (text,)).fetchone()
    return int(row[0])


def _connected(path: str | os.PathLike[str]) -> Connection:
    place = place_of(path)
    try:
        connection = sqlite3.connect(path, timeout=30.0)
        connection.execute("PRAGMA journal_mode = WAL")
        # After a killed process nothing is lost; after a power failure perhaps the last transactions, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if version == 0 and empty:
            connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            version = SCHEMA_VERSION
    except sqlite3.Error as error:
        raise UnusableInputError(f"no database of results: {error}", place) from None
    if version != SCHEMA_VERSION:
        connection.close()
        raise UnusableInputError(f"no database of results of version {SCHEMA_VERSION}", place)
    return connection


@contextmanager
def _only_writer(path: str | os.PathLike[str]) -> Iterator[None]:
    """A lock on a file beside the database, which the system gives back however this process ends."""
    try:
        import fcntl  # noqa: PLC0415  # not on every system
    except ImportError:  # pragma: no cover
        yield
        return
    # Not the database itself: SQLite's own locks would go with the descriptor.
    try:
        descriptor = os.open(f"{os.fspath(path)}.writer", os.O_RDWR | os.O_CREAT, 0o666)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "this is not a path"
        raise UnusableInputError(f"cannot be written: {reason}", place_of(path)) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UnusableInputError("another sweep is writing to it", place_of(path)) from None
        yield
    finally:
        os.close(descriptor)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
