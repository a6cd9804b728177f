"""Mutants and hostile files in bulk, from the benchmark scripts: none that changes the meaning gets through."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from exactlearn.checker import Outcome, Status, check_text

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def script(name: str) -> ModuleType:
    """A benchmark script as a module."""
    specification = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


mutation_testing, hostile_files = script("mutation_testing"), script("hostile_files")


@pytest.mark.parametrize("kind", ["log-rational", "true-e", "counterexample"])
def test_no_mutant_survives(kind: str) -> None:
    """Of two thousand mutants, every operator's share is killed or is the same document."""
    tallies = mutation_testing.run(kind, 2_000, seed=1)
    assert {name: tally.survivors for name, tally in tallies.items() if tally.survivors} == {}
    for name, tally in tallies.items():
        assert tally.killed >= (10 if kind == "counterexample" else 40), name
    assert sum(tally.true for tally in tallies.values()) <= 100


def test_mutation_testing_notices_a_checker_that_accepts() -> None:
    """With a checker that accepts all that is well-formed, mutants survive: they do change the meaning."""
    accepted = Outcome(Status.ACCEPTED, "", (("recovery", ""),))

    def gullible(text: str) -> Outcome:
        outcome = check_text(text)
        return outcome if outcome.status is Status.UNUSABLE else accepted

    tallies = mutation_testing.run("true-e", 400, seed=2, checker=gullible)
    survived = {name for name, tally in tallies.items() if tally.survivors}
    assert survived >= {"plus one", "minus one", "sign", "entries swapped", "reordered", "heads or lines swapped"}
    assert survived >= {"index out of range", "easier claim", "another model's part", "dropped"}


def test_every_mutant_of_the_first_digits_is_killed() -> None:
    """Every single digit of a small certificate, changed to the next one, is noticed: no line is unused."""
    text = mutation_testing.base_texts("true-e")[2]
    for position, character in enumerate(text):
        if character.isdigit():
            changed = text[:position] + str((int(character) + 1) % 10) + text[position + 1 :]
            assert check_text(changed).status is not Status.ACCEPTED, text[position - 40 : position + 10]


def test_damaged_bytes() -> None:
    """Damaged files get a status and one line, and are accepted only when the damage is to blanks."""
    chance, texts = random.Random(3), hostile_files.bases()
    accepted = 0
    for n in range(400):
        content = hostile_files.damaged(texts[n % 2], chance)
        outcome = check_text(content.decode(errors="replace"))
        assert "\n" not in outcome.reason
        if outcome.status is Status.ACCEPTED:
            accepted += 1
            assert hostile_files._is_harmless(content)
        else:
            assert outcome.reason
    assert accepted < 20


HOSTILE = hostile_files.hostile(*hostile_files.bases())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file(name: str, tmp_path: Path) -> None:
    """Exit status 0 to 3, one line, bounded time and memory, in a process of its own; never accepted."""
    content = HOSTILE[name]
    found = hostile_files.trial(content, tmp_path)
    assert hostile_files.faults(name, content, found) == []
    assert found.status != 0


def test_faults_notices_what_is_wrong() -> None:
    """The judge of hostile files complains of a crash, of slowness, of memory, of a traceback."""
    bad = hostile_files.Trial(-9, 100.0, 2**40, "Traceback (most recent call last):\n...\n")
    assert len(hostile_files.faults("x", b"{}", bad)) == 5
