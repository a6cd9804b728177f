"""Exact symbolic verification of "Provably Learning Multi-Head Attention with Queries".

The public names, one by one; each is loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactlearn.canonical import canonical_form, reduce_heads, same_function, separating_sequence
    from exactlearn.copy_count import CopyCountFunction
    from exactlearn.errors import (
        DegenerateDrawError,
        ExactlearnError,
        NotAttentionError,
        OverBudgetError,
        UndecidedError,
        UnusableInputError,
    )
    from exactlearn.fields import FieldElement, NumberField
    from exactlearn.files.importing import import_model
    from exactlearn.files.model_file import read_model, write_model
    from exactlearn.interpolation import copy_count_function
    from exactlearn.learner import learn
    from exactlearn.model import Head, MultiHeadAttention, Transformer, Unit
    from exactlearn.oracle import Oracle, oracle_of, oracle_of_function
    from exactlearn.places.symbolic import evaluate
    from exactlearn.rationals import exact_float
    from exactlearn.result import LearnResult
    from exactlearn.sympy_form import from_sympy, to_sympy
    from exactlearn.transformers.canonical import canonical_transformer
    from exactlearn.transformers.evaluation import evaluate_transformer, same_transformer
    from exactlearn.transformers.learner import learn_transformer
    from exactlearn.transformers.oracle import transformer_oracle
    from exactlearn.verdict import Fails, Holds, Undecided, Verdict

__version__ = "0.1.0"

_HOME = {
    "CopyCountFunction": "copy_count",
    "DegenerateDrawError": "errors",
    "ExactlearnError": "errors",
    "Fails": "verdict",
    "FieldElement": "fields",
    "Head": "model",
    "Holds": "verdict",
    "LearnResult": "result",
    "MultiHeadAttention": "model",
    "NotAttentionError": "errors",
    "NumberField": "fields",
    "Oracle": "oracle",
    "OverBudgetError": "errors",
    "Transformer": "model",
    "Undecided": "verdict",
    "UndecidedError": "errors",
    "Unit": "model",
    "UnusableInputError": "errors",
    "Verdict": "verdict",
    "canonical_form": "canonical",
    "canonical_transformer": "transformers.canonical",
    "copy_count_function": "interpolation",
    "evaluate": "places.symbolic",
    "evaluate_transformer": "transformers.evaluation",
    "exact_float": "rationals",
    "from_sympy": "sympy_form",
    "import_model": "files.importing",
    "learn": "learner",
    "learn_transformer": "transformers.learner",
    "oracle_of": "oracle",
    "oracle_of_function": "oracle",
    "read_model": "files.model_file",
    "reduce_heads": "canonical",
    "same_function": "canonical",
    "same_transformer": "transformers.evaluation",
    "separating_sequence": "canonical",
    "to_sympy": "sympy_form",
    "transformer_oracle": "transformers.oracle",
    "write_model": "files.model_file",
}

__all__ = [  # in the order of the table above
    "CopyCountFunction",
    "DegenerateDrawError",
    "ExactlearnError",
    "Fails",
    "FieldElement",
    "Head",
    "Holds",
    "LearnResult",
    "MultiHeadAttention",
    "NotAttentionError",
    "NumberField",
    "Oracle",
    "OverBudgetError",
    "Transformer",
    "Undecided",
    "UndecidedError",
    "Unit",
    "UnusableInputError",
    "Verdict",
    "canonical_form",
    "canonical_transformer",
    "copy_count_function",
    "evaluate",
    "evaluate_transformer",
    "exact_float",
    "from_sympy",
    "import_model",
    "learn",
    "learn_transformer",
    "oracle_of",
    "oracle_of_function",
    "read_model",
    "reduce_heads",
    "same_function",
    "same_transformer",
    "separating_sequence",
    "to_sympy",
    "transformer_oracle",
    "write_model",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"exactlearn.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
