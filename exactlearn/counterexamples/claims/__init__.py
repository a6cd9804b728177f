"""Example claims for `exactlearn hunt`, one file each; a file of your own looks like these."""

from __future__ import annotations

from pathlib import Path

NAMES = (
    "agree_on_length_two",
    "sum_of_values_from_length_one",
    "same_v_same_weights",
    "rank_one_needs_fewer_queries",
)
"""The files' names without .py."""


def path(name: str) -> Path:
    """The file of an example claim."""
    return Path(__file__).parent / f"{name}.py"


__all__ = ["NAMES", "path"]
