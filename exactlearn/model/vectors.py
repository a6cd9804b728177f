"""Exact vectors, matrices and token sequences, and the short text of long ones (DESIGN section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import fmpq

from exactlearn.errors import UnusableInputError
from exactlearn.fields.scalars import Scalar, as_scalar

Vector = tuple[Scalar, ...]
"""Entries are `fmpq`, or elements of one number field K where models and tokens are over K."""
Matrix = tuple[Vector, ...]
Token = Vector
"""One input x_i in Q^d, or in K^d."""
TokenSequence = tuple[Token, ...]
"""The tokens x_1, ..., x_n of one query; the last one is the final token, at which f is read."""

_ABBREVIATE_ABOVE = 40
"""Numbers with more characters than this are shortened in a repr; files and JSON hold them whole."""


def as_vector(entries: Iterable[Scalar], what: str = "vector") -> Vector:
    """A tuple of `fmpq` or field elements from any iterable of such numbers; errors name the entry as ``what[i]``."""
    out = []
    for index, entry in enumerate(entries):
        try:
            out.append(as_scalar(entry))
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, f"{what}[{index}]") from None
    return tuple(out)


def as_token_sequence(tokens: Iterable[Iterable[Scalar]], dim: int) -> TokenSequence:
    """A token sequence from nested iterables of numbers.

    Args:
        tokens: n >= 1 tokens, each with `dim` entries, rationals or elements of a number field.
        dim: The dimension d of the model.

    Raises:
        UnusableInputError: When there is no token, or a token has not `dim` entries; the place is ``tokens[i]``.
    """
    sequence = tuple(as_vector(token, f"tokens[{index}]") for index, token in enumerate(tokens))
    if not sequence:
        raise UnusableInputError("a sequence has at least one token", "tokens")
    for index, token in enumerate(sequence):
        if len(token) != dim:
            raise UnusableInputError(f"a token has {dim} entries here, not {len(token)}", f"tokens[{index}]")
    return sequence


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> fmpq:
    """The exact scalar product of two vectors of the same length; an element of K when an entry is one."""
    total: fmpq = sum((a * b for a, b in zip(left, right, strict=True)), fmpq(0))
    return total


def abbreviate(text: str, limit: int = _ABBREVIATE_ABOVE) -> str:
    """`text` itself when short, else its two ends and how many characters there are; for people only."""
    if len(text) <= limit:
        return text
    return f"{text[:12]}...{text[-12:]} ({len(text)} characters)"


def fractions_of(matrix: Sequence[Sequence[fmpq]]) -> list[list[Fraction]]:
    """A matrix with Fractions of the standard library as entries."""
    return [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in matrix]


def short_row(row: Sequence[Scalar]) -> str:
    """A vector in one line with long numbers shortened; for people only."""
    return "[" + ", ".join(abbreviate(str(entry)) for entry in row) + "]"


def short_rows(rows: Sequence[Sequence[Scalar]]) -> str:
    """A matrix in one line with long numbers shortened; for people only."""
    return "[" + ", ".join(short_row(row) for row in rows) + "]"
