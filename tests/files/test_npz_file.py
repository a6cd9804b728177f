"""Tests of .npz containers: every byte order and layout, bfloat16, and corrupt files in one line."""

from __future__ import annotations

import io
import random
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.npz_file import read_npz

VALUES = np.array([[0.5, -1.25, 3.0], [65504.0, 0.0, -0.0078125]])
EXACT = [fmpq(1, 2), fmpq(-5, 4), fmpq(3), fmpq(65504), fmpq(0), fmpq(-1, 128)]


def saved(path: Path, **arrays: Any) -> Path:
    """The arrays as numpy saves them."""
    np.savez(path, **arrays)
    return path


def zipped(path: Path, *members: tuple[str, bytes]) -> Path:
    """A zip archive with the given members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """An array file with a hand-written header."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize("dtype", ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_orders(tmp_path: Path, dtype: str, order: Any) -> None:
    """Both byte orders and both layouts give the same exact entries."""
    file = read_npz(saved(tmp_path / "a.npz", a=np.array(VALUES, dtype=dtype, order=order)))
    assert file.tensors["a"].entries("a") == EXACT
    assert file.tensors["a"].shape == (2, 3)


def test_compressed_and_strided(tmp_path: Path) -> None:
    """Compressed files and arrays that were views are read too."""
    np.savez_compressed(tmp_path / "a.npz", a=np.repeat(VALUES, 2, axis=1)[:, ::2])
    assert read_npz(tmp_path / "a.npz").tensors["a"].entries("a") == EXACT


def test_bfloat16(tmp_path: Path) -> None:
    """A two-byte void array is bfloat16: the upper halves of float32."""
    upper = VALUES.astype("<f4").view("<u4") >> 16
    exact = (upper << 16).astype("<u4").view("<f4").astype(float)
    file = read_npz(saved(tmp_path / "a.npz", a=upper.astype("<u2").view("V2")))
    assert file.tensors["a"].dtype == "bfloat16"
    assert file.tensors["a"].entries("a") == [fmpq(*x.as_integer_ratio()) for x in exact.reshape(-1).tolist()]


@pytest.mark.parametrize("value", [np.int64(4), np.array([4], dtype=">i4"), np.array(4, dtype="u1")])
def test_number_of_heads(tmp_path: Path, value: Any) -> None:
    """An integer array num_heads becomes metadata; as a float it stays a tensor."""
    file = read_npz(saved(tmp_path / "a.npz", num_heads=value))
    assert file.metadata == {"num_heads": "4"}
    assert file.tensors == {}
    assert "num_heads" in read_npz(saved(tmp_path / "b.npz", num_heads=np.float32(4))).tensors


def test_other_types_are_refused_when_read(tmp_path: Path) -> None:
    """Integers come through as what they are, and are no numbers of a layer."""
    file = read_npz(saved(tmp_path / "a.npz", a=np.arange(3, dtype="i8")))
    with pytest.raises(UnusableInputError, match="a: entries of type int64 are not taken"):
        file.tensors["a"].entries("a")


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    """An array of objects is refused before its pickle is looked at; records are refused too."""
    np.savez(tmp_path / "a.npz", a=np.array([{}], dtype=object))
    with pytest.raises(UnusableInputError, match=r"a\.npz: a: an array of numbers is expected, not of objects"):
        read_npz(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", a=np.zeros(2, dtype=[("x", "i1"), ("y", "i1")]))
    with pytest.raises(UnusableInputError, match=r"b\.npz: a: an array of numbers is expected"):
        read_npz(tmp_path / "b.npz")


FLOATS = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}"


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (b"", "not an array in numpy's format$"),
        (b"hello", "not an array in numpy's format$"),
        (npy("{'descr': '<f4'"), "not an array in numpy's format$"),
        (npy("-" * 9000 + "1"), "not an array in numpy's format$"),
        (npy("[" * 9000), "not an array in numpy's format$"),
        (npy("{'descr': (), 'fortran_order': False, 'shape': ()}"), "not an array in numpy's format$"),
        (npy("{'descr': 'V2', 'fortran_order': 2, 'shape': 'x'}"), "not an array in numpy's format$"),
        (npy("__import__('os').abort()"), "not an array in numpy's format$"),
        (npy(FLOATS % "2,", bytes(8), b"\x03\x00"), "this version of numpy's array format is not read$"),
        (npy(FLOATS % "2,", bytes(7)), "the array's data do not fit its shape$"),
        (npy(FLOATS % "2,", bytes(12)), "the array's data do not fit its shape$"),
        (npy(FLOATS % "-1, -2", bytes(8)), "the array's data do not fit its shape$"),
        (npy(FLOATS % f"{10**15},"), "the array's data do not fit its shape$"),
        (npy(FLOATS % f"{10**30},"), "the array's data do not fit its shape$"),
        (npy(FLOATS % ("9" * 9000 + ",")), "not an array in numpy's format$"),
    ],
    ids=range(15),
)
def test_broken_members(tmp_path: Path, member: bytes, message: str) -> None:
    """Each broken array has one line with the file and the array; nothing large is allocated."""
    with pytest.raises(UnusableInputError, match=r"a\.npz: w: " + message):
        read_npz(zipped(tmp_path / "a.npz", ("w.npy", member)))


def test_broken_archives(tmp_path: Path) -> None:
    """What is no zip archive, a truncated one, and names that stand twice are refused in one line."""
    good = saved(tmp_path / "good.npz", a=VALUES).read_bytes()
    for content in (b"", b"hello", good[:-30], good[:50]):
        file = tmp_path / "a.npz"
        file.write_bytes(content)
        with pytest.raises(UnusableInputError, match=r"a\.npz: not an \.npz file, or a corrupt one$"):
            read_npz(file)
    array = npy(FLOATS % "1,", bytes(4))
    with pytest.raises(UnusableInputError, match=r"an array's name stands twice in the file$"):
        read_npz(zipped(tmp_path / "b.npz", ("a.npy", array), ("a", array)))


def test_zip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that would unpack to more than the bound is refused before it is unpacked."""
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(10**6))
    monkeypatch.setattr("exactlearn.files.npz_file.MAX_FILE_BYTES", 10**6)
    with pytest.raises(UnusableInputError, match=r"the arrays are too long: at most 1000000 bytes are read$"):
        read_npz(tmp_path / "a.npz")


def test_random_damage(tmp_path: Path) -> None:
    """A container with a few bytes changed is read or refused in one line, never another exception."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=VALUES, num_heads=2)
    content, refused, draw = buffer.getvalue(), 0, random.Random(5)
    file = tmp_path / "c.npz"
    for _ in range(1000):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        file.write_bytes(damaged)
        try:
            read_npz(file)
        except UnusableInputError as error:
            refused += str(error).isprintable()
    assert refused > 300


def test_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the error says what to install."""
    file = saved(tmp_path / "a.npz", a=VALUES)
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"an \.npz file needs the package numpy: pip install"):
        read_npz(file)
