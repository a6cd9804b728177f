"""What a database of results says: failures first, counts against formulas, draws against the bound, times."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.reading import place_of
from exactlearn.sweeps.checking import TROUBLES
from exactlearn.sweeps.database import Connection, open_readable


@dataclass(frozen=True)
class Failure:
    """One row whose verdict leads every summary."""

    instance: str
    family: str
    claim: str
    verdict: str
    why: str
    seed: int

    def command(self, database: str) -> str:
        """One command that checks the same model again."""
        return f"exactlearn report {database} --again {self.instance}"


@dataclass(frozen=True)
class ReportTable:
    """One table: a title, names of columns, and rows of numbers and texts."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Report:
    """All tables of a report, and the runs that made the database."""

    failures: tuple[Failure, ...]
    tables: tuple[ReportTable, ...]

    def table(self, name: str) -> ReportTable:
        """A table by its name."""
        return next(table for table in self.tables if table.name == name)


def failures(path: str | os.PathLike[str]) -> list[Failure]:
    """Every row that does not hold, the worst first."""
    with closing(open_readable(path)) as connection:
        return _failures(connection)


def report(path: str | os.PathLike[str]) -> Report:
    """The tables of a database of results.

    Raises:
        UnusableInputError: When it is none.
    """
    with closing(open_readable(path)) as connection:
        tables = (
            ReportTable(name, title, columns, tuple(connection.execute(query)))
            for name, title, columns, query in _TABLES
        )
        return Report(tuple(_failures(connection)), tuple(table for table in tables if table.rows))


def stored_instance(path: str | os.PathLike[str], name: str) -> tuple[str, str, str | None]:
    """Identity, canonical JSON and model file (when one was kept) of the instance whose identity begins so.

    Raises:
        UnusableInputError: When there is none, or more than one.
    """
    with closing(open_readable(path)) as connection:
        # A prefix as a range: no wildcard of the user's is read.
        query = "SELECT id, parameters, model FROM instances WHERE id >= ? AND id < ? || 'g' LIMIT 2"
        found = connection.execute(query, (name, name)).fetchall() if name.isalnum() else []
    if len(found) != 1:
        many = "more than one instance" if found else "no instance"
        raise UnusableInputError(f"there is {many} whose identity begins with {quote(name)}", place_of(path))
    identity, parameters, model = found[0]
    return identity, parameters, model


def _failures(connection: Connection) -> list[Failure]:
    order = " ".join(f"WHEN '{verdict}' THEN {rank}" for rank, verdict in enumerate(TROUBLES))
    words = ", ".join(f"'{verdict}'" for verdict in TROUBLES)
    query = (
        "SELECT instance, family, claim, verdict, why, seed FROM all_results "  # noqa: S608  # our own words
        f"WHERE verdict IN ({words}) ORDER BY CASE verdict {order} END, instance, claim"
    )
    return [Failure(*row) for row in connection.execute(query)]


_TABLES: Iterable[tuple[str, str, tuple[str, ...], str]] = (
    (
        "claims",
        "claims: on how many instances",
        ("claim", "holds", "fails", "undecided", "no verdict", "does not apply", "seconds"),
        """SELECT claim, sum(verdict = 'holds'), sum(verdict = 'fails'), sum(verdict = 'undecided'),
            sum(verdict IN ('crashed', 'out-of-time', 'out-of-memory', 'error')), sum(verdict = 'not-applicable'),
            round(sum(seconds), 3) FROM results GROUP BY claim ORDER BY claim""",
    ),
    (
        "families",
        "families",
        ("family", "instances", "claims that hold", "claims that do not"),
        """SELECT family, count(DISTINCT instance), sum(verdict = 'holds'),
            sum(verdict NOT IN ('holds', 'not-applicable')) FROM all_results GROUP BY family ORDER BY family""",
    ),
    (
        "queries",
        "value queries of the learner against 4 H d^2 - 2 H + 1, longest sequence against 2 H + 1",
        ("H", "d", "runs", "formula", "least", "most", "longest", "formula for it", "runs with redraws", "agrees"),
        """SELECT canonical_heads, dim, count(*), 4 * canonical_heads * dim * dim - 2 * canonical_heads + 1 AS formula,
            min(queries), max(queries), max(max_length), 2 * canonical_heads + 1, sum(redraws > 0),
            CASE WHEN min(queries) = 4 * canonical_heads * dim * dim - 2 * canonical_heads + 1
                AND max(queries) = min(queries) AND min(max_length) = 2 * canonical_heads + 1
                AND max(max_length) = min(max_length) THEN 'yes' ELSE 'NO' END
            FROM instances WHERE queries IS NOT NULL GROUP BY canonical_heads, dim ORDER BY canonical_heads, dim""",
    ),
    (
        "draws",
        "bad draws against the Schwartz-Zippel bound (a rate of random draws is statistics, the bound is exact)",
        ("H", "d", "box", "instances", "draws", "bad draws", "observed rate", "bound (mean)", "instances above it"),
        """SELECT canonical_heads, dim, box, count(*), sum(draws), sum(bad_draws),
            round(1.0 * sum(bad_draws) / sum(draws), 5), round(avg(bound_decimal), 5),
            sum(1.0 * bad_draws / draws > bound_decimal)
            FROM draws JOIN instances ON instances.id = draws.instance
            GROUP BY canonical_heads, dim, box ORDER BY canonical_heads, dim, box""",
    ),
    (
        "times",
        "seconds of one run of the learner, by H, d and bits of the model's numbers",
        ("H", "d", "place", "bits up to", "runs", "mean", "most", "of that in the black box (mean)"),
        """SELECT canonical_heads, dim, place,
            CASE WHEN model_bits <= 4 THEN 4 WHEN model_bits <= 8 THEN 8 WHEN model_bits <= 16 THEN 16
                WHEN model_bits <= 32 THEN 32 WHEN model_bits <= 64 THEN 64 WHEN model_bits <= 128 THEN 128
                WHEN model_bits <= 512 THEN 512 ELSE 4096 END AS bits_up_to,
            count(*), round(avg(oracle_seconds + learner_seconds), 4), round(max(oracle_seconds + learner_seconds), 4),
            round(avg(oracle_seconds), 4) FROM instances WHERE queries IS NOT NULL
            GROUP BY canonical_heads, dim, place, bits_up_to ORDER BY canonical_heads, dim, place, bits_up_to""",
    ),
    (
        "exhaustive",
        "all models of a finite family: both groupings, added up over its parts",
        ("family", "H at most", "d", "parts", "models", "by canonical form", "by values", "merge", "lose a W", "same"),
        """SELECT family, heads, dim, count(*), sum(models), sum(functions), sum(value_classes), sum(merged),
            sum(dropped), CASE WHEN min(holds) = 1 AND count(holds) = count(*) THEN 'yes' ELSE 'NO' END
            FROM exhaustive_parts JOIN instances ON instances.id = exhaustive_parts.instance
            JOIN results ON results.instance = instances.id GROUP BY family, heads, dim ORDER BY family""",
    ),
    (
        "runs",
        "runs of the program",
        ("run", "started", "sweep", "where", "rows"),
        """SELECT id, started, name, place, (SELECT count(*) FROM results WHERE run = runs.id) FROM runs ORDER BY id""",
    ),
)
