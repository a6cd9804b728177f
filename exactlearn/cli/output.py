"""What commands print: one JSON object, or lines and tables for people; and the options that commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from flint import fmpq
from rich.console import Console
from rich.table import Table

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import print_number
from exactlearn.model import AttentionLayer, Head, MultiHeadAttention, Transformer, abbreviate

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, or the name of a bundled example (exactlearn examples).")
]

_WIDEST_DIMENSION = 4
"""Matrices up to this size are printed for people; larger ones are described (JSON and files hold them whole)."""

_WIDTH_OF_A_PIPE = 160


def print_json(result: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")


def console() -> Console:
    """Where lines for people go: standard output, not folded to 80 columns when it is no terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE)


def facts_table(rows: Mapping[str, str]) -> Table:
    """A table of two columns: what, and its value."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for what, value in rows.items():
        table.add_row(what, value)
    return table


def describe_model(model: MultiHeadAttention) -> list[str]:
    """The heads of a model in lines for people; long numbers and large matrices are abbreviated."""
    if not model.heads:
        return ["no heads: the zero function"]
    symbol = "T" if model.weights == "log-rational" else "W"
    lines = [f"over {model.field}"] if model.field is not None else []
    for index, head in enumerate(model.heads):
        if model.dim > _WIDEST_DIMENSION:
            lines.append(f"head {index}: {symbol} {model.dim} x {model.dim}, {_size(head)}")
            lines.append(f"        v = ({_row(head.v[:3])}, ...)")
            continue
        rows = "; ".join(_row(row) for row in head.W)
        lines.append(f"head {index}: {symbol} = [{rows}]  v = ({_row(head.v)})")
    return lines


def describe_any(model: MultiHeadAttention | Transformer | AttentionLayer) -> list[str]:
    """A model of either kind in lines for people."""
    if isinstance(model, MultiHeadAttention):
        return describe_model(model)
    if isinstance(model, AttentionLayer):
        return _describe_layer(model)
    symbol = "T" if model.weights == "log-rational" else "W"
    lines = []
    for index, head in enumerate(model.heads):
        if model.dim > _WIDEST_DIMENSION:
            lines.append(f"head {index}: {symbol} {model.dim} x {model.dim}, V {len(head.V)} x {model.dim}")
            continue
        W, V = ("; ".join(_row(row) for row in matrix) for matrix in (head.W, head.V))
        lines.append(f"head {index}: {symbol} = [{W}]  V = [{V}]")
    if len(model.u) > _WIDEST_DIMENSION:
        return [*lines, f"network: B {len(model.u)} x {len(model.B[0])}, u of {len(model.u)} entries"]
    return [*lines, f"network: B = [{'; '.join(_row(row) for row in model.B)}]  u = ({_row(model.u)})"]


def _describe_layer(layer: AttentionLayer) -> list[str]:
    symbol = "T" if layer.weights == "log-rational" else "W"
    lines = [f"over {layer.field}"] if layer.field is not None else []
    for index, head in enumerate(layer.heads):
        if max(layer.dim, layer.outputs) > _WIDEST_DIMENSION:
            lines.append(f"head {index}: {symbol} {layer.dim} x {layer.dim}, p, V {layer.outputs} x {layer.dim}")
            continue
        W, V = ("; ".join(_row(row) for row in matrix) for matrix in (head.W, head.V))
        lines.append(f"head {index}: {symbol} = [{W}]  p = ({_row(head.p)})  V = [{V}]")
    return [*lines, f"s = ({_row(layer.constant[:_WIDEST_DIMENSION])}{', ...' * (layer.outputs > _WIDEST_DIMENSION)})"]


def refuse_uncertifiable(model: MultiHeadAttention | Transformer | AttentionLayer, option: str) -> None:
    """One line for the options that write certificates, which the checker would have to understand.

    Raises:
        UnusableInputError: For a model over a number field.
    """
    if isinstance(model, AttentionLayer):
        raise UnusableInputError("certificates do not reach layers with biases or several outputs yet", option)
    if model.field is not None:
        raise UnusableInputError("certificates do not reach models over a number field yet", option)


def _row(entries: Any) -> str:
    return ", ".join(abbreviate(show_number(entry), 24) for entry in entries)


def show_number(entry: Any) -> str:
    """A number for people: a rational as files have it, an element of a number field as its text."""
    return print_number(entry) if isinstance(entry, fmpq) else str(entry)


def _size(head: Head) -> str:
    numbers = [entry for row in head.W for entry in row]
    bits = max(entry.height_bits() for entry in numbers)
    return f"exact entries of up to {bits} bits, the first {abbreviate(show_number(numbers[0]), 32)}"
