"""`exactlearn verify --exhaustive`: all models of a finite family, grouped by canonical form and by exact values."""

from __future__ import annotations

from flint import fmpq

from exactlearn.cli.output import console, facts_table, print_json
from exactlearn.cli.progress import progress_bar
from exactlearn.errors import UnusableInputError
from exactlearn.exhaustive import exhaustive
from exactlearn.files.numerals import parse_number
from exactlearn.model import WeightKind


def print_exhaustive(
    heads: int, dim: int, weights: str, values: str | None, kind: WeightKind, seed: int, *, as_json: bool
) -> int:
    """Run the family and print its counts; status 1 when the two groupings differ."""
    entries = _numbers(weights, "--weights")
    value_entries = None if values is None else _numbers(values, "--values")
    with progress_bar("models") as progress:
        report = exhaustive(heads, dim, entries, weights=kind, values=value_entries, seed=seed, progress=progress)
    holds = report.verdict.holds
    if as_json:
        print_json(
            {
                "format": "exactlearn.exhaustive/1",
                "holds": holds,
                "models": report.models,
                "functions": report.functions,
                "value_classes": report.value_classes,
                "canonical": report.canonical,
                "merged": report.merged,
                "dropped": report.dropped,
                "functions_by_heads": list(report.functions_by_heads),
                "sequences": [[[str(entry) for entry in token] for token in tokens] for tokens in report.sequences],
                "seed": seed,
                "seconds": round(report.seconds, 6),
            }
        )
        return 0 if holds else 1
    rows = {
        "family": f"at most {heads} heads, d = {dim}, {kind} weights from {{{weights}}}",
        "models": f"{report.models} (unordered lists of raw heads)",
        "functions": f"{report.functions} by canonical form, {report.value_classes} by exact values",
        "canonical heads": ", ".join(f"{n} functions with {h}" for h, n in enumerate(report.functions_by_heads)),
        "merges": f"{report.merged} models have heads with equal W that merge; {report.dropped} lose a W altogether",
        "sequences": f"{len(report.sequences)} in general position, of lengths "
        + ", ".join(str(len(tokens)) for tokens in report.sequences),
        "holds": "yes: both groupings are the same" if holds else "NO",
        "seconds": f"{report.seconds:.1f}",
    }
    console().print(facts_table(rows))
    return 0 if holds else 1


def _numbers(text: str, option: str) -> list[fmpq]:
    numbers = []
    for part in text.split(","):
        try:
            numbers.append(parse_number(part.strip()))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, option) from None
    return numbers
