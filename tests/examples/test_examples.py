"""Tests of the bundled examples: each is what its name says, and names are resolved."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from flint import fmpq, fmpq_mat

from exactlearn import examples
from exactlearn.canonical import canonical_form, reduce_heads
from exactlearn.errors import UnusableInputError
from exactlearn.files.importing import import_model
from exactlearn.files.model_file import write_model
from exactlearn.files.schema import load_schema
from exactlearn.files.transformer_file import any_model_from_text, any_model_to_text
from exactlearn.model import MultiHeadAttention, Unit

DATA = Path(__file__).parent.parent / "files" / "data"


def text_of(name: str) -> str:
    """The bundled file's text."""
    return resources.files("exactlearn.examples").joinpath(f"{name}.json").read_text(encoding="utf-8")


def test_names_and_files_agree() -> None:
    """Every bundled file has a name and every name a file and a line."""
    files = [entry.name for entry in resources.files("exactlearn.examples").iterdir()]
    assert sorted(file.removesuffix(".json") for file in files if file.endswith(".json")) == sorted(examples.names())
    for name in examples.names():
        assert examples.describe(name).isprintable()
        assert len(examples.describe(name)) < 110


@pytest.mark.parametrize("name", examples.names())
def test_valid_and_canonical_text(name: str) -> None:
    """Every bundled file is valid for another validator, and is exactly what the writer writes."""
    text = text_of(name)
    document = json.loads(text)
    schema = load_schema("transformer" if document["kind"] == "transformer" else "model")
    jsonschema.Draft7Validator(schema).validate(document)
    assert any_model_from_text(text, name) == examples.resolve_any(name)
    assert any_model_to_text(examples.resolve_any(name)) == text


@pytest.mark.parametrize("heads", [2, 4])
def test_digits_are_fresh_imports(heads: int) -> None:
    """The trained examples equal an import of the trained files."""
    assert examples.load(f"digits-h{heads}") == import_model(DATA / f"digits_attention_h{heads}.safetensors")


def test_equal_w() -> None:
    """Two raw heads, one canonical head."""
    model = examples.load("equal-w")
    assert (len(model.heads), len(canonical_form(model).heads)) == (2, 1)
    assert reduce_heads(model).merges


def test_cancelling_pair() -> None:
    """A pair is dropped, one head stays."""
    model = examples.load("cancelling-pair")
    assert (len(model.heads), len(canonical_form(model).heads)) == (3, 1)
    assert len(reduce_heads(model).drops) == 1


def test_small_ones() -> None:
    """The empty, one-dimensional, shared-v, square-root and true-e examples are what they are called."""
    assert (examples.load("empty").heads, examples.load("empty").dim) == ((), 2)
    assert examples.load("one-dimensional").dim == 1
    shared = examples.load("shared-v")
    assert len(shared.heads) == 2
    assert shared.heads[0].v == shared.heads[1].v
    assert examples.load("sqrt-unit").unit == Unit.sqrt(fmpq(1, 2))
    assert examples.load("true-e").weights == "rational"
    assert examples.load("two-heads").weights == "log-rational"


@pytest.mark.parametrize("name", ["shared-v", "sqrt-unit", "true-e", "two-heads", "one-dimensional", "rank-one"])
def test_two_canonical_heads(name: str) -> None:
    """The two-head examples have two canonical heads."""
    assert len(canonical_form(examples.load(name)).heads) == 2


def test_rank_one() -> None:
    """Each W = log T of the example is a rank-one matrix of exponents times the logarithm of one prime."""
    for head, prime in zip(examples.load("rank-one").heads, (2, 3), strict=True):
        exponents = [[next(e for e in range(-9, 10) if fmpq(prime) ** e == entry) for entry in row] for row in head.W]
        assert fmpq_mat(exponents).rank() == 1


def test_unknown_names() -> None:
    """An unknown name is answered with close names, or with all of them."""
    with pytest.raises(UnusableInputError, match=r"no example 'two-head'; did you mean two-heads"):
        examples.load("two-head")
    with pytest.raises(UnusableInputError, match=r"no example 'digits'; did you mean digits-h4 or digits-h2\?"):
        examples.resolve("digits")
    with pytest.raises(
        UnusableInputError, match=r"no example 'zzz'; the examples are two-heads, one-dim.*, digits-h4$"
    ):
        examples.describe("zzz")
    for odd in ("", "a\0b", "x" * 5000, "../examples/empty", "no/such.safetensors"):
        with pytest.raises(UnusableInputError, match="there is no file and no example"):
            examples.resolve(odd)


def test_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file wins over a name, a directory does not, and containers are imported."""
    monkeypatch.chdir(tmp_path)
    assert examples.resolve("empty") == examples.load("empty")
    (tmp_path / "empty").mkdir()
    assert examples.resolve("empty") == examples.load("empty")
    own = MultiHeadAttention([([[2]], [3])])
    write_model(own, "true-e")
    assert examples.resolve("true-e") == own
    assert examples.resolve(tmp_path / "true-e") == own
    assert examples.resolve(DATA / "digits_attention_h2.safetensors") == examples.load("digits-h2")
    with pytest.raises(UnusableInputError, match=r"this is a directory, not a file$"):
        examples.resolve(tmp_path)
