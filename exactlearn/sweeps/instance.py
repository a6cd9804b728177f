"""One instance of a sweep: its parameters, and the identity that they give it, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

IDENTITY_FORMAT = "exactlearn.instance/1"
"""Part of every identity: it changes when the same parameters come to mean another instance."""

EXHAUSTIVE_CLAIM = "exhaustive"
"""The one claim of a part of a finite family."""

SweepWeights = Literal["log-rational", "rational", "float32"]


@dataclass(frozen=True)
class ModelInstance:
    """A seeded random model and how it is checked.

    Attributes:
        heads: H, the number of canonical heads.
        dim: The dimension d.
        weights: Kind of weights; "float32" are Gaussian float32 numbers taken exactly, with true e.
        unit: The exact factor on every W, as in a model file.
        bits: Numerators are at most 2^bits; 0 for float32.
        denominator_bits: Denominators are at most 2^denominator_bits; 0 for whole numbers and for float32.
        share_weights: Raw heads added whose W is that of another head, so that they merge.
        share_values: How many of the H heads have the v of the first one.
        cancel: Pairs of raw heads added that cancel.
        rank: Rank bound on every W (on log T for log-rational weights); 0 means none.
        orthogonal: 1 when every head lives on coordinates of its own, 0 when not.
        schedule: Which probes are asked.
        place: Name of the place.
        draws: Draws observed for each box by the claim probability-one.
        boxes: Boxes whose failure rates are recorded.
        seed: Model, draws and primes come from it.
    """

    kind: ClassVar[str] = "model"

    heads: int
    dim: int
    weights: SweepWeights
    unit: str
    bits: int
    denominator_bits: int
    share_weights: int
    share_values: int
    cancel: int
    rank: int
    orthogonal: int
    schedule: str
    place: str
    draws: int
    boxes: tuple[int, ...]
    seed: int

    @property
    def model_text(self) -> str:
        """What the model alone is drawn from: schedule, draws and boxes leave it as it is."""
        names = [field.name for field in fields(self) if field.name not in {"schedule", "place", "draws", "boxes"}]
        return " ".join(f"{name}={getattr(self, name)}" for name in names)


@dataclass(frozen=True)
class ExhaustivePart:
    """One part of a finite family, all of whose models are grouped by canonical form and by values.

    Attributes:
        heads: Most raw heads.
        dim: The dimension d.
        weights: Kind of weights.
        entries: Entries of W (or T), as number texts.
        values: Entries of v, as number texts.
        part: Which part of the plan, from 0.
        part_models: The most models that a part may hold; the plan of parts follows from it.
        seed: Tokens and primes come from it.
    """

    kind: ClassVar[str] = "exhaustive"

    heads: int
    dim: int
    weights: Literal["log-rational", "rational"]
    entries: tuple[str, ...]
    values: tuple[str, ...]
    part: int
    part_models: int
    seed: int


Instance = ModelInstance | ExhaustivePart

_KINDS: dict[str, type[Instance]] = {"model": ModelInstance, "exhaustive": ExhaustivePart}


def instance_text(instance: Instance) -> str:
    """The canonical JSON of an instance: keys sorted, no blanks, ASCII."""
    document = {"format": IDENTITY_FORMAT, "kind": instance.kind, **vars(instance)}
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def instance_from_text(text: str) -> Instance:
    """The instance that `instance_text` wrote."""
    document: dict[str, Any] = json.loads(text)
    document.pop("format")
    kind = _KINDS[document.pop("kind")]
    return kind(**_tuples(document))


def identity(instance: Instance) -> str:
    """The first 20 hexadecimal digits of the SHA-256 of the canonical JSON."""
    return identity_of_text(instance_text(instance))


def identity_of_text(text: str) -> str:
    """The identity of the instance with this canonical JSON."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _tuples(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in document.items()}
