"""`exactlearn canonical MODEL`: which heads merge, which cancel, and what is left."""

from __future__ import annotations

from exactlearn.canonical import reduce_heads
from exactlearn.cli.layers import canonical_layer_command
from exactlearn.cli.output import AsJson, ModelArgument, console, describe_model, print_json
from exactlearn.cli.transformers import canonical_transformer_command
from exactlearn.examples import resolve_any
from exactlearn.files.model_file import model_to_json
from exactlearn.model import AttentionLayer, Transformer


def canonical(model: ModelArgument, as_json: AsJson = False) -> int:
    """Merge heads with equal W, drop what cancels, and say why."""
    given = resolve_any(model)
    if isinstance(given, Transformer):
        return canonical_transformer_command(given, as_json=as_json)
    if isinstance(given, AttentionLayer):
        return canonical_layer_command(given, as_json=as_json)
    reduction = reduce_heads(given)
    if as_json:
        print_json(
            {
                "format": "exactlearn.canonical/1",
                "heads_given": len(given.heads),
                "heads_found": len(reduction.model.heads),
                "merged": [list(group.members) for group in reduction.merges],
                "dropped": [list(group.members) for group in reduction.drops],
                "model": model_to_json(reduction.model),
            }
        )
        return 0
    out = console()
    out.print(f"{len(given.heads)} heads given, {len(reduction.model.heads)} canonical")
    for group in reduction.merges:
        out.print(f"heads {_list(group.members)} have equal W: merged, their v added")
    for group in reduction.drops:
        if len(group.members) == 1:
            out.print(f"head {group.members[0]} has v = 0: dropped")
        else:
            out.print(f"heads {_list(group.members)} have equal W and their v sum to zero: dropped")
    for line in describe_model(reduction.model):
        out.print(line, markup=False)
    return 0


def _list(members: tuple[int, ...]) -> str:
    return ", ".join(map(str, members[:-1])) + f" and {members[-1]}"
