"""What the commands do with layers that have biases or vector outputs: eval, canonical, compare (DESIGN section 10)."""

from __future__ import annotations

from typing import Any

from exactlearn.cli.output import console, describe_any, print_json
from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.files.field_numbers import print_field
from exactlearn.files.layer_file import layer_to_json
from exactlearn.files.token_file import tokens_to_json
from exactlearn.layers.canonical import as_layer, evaluate_layer, reduce_layer, same_layer
from exactlearn.model import AttentionLayer, MultiHeadAttention, TokenSequence, abbreviate
from exactlearn.verdict import Fails


def evaluate_layer_command(layer: AttentionLayer, tokens: TokenSequence, digits: int, *, as_json: bool) -> int:
    """The exact value on one sequence; lists when the layer has several outputs."""
    values = evaluate_layer(layer, tokens)
    exact, decimal = [str(value) for value in values], [value.decimal(digits) for value in values]
    fields = [value.field for value in values if value.field is not None]
    if as_json:
        is_scalar = layer.outputs == 1
        shown = {"exact": exact[0] if is_scalar else exact, "decimal": decimal[0] if is_scalar else decimal}
        print_json({**shown, **({"field": print_field(fields[0])} if fields else {})})
        return 0
    out = console()
    for a in range(layer.outputs):
        suffix = "" if layer.outputs == 1 else f"[{a}]"
        out.print(f"exact{suffix}    {abbreviate(exact[a], 2000)}", markup=False)
        out.print(f"decimal{suffix}  {decimal[a]}", markup=False)
    return 0


def canonical_layer_command(layer: AttentionLayer, *, as_json: bool) -> int:
    """Which heads merge, which cancel, and what is left."""
    reduction = reduce_layer(layer)
    if as_json:
        print_json(
            {
                "format": "exactlearn.canonical/1",
                "heads_given": len(layer.heads),
                "heads_found": len(reduction.layer.heads),
                "merged": [list(group.members) for group in reduction.merges],
                "dropped": [list(group.members) for group in reduction.drops],
                "model": layer_to_json(reduction.layer),
            }
        )
        return 0
    out = console()
    found = len(reduction.layer.heads)
    out.print(f"{len(layer.heads)} heads given, {found} canonical; the sum of all s is kept as one s")
    for group in reduction.merges:
        out.print(f"heads {', '.join(map(str, group.members))} have equal (W, p): merged, their V added")
    for group in reduction.drops:
        names = ", ".join(map(str, group.members))
        alone = len(group.members) == 1
        what = f"head {names} has V = 0" if alone else f"heads {names} have equal (W, p) and their V sum to zero"
        out.print(f"{what}: dropped")
    for line in describe_any(reduction.layer):
        out.print(line, markup=False)
    return 0


def compare_layers_command(
    left: AttentionLayer | MultiHeadAttention,
    right: AttentionLayer | MultiHeadAttention,
    names: tuple[str, str],
    *,
    as_json: bool,
) -> int:
    """The same function, or a separating sequence; exit status 1 then.

    Raises:
        UnusableInputError: When the two have not the same shape.
    """
    first, second = as_layer(left), as_layer(right)
    if first.dim != second.dim:
        raise UnusableInputError(f"the models have different dimensions, {first.dim} and {second.dim}", names[1])
    if first.outputs != second.outputs:
        reason = f"the models have different numbers of outputs, {first.outputs} and {second.outputs}"
        raise UnusableInputError(reason, names[1])
    verdict = same_layer(*_over_one_field(first, second))
    if not isinstance(verdict, Fails):
        if as_json:
            print_json({"equal": True})
        else:
            console().print("equal: the same function on all sequences (the canonical forms agree)")
        return 0
    values: list[Any] = []
    for layer in (first, second):
        seen = [str(value) for value in evaluate_layer(layer, verdict.witness)]
        values.append(seen[0] if layer.outputs == 1 else seen)
    shown = tokens_to_json(verdict.witness)["tokens"]
    if as_json:
        print_json({"equal": False, "tokens": shown, "values": values})
        return 1
    out = console()
    out.print("different functions; they differ on the sequence")
    for token in shown:
        out.print("  (" + ", ".join(token) + ")", markup=False)
    for name, value in zip(names, values, strict=True):
        text = value if isinstance(value, str) else "(" + ", ".join(value) + ")"
        out.print(f"{name}: {abbreviate(text, 400)}", markup=False)
    return 1


def _over_one_field(left: AttentionLayer, right: AttentionLayer) -> tuple[AttentionLayer, AttentionLayer]:
    """A layer with rational numbers is one over the other's number field."""

    def over(layer: AttentionLayer, field: NumberField) -> AttentionLayer:
        kind: dict[str, Any] = {"weights": layer.weights, "unit": layer.unit, "field": field}
        return AttentionLayer(layer.heads, dim=layer.dim, outputs=layer.outputs, s=layer.s, **kind)

    if left.field is None and right.field is not None:
        return over(left, right.field), right
    if right.field is None and left.field is not None:
        return left, over(right, left.field)
    return left, right
