"""Specifications: what they mean, what is refused and in which words, and that an instance's identity is stable."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.errors import UnusableInputError
from exactlearn.sweeps.axes import AXES
from exactlearn.sweeps.instance import ExhaustivePart, ModelInstance, identity, instance_from_text, instance_text
from exactlearn.sweeps.specification import (
    BUNDLED,
    bundled_specification,
    resolve_specification,
    specification_from_text,
)

HEAD = 'format = "exactlearn.sweep/1"\n'
FAMILY = HEAD + "[[family]]\n"
EXHAUSTIVE = HEAD + "[[exhaustive]]\n"

EXAMPLE = ModelInstance(
    heads=2, dim=1, weights="rational", unit="1", bits=3, denominator_bits=0, share_weights=0, share_values=0,
    cancel=0, rank=0, orthogonal=0, schedule="paper", place="padic", draws=50, boxes=(2, 25), seed=7,
)  # fmt: skip


def instances(text: str) -> list[ModelInstance]:
    """The models of a specification."""
    found = [work.instance for work in specification_from_text(text, "s").works()]
    return [instance for instance in found if isinstance(instance, ModelInstance)]


def test_the_product_of_the_axes() -> None:
    """Every combination once, seeds outermost; a range holds both ends."""
    found = instances(FAMILY + 'heads = "1..3"\ndim = [1, 2]\nweights = "rational"\nseed = [5, 3]\n')
    assert [(i.seed, i.heads, i.dim) for i in found] == [(s, h, d) for s in (5, 3) for h in (1, 2, 3) for d in (1, 2)]
    assert len({identity(instance) for instance in found}) == len(found)
    assert {instance.place for instance in found} == {"padic"}


def test_each_kind_of_weights_has_its_place() -> None:
    """The combinations that cannot be are left out, and no others."""
    found = instances(FAMILY + 'heads = 2\ndim = 2\nweights = ["log-rational", "rational", "float32"]\nbits = [2, 4]\n')
    assert sorted((i.weights, i.place, i.bits) for i in found) == [
        ("float32", "padic", 0),
        ("log-rational", "rational", 2),
        ("log-rational", "rational", 4),
        ("rational", "padic", 2),
        ("rational", "padic", 4),
    ]
    ranks = instances(FAMILY + "heads = [0, 1, 2]\ndim = [1, 2]\nrank = [0, 1]\nshare_values = [0, 1]\n")
    assert {(i.dim, i.rank) for i in ranks} == {(1, 0), (2, 0), (2, 1)}
    assert {(i.heads, i.share_values) for i in ranks} == {(0, 0), (1, 0), (2, 0), (2, 1)}


def test_the_identity_is_pinned() -> None:
    """The same parameters have this identity on every machine and in every later version of this format."""
    assert instance_text(EXAMPLE) == (
        '{"bits":3,"boxes":[2,25],"cancel":0,"denominator_bits":0,"dim":1,"draws":50,"format":"exactlearn.instance/1",'
        '"heads":2,"kind":"model","orthogonal":0,"place":"padic","rank":0,"schedule":"paper","seed":7,'
        '"share_values":0,"share_weights":0,"unit":"1","weights":"rational"}'
    )
    assert identity(EXAMPLE) == "041339ee30b52bfdbcfb"


@given(st.integers(0, 9), st.sampled_from(["1", "sqrt(2)"]), st.lists(st.integers(1, 99)).map(tuple))
def test_instances_survive_their_text(heads: int, unit: str, boxes: tuple[int, ...]) -> None:
    """Reading back what was written gives an equal instance of the same identity."""
    model = ModelInstance(**{**EXAMPLE.__dict__, "heads": heads, "unit": unit, "boxes": boxes})
    part = ExhaustivePart(2, 1, "rational", ("-1", "1"), ("1/2",), heads, 1000, 0)
    for instance in (model, part):
        again = instance_from_text(instance_text(instance))
        assert again == instance
        assert identity(again) == identity(instance)
    assert (identity(model) == identity(EXAMPLE)) == (model == EXAMPLE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", r"^s\.toml: no TOML: "),
        ("x = " + "9" * 5000, r"^s\.toml: no TOML: "),
        ("x = " + "[" * 100_000, r"^s\.toml: no TOML: "),
        ("", r's\.toml: format: format = "exactlearn.sweep/1" is expected'),
        (HEAD, r"s\.toml: family: there is no \[\[family\]\]"),
        (HEAD + "family = 3\n", r"s\.toml: family: tables are expected"),
        (HEAD + "famly = 3\n", r"s\.toml: famly: there is no such key; did you mean family\?"),
        (FAMILY + "head = 3\n", r"s\.toml: family\[0\]\.head: there is no such key; did you mean heads\?"),
        (FAMILY + "deltas = [0.1]\n", r"family\[0\]\.deltas: deltas for stability are not there yet"),
        (HEAD + "deltas = [0.1]\n", r"s\.toml: deltas: deltas for stability are not there yet"),
        (FAMILY + "heads = -1\n", r"family\[0\]\.heads: a whole number from 0 to 64 is expected"),
        (FAMILY + "heads = 1.0\n", r"family\[0\]\.heads: a whole number"),
        (FAMILY + "heads = true\n", r"family\[0\]\.heads: a whole number"),
        (FAMILY + "heads = []\n", r"family\[0\]\.heads: the list is empty"),
        (FAMILY + 'heads = "3..1"\n', r"family\[0\]\.heads: '3\.\.1' is no range"),
        (FAMILY + 'seed = "0..9999999999999"\n', r"family\[0\]\.seed: a whole number from 0"),
        (FAMILY + 'weights = "real"\n', r"family\[0\]\.weights: 'real' is none of log-rational, rational, float32"),
        (FAMILY + 'schedule = "lean"\n', r"family\[0\]\.schedule: 'lean' is none of paper"),
        (FAMILY + 'unit = "sqrt(-1)"\n', r"family\[0\]\.unit: 'sqrt\(-1\)' is no unit"),
        (FAMILY + 'place = "padic"\nweights = "log-rational"\n', r"family\[0\]: no combination of these values can be"),
        (FAMILY + 'claims = ["recovry"]\n', r"family\[0\]\.claims: there is no claim 'recovry': recovery"),
        (FAMILY + "draws = 0\n", r"family\[0\]\.draws: a whole number from 1"),
        (FAMILY + "boxes = 3\n", r"family\[0\]\.boxes: a list"),
        (HEAD + "[limits]\nseconds = 0\n[[family]]\n", r"limits\.seconds: a whole number from 1"),
        (EXHAUSTIVE + "heads = 6\ndim = 2\n", r"exhaustive\[0\]: the family has \d+ models"),
        (EXHAUSTIVE + "dim = 8\n", r"exhaustive\[0\]: the family has more than 50000 single heads"),
        (EXHAUSTIVE + f"heads = 16\nvalues = {[str(n) for n in range(9)]}\n", "unordered lists of v"),
        (EXHAUSTIVE + 'entries = ["1e9"]\n', r"exhaustive\[0\]\.entries\[0\]: '1e9' is not a number"),
        (EXHAUSTIVE + 'weights = "log-rational"\nentries = ["0"]\n', r"entries of T are positive"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    """One clear line that names the key."""
    with pytest.raises(UnusableInputError, match=message) as raised:
        specification_from_text(text, "s.toml")
    assert "\n" not in str(raised.value)


def test_names_and_files(tmp_path: Path) -> None:
    """A bundled name, or a file; anything else is refused with the names."""
    assert resolve_specification("paper").name == "paper"
    file = tmp_path / "mine.toml"
    file.write_text(FAMILY)
    assert resolve_specification(str(file)).text == FAMILY
    with pytest.raises(UnusableInputError, match="bundled are paper and nightly"):
        resolve_specification("papper")
    with pytest.raises(UnusableInputError, match="there is no such file"):
        resolve_specification(str(tmp_path / "other.toml"))
    file.write_bytes(b"\xff")
    with pytest.raises(UnusableInputError, match="not UTF-8"):
        resolve_specification(str(file))


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_specifications_cover_the_theory(name: str) -> None:
    """All claims, all kinds of weights, every special shape, exhaustive families; and hundreds of instances."""
    spec = bundled_specification(name)
    works = list(spec.works())
    models = [work.instance for work in works if isinstance(work.instance, ModelInstance)]
    assert len(models) > 300
    assert {"log-rational", "rational", "float32"} == {model.weights for model in models}
    for axis in ("share_weights", "share_values", "cancel", "rank", "orthogonal", "denominator_bits"):
        assert len({getattr(model, axis) for model in models}) > 1
    assert any(isinstance(work.instance, ExhaustivePart) for work in works)
    assert set(AXES) <= set(ModelInstance.__dataclass_fields__)
