"""A counterexample as a value: exact models, sequences, outputs, all checked when it is made (DESIGN section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from exactlearn.any_model import AnyModel, evaluate_any, is_canonical, same_any
from exactlearn.certificate.counterexample import counterexample_certificate
from exactlearn.errors import UnusableInputError
from exactlearn.files.token_file import tokens_to_json
from exactlearn.files.transformer_file import any_model_to_json
from exactlearn.model import MultiHeadAttention, TokenSequence
from exactlearn.places.symbolic_value import SymbolicValue
from exactlearn.verdict import Fails

FORMAT = "exactlearn.counterexample/1"


@dataclass(frozen=True)
class Table:
    """Something that is shown beside the models: a title, the columns' names, and rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Counterexample:
    """A hypothesis was dropped, and this is what goes wrong.

    The constructor recomputes everything exactly: the models agree on every sequence of `agree_on` and differ on
    `differ_on`; without such a sequence two models are the same function; the models are canonical where that is said.

    Attributes:
        kind: The kind's name.
        dropped: The hypothesis that was dropped.
        why: What goes wrong, and why.
        models: Two models that cannot be told apart, or one that cannot be learned, or a family.
        agree_on: Sequences on which all the models have the same value.
        differ_on: A sequence on which the first two differ, or None.
        case: Which of the kind's cases this is, where it has several.
        canonical: Whether every model is its own canonical form, up to the order of the heads.
        evaluated: Further sequences whose values a certificate holds, whether or not they agree.
        tables: What is shown beside them: what the learner says, which polynomials vanish, how an error grows.

    Raises:
        UnusableInputError: When the models, sequences and values are no counterexample; the place says where.
    """

    kind: str
    dropped: str
    why: str
    models: tuple[AnyModel, ...]
    agree_on: tuple[TokenSequence, ...] = ()
    differ_on: TokenSequence | None = None
    case: str = ""
    canonical: bool = True
    tables: tuple[Table, ...] = ()
    evaluated: tuple[TokenSequence, ...] = ()

    def __post_init__(self) -> None:
        if not self.models:
            raise UnusableInputError("a counterexample has at least one model", "models")
        for index, model in enumerate(self.models):
            if self.canonical and not is_canonical(model):
                raise UnusableInputError("not a canonical model", f"models[{index}]")
        for index, values in enumerate(self.agreeing_values):
            if any(value != values[0] for value in values[1:]):
                raise UnusableInputError("the models differ here", f"agree_on[{index}]")
        self._check_difference()

    def _check_difference(self) -> None:
        if self.differ_on is not None:
            if len(self.models) < 2 or self.values[0] == self.values[1]:
                raise UnusableInputError("the models do not differ here", "differ_on")
        elif len(self.models) == 2:
            if isinstance(same_any(*self.models), Fails):
                raise UnusableInputError("two different functions, and no sequence that shows it", "differ_on")
            if self.models[0] == self.models[1]:
                raise UnusableInputError("one and the same model twice", "models")

    @property
    def attention(self) -> tuple[MultiHeadAttention, ...]:
        """The models, when none of them is a Transformer.

        Raises:
            UnusableInputError: When one is.
        """
        found = tuple(model for model in self.models if isinstance(model, MultiHeadAttention))
        if len(found) < len(self.models):
            raise UnusableInputError("these are Transformers", "models")
        return found

    @cached_property
    def agreeing_values(self) -> tuple[tuple[SymbolicValue, ...], ...]:
        """For each sequence of `agree_on` the exact value of every model."""
        return tuple(tuple(evaluate_any(model, tokens) for model in self.models) for tokens in self.agree_on)

    @cached_property
    def values(self) -> tuple[SymbolicValue, ...]:
        """Both exact outputs: on `differ_on`, else on the first sequence of `agree_on`; empty when there is neither."""
        shown = self.differ_on or next(iter(self.agree_on), None)
        return () if shown is None else tuple(evaluate_any(model, shown) for model in self.models)

    def certificate(self) -> dict[str, Any]:
        """The certificate of the models, of a family the first and the last, and of their values on every sequence.

        Raises:
            UnusableInputError: When the values are not rational; as `counterexample_certificate`.
        """
        models = self.models if len(self.models) <= 2 else (self.models[0], self.models[-1])
        differing = () if self.differ_on is None else (self.differ_on,)
        return counterexample_certificate(models, (*self.agree_on, *differing, *self.evaluated))

    def to_json(self) -> dict[str, Any]:
        """The counterexample as a JSON-ready document, with model files and exact values.

        Raises:
            UnusableInputError: When a number is too long for a model file.
        """
        return {
            "format": FORMAT,
            "kind": self.kind,
            "case": self.case or None,
            "dropped": self.dropped,
            "models": [any_model_to_json(model) for model in self.models],
            "canonical": self.canonical,
            "agree_on": [tokens_to_json(tokens)["tokens"] for tokens in self.agree_on],
            "agreeing_values": [str(values[0]) for values in self.agreeing_values],
            "differ_on": None if self.differ_on is None else tokens_to_json(self.differ_on)["tokens"],
            "values": [str(value) for value in self.values],
            "why": self.why,
            "tables": [
                {"title": table.title, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
                for table in self.tables
            ],
        }
