"""The tables of a database of results, as SQL; SCHEMA.md explains every column."""

from __future__ import annotations

SCHEMA_VERSION = 1

_PARAMETERS = (
    "heads", "dim", "weights", "unit", "bits", "denominator_bits", "share_weights", "share_values", "cancel", "rank",
    "orthogonal", "schedule", "place", "seed",
)  # fmt: skip

_GENERATED = ",\n    ".join(
    f"{name} {'TEXT' if name in {'weights', 'unit', 'schedule', 'place'} else 'INTEGER'}"
    f" GENERATED ALWAYS AS (json_extract(parameters, '$.{name}')) VIRTUAL"
    for name in _PARAMETERS
)

SCHEMA = f"""
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, name TEXT NOT NULL, specification TEXT NOT NULL, place TEXT NOT NULL
);
CREATE TABLE versions (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE instances (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, family TEXT NOT NULL, parameters TEXT NOT NULL,
    {_GENERATED},
    raw_heads INTEGER, canonical_heads INTEGER, model_bits INTEGER,
    queries INTEGER, predicted_queries INTEGER, max_length INTEGER, predicted_max_length INTEGER,
    redraws INTEGER, redraw_queries INTEGER, audit_queries INTEGER, oracle_seconds REAL, learner_seconds REAL,
    model TEXT
) WITHOUT ROWID;
CREATE TABLE results (
    instance TEXT NOT NULL REFERENCES instances (id), claim TEXT NOT NULL,
    verdict TEXT NOT NULL, holds INTEGER, why TEXT NOT NULL, seconds REAL,
    versions INTEGER REFERENCES versions (id), run INTEGER NOT NULL REFERENCES runs (id), recorded TEXT NOT NULL,
    PRIMARY KEY (instance, claim)
) WITHOUT ROWID;
CREATE INDEX results_by_verdict ON results (verdict);
CREATE TABLE draws (
    instance TEXT NOT NULL REFERENCES instances (id), box INTEGER NOT NULL, bound TEXT NOT NULL,
    bound_decimal REAL NOT NULL, draws INTEGER NOT NULL, bad_draws INTEGER NOT NULL, PRIMARY KEY (instance, box)
) WITHOUT ROWID;
CREATE TABLE exhaustive_parts (
    instance TEXT PRIMARY KEY REFERENCES instances (id), models INTEGER NOT NULL, functions INTEGER NOT NULL,
    value_classes INTEGER NOT NULL, canonical INTEGER NOT NULL, merged INTEGER NOT NULL, dropped INTEGER NOT NULL
) WITHOUT ROWID;
CREATE VIEW all_results AS
    SELECT results.instance, results.claim, results.verdict, results.holds, results.why, results.seconds,
        instances.kind, instances.family, {", ".join(f"instances.{name}" for name in _PARAMETERS)},
        raw_heads, canonical_heads, model_bits, queries, predicted_queries, max_length, predicted_max_length,
        redraws, redraw_queries, audit_queries, oracle_seconds, learner_seconds,
        versions.text AS versions, results.run, results.recorded
    FROM results JOIN instances ON instances.id = results.instance
    LEFT JOIN versions ON versions.id = results.versions;
"""  # noqa: S608  # our own names
