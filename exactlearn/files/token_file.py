"""The token file: one sequence of exact tokens as JSON (DESIGN section 12)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.files.field_numbers import parse_field, parse_scalar, print_scalar
from exactlearn.files.reading import place_of
from exactlearn.files.schema import check_against_schema
from exactlearn.files.strict_json import read_json
from exactlearn.model import TokenSequence, as_token_sequence


def read_tokens(path: str | os.PathLike[str], dim: int, field: NumberField | None = None) -> TokenSequence:
    """The token sequence in a file ``{"tokens": [["1", "0"], ...]}``.

    Args:
        path: The file.
        dim: The dimension d of the model that the tokens are meant for.
        field: Its number field, in which lists of coefficients are read unless the file has a field of its own.

    Raises:
        UnusableInputError: When the file cannot be read, is no token file, or a token has not `dim` entries; the
            place is the path of the file and of the entry, for example ``tokens.json: tokens[0][1]``.
    """
    return tokens_from_json(read_json(path), dim, place_of(path), field)


def tokens_from_json(
    document: Any, dim: int, place: str = "", field: NumberField | None = None
) -> TokenSequence:
    """The token sequence in a parsed token file; `place` is what errors call it, `field` as in `read_tokens`.

    Raises:
        UnusableInputError: As `read_tokens`.
    """
    try:
        check_against_schema(document, "tokens")
        field = parse_field(document["field"]) if "field" in document else field
        return as_token_sequence(
            [
                [_number(text, field, f"tokens[{i}][{j}]") for j, text in enumerate(token)]
                for i, token in enumerate(document["tokens"])
            ],
            dim,
        )
    except UnusableInputError as error:
        raise (error.within(place) if place else error) from None


def tokens_to_json(tokens: Sequence[Sequence[Scalar]]) -> dict[str, Any]:
    """The sequence as a JSON-ready document that `tokens_from_json` reads back.

    Raises:
        UnusableInputError: When a number is too long to be read back.
    """
    return {"tokens": [[print_scalar(entry) for entry in token] for token in tokens]}


def _number(text: str | list[str], field: NumberField | None, place: str) -> Scalar:
    try:
        return parse_scalar(text, field)
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, place) from None
