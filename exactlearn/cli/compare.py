"""`exactlearn compare A B`: the same function on all sequences, or a sequence on which they differ."""

from __future__ import annotations

from exactlearn.canonical import same_function
from exactlearn.cli.layers import compare_layers_command
from exactlearn.cli.output import AsJson, ModelArgument, console, print_json
from exactlearn.cli.transformers import compare_transformers_command
from exactlearn.errors import UnusableInputError
from exactlearn.examples import resolve_any
from exactlearn.files.token_file import tokens_to_json
from exactlearn.model import AttentionLayer, Transformer, abbreviate
from exactlearn.places.symbolic import evaluate
from exactlearn.verdict import Fails


def compare(first: ModelArgument, second: ModelArgument, as_json: AsJson = False) -> int:
    """Decide whether two models are the same function; exit status 1 and a separating sequence when not."""
    left, right = resolve_any(first), resolve_any(second)
    if isinstance(left, Transformer) and isinstance(right, Transformer):
        return compare_transformers_command(left, right, (first, second), as_json=as_json)
    if isinstance(left, Transformer) or isinstance(right, Transformer):
        raise UnusableInputError("one model is a Transformer, the other an attention model: give two of a kind", second)
    if isinstance(left, AttentionLayer) or isinstance(right, AttentionLayer):
        return compare_layers_command(left, right, (first, second), as_json=as_json)
    if left.dim != right.dim:
        raise UnusableInputError(f"the models have different dimensions, {left.dim} and {right.dim}", second)
    verdict = same_function(left, right)
    if not isinstance(verdict, Fails):
        if as_json:
            print_json({"equal": True})
        else:
            console().print("equal: the same function on all sequences (the canonical forms agree)")
        return 0
    tokens = verdict.witness
    values = [str(evaluate(left, tokens)), str(evaluate(right, tokens))]
    shown = tokens_to_json(tokens)["tokens"]
    if as_json:
        print_json({"equal": False, "tokens": shown, "values": values})
        return 1
    out = console()
    out.print("different functions; they differ on the sequence")
    for token in shown:
        out.print("  (" + ", ".join(token) + ")", markup=False)
    for name, value in zip((first, second), values, strict=True):
        out.print(f"{name}: {abbreviate(value, 200)}", markup=False)
    return 1
