"""Numbers of files that may lie in a number field: the field itself, and numbers as lists of coefficients."""

from __future__ import annotations

from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.files.numerals import parse_number, print_file_number

NEEDS_FIELD = 'a list of coefficients is a number in a number field: the file needs a "field"'


def parse_field(document: dict[str, Any]) -> NumberField:
    """The number field ``{"minpoly": ["-2", "0", "1"], "root": ["1", "2"]}`` of a document that the schema accepts.

    Raises:
        UnusableInputError: As `NumberField`; the place is ``field.minpoly`` or ``field.root``, or an entry of them.
    """
    parts = {}
    for key in ("minpoly", "root"):
        numbers = []
        for index, text in enumerate(document[key]):
            try:
                numbers.append(parse_number(text))
            except UnusableInputError as error:
                raise UnusableInputError(error.reason, f"field.{key}[{index}]") from None
        parts[key] = numbers
    try:
        return NumberField(parts["minpoly"], parts["root"])
    except UnusableInputError as error:
        raise UnusableInputError(error.reason, f"field.{error.place}") from None


def print_field(field: NumberField) -> dict[str, list[str]]:
    """The field as `parse_field` reads it."""
    return {
        "minpoly": [print_file_number(c) for c in field.coefficients],
        "root": [print_file_number(end) for end in field.root],
    }


def parse_scalar(value: str | list[str], field: NumberField | None) -> Scalar:
    """A number of a file: a rational as a string, or a list of its coefficients in `field`.

    Raises:
        UnusableInputError: As `parse_number`; for a list without a field; for too many coefficients.
    """
    if isinstance(value, str):
        number = parse_number(value)
        return number if field is None else field(number)
    if field is None:
        raise UnusableInputError(NEEDS_FIELD)
    coefficients = []
    for index, text in enumerate(value):
        try:
            coefficients.append(parse_number(text))
        except UnusableInputError as error:
            raise UnusableInputError(f"coefficient {index}: {error.reason}") from None
    return field.element(coefficients)


def print_scalar(value: Scalar) -> str | list[str]:
    """A number for files: a string when it is rational, else the list of its coefficients without final zeros.

    Raises:
        UnusableInputError: As `print_file_number`.
    """
    if not isinstance(value, FieldElement):
        return print_file_number(value)
    rational = value.rational
    if rational is not None:
        return print_file_number(rational)
    coefficients = list(value.coefficients)
    while not coefficients[-1]:
        coefficients.pop()
    return [print_file_number(c) for c in coefficients]
