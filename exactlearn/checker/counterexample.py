"""Certificates of counterexamples: models, and their values on sequences by definition (SPEC section 7)."""

from collections import Counter
from typing import Any

from .model import Model, difference, read_model, read_token
from .numerals import Token, strict_number
from .outcome import Clock, Rejected
from .reading import expect, items, record
from .run import canonical_heads, value


def check_counterexample(document: Any, clock: Clock) -> tuple[list[Model], str]:
    """The models of an accepted counterexample, and in words what was computed of them."""
    record(document, ("models", "heads", "functions", "equal", "different", "sequences"), "counterexample")
    given, sequences = (items(document[key], f"counterexample.{key}") for key in ("models", "sequences"))
    items(document["heads"], "counterexample.heads", len(given))
    models = [read_model(model, f"counterexample.models[{n}]", strict_number, clock) for n, model in enumerate(given)]
    if len(models) < 2 or not sequences or any(not model.is_log or model.dim != models[0].dim for model in models):
        raise Rejected("two log-rational models of one dimension and one sequence are the least", "counterexample")
    new = list[Model]()
    for model in models:
        new += [model] if all(difference(other, model, clock) for other in new) else []
    heads, equal, last = [len(model.canonical_heads()) for model in models], 0, (0, list[Token]())
    for n, line in enumerate(sequences):
        place = f"counterexample.sequences[{n}]"
        listed = items(record(line, ("tokens", "values"), place)["tokens"], place)
        tokens = [read_token(token, models[0].dim, f"{place}.tokens[{i}]", clock) for i, token in enumerate(listed)]
        if not last < (len(tokens), tokens) or tokens[:-1] != sorted(tokens[:-1]):
            raise Rejected("no token, or tokens or sequences that do not ascend", place)
        if any(a * (model.unit.rational or 1) % 1 for model in models for token in tokens for a in token):
            raise Rejected("the unit times a token is not whole: the values are not rational", place)
        last, counts = (len(tokens), tokens), Counter(tokens)
        values = [value(canonical_heads(model, clock), counts, tokens[-1], clock, place) for model in models]
        expect(line["values"], values, f"{place}.values")
        equal += len(set(values)) == 1
    facts = {"heads": heads, "functions": len(new), "equal": equal, "different": len(sequences) - equal}
    expect({key: document[key] for key in facts}, facts, "counterexample")
    which = "the same function" if len(new) == 1 else f"{len(new)} different functions"
    subject = f"{len(models)} models of {', '.join(map(str, heads[:-1]))} and {heads[-1]} canonical heads"
    same = f"equal values on {equal} of {len(sequences)} sequences and different values on {len(sequences) - equal}"
    same = same if equal < len(sequences) else f"equal values on all {equal}"
    return models, f"{subject}, which are {which}, have {same}"
