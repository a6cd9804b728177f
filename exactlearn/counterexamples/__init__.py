"""Counterexamples on demand: each hypothesis of the theory dropped, each with an exact witness (DESIGN section 7)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from exactlearn.counterexamples import (
    bad_draw,
    base_probes_alone,
    equal_functions,
    error_growth,
    fewer_heads,
    fewer_queries,
    fixed_probes,
    number_fields,
    too_coarse,
    too_few_copies,
    units,
)
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.request import Kind, ProbePair, Request
from exactlearn.errors import UnusableInputError

KINDS: tuple[Kind, ...] = (
    equal_functions.KIND,
    too_few_copies.KIND,
    fewer_queries.KIND,
    base_probes_alone.KIND,
    fixed_probes.KIND,
    bad_draw.KIND,
    fewer_heads.KIND,
    error_growth.KIND,
    too_coarse.KIND,
    number_fields.KIND,
    units.KIND,
)
"""All kinds, in the order in which they are listed."""


def kind(name: str) -> Kind:
    """The kind of this name.

    Raises:
        UnusableInputError: When there is none; close names are given.
    """
    for candidate in KINDS:
        if candidate.name == name:
            return candidate
    names = [candidate.name for candidate in KINDS]
    close = difflib.get_close_matches(name, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    raise UnusableInputError(f"there is no kind {name!r} of counterexample; {hint}")


def request_for(
    name: str,
    *,
    heads: int | None = None,
    dim: int | None = None,
    seed: int | None = None,
    case: str | None = None,
    probes: Sequence[ProbePair] | None = None,
) -> Request:
    """What `counterexample` asks of the generator of this kind.

    Raises:
        UnusableInputError: When the kind has no such case, or takes no probes.
    """
    chosen = kind(name)
    if case is not None and case not in chosen.cases:
        there = f"its cases are {', '.join(chosen.cases)}" if chosen.cases else "it has no cases"
        raise UnusableInputError(f"{name} has no case {case!r}: {there}", "case")
    if probes is not None and name != fixed_probes.KIND.name:
        raise UnusableInputError(f"{name} takes no probes, {fixed_probes.KIND.name} does", "probes")
    return Request(heads, dim, seed, case, None if probes is None else tuple(probes))


def counterexample(
    name: str,
    *,
    heads: int | None = None,
    dim: int | None = None,
    seed: int | None = None,
    case: str | None = None,
    probes: Sequence[ProbePair] | None = None,
) -> Counterexample:
    """What goes wrong without one hypothesis of the theory, on exact models.

    Args:
        name: The kind, one of `KINDS`.
        heads: The number of heads; left out, the smallest.
        dim: The dimension; left out, the smallest.
        seed: Left out, the instance with the smallest whole numbers; else another instance for each seed.
        case: One of the kind's cases; left out, the first.
        probes: Pairs (x, y) of tokens with whole entries, for the kind fixed-probes.

    Returns:
        A counterexample whose agreement and difference have been recomputed exactly.

    Raises:
        UnusableInputError: For an unknown kind or case, and for sizes at which there is no such counterexample.
    """
    chosen = kind(name)
    return chosen.build(request_for(name, heads=heads, dim=dim, seed=seed, case=case, probes=probes))


def __getattr__(name: str) -> Any:
    if name in {"HuntReport", "hunt"}:  # hypothesis is an optional extra
        from exactlearn.counterexamples import hunting  # noqa: PLC0415  # loaded when asked for

        return getattr(hunting, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["KINDS", "Counterexample", "Kind", "Request", "Table", "counterexample", "kind", "request_for"]
