"""Scalars of a model: rationals, or elements of one number field; which field, and from what users hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.rationals import as_fmpq

Scalar = Any
"""An `fmpq`, or a `FieldElement` in a model over a number field; both know the same arithmetic and order."""


def as_scalar(value: Any) -> Scalar:
    """A field element as it is, else the `fmpq` that `as_fmpq` makes of a rational.

    Raises:
        UnusableInputError: As `as_fmpq`.
    """
    return value if isinstance(value, FieldElement) else as_fmpq(value)


def common_field(values: Iterable[Scalar]) -> NumberField | None:
    """The number field of the elements among some scalars, None when all are rationals.

    Raises:
        UnusableInputError: When there are elements of several fields.
    """
    found: NumberField | None = None
    for value in values:
        if isinstance(value, FieldElement):
            if found is not None and value.field != found:
                raise UnusableInputError("the numbers lie in different number fields")
            found = found or value.field
    return found


def rational_part(value: Scalar) -> fmpq | None:
    """A scalar as an `fmpq` when it is rational, else None."""
    return value.rational if isinstance(value, FieldElement) else value


def bit_length(value: Any) -> int:
    """The bits of numerator and denominator together; of a field element, those of all its coefficients; else 0."""
    if isinstance(value, FieldElement):
        return sum(bit_length(coefficient) for coefficient in value.coefficients)
    return int(value.p.bit_length() + value.q.bit_length()) if isinstance(value, fmpq) else 0


__all__ = ["Scalar", "as_scalar", "bit_length", "common_field", "rational_part"]
