"""Certificates of models and their values by definition: counterexamples and Transformers (SPEC sections 7, 8)."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .model import ZERO, Model, Reader, difference
from .numerals import Token, strict_number
from .outcome import Clock, Rejected
from .reading import expect, items, record
from .run import canonical_heads, value


def check_values(document: Any, claim: str, clock: Clock) -> tuple[list[Model], str]:
    """The models of an accepted certificate of this form, and in words what was computed of them."""
    reader, names = Reader(strict_number, clock), ("models", "heads", "functions", "equal", "different", "sequences")
    given, sequences = (items(record(document, names, claim)[key], f"{claim}.{key}") for key in ("models", "sequences"))
    items(document["heads"], f"{claim}.heads", len(given))
    models = [reader.model(model, f"{claim}.models[{n}]") for n, model in enumerate(given)]
    is_log, is_network = all(model.is_log for model in models), all(model.units is not None for model in models)
    if claim == "transformer" and not (is_network and len(models) == 2 and (is_log or not sequences)):
        raise Rejected("two Transformers are expected, and no sequence with true e", claim)
    is_shown = claim == "transformer" or (is_log and sequences)
    if len(models) < 2 or not is_shown or any(model.dim != models[0].dim for model in models):
        raise Rejected("two log-rational models of one dimension and one sequence are the least", claim)
    new = list[Model]()
    for model in models:
        new += [model] if all(difference(other, model, clock) for other in new) else []
    functions = [function(model, clock) for model in models]
    heads, equal, last = [len(model.canonical_heads()) for model in models], 0, (0, list[Token]())
    for n, line in enumerate(sequences):
        place = f"{claim}.sequences[{n}]"
        listed = items(record(line, ("tokens", "values"), place)["tokens"], place)
        tokens = [reader.token(token, models[0].dim, f"{place}.tokens[{i}]") for i, token in enumerate(listed)]
        if not last < (len(tokens), tokens) or tokens[:-1] != sorted(tokens[:-1]):
            raise Rejected("no token, or tokens or sequences that do not ascend", place)
        if any(a * (model.unit.rational or 1) % 1 for model in models for token in tokens for a in token):
            raise Rejected("the unit times a token is not whole: the values are not rational", place)
        last, counts = (len(tokens), tokens), Counter(tokens)
        values = [f(counts, tokens[-1], place) for f in functions]
        expect(line["values"], values, f"{place}.values")
        equal += len(set(values)) == 1
    facts = {"heads": heads, "functions": len(new), "equal": equal, "different": len(sequences) - equal}
    expect({key: document[key] for key in facts}, facts, claim)
    if claim == "transformer" and len(new) > 1:
        raise Rejected("the two Transformers are not the same function", claim)
    which = "the same function" if len(new) == 1 else f"{len(new)} different functions"
    kind = "Transformers with odd parts" if claim == "transformer" else "models"
    subject = f"{len(models)} {kind} of {', '.join(map(str, heads[:-1]))} and {heads[-1]} canonical heads"
    same = f"equal values on {equal} of {len(sequences)} sequences and different values on {len(sequences) - equal}"
    same = same if equal < len(sequences) else f"equal values on all {equal}" if equal else "equal canonical forms"
    return models, f"{subject}, which are {which}, have {same}"

def function(model: Model, clock: Clock) -> Callable[[Mapping[Token, int], Token, str], Fraction]:
    """The values by definition, of a Transformer those of sum_j u_j ReLU(z_j)."""
    heads = canonical_heads(model, clock)
    if model.units is None:
        return lambda *query: value(heads, *query)
    units = [(u, function(z, clock)) for u, z in model.units]
    return lambda *query: sum([u * max(z(*query), ZERO) for u, z in units], ZERO)
