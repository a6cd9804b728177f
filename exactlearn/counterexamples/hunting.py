"""A hunt: a claim about exact models, searched for the smallest models that break it (DESIGN section 7).

Hypothesis draws the models and shrinks what it finds.  A claim that raises is told apart from one that is false; when
nothing is found, how many models of which sizes were tried is all that is said.
"""

from __future__ import annotations

import inspect
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from exactlearn.counterexamples.search_space import model_pairs, small_models  # says so when hypothesis is missing
from exactlearn.counterexamples.shrinking import shrink
from exactlearn.errors import UnusableInputError
from exactlearn.model import MultiHeadAttention, WeightKind
from exactlearn.verdict import Fails, Holds, Undecided

# isort: split
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample, UnsatisfiedAssumption

Models = tuple[MultiHeadAttention, ...]
Claim = Callable[..., Any]
Outcome = Literal["nothing-found", "counterexample", "raised"]

MOST_HEADS = 6
MOST_DIM = 6
WEIGHTS: tuple[WeightKind, ...] = ("log-rational", "rational")


@dataclass(frozen=True, order=True)
class Size:
    """The size of one model or of a pair: dimension, raw heads of each model, kind of weights."""

    dim: int
    heads: tuple[int, ...]
    weights: WeightKind

    def __str__(self) -> str:
        noun = "head" if self.heads == (1,) else "heads"
        return f"d = {self.dim}, {' and '.join(map(str, self.heads))} {noun}, {self.weights}"


@dataclass(frozen=True)
class HuntReport:
    """What a hunt came to.

    Attributes:
        outcome: "counterexample": the claim is false for `models`.  "raised": it raised an exception for `models`, or
            returned neither a bool nor a Verdict.  "nothing-found": none of the models tried breaks it; no proof.
        models: The smallest such model, or pair; empty when nothing was found.
        why: The reason that a `Fails` gave, or the exception in one line.
        tried: How many different models (or pairs) of each size were tried, until something was found.
        undecided: How many of these the claim left undecided.
        set_aside: How many the claim refused by `hypothesis.assume`.
        out_of_time: Whether the time ended before the number of models did, or before shrinking was done.
        seed: What the search came from.
        seconds: How long it took.
    """

    outcome: Outcome
    models: Models
    why: str
    tried: tuple[tuple[Size, int], ...]
    undecided: int
    set_aside: int
    out_of_time: bool
    seed: int
    seconds: float = field(compare=False)

    @property
    def total(self) -> int:
        """How many different models or pairs were tried."""
        return sum(count for _, count in self.tried)


