"""Every table of a database of results as CSV or Parquet, for other programs."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.reading import place_of
from exactlearn.sweeps.database import Connection, open_readable

TABLES = ("all_results", "instances", "results", "draws", "exhaustive_parts", "runs", "versions")

_BATCH = 10_000


def export_csv(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """One CSV file for each table and for the view `all_results`, in UTF-8 with a line of names.

    Raises:
        UnusableInputError: When the folder cannot be written.
    """
    with closing(open_readable(path)) as connection:
        target = _made(folder)
        for table in TABLES:
            names, rows = _table(connection, table)
            with (target / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows(rows)


def export_parquet(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """One Parquet file for each table and for the view `all_results`.

    Raises:
        MissingExtraError: When pyarrow is not installed.
        UnusableInputError: When the folder cannot be written.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  # the extra "parquet"
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "--parquet") from None
    kinds = {"TEXT": pa.string(), "INTEGER": pa.int64(), "REAL": pa.float64()}
    with closing(open_readable(path)) as connection:
        target = _made(folder)
        for table in TABLES:
            names, rows = _table(connection, table)
            declared = {name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_xinfo({table})")}
            schema = pa.schema([(name, kinds[_kind(declared[name])]) for name in names])
            with parquet.ParquetWriter(target / f"{table}.parquet", schema) as writer:
                while batch := list(itertools.islice(rows, _BATCH)):
                    columns = [list(column) for column in zip(*batch, strict=True)]
                    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
                    writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _kind(declared: str) -> str:
    """TEXT, INTEGER or REAL; columns made from the parameters say more than that."""
    return declared.split(maxsplit=1)[0] if declared else "TEXT"


def _table(connection: Connection, table: str) -> tuple[list[str], Iterator[tuple[object, ...]]]:
    cursor = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # our own names
    return [column[0] for column in cursor.description], iter(cursor)


def _made(folder: str | os.PathLike[str]) -> Path:
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "this is not a path"
        raise UnusableInputError(f"cannot be written: {reason}", place_of(folder)) from None
    return target
