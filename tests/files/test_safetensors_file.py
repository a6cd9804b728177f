"""Tests of .safetensors containers: tensors and metadata, and corrupt files in one line."""

from __future__ import annotations

import json
import random
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from exactlearn.errors import MissingExtraError, UnusableInputError
from exactlearn.files.safetensors_file import read_safetensors
from exactlearn.files.tensors import RawTensor

DATA = Path(__file__).parent / "data" / "digits_attention_h2.safetensors"


def container(header: Any, data: bytes = b"") -> bytes:
    """The bytes of a container with the given header, a document or a text."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype: str, size: int, count: int) -> dict[str, Any]:
    """The header's entry of a one-tensor file."""
    return {"dtype": dtype, "shape": [count], "data_offsets": [0, size * count]}


def test_trained_file() -> None:
    """The trained file holds its three float32 tensors and its metadata."""
    file = read_safetensors(DATA)
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in file.tensors.items()} == {
        "attn.in_proj_weight": ("float32", (24, 8)),
        "attn.out_proj.weight": ("float32", (8, 8)),
        "readout.weight": ("float32", (1, 8)),
    }
    assert file.metadata["num_heads"] == "2"
    assert file.tensors["readout.weight"].data == DATA.read_bytes()[-32:]


@pytest.mark.parametrize(
    ("dtype", "size", "name"),
    [("F16", 2, "float16"), ("BF16", 2, "bfloat16"), ("F32", 4, "float32"), ("F64", 8, "float64"), ("I32", 4, "I32")],
)
def test_types(tmp_path: Path, dtype: str, size: int, name: str) -> None:
    """Float types have their full names, others their own, and the bytes come through untouched."""
    data = bytes(range(3 * size))
    file = tmp_path / "a.safetensors"
    file.write_bytes(container({"a": entry(dtype, size, 3)}, data))
    read = read_safetensors(file)
    assert read.tensors == {"a": RawTensor(name, (3,), data)}
    assert read.metadata == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a safetensors file: 'header too small'$"),
        (DATA.read_bytes()[:100], "not a safetensors file: "),
        (DATA.read_bytes()[:-1], "not a safetensors file: "),
        (DATA.read_bytes() + b"x", "not a safetensors file: "),
        (b"PK\x03\x04" + bytes(range(100)), r"not a safetensors file: its header would have \d+ bytes$"),
        (struct.pack("<Q", 10_000_001) + b" " * 100, "not a safetensors file: its header would have 10000001 bytes$"),
        (container("{'a'}"), "not a safetensors file: "),
        (container({"__metadata__": {"num_heads": 2}}), "not a safetensors file: "),
        (
            container(f'{{"a": {json.dumps(entry("F32", 4, 1))}, "a": {json.dumps(entry("F32", 4, 1))}}}', bytes(4)),
            "the key 'a' stands twice in one object$",
        ),
        (container('{"__metadata__": {"num_heads": "2", "num_heads": "4"}}'), "the key 'num_heads' stands twice"),
        (container("[" * 10_000), "not a safetensors file: "),
    ],
    ids=range(11),
)
def test_corrupt(tmp_path: Path, content: bytes, message: str) -> None:
    """Each corrupt container has one line with the file's name."""
    file = tmp_path / "c.safetensors"
    file.write_bytes(content)
    with pytest.raises(UnusableInputError, match=r"c\.safetensors: .*" + message) as caught:
        read_safetensors(file)
    assert str(caught.value).isprintable()


def test_random_damage(tmp_path: Path) -> None:
    """A container with a few bytes changed is read or refused in one line, never another exception."""
    draw = random.Random(3)
    content, refused = DATA.read_bytes(), 0
    file = tmp_path / "c.safetensors"
    for _ in range(500):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(360)] = draw.randrange(256)
        file.write_bytes(damaged)
        try:
            read_safetensors(file)
        except UnusableInputError as error:
            refused += str(error).isprintable()
    assert refused > 100


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the error says what to install."""
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'exactlearn\[import\]'"):
        read_safetensors(DATA)
