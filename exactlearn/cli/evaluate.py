"""`exactlearn eval MODEL TOKENS`: the exact value of f on one sequence, and a decimal enclosure of it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from exactlearn.cli.layers import evaluate_layer_command
from exactlearn.cli.output import AsJson, ModelArgument, console, print_json
from exactlearn.cli.transformers import evaluate_transformer_command
from exactlearn.errors import UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.fields.number_field import NumberField
from exactlearn.files.field_numbers import print_field
from exactlearn.files.strict_json import parse_json
from exactlearn.files.token_file import read_tokens, tokens_from_json
from exactlearn.model import AttentionLayer, TokenSequence, Transformer, abbreviate
from exactlearn.places.symbolic import evaluate as evaluate_exactly

MOST_DIGITS = 10_000


def evaluate(
    model: ModelArgument,
    tokens: Annotated[
        str,
        typer.Argument(
            metavar="TOKENS",
            help='A file with {"tokens": [["1", "0"], ...]}, "-" for standard input, or the JSON itself.',
        ),
    ],
    digits: Annotated[int, typer.Option("--digits", help="Decimal digits of the enclosure.")] = 20,
    as_json: AsJson = False,
) -> int:
    """Evaluate MODEL on a sequence of tokens, exactly; f is read at the last token."""
    if not 1 <= digits <= MOST_DIGITS:
        raise UnusableInputError(f"a number from 1 to {MOST_DIGITS} is expected", "--digits")
    given = resolve_any(model)
    if isinstance(given, Transformer):
        return evaluate_transformer_command(given, _read(tokens, given.dim, None), digits, as_json=as_json)
    if isinstance(given, AttentionLayer):
        read = _read(tokens, given.dim, given.field)
        return evaluate_layer_command(given, read, digits, as_json=as_json)
    value = evaluate_exactly(given, _read(tokens, given.dim, given.field))
    exact, decimal = str(value), value.decimal(digits)
    if as_json:
        field = {} if value.field is None else {"field": print_field(value.field)}
        print_json({"exact": exact, "decimal": decimal, **field})
    else:
        out = console()
        out.print(f"exact    {abbreviate(exact, 2000)}", markup=False)
        out.print(f"decimal  {decimal}", markup=False)
        if value.field is not None and value.field.degree > 2:
            out.print(f"in       {value.field}", markup=False)
    return 0


def _read(tokens: str, dim: int, field: NumberField | None) -> TokenSequence:
    if tokens == "-":
        return tokens_from_json(parse_json(sys.stdin.read(), "standard input"), dim, "standard input", field)
    if tokens.lstrip().startswith("{"):
        return tokens_from_json(parse_json(tokens, "TOKENS"), dim, "TOKENS", field)
    return read_tokens(tokens, dim, field)
