"""Tests of importing: both containers give the same model, and errors name the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_model, is_importable
from exactlearn.files.safetensors_file import read_safetensors

DATA = Path(__file__).parent / "data"


def as_npz(name: str, path: Path, **more: int) -> Path:
    """A trained file as .npz."""
    tensors = read_safetensors(DATA / name).tensors
    arrays: dict[str, Any] = {key: np.frombuffer(t.data, "<f4").reshape(t.shape) for key, t in tensors.items()}
    arrays.update(more)
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize("heads", [2, 4])
def test_both_containers_agree(tmp_path: Path, heads: int) -> None:
    """The same layer out of .safetensors and .npz is the same model."""
    name = f"digits_attention_h{heads}.safetensors"
    model = import_model(DATA / name)
    assert (model.dim, len(model.heads)) == (8, heads)
    assert import_model(as_npz(name, tmp_path / "a.npz", num_heads=heads)) == model
    assert import_model(str(as_npz(name, tmp_path / "b.npz")), heads) == model
    assert import_model(tmp_path / "b.npz", 8) != model


def test_errors_name_the_file(tmp_path: Path) -> None:
    """Unusable layers, clashes and unknown suffixes name the file."""
    file = DATA / "digits_attention_h2.safetensors"
    with pytest.raises(UnusableInputError, match=r"h2\.safetensors: num_heads: the file says 2 heads, the argument 4$"):
        import_model(file, 4)
    with pytest.raises(UnusableInputError, match=r"a\.npz: num_heads: the file does not say the number of heads"):
        import_model(as_npz(file.name, tmp_path / "a.npz"))
    with pytest.raises(UnusableInputError, match=r"a\.pt: layers are imported from \.safetensors and \.npz files$"):
        import_model(tmp_path / "a.pt")
    with pytest.raises(UnusableInputError, match=r"none\.npz: there is no such file$"):
        import_model(tmp_path / "none.npz")


def test_is_importable() -> None:
    """Containers are told by their suffix."""
    assert is_importable("a/b.safetensors")
    assert is_importable(Path("c.npz"))
    assert not is_importable("npz")
    assert not is_importable("m.json")
