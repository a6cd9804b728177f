"""`exactlearn prove [CLAIM]`: the theorems with all parameters symbolic, each with its negative control."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from exactlearn.cli.output import AsJson, console, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.proving import Proof, proofs, theorem
from exactlearn.proving import prove as run_proof


def prove(
    claim: Annotated[str | None, typer.Argument(metavar="[CLAIM]", help="A theorem's name; left out, all.")] = None,
    heads: Annotated[int | None, typer.Option("--heads", metavar="H", help="The number of heads.")] = None,
    dim: Annotated[int | None, typer.Option("--dim", metavar="D", help="The dimension.")] = None,
    largest: Annotated[
        bool, typer.Option("--largest", help="The largest sizes that a minute allows for all theorems together.")
    ] = False,
    no_limit: Annotated[
        bool, typer.Option("--no-limit", help="Allow sizes above the ledger's largest, which may take hours.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Prove the theorems for small sizes by exact symbolic computation; exit status 1 if one does not hold."""
    for option, number in (("--heads", heads), ("--dim", dim)):
        if number is not None and number < 1:
            raise UnusableInputError("a whole number from 1 on is expected", option)
    if largest and (heads is not None or dim is not None):
        raise UnusableInputError("goes without --heads and --dim", "--largest")
    names = proofs() if claim is None else (claim,)
    for name in names:
        if not no_limit:
            _check_size(name, heads, dim)
    found = [run_proof(name, heads, dim, largest=largest) for name in names]
    if as_json:
        print_json({"format": "exactlearn.proofs/1", "proofs": [_proof_json(proof) for proof in found]})
    elif claim is not None:
        console().print(str(found[0]), markup=False)
    else:
        table = Table()
        for column in ("theorem", "proved", "by computation for", "control", "seconds"):
            table.add_column(column)
        for proof in found:
            sizes = "; ".join(map(str, proof.sizes))
            control = "fails, as it should" if proof.control_failed else "DID NOT FAIL"
            table.add_row(proof.name, "yes" if proof.holds else "NO", sizes, control, f"{proof.seconds:.2f}")
        console().print(table)
    return 0 if all(proof.holds for proof in found) else 1


def _check_size(name: str, heads: int | None, dim: int | None) -> None:
    """Refuses sizes that take more than a minute or so, unless that is wanted."""
    largest = theorem(name).largest
    for option, asked, most in (("--heads", heads, largest.heads), ("--dim", dim, largest.dim)):
        if asked is not None and most is not None and asked > most:
            raise UnusableInputError(
                f"{name} is proved up to {largest} in reasonable time; --no-limit tries {asked} all the same", option
            )


def _proof_json(proof: Proof) -> dict[str, Any]:
    return {
        "name": proof.name,
        "holds": proof.holds,
        "statement": proof.statement,
        "in_words": proof.in_words,
        "by_computation": proof.by_computation,
        "sizes": [{"heads": size.heads, "dim": size.dim} for size in proof.sizes],
        "control": proof.changed,
        "control_failed": proof.control_failed,
        "seconds": round(proof.seconds, 6),
    }
