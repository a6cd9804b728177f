"""Writing certificates of counterexamples: models and their values on sequences (SPEC.md section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import fmpq

from exactlearn.canonical import canonical_form, same_function
from exactlearn.certificate.writer import FORMAT, MAX_NUMBER_LENGTH
from exactlearn.errors import UnusableInputError
from exactlearn.files.model_file import model_to_json
from exactlearn.files.numerals import print_number
from exactlearn.model import MultiHeadAttention, TokenSequence, as_token_sequence
from exactlearn.places.symbolic import evaluate

CLAIM = "counterexample"
_TOKEN_LIMIT = 2**4096


def counterexample_certificate(
    models: Sequence[MultiHeadAttention], sequences: Iterable[TokenSequence]
) -> dict[str, Any]:
    """The certificate that says which values these models have, and whether they are the same function.

    Args:
        models: Two or more models with log-rational weights, of one dimension.
        sequences: One or more; those that are the same query (equal up to the order before the final token) once.

    Returns:
        A JSON-ready document; the same for the same models and the same set of queries.

    Raises:
        UnusableInputError: For too few models or sequences, for true-e weights, for other dimensions, for values that
            are not rational, for tokens that are not whole, and for numbers too long for a certificate.
    """
    _check_models(models)
    dim = models[0].dim
    ordered = {(*sorted(tokens[:-1]), tokens[-1]) for tokens in (as_token_sequence(one, dim) for one in sequences)}
    queries = sorted(ordered, key=lambda tokens: (len(tokens), tokens))
    if not queries:
        raise UnusableInputError("a certificate has one sequence at least", "sequences")
    rows = [_values(models, tokens, f"sequences[{n}]") for n, tokens in enumerate(queries)]
    equal = sum(len(set(row)) == 1 for row in rows)
    functions = [m for n, m in enumerate(models) if not any(same_function(m, other).holds for other in models[:n])]
    return {
        "format": FORMAT,
        "claims": [CLAIM],
        CLAIM: {
            "models": [model_to_json(model) for model in models],
            "heads": [len(canonical_form(model).heads) for model in models],
            "functions": len(functions),
            "equal": equal,
            "different": len(rows) - equal,
            "sequences": [
                {"tokens": [list(map(print_number, token)) for token in tokens], "values": row}
                for tokens, row in zip(queries, rows, strict=True)
            ],
        },
    }


def _check_models(models: Sequence[MultiHeadAttention]) -> None:
    if len(models) < 2:
        raise UnusableInputError("a certificate of a counterexample has two models at least", "models")
    for index, model in enumerate(models):
        if model.weights != "log-rational":
            reason = "only models with log-rational weights have rational values, which alone can be certified here"
            raise UnusableInputError(reason, f"models[{index}]")
        if model.dim != models[0].dim:
            raise UnusableInputError(f"its dimension is {model.dim}, not {models[0].dim}", f"models[{index}]")


def _values(models: Sequence[MultiHeadAttention], tokens: TokenSequence, place: str) -> list[str]:
    """The texts of the values of all the models."""
    for token in tokens:
        if any(entry.q != 1 or abs(entry) >= _TOKEN_LIMIT for entry in token):
            raise UnusableInputError("the entries of tokens are whole numbers of at most 4096 bits", place)
    texts = []
    for model in models:
        unit = model.unit.rational or fmpq(1)
        value = evaluate(model, tokens).rational
        if value is None or any((unit * entry).q != 1 for token in tokens for entry in token):
            raise UnusableInputError("the unit times a token is not whole: the values are not rational", place)
        texts.append(print_number(value))
        if len(texts[-1]) > MAX_NUMBER_LENGTH:
            raise UnusableInputError("a value is too long for a certificate", place)
    return texts
