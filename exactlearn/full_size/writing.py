"""A layer as a model file: kind attention with p, V and s, written piece by piece (DESIGN sections 10 and 12)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flint import fmpq

from exactlearn.files.numerals import print_file_number, print_unit
from exactlearn.full_size.layer import AffineLayer
from exactlearn.full_size.scaled_matrix import ScaledMatrix


def layer_text(layer: AffineLayer) -> Iterator[str]:
    """The text of the model file in pieces, of which a large layer has hundreds of megabytes in all."""
    start = {
        "format": "exactlearn.model/1",
        "kind": "attention",
        "dim": layer.dim,
        "weights": "rational",
        "unit": print_unit(layer.unit),
    }
    yield json.dumps(start)[:-1] + ', "heads": ['
    dim = layer.dim
    for index, head in enumerate(layer.heads):
        yield ("," if index else "") + '\n{"W": ['
        scores = head.scores.numerators.tolist()
        denominator = head.scores.denominator
        for a, row in enumerate(scores):
            yield ("," if a else "") + "\n" + json.dumps([print_file_number(fmpq(e, denominator)) for e in row[:dim]])
        yield '],\n"p": ' + json.dumps([print_file_number(fmpq(row[dim], denominator)) for row in scores])
        yield ',\n"V": [' + ",\n".join(_rows(head.values)) + "]}"
    yield '],\n"s": ' + json.dumps([print_file_number(entry) for entry in layer.constant.entries()]) + "}\n"


def _rows(matrix: ScaledMatrix) -> Iterator[str]:
    for row in matrix.numerators.tolist():
        yield json.dumps([print_file_number(fmpq(entry, matrix.denominator)) for entry in row])
