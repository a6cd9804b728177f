"""Mutation testing of the checker: named operators on certificates of all kinds, and the kill rate of each.

    python benchmarks/mutation_testing.py [--mutants 100000] [--seed 0]

A mutant is killed when it is not accepted.  An accepted mutant that is the same document as the original (two equal
entries swapped, say) is counted apart as equivalent, decided here by comparing documents and not by the checker.
A mutant of a counterexample's certificate can be another one that is true, of other models or sequences, and is counted
apart too when the package itself, by other code, writes the same certificate about them.
Any other accepted mutant survives, is printed, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactlearn.certificate.counterexample import counterexample_certificate
from exactlearn.certificate.mutations import OPERATORS, Mutation
from exactlearn.certificate.writer import certificate_to_text, learn_certificate
from exactlearn.checker import Outcome, Status, check_text
from exactlearn.counterexamples import counterexample
from exactlearn.files.model_file import model_from_json
from exactlearn.files.token_file import tokens_from_json
from exactlearn.learner import learn
from exactlearn.model import Head, MultiHeadAttention, Unit
from exactlearn.oracle import oracle_of

Checker = Callable[[str], Outcome]


def base_texts(kind: str) -> list[str]:
    """Tiny certificates of one kind: for "log-rational" and "true-e" two plain ones, one with merges and cancellation.

    The kind "counterexample" has the default instances of five kinds of counterexamples.
    """
    if kind == "counterexample":
        names = ("base-probes-alone", "error-growth", "equal-functions", "fewer-heads", "fewer-queries")
        return [certificate_to_text(counterexample(name).certificate()) for name in names]
    half, third = Fraction(1, 2), Fraction(1, 3)
    if kind == "log-rational":
        one, two = Head([[2, 1], [1, 3]], [1, 2]), Head([[1, 2], [3, 1]], [1, -1])
        runs: list[tuple[list[Head], Any, dict[str, int]]] = [
            ([one, two], 1, {"heads": 2, "box": 2}),
            ([Head([[2]], [1]), Head([[3]], [-2])], 1, {"max_heads": 3, "box": 1}),
            ([one, Head(one.W, [1, 1]), two, Head(two.W, [-1, 1])], 1, {"heads": 1, "box": 2}),
        ]
    else:
        one, two = Head([[1, 0], [-half, 3]], [1, half]), Head([[0, third], [2, -1]], [-1, 2])
        merged = [(1, half), (2 * third, 1), (1, third), (-1, 1), (-1, -1)]
        runs = [
            ([one, two], 1, {"heads": 2, "box": 9}),
            ([one, two], Unit.sqrt(half), {"max_heads": 3, "box": 9}),
            ([Head([[w]], [v]) for w, v in merged], 1, {"heads": 2, "box": 9}),
        ]
    texts = []
    for heads, unit, arguments in runs:
        weights: Any = "rational" if kind == "true-e" else kind
        model = MultiHeadAttention(heads, weights=weights, unit=unit)
        texts.append(certificate_to_text(learn_certificate(model, learn(oracle_of(model), **arguments))))  # type: ignore[arg-type]
    return texts


@dataclass
class Tally:
    """What became of the mutants of one operator."""

    killed: int = 0
    equivalent: int = 0
    true: int = 0
    survivors: list[str] = field(default_factory=list)
    statuses: dict[Status, int] = field(default_factory=dict)


def run(kind: str, mutants: int, seed: int, checker: Checker = check_text) -> dict[str, Tally]:
    """Make so many mutants of one kind of certificate, the operators in turn, and have each checked."""
    chance, texts = random.Random(f"{kind} {seed}"), base_texts(kind)
    originals = [json.dumps(json.loads(text), sort_keys=True) for text in texts]
    tallies, names = {name: Tally() for name in OPERATORS}, list(OPERATORS)
    made = 0
    while made < mutants:
        name, n = names[made % len(names)], chance.randrange(len(texts))
        text = OPERATORS[name](Mutation(texts[n], texts[n - 1], chance))
        if text is None:
            continue
        made += 1
        outcome, tally = checker(text), tallies[name]
        tally.statuses[outcome.status] = tally.statuses.get(outcome.status, 0) + 1
        if outcome.status is not Status.ACCEPTED:
            tally.killed += 1
        elif json.dumps(json.loads(text), sort_keys=True) == originals[n]:
            tally.equivalent += 1
        elif kind == "counterexample" and _is_true(text):
            tally.true += 1
        else:
            tally.survivors.append(text)
    return tallies


def _is_true(text: str) -> bool:
    """Whether a certificate of a counterexample is what the package itself writes about its models and sequences."""
    body = json.loads(text)["counterexample"]
    models = [model_from_json(model) for model in body["models"]]
    sequences = [tokens_from_json({"tokens": line["tokens"]}, models[0].dim) for line in body["sequences"]]
    return bool(json.loads(text) == counterexample_certificate(models, sequences))


def main() -> int:
    """Run all kinds, each in a process of its own, and print the kill rates."""
    parser = argparse.ArgumentParser(description="Mutation testing of the checker.")
    parser.add_argument("--mutants", type=int, default=100_000, help="of each kind of certificate")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    kinds, started, survivors = ("log-rational", "true-e", "counterexample"), time.perf_counter(), 0
    with ProcessPoolExecutor(2) as pool:
        results = dict(zip(kinds, pool.map(run, kinds, [options.mutants] * 3, [options.seed] * 3), strict=True))
    for kind, tallies in results.items():
        print(f"{kind}: {options.mutants} mutants, seed {options.seed}")
        for name, tally in tallies.items():
            changed = tally.killed + len(tally.survivors)
            rate = 100 * tally.killed / changed if changed else 100.0
            counts = f"{tally.killed:6} killed of {changed:6}, {tally.equivalent:5} equivalent, {tally.true:3} true"
            by_status = ", ".join(f"{n} {status.name.lower()}" for status, n in sorted(tally.statuses.items()))
            print(f"  {name:34} {rate:6.2f}%  {counts}   ({by_status})")
            survivors += len(tally.survivors)
            for text in tally.survivors[:2]:
                print(f"    SURVIVED: {text[:3000]}")
    print(f"{survivors} survivors, {time.perf_counter() - started:.0f} seconds")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
