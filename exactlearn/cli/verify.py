"""`exactlearn verify MODEL`: every claim that applies, checked on the model; what was checked; a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from exactlearn.canonical import canonical_form
from exactlearn.certificate.writer import CERTIFIABLE_CLAIMS, verify_certificate, write_certificate
from exactlearn.claims import ClaimResult, verify_controls
from exactlearn.claims import verify as verify_claims
from exactlearn.claims.layer import verify_layer
from exactlearn.claims.transformer import TransformerInstance, verify_transformer
from exactlearn.cli.exhaustive import print_exhaustive
from exactlearn.cli.output import AsJson, console, print_json, refuse_uncertifiable
from exactlearn.errors import UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.failure_rates import GenericityReport, genericity_report
from exactlearn.learner import learn
from exactlearn.model import AttentionLayer, MultiHeadAttention, Transformer, WeightKind
from exactlearn.oracle import oracle_of
from exactlearn.verdict import Fails, Undecided, Verdict


def verify(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="A model file or a bundled example; not with --exhaustive.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="CERT", help="Write a certificate for `exactlearn check`.")
    ] = None,
    control: Annotated[
        bool, typer.Option("--control", help="Run the negative controls instead: each must fail.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Every random choice comes from it.")] = 0,
    draws: Annotated[int, typer.Option("--draws", help="Seeded draws observed for each box (probability-one).")] = 100,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Check all models of a finite family instead of one.")
    ] = False,
    heads: Annotated[
        int | None, typer.Option("--heads", help="With --exhaustive: the most raw heads; left out, 2.")
    ] = None,
    dim: Annotated[int | None, typer.Option("--dim", help="With --exhaustive: the dimension; left out, 2.")] = None,
    weights: Annotated[
        str, typer.Option("--weights", help="With --exhaustive: entries of W (or T), such as -1,0,1.")
    ] = "-1,0,1",
    values: Annotated[
        str | None, typer.Option("--values", help="With --exhaustive: entries of v, when others than --weights.")
    ] = None,
    log_rational: Annotated[
        bool, typer.Option("--log-rational", help="With --exhaustive: --weights are entries of T, W = log T.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check every claim of the theory that applies to MODEL, exactly; exit status 1 if one does not hold."""
    if exhaustive:
        if model is not None or output is not None or control:
            raise UnusableInputError("takes no MODEL, no -o and no --control", "--exhaustive")
        kind: WeightKind = "log-rational" if log_rational else "rational"
        heads, dim = 2 if heads is None else heads, 2 if dim is None else dim
        return print_exhaustive(heads, dim, weights, values, kind, seed, as_json=as_json)
    if heads is not None or dim is not None:
        raise UnusableInputError("goes with --exhaustive alone", "--heads" if heads is not None else "--dim")
    if model is None:
        raise UnusableInputError("Missing argument 'MODEL'")
    if draws < 1:
        raise UnusableInputError("a whole number from 1 on is expected", "--draws")
    given = resolve_any(model)
    if output is not None:
        refuse_uncertifiable(given, "-o")
    if output is not None and control:
        raise UnusableInputError("takes no -o", "--control")
    if isinstance(given, Transformer):
        return _verify_transformer(given, seed, output, control=control, as_json=as_json)
    if isinstance(given, AttentionLayer):
        results = verify_layer(given, seed=seed, is_control=control)
        return _print_controls(results, as_json=as_json) if control else _print_layer(results, seed, as_json=as_json)
    return _verify_attention(given, seed, draws, output, control=control, as_json=as_json)


def _verify_attention(
    given: MultiHeadAttention, seed: int, draws: int, output: Path | None, *, control: bool, as_json: bool
) -> int:
    if control:
        return _print_controls(verify_controls(given, seed=seed, draws=draws), as_json=as_json)
    results = verify_claims(given, seed=seed, draws=draws)
    genericity = genericity_report(given, draws=draws, seed=seed)
    certified = [] if output is None else _write(given, results, seed, output)
    if as_json:
        print_json(_report(results, genericity, seed, output))
    else:
        _print_claims(results, genericity, output, certified)
    return 0 if all(result.verdict.holds for result in results) else 1


def _print_layer(results: tuple[ClaimResult, ...], seed: int, *, as_json: bool) -> int:
    if as_json:
        claims = [_claim_json(result) for result in results]
        print_json({"format": "exactlearn.claims/1", "claims": claims, "seed": seed})
    else:
        console().print(_table(results, "holds"))
    return 0 if all(result.verdict.holds for result in results) else 1


