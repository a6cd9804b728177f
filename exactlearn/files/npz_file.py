"""Containers in numpy's .npz format (extra "import"); arrays are read as bits, nothing is ever unpickled."""

from __future__ import annotations

import io
import lzma
import math
import os
import struct
import warnings
import zipfile
import zlib
from types import ModuleType
from typing import Any

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.reading import MAX_FILE_BYTES, place_of, read_bytes
from exactlearn.files.tensors import RawTensor, TensorFile, shown_name

NUM_HEADS = "num_heads"
"""The integer array of this name is taken as metadata: .npz has no other place for it."""

_CORRUPT = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,  # an encrypted member; an unknown compression (NotImplementedError)
    ValueError,  # numpy's word for a wrong first byte
)


def read_npz(path: str | os.PathLike[str]) -> TensorFile:
    """The arrays of an .npz file; the number of heads, when there, becomes metadata.

    Big-endian and Fortran-ordered arrays are brought into the order of `RawTensor`.  A two-byte void array is taken
    as bfloat16: that is how numpy, which does not know bfloat16, stores it.

    Raises:
        MissingExtraError: When the package numpy is not installed.
        UnusableInputError: When the file cannot be read or is corrupt, or a name stands in it twice.
    """
    numpy = _import_numpy()
    place = place_of(path)
    content = read_bytes(path)
    tensors: dict[str, RawTensor] = {}
    metadata: dict[str, str] = {}
    for name, member in _members(content, place):
        try:
            array = _array(numpy, member)
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, shown_name(name)).within(place) from None
        except _CORRUPT:
            raise UnusableInputError("not an array in numpy's format", shown_name(name)).within(place) from None
        if name == NUM_HEADS and array.dtype.kind in "iu" and array.size == 1:
            metadata[NUM_HEADS] = str(int(array.reshape(-1)[0]))
        else:
            tensors[name] = RawTensor(_dtype_name(array.dtype), array.shape, array.tobytes(order="C"))
    return TensorFile(tensors, metadata)


def _import_numpy() -> ModuleType:
    try:
        import numpy  # noqa: ICN001, PLC0415  # an optional package
        import numpy.lib.format  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("numpy", "import", "an .npz file") from None
    return numpy


def _members(content: bytes, place: str) -> list[tuple[str, bytes]]:
    """The arrays' names and files, unpacked within the bound on the size of files."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            names = [info.filename.removesuffix(".npy") for info in infos]
            if len(set(names)) < len(names):
                raise UnusableInputError("an array's name stands twice in the file", place)
            if sum(info.file_size for info in infos) > MAX_FILE_BYTES:
                raise UnusableInputError(f"the arrays are too long: at most {MAX_FILE_BYTES} bytes are read", place)
            return [(name, archive.read(info)) for name, info in zip(names, infos, strict=True)]
    except _CORRUPT:
        raise UnusableInputError("not an .npz file, or a corrupt one", place) from None


def _array(numpy: ModuleType, member: bytes) -> Any:
    """The array in one member, little-endian.

    numpy.load would allocate what the header claims; here the header is held against the bytes that are there.
    """
    file = io.BytesIO(member)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a header from Python 2 is only slower to read
        version = numpy.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise UnusableInputError("this version of numpy's array format is not read")
        read_header = getattr(numpy.lib.format, f"read_array_header_{version[0]}_0")
        try:
            shape, is_fortran, dtype = read_header(file)
        except Exception:  # noqa: BLE001  # whatever the tokenizer and literal_eval behind it raise on a broken text
            raise UnusableInputError("not an array in numpy's format") from None
    data = member[file.tell() :]
    if dtype.hasobject or dtype.names or dtype.subdtype:
        raise UnusableInputError("an array of numbers is expected, not of objects or records")
    if any(extent < 0 for extent in shape) or math.prod(shape) * dtype.itemsize != len(data):
        raise UnusableInputError("the array's data do not fit its shape")
    array = numpy.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C")
    if dtype.byteorder == ">":
        array = array.byteswap().view(dtype.newbyteorder("<"))
    return array


def _dtype_name(dtype: Any) -> str:
    is_bfloat16 = dtype.kind == "V" and dtype.itemsize == 2
    return "bfloat16" if is_bfloat16 else str(dtype.name)
