"""The cost of number fields: the same shapes over Q and over fields of degree 1, 2, 4 and 8, as ratios, in one run.

    python benchmarks/number_fields.py

Every model has the same whole numbers: an entry is c_0 + c_1 a + ... with c_i from -2 to 2 for the first `degree`
coefficients.  What is timed is `learn` with the black box, and an exact value of five tokens; processor seconds, the
best of a few runs, the sizes in turn so that a slow moment meets all of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from flint import fmpq, fmpz_poly

from exactlearn.canonical import canonical_form
from exactlearn.fields import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.learner import learn
from exactlearn.model import MultiHeadAttention, WeightKind
from exactlearn.oracle import oracle_of
from exactlearn.places.symbolic import evaluate

FIELDS: dict[str, NumberField | None] = {
    "Q": None,
    "degree 1": NumberField([-1, 1], [1, 1]),
    "degree 2": NumberField([-2, 0, 1], [1, 2]),
    "degree 4": NumberField([1, 0, -10, 0, 1], [3, 4]),
    "degree 8": NumberField(list(fmpz_poly.cos_minpoly(17).coeffs()), [fmpq(9, 5), 2]),
}
SHAPES: list[tuple[WeightKind, int, int]] = [
    ("rational", 2, 2),
    ("rational", 4, 4),
    ("rational", 8, 8),
    ("log-rational", 2, 2),
    ("log-rational", 3, 3),
]
ROUNDS = 3
BOX = 6
"""Of the tokens at the rational place, the same for all degrees; the length of a value grows with its square."""


def model(field: NumberField | None, weights: WeightKind, heads: int, dim: int) -> MultiHeadAttention:
    """A canonical model of this shape with small whole coefficients."""
    generator = random.Random(f"{weights} {heads} {dim}")

    def entry() -> Scalar:
        coefficients = [generator.choice([-2, -1, 1, 2]) for _ in range(8)]
        number = fmpq(coefficients[0]) if field is None else field.element(coefficients[: field.degree])
        return (abs(number) or fmpq(1)) if weights == "log-rational" else number

    def row() -> list[Scalar]:
        return [entry() for _ in range(dim)]

    heads_ = [([row() for _ in range(dim)], row()) for _ in range(heads)]
    return MultiHeadAttention(heads_, weights=weights, field=field)


def best_of(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least processor seconds of each task over the rounds, the tasks in turn."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            started = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - started)
    return best


def learned(given: MultiHeadAttention) -> Callable[[], object]:
    """A run of the learner, which is checked."""
    heads = len(canonical_form(given).heads)
    box = BOX if given.weights == "log-rational" else None

    def task() -> object:
        result = learn(oracle_of(given), heads=heads, box=box)
        if result.model != canonical_form(given):
            raise SystemExit("a model was not recovered")
        return result

    return task


def report(what: str, seconds: dict[str, float]) -> None:
    """One line of ratios."""
    ratios = "  ".join(f"{name} {value / seconds['Q']:6.1f}" for name, value in seconds.items() if name != "Q")
    print(f"{what:<34} Q {seconds['Q']:8.4f} s   {ratios}")


def main() -> None:
    """Print all ratios to Q."""
    for weights, heads, dim in SHAPES:
        given = {name: model(field, weights, heads, dim) for name, field in FIELDS.items()}
        report(f"learn, {weights}, H = {heads}, d = {dim}", best_of({name: learned(m) for name, m in given.items()}))
    generator = random.Random(0)
    tokens = [[generator.randint(-3, 3) for _ in range(4)] for _ in range(5)]
    values = {name: model(field, "rational", 4, 4) for name, field in FIELDS.items()}
    report("value of 5 tokens, H = 4, d = 4", best_of({n: lambda m=m: evaluate(m, tokens) for n, m in values.items()}))  # type: ignore[misc]


if __name__ == "__main__":
    main()
