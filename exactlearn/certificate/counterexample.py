"""Writing certificates of models and their values: counterexamples and Transformers (SPEC.md sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import fmpq

from exactlearn.any_model import AnyModel, evaluate_any, same_any
from exactlearn.canonical import canonical_form
from exactlearn.certificate.writer import FORMAT, MAX_NUMBER_LENGTH
from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import print_number
from exactlearn.files.transformer_file import any_model_to_json
from exactlearn.model import TokenSequence, Transformer, as_token_sequence

CLAIM = "counterexample"
TRANSFORMER_CLAIM = "transformer"
_TOKEN_LIMIT = 2**4096


def transformer_certificate(
    model: Transformer, recovered: Transformer, sequences: Iterable[TokenSequence]
) -> dict[str, Any]:
    """The certificate that two Transformers are the same function, with values for log-rational weights.

    Args:
        model: The user's.
        recovered: What the learner found.
        sequences: Where values are shown; none are with true e, whose values are not rational.

    Raises:
        UnusableInputError: When they are different functions; as `counterexample_certificate`.
    """
    if not same_any(model, recovered).holds:
        raise UnusableInputError("the Transformer that was learned is not the same function as this one", "result")
    if not model.u or not model.B[0]:
        raise UnusableInputError("a certificate has a Transformer with one unit of one entry at least", "ffn.B")
    if not recovered.u:  # the zero function, with a unit that is dead
        recovered = Transformer([], [[0]], [0], dim=model.dim, weights=model.weights, unit=model.unit)
    chosen = sequences if model.weights == "log-rational" else ()
    return {"format": FORMAT, "claims": [TRANSFORMER_CLAIM], TRANSFORMER_CLAIM: _body((model, recovered), chosen)}


def counterexample_certificate(
    models: Sequence[AnyModel], sequences: Iterable[TokenSequence]
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
    body = _body(models, sequences)
    if not body["sequences"]:
        raise UnusableInputError("a certificate has one sequence at least", "sequences")
    return {"format": FORMAT, "claims": [CLAIM], CLAIM: body}


def _body(models: Sequence[AnyModel], sequences: Iterable[TokenSequence]) -> dict[str, Any]:
    dim = models[0].dim
    ordered = {(*sorted(tokens[:-1]), tokens[-1]) for tokens in (as_token_sequence(one, dim) for one in sequences)}
    queries = sorted(ordered, key=lambda tokens: (len(tokens), tokens))
    rows = [_values(models, tokens, f"sequences[{n}]") for n, tokens in enumerate(queries)]
    equal = sum(len(set(row)) == 1 for row in rows)
    functions = [m for n, m in enumerate(models) if not any(same_any(m, other).holds for other in models[:n])]
    attention = [model.odd_part if isinstance(model, Transformer) else model for model in models]
    return {
        "models": [any_model_to_json(model) for model in models],
        "heads": [len(canonical_form(model).heads) for model in attention],
        "functions": len(functions),
        "equal": equal,
        "different": len(rows) - equal,
        "sequences": [
            {"tokens": [list(map(print_number, token)) for token in tokens], "values": row}
            for tokens, row in zip(queries, rows, strict=True)
        ],
    }


def _check_models(models: Sequence[AnyModel]) -> None:
    if len(models) < 2:
        raise UnusableInputError("a certificate of a counterexample has two models at least", "models")
    for index, model in enumerate(models):
        if model.weights != "log-rational":
            reason = "only models with log-rational weights have rational values, which alone can be certified here"
            raise UnusableInputError(reason, f"models[{index}]")
        if model.dim != models[0].dim:
            raise UnusableInputError(f"its dimension is {model.dim}, not {models[0].dim}", f"models[{index}]")


def _values(models: Sequence[AnyModel], tokens: TokenSequence, place: str) -> list[str]:
    """The texts of the values of all the models."""
    for token in tokens:
        if any(entry.q != 1 or abs(entry) >= _TOKEN_LIMIT for entry in token):
            raise UnusableInputError("the entries of tokens are whole numbers of at most 4096 bits", place)
    texts = []
    for model in models:
        unit = model.unit.rational or fmpq(1)
        value = evaluate_any(model, tokens).rational
        if value is None or any((unit * entry).q != 1 for token in tokens for entry in token):
            raise UnusableInputError("the unit times a token is not whole: the values are not rational", place)
        texts.append(print_number(value))
        if len(texts[-1]) > MAX_NUMBER_LENGTH:
            raise UnusableInputError("a value is too long for a certificate", place)
    return texts