def hunt(
    predicate: Claim,
    *,
    weights: WeightKind | None = None,
    max_heads: int = 2,
    max_dim: int = 2,
    max_examples: int = 2000,
    seconds: float = 60.0,
    seed: int = 0,
) -> HuntReport:
    """Search small exact models for one that breaks a claim, and shrink it.

    Args:
        predicate: A function of one model or of two of the same dimension and kind; it returns True, or a `Holds`, when
            the claim holds for them.  `Undecided` breaks nothing.
        weights: The kind of weights; left out, both.
        max_heads: At most so many raw heads.
        max_dim: At most so many dimensions.
        max_examples: At most so many models are drawn before something is found.
        seconds: After this time no further model is tried; a call of the predicate is not cut short.
        seed: The same seed gives the same hunt, but for what the time cuts off.

    Raises:
        UnusableInputError: When the predicate takes neither one nor two models, or gives two answers to one question.
    """
    count = number_of_models(predicate)
    for name, value, most in (("max_heads", max_heads, MOST_HEADS), ("max_dim", max_dim, MOST_DIM)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise UnusableInputError(f"a whole number from 1 to {most} is expected, not {value!r}", name)
    if max_examples < 1 or not seconds > 0:
        raise UnusableInputError("a positive number is expected", "max_examples" if max_examples < 1 else "seconds")
    started = time.monotonic()
    search = _Search(predicate, started + seconds)
    space = _space(count, weights, max_dim, max_heads)
    try:
        found = find(space, search.is_broken, settings=_settings(max_examples), random=random.Random(seed))
        search.best = shrink(found, search.is_broken)
    except (NoSuchExample, _OutOfTimeError):
        pass
    except Flaky:
        raise UnusableInputError("the claim answers differently when it is asked again", "claim") from None
    return HuntReport(
        outcome=search.goal or "nothing-found",
        models=search.best,
        why=search.reason(search.best),
        tried=tuple(sorted(search.tried.items())),
        undecided=search.undecided,
        set_aside=search.set_aside,
        out_of_time=search.out_of_time,
        seed=seed,
        seconds=time.monotonic() - started,
    )


def number_of_models(predicate: Claim) -> int:
    """How many models a claim is about: its number of parameters without a default, 1 or 2.

    Raises:
        UnusableInputError: When it is no function of one or two models.
    """
    if not callable(predicate):
        raise UnusableInputError("a claim is a function", "claim")
    parameters = inspect.signature(predicate).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if len(needed) not in (1, 2) or any(p.kind is p.KEYWORD_ONLY for p in needed):
        raise UnusableInputError("a claim is a function of one model or of two", "claim")
    return len(needed)


def _space(count: int, weights: WeightKind | None, max_dim: int, max_heads: int) -> st.SearchStrategy[Models]:
    kinds = WEIGHTS if weights is None else (weights,)
    if count == 2:
        return st.one_of(*(model_pairs(kind, max_dim=max_dim, max_heads=max_heads) for kind in kinds))
    return st.one_of(*(small_models(kind, max_dim=max_dim, max_heads=max_heads) for kind in kinds)).map(lambda m: (m,))


def _settings(max_examples: int) -> settings:
    return settings(
        max_examples=max_examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )


class _OutOfTimeError(BaseException):
    """Ends a search at once.  Hypothesis takes an Exception for an answer of the claim, and lets this one through."""


@dataclass
class _Search:
    """Asks the claim, once for each model, and keeps the last one that is broken: each is smaller than before."""

    predicate: Claim
    ends: float
    goal: Literal["counterexample", "raised"] | None = None
    best: Models = ()
    tried: Counter[Size] = field(default_factory=Counter)
    undecided: int = 0
    set_aside: int = 0
    out_of_time: bool = False
    _known: dict[Models, tuple[str, str]] = field(default_factory=dict)

    def is_broken(self, models: Models) -> bool:
        """Whether these models do what the first bad ones did: break the claim, or make it raise."""
        answer = self._known.get(models)
        if answer is None:
            if time.monotonic() > self.ends:
                self.out_of_time = True
                raise _OutOfTimeError
            answer = self._known[models] = self._ask(models)
        kind, _ = answer
        if kind not in ("counterexample", "raised") or (self.goal and self.goal != kind):
            return False
        self.goal = "raised" if kind == "raised" else "counterexample"
        self.best = models
        return True

    def reason(self, models: Models) -> str:
        """What the claim said of these models; empty when it was not asked."""
        return self._known.get(models, ("", ""))[1]

    def _ask(self, models: Models) -> tuple[str, str]:
        if self.goal is None:
            size = Size(models[0].dim, tuple(len(model.heads) for model in models), models[0].weights)
            self.tried[size] += 1
        try:
            result = self.predicate(*models)
        except UnsatisfiedAssumption:
            self.set_aside += 1
            return "set aside", ""
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a user's claim raises is reported
            return "raised", f"{type(error).__name__}: {' '.join(str(error).split())}"
        if isinstance(result, Undecided):
            self.undecided += 1
        return _judged(result)


def _judged(result: Any) -> tuple[str, str]:
    """What an answer of a claim means, and the reason it gives."""
    match result:
        case True | Holds():
            return "holds", ""
        case False:
            return "counterexample", ""
        case Fails():
            return "counterexample", result.why
        case Undecided():
            return "undecided", ""
    return "raised", f"it returned {type(result).__name__}, neither a bool nor a Verdict"
