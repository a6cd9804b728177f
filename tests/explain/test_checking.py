"""The page's check beside the Python checker: both say the same of true certificates and of changed ones."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

from exactlearn import examples
from exactlearn.certificate.mutations import OPERATORS, Mutation, is_number
from exactlearn.certificate.writer import certificate_to_text, learn_certificate
from exactlearn.checker import Status, check_text
from exactlearn.errors import UnusableInputError
from exactlearn.explain import certificate_of_model
from exactlearn.explain.building import CHECK_SCRIPTS, script_text
from exactlearn.files.strict_json import parse_json
from exactlearn.learner import learn
from exactlearn.oracle import oracle_of

NAMES = ("two-heads", "true-e", "cancelling-pair", "equal-w", "sqrt-unit", "one-dimensional", "empty", "rank-one")
HARNESS = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const places = (text) => checkCertificate(JSON.parse(text)).filter((line) => !line.holds).map((line) => line.place);
process.stdout.write(JSON.stringify(texts.map(places)));
"""


def page_check(texts: list[str]) -> list[list[str]]:
    """The places of the red lines of each certificate, by the page's own script outside a browser."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, which runs the page's script; test_browser.py does the same in Chromium")
    done = subprocess.run(  # noqa: S603  # our own script
        [node, "-e", script_text(CHECK_SCRIPTS) + HARNESS],
        input=json.dumps(texts), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: list[list[str]] = json.loads(done.stdout)
    return found


def text_of(name: str) -> str:
    """The certificate of a bundled model."""
    return certificate_to_text(certificate_of_model(examples.load(name)))


def bounded_text(name: str) -> str:
    """The same with only an upper bound on the heads known."""
    model = examples.load(name)
    return certificate_to_text(learn_certificate(model, learn(oracle_of(model), max_heads=3, box=3)))


def is_readable(text: str) -> bool:
    """Whether a text can stand in a page at all, which takes strict JSON."""
    try:
        return isinstance(parse_json(text, ""), dict)
    except UnusableInputError:
        return False


def test_true_certificates_are_green() -> None:
    """No red line for any example, nor with an upper bound, nor with numbers of a thousand digits."""
    texts = [*map(text_of, NAMES), bounded_text("two-heads"), bounded_text("true-e")]
    model = examples.load("two-heads")
    texts.append(certificate_to_text(learn_certificate(model, learn(oracle_of(model), heads=2, box=60))))
    assert '"0x' in texts[-1]
    assert all(check_text(text).status is Status.ACCEPTED for text in texts)
    assert page_check(texts) == [[] for _ in texts]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all numbers of a document."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, inner in pairs for leaf in leaves(inner, (*path, key))]
    is_count = type(value) is int
    return [path] if is_count or is_number(value) else []


def with_one_more(text: str, path: tuple[Any, ...]) -> str:
    """The certificate with 1 added to the numerator of one number."""
    document = holder = json.loads(text)
    for key in path[:-1]:
        holder = holder[key]
    value = holder[path[-1]]
    if isinstance(value, int):
        holder[path[-1]] = value + 1
    else:
        top, *bottom = value.split("/")
        holder[path[-1]] = "/".join([str(int(top) + 1), *bottom])
    return json.dumps(document)


@pytest.mark.parametrize("name", ["two-heads", "true-e", "cancelling-pair"])
def test_every_single_number_counts(name: str) -> None:
    """Each number of a certificate, changed alone, turns a line red, and outside model and draw exactly its own."""
    text = text_of(name)
    paths = leaves(json.loads(text))
    assert len(paths) > 150
    for path, red in zip(paths, page_check([with_one_more(text, path) for path in paths]), strict=True):
        assert red, path
        if path[0] not in {"model", "draw"}:
            assert len(red) == 1, (path, red)
            place = "/".join(map(str, path))
            assert place == red[0] or place.startswith(f"{red[0]}/"), (path, red)


@pytest.mark.parametrize("name", ["two-heads", "true-e", "cancelling-pair", "bounded"])
def test_red_exactly_when_the_checker_does_not_accept(name: str) -> None:
    """Six hundred mutants by every operator: the page is green where the checker accepts, else red."""
    text = bounded_text("true-e") if name == "bounded" else text_of(name)
    other, chance = text_of("shared-v"), random.Random(7)
    mutants: list[str] = []
    for operator in OPERATORS.values():
        made = [operator(Mutation(text, other, chance)) for _ in range(32)]
        mutants += [mutant for mutant in made if mutant is not None and is_readable(mutant)]
    verdicts = [check_text(mutant).status for mutant in mutants]
    for mutant, verdict, red in zip(mutants, verdicts, page_check(mutants), strict=True):
        assert bool(red) == (verdict is not Status.ACCEPTED), (check_text(mutant).reason, red, mutant[:200])
    assert verdicts.count(Status.REJECTED) > 100
    assert verdicts.count(Status.UNUSABLE) > 100


def test_huge_numbers_are_refused_at_once() -> None:
    """A token that would make powers of a million bits is a red line, not a page that hangs."""
    document = json.loads(text_of("two-heads"))
    document["draw"]["X"][0][0] = "99999999999999"
    assert "draw" in page_check([json.dumps(document)])[0]
