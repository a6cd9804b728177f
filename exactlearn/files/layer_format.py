"""What an import format of an attention layer is: the names of its tensors behind a prefix, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.files.projections import Projections
from exactlearn.files.tensors import RawTensor, shown_name


@dataclass(frozen=True)
class FoundLayer:
    """The tensors of one attention layer in a file.

    Attributes:
        tensors: All tensors of the file by their full names; looked up, never run through.
        prefix: What stands before the format's names, with its dot; may be empty.
    """

    tensors: Mapping[str, RawTensor]
    prefix: str

    def name(self, tail: str) -> str:
        """The full name, for errors."""
        return shown_name(self.prefix + tail)

    def shape(self, tail: str) -> tuple[int, ...]:
        """The shape of a tensor that is there."""
        return self.tensors[self.prefix + tail].shape

    def matrix(self, tail: str, rows: int, columns: int) -> fmpq_mat:
        """A tensor as an exact matrix.

        Raises:
            UnusableInputError: For another shape, or entries that are no floats or not finite.
        """
        return self.tensors[self.prefix + tail].matrix(self.name(tail), rows, columns)

    def bias(self, tail: str, length: int) -> fmpq_mat:
        """A bias as a column; zero when the layer has none.  Raises as `matrix`."""
        tensor = self.tensors.get(self.prefix + tail)
        if tensor is None:
            return fmpq_mat(length, 1)
        if tensor.shape != (length,):
            raise UnusableInputError(f"shape [{length}] is expected, not {list(tensor.shape)}", self.name(tail))
        return fmpq_mat(length, 1, [fmpq(entry) for entry in tensor.entries(self.name(tail))])


@dataclass(frozen=True)
class LayerFormat:
    """An import format.

    Attributes:
        title: What errors and reports call it.
        required: The names that must be there, the one by which a layer is recognised first.
        biases: The names of the biases: all of them are there, or none.
        optional: Names that may be there and change nothing.
        read: The projections.
        note: What a user should know about the model behind it; may be empty.
    """

    title: str
    required: tuple[str, ...]
    biases: tuple[str, ...]
    optional: tuple[str, ...]
    read: Callable[[FoundLayer], Projections]
    note: str = ""

    def check(self, layer: FoundLayer) -> None:
        """Refuse a layer that has some of the biases only.

        Raises:
            UnusableInputError: The missing one is named.
        """
        missing = [tail for tail in self.biases if layer.prefix + tail not in layer.tensors]
        if missing and len(missing) < len(self.biases):
            there = next(tail for tail in self.biases if tail not in missing)
            raise UnusableInputError(f"there is no tensor {layer.name(missing[0])}, but {layer.name(there)} is there")


def two_extents(layer: FoundLayer, tail: str) -> tuple[int, int]:
    """Rows and columns of a tensor.

    Raises:
        UnusableInputError: When it is no matrix, or an empty one.
    """
    shape = layer.shape(tail)
    if len(shape) != 2 or not all(shape):
        raise UnusableInputError(f"a matrix is expected, not shape {list(shape)}", layer.name(tail))
    return shape[0], shape[1]