def _verify_transformer(given: Transformer, seed: int, output: Path | None, *, control: bool, as_json: bool) -> int:
    verified = TransformerInstance(given, seed)
    results = verify_transformer(verified, is_control=control)
    if control:
        return _print_controls(results, as_json=as_json)
    failed = [result.name for result in results if not result.verdict.holds]
    if output is not None:
        if failed:
            raise UnusableInputError(f"no certificate is written, since these do not hold: {', '.join(failed)}", "-o")
        write_certificate(verified.certificate(), output)
    if as_json:
        claims = [_claim_json(result) for result in results]
        more = {} if output is None else {"certificate": str(output)}
        print_json({"format": "exactlearn.claims/1", "claims": claims, "seed": seed, **more})
    else:
        console().print(_table(results, "holds"))
        if output is not None:
            console().print(f"certificate: {output}, of the claim transformer", markup=False)
            console().print(f"have it checked: exactlearn check {output}", markup=False)
    return 1 if failed else 0


def _write(model: MultiHeadAttention, results: tuple[ClaimResult, ...], seed: int, output: Path) -> list[str]:
    """Write the certificate and return the claims that it makes."""
    failed = [result.name for result in results if not result.verdict.holds]
    if failed:
        raise UnusableInputError(f"no certificate is written, since these do not hold: {', '.join(failed)}", "-o")
    result = learn(oracle_of(model), heads=len(canonical_form(model).heads), seed=seed)
    certified = [{"name": found.name, "holds": True} for found in results if found.name in CERTIFIABLE_CLAIMS]
    certificate = verify_certificate(model, result, certified)
    write_certificate(certificate, output)
    return list(certificate["claims"])


def _report(
    results: tuple[ClaimResult, ...], genericity: GenericityReport, seed: int, output: Path | None
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "format": "exactlearn.claims/1",
        "claims": [_claim_json(result) for result in results],
        "seed": seed,
        "probability_one": [
            {"box": bound.box, "bound": str(bound.total), "draws": seen.draws, "bad_draws": seen.failures}
            for bound, seen in genericity.rows
        ],
    }
    if output is not None:
        report["certificate"] = str(output)
    return report


def _claim_json(result: ClaimResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "holds": result.verdict.holds,
        "verdict": _word(result.verdict),
        "statement": result.statement,
        "checked": result.checked,
        "seconds": round(result.seconds, 6),
    }


def _print_claims(
    results: tuple[ClaimResult, ...], genericity: GenericityReport, output: Path | None, certified: list[str]
) -> None:
    out = console()
    out.print(_table(results, "holds"))
    boxes = Table(title="bad draws: the exact Schwartz-Zippel bound beside what was observed", title_justify="left")
    for column in ("tokens from", "bound", "bad draws observed"):
        boxes.add_column(column)
    for bound, seen in genericity.rows:
        boxes.add_row(f"[-{bound.box}, {bound.box}]", str(bound.total), f"{seen.failures} of {seen.draws}", style=None)
    out.print(boxes, markup=False)
    if output is not None:
        out.print(f"certificate: {output}, of the claims {', '.join(certified)}", markup=False)
        out.print(f"have it checked: exactlearn check {output}", markup=False)


def _print_controls(results: tuple[ClaimResult, ...], *, as_json: bool) -> int:
    all_fail = all(isinstance(result.verdict, Fails) for result in results)
    if as_json:
        print_json({"format": "exactlearn.controls/1", "controls": [_claim_json(result) for result in results]})
    else:
        out = console()
        out.print("Negative controls: one hypothesis dropped or one number changed; each must fail.")
        out.print(_table(results, "verdict"))
        out.print("all fail, as they should" if all_fail else "NOT ALL FAIL")
    return 0 if all_fail else 1


def _table(results: tuple[ClaimResult, ...], heading: str) -> Table:
    table = Table(show_lines=True)
    table.add_column("claim", no_wrap=True)
    table.add_column(heading, no_wrap=True)
    table.add_column("what was checked, and how", overflow="fold")
    table.add_column("seconds", justify="right", no_wrap=True)
    for result in results:
        word = _word(result.verdict)
        shown = "yes" if word == heading else word
        table.add_row(result.name, shown, result.checked, f"{result.seconds:.2f}")
    return table


def _word(verdict: Verdict) -> str:
    if isinstance(verdict, Fails):
        return "fails"
    return "undecided" if isinstance(verdict, Undecided) else "holds"
