"""Named tensors as a container file holds them: raw bits, not numbers yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq, fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.files.floats import decode_array
from exactlearn.files.numerals import quote

_SHOWN = 120


@dataclass(frozen=True)
class RawTensor:
    """One tensor of a container file.

    Attributes:
        dtype: The type of its entries by its full name, for example "float32" or "int64".
        shape: Its extents.
        data: Its entries, little-endian, last index fastest.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def entries(self, name: str) -> list[fmpq]:
        """The entries as exact numbers, last index fastest; errors call the tensor `name`.

        Raises:
            UnusableInputError: As `decode_array`.
        """
        return decode_array(self.dtype, self.shape, self.data, name)

    def matrix(self, name: str, rows: int, columns: int) -> fmpq_mat:
        """The entries as an exact `rows` x `columns` matrix; errors call the tensor `name`.

        Raises:
            UnusableInputError: When the shape is another one, or as `decode_array`.
        """
        if self.shape != (rows, columns):
            raise UnusableInputError(f"shape [{rows}, {columns}] is expected, not {list(self.shape)}", name)
        return fmpq_mat(rows, columns, self.entries(name))


@dataclass(frozen=True)
class TensorFile:
    """What a container file holds: its tensors by name, and its metadata as text."""

    tensors: dict[str, RawTensor]
    metadata: dict[str, str] = field(default_factory=dict)


def shown_name(name: str) -> str:
    """A tensor's name for an error message: as it is when it is plain, else quoted on one line."""
    is_plain = len(name) <= _SHOWN and name.isascii() and name.isprintable() and name != ""
    return name if is_plain else quote(name)
