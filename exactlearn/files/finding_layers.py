"""Which attention layers a file holds, told by the names of its tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from exactlearn.errors import UnusableInputError
from exactlearn.files.fused_projections import FUSED_FORMATS
from exactlearn.files.layer_format import FoundLayer, LayerFormat
from exactlearn.files.numerals import quote
from exactlearn.files.other_models import check_names, check_positions
from exactlearn.files.separate_projections import SEPARATE_FORMATS
from exactlearn.files.tensors import RawTensor, shown_name

FORMATS: tuple[LayerFormat, ...] = (*SEPARATE_FORMATS, *FUSED_FORMATS)
READOUTS = ("readout.weight", "readout.bias")
"""A linear map behind a layer, with any prefix."""

_SHOWN_NAMES = 6
_CROSS = re.compile(r"cross_?att|encoder_attn|encdec", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """One attention layer of a file: its format, and what its tensors' names begin with."""

    format: LayerFormat
    prefix: str

    @property
    def number(self) -> int | None:
        """The last number in the prefix, as in ``encoder.layer.3.attention.``."""
        numbers = [part for part in self.prefix.split(".") if part.isascii() and part.isdigit() and len(part) <= 6]
        return int(numbers[-1]) if numbers else None


def find_layer(tensors: Mapping[str, RawTensor], which: str | None = None) -> tuple[Candidate, FoundLayer]:
    """The attention layer that is meant, with nothing in the file that makes it another model.

    Args:
        tensors: The tensors of the file.
        which: The layer's number, or what the names of its tensors begin with; may be left out when there is one only.

    Raises:
        UnusableInputError: When there is no such layer, or several, with what was expected and what is there; when
            tensors belong to other models (`check_names`).
    """
    candidates = candidates_of(tensors)
    if not candidates:
        raise UnusableInputError(_why_none(tensors))
    chosen = _chosen(candidates, which)
    if len(chosen) > 1:
        raise UnusableInputError(f"there are {len(chosen)} attention layers: say which with --layer: {_list(chosen)}")
    candidate = chosen[0]
    if _CROSS.search(candidate.prefix):
        raise UnusableInputError(
            "cross-attention is another model: its keys come from another sequence", shown_name(candidate.prefix[:-1])
        )
    layer = FoundLayer(tensors, candidate.prefix)
    readouts = [name.removeprefix(candidate.prefix) for name in tensors if readout_tail(name)]
    form = candidate.format
    check_names(tensors, candidate.prefix, (*form.required, *form.biases, *form.optional, *readouts))
    form.check(layer)
    return candidate, layer


def candidates_of(tensors: Mapping[str, RawTensor]) -> list[Candidate]:
    """Every attention layer in the file whose tensors are all there, in the order of their numbers."""
    found: dict[str, Candidate] = {}
    for form in FORMATS:
        marker = form.required[0]
        for name in tensors:
            prefix = name[: -len(marker)]
            if not f".{name}".endswith(f".{marker}") or name in found:
                continue
            if all(prefix + tail in tensors for tail in form.required):
                found[name] = Candidate(form, prefix)
    return sorted(found.values(), key=lambda c: (_CROSS.search(c.prefix) is not None, c.number or 0, c.prefix))


def readout_tail(name: str) -> str | None:
    """Which of `READOUTS` a name ends with."""
    return next((tail for tail in READOUTS if f".{name}".endswith(f".{tail}")), None)


def _chosen(candidates: list[Candidate], which: str | None) -> list[Candidate]:
    own = [c for c in candidates if not _CROSS.search(c.prefix)] or candidates
    if which is None:
        return own
    if which.isascii() and which.isdigit() and len(which) <= 6:
        chosen = [c for c in own if c.number == int(which)]
        # A layer without a number, alone in its file, is number 0.
        chosen = chosen or [c for c in own if c.number is None and len(own) == 1 and int(which) == 0]
    else:
        chosen = [c for c in candidates if f"{c.prefix}.".startswith(f"{which.rstrip('.')}.")]
    if not chosen:
        raise UnusableInputError(f"there is no attention layer {quote(which)}, only {_list(own)}", "--layer")
    return chosen


def _list(candidates: list[Candidate]) -> str:
    shown = [shown_name(c.prefix[:-1] or "one without a prefix") for c in candidates]
    return _some(shown)


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN_NAMES]) + (f" and {len(names) - _SHOWN_NAMES} more" if names[_SHOWN_NAMES:] else "")


def _why_none(tensors: Mapping[str, RawTensor]) -> str:
    """A layer that is nearly there names what is missing; else what is known, and what the file holds."""
    check_positions(tensors)
    for form in FORMATS:
        for name in sorted(tensors):
            if f".{name}".endswith(f".{form.required[0]}"):
                prefix = name[: -len(form.required[0])]
                there = [tail for tail in form.required if prefix + tail in tensors]
                if len(there) >= max(2, len(form.required) - 1) or form in FUSED_FORMATS:
                    missing = next(tail for tail in form.required if tail not in there)
                    return f"there is no tensor {shown_name(prefix + missing)}, which a layer of {form.title} has"
    known = "; ".join(f"{form.title}: {', '.join(form.required)}" for form in FORMATS)
    return (
        f"no attention layer is recognised; the file holds {_some(sorted(map(shown_name, tensors)))}; known are {known}"
    )
