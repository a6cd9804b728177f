"""`exactlearn stability MODEL`: how exact outputs have to be, and what their errors do to the parameters."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from flint import fmpq
from rich.table import Table

from exactlearn.canonical import canonical_form
from exactlearn.cli.output import AsJson, ModelArgument, console, facts_table, print_json
from exactlearn.errors import DegenerateDrawError, UndecidedError, UnusableInputError
from exactlearn.examples import resolve
from exactlearn.files.numerals import parse_number
from exactlearn.learner import learn
from exactlearn.oracle import oracle_of
from exactlearn.stability.bounds import Stability
from exactlearn.stability.bounds import stability as constants_of
from exactlearn.stability.choosing import choose_draw
from exactlearn.stability.report import FORMAT, choice_to_json, delta_to_json, observed_to_json, stability_to_json

MOST_DRAWS = 1000
_SHOWN_PROBES = 16
_SMALLEST_DOUBLE = fmpq(1, 2**1074)


def stability(
    model: ModelArgument,
    seed: Annotated[int, typer.Option("--seed", help="The draw is that of `learn --seed`.")] = 0,
    box: Annotated[
        int | None, typer.Option("--box", metavar="B", help="Token entries lie in [-B, B]; left out, as in `learn`.")
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option("--delta", metavar="D", help="An error of the outputs, as 1/1000 or 0.001: small enough?"),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", metavar="N", help="Choose among the draws of N seeds, from --seed on.")
    ] = 0,
    as_json: AsJson = False,
) -> int:
    """Constants delta_0 and C of MODEL at one draw: outputs within delta <= delta_0 give parameters within C delta.

    Exit status 1 when D of --delta is past delta_0.
    """
    given = None if delta is None else _delta(delta)
    if not 0 <= draws <= MOST_DRAWS:
        raise UnusableInputError(f"a whole number from 0 to {MOST_DRAWS} is expected", "--draws")
    canonical = canonical_form(resolve(model))
    report: dict[str, Any] = {"format": FORMAT, "seed": seed, "heads": len(canonical.heads), "dim": canonical.dim}
    if not canonical.heads:
        return _print_nothing(report, given, as_json=as_json)
    try:
        result = learn(oracle_of(canonical), heads=len(canonical.heads), seed=seed, box=box)
        found = constants_of(canonical, result.draw)
    except (DegenerateDrawError, UndecidedError) as error:
        name = "degenerate-draw" if isinstance(error, DegenerateDrawError) else "undecided"
        if as_json:
            print_json({**report, "box": box, "delta_0": None, "error": name, "reason": str(error)})
        sys.stderr.write(f"exactlearn: no constants ({name}): {error}\n")
        return 1
    report |= {"box": result.box, "redraws": result.redraws, **stability_to_json(found)}
    if given is not None:
        observed = observed_to_json(found, given, seed)
        report["at_delta"] = {**delta_to_json(found, given), "observed": observed}
    if draws:
        report["draws"] = choice_to_json(choose_draw(canonical, seed, result.box, draws))
    if as_json:
        print_json(report)
    else:
        _print(found, report)
    return 0 if given is None or report["at_delta"]["holds"] else 1


def _delta(text: str) -> fmpq:
    try:
        value = parse_number(text)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, "--delta") from None
    if value < 0:
        raise UnusableInputError("an error is not negative", "--delta")
    return value


def _print_nothing(report: dict[str, Any], delta: fmpq | None, *, as_json: bool) -> int:
    """Without heads there is no parameter: C = 0, and no delta is too large."""
    report |= {"delta_0": None, "C": "0", "C_W": "0", "C_v": "0", "probes": []}
    if delta is not None:
        report["at_delta"] = {"delta": str(delta), "holds": True, "error_W": "0", "error_v": "0"}
    if as_json:
        print_json(report)
    else:
        console().print("no heads: there is no parameter that could be wrong")
    return 0


def _print(found: Stability, report: dict[str, Any]) -> None:
    out = console()
    out.print("Outputs known up to delta <= delta_0 give every parameter up to C delta.")
    out.print(facts_table(_facts(report)))
    out.print(_probe_table(report["probes"]))
    if len(report["probes"]) > _SHOWN_PROBES:
        out.print(f"... the {_SHOWN_PROBES} with the largest curvature of {len(report['probes'])} (--json has all)")
    if "draws" in report:
        out.print(_draws_table(report["draws"]))
        out.print(f"after column 1: it is asked again, {report['draws']['extra_queries_of_adaptive']} queries more.")
    if "at_delta" in report:
        out.print(_at_delta(report["at_delta"], report["delta_0_decimal"]), markup=False, soft_wrap=True)
        if report["at_delta"]["observed"] is not None:
            out.print(_observed(report["at_delta"]["observed"]), markup=False, soft_wrap=True)
    if found.delta_0 < _SMALLEST_DOUBLE:
        out.print("delta_0 is below every double: tokens from a smaller box (--box 1) are seen at milder errors.")


def _facts(report: dict[str, Any]) -> dict[str, str]:
    first, dominant = report["first_order"], report["dominant"]
    limiting, closest = dominant["limiting_condition"], dominant["closest_poles"]
    basis, residue = dominant["worst_conditioned_basis"], dominant["smallest_residue"]
    heads = f", heads {', '.join(map(str, limiting['heads']))}" if limiting["heads"] else ""
    poles = "one head: no pair" if closest is None else ""
    if closest is not None:
        apart = f"log t apart by {closest['gap_decimal']} or more"
        poles = f"heads {closest['heads'][0]} and {closest['heads'][1]} at {closest['probe']}, {apart}"
    return {
        "delta_0": f"{report['delta_0_decimal']} (rounded down)",
        "set by": f"{limiting['condition']} at {limiting['probe']}{heads}",
        "C": f"{report['C_decimal']} (rounded up): W {report['C_W_decimal']}, v {report['C_v_decimal']}",
        "first order": f"W {first['W']['constant_decimal']} ({first['W']['entry']}), "
        f"v {first['v']['constant_decimal']} ({first['v']['entry']}); errors that do this exist",
        "slack of C": f"{report['slack']} of the first-order constant",
        "closest poles": poles,
        "worst basis": f"{basis['basis']}: the rows of its inverse sum up to {basis['norm_of_inverse_decimal']}",
        "smallest residue": f"{residue['residue_decimal']}, head {residue['head']} at {residue['probe']}",
        "heaviest probe": f"{dominant['heaviest_probe']['probe']}, beta {dominant['heaviest_probe']['beta_decimal']}",
        "arithmetic": report["arithmetic"],
        "seed": f"{report['seed']} (tokens from [-{report['box']}, {report['box']}], redraws {report['redraws']})",
    }


def _probe_table(probes: list[dict[str, Any]]) -> Table:
    shown = probes
    if len(probes) > _SHOWN_PROBES:
        shown = sorted(probes, key=lambda probe: _magnitude(probe["curvature_decimal"]), reverse=True)[:_SHOWN_PROBES]
    table = Table(title="per probe: beta = ||J^-1||, K bounds the second derivatives", title_justify="left")
    for column in ("probe", "beta", "K", "curvature M", "error of F(0)"):
        table.add_column(column, no_wrap=True)
    for probe in shown:
        keys = ("beta", "K", "curvature", "error_of_F0")
        table.add_row(probe["name"], *(probe[f"{key}_decimal"] for key in keys))
    return table


def _magnitude(decimal: str) -> tuple[int, str]:
    mantissa, _, exponent = decimal.partition("e")
    return int(exponent or 0), mantissa


def _draws_table(draws: dict[str, Any]) -> Table:
    table = Table(title=f"C at {draws['count']} draws", title_justify="left")
    for column in ("which", "seed", "C"):
        table.add_column(column)
    for key, words in (
        ("first", "the first"),
        ("median", "the one in the middle"),
        ("by_condition_number", "X and Y best conditioned"),
        ("by_queries", "chosen before a query is asked"),
        ("adaptive", "chosen after column 1"),
        ("best_in_hindsight", "the best, known in hindsight only"),
    ):
        table.add_row(words, str(draws[key]["seed"]), draws[key]["C_decimal"] or "a bad draw")
    return table


def _at_delta(report: dict[str, Any], delta_0: str) -> str:
    if not report["holds"]:
        return f"delta = {report['delta']} is past delta_0 = {delta_0}: nothing is promised."
    errors = f"every W within {report['error_W_decimal']}, every v within {report['error_v_decimal']}"
    return f"delta = {report['delta']} is small enough: {errors}."


def _observed(runs: dict[str, Any]) -> str:
    seen = f"Of {runs['runs']} runs with such errors, the worst ones to first order among them, {runs['failed']} failed"
    if runs["failure"] is not None:
        seen += f" ({runs['failure']})"
    if "W" in runs:
        seen += f"; in the others W is wrong by up to {runs['W']} and v by up to {runs['v']}, "
        seen += "more than C delta" if runs["bound_broken"] else "within C delta"
    return f"{seen}."
