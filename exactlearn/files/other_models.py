"""What tells that a file or a configuration is of another model than softmax attention without positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from exactlearn.errors import UnusableInputError
from exactlearn.files.numerals import quote
from exactlearn.files.tensors import shown_name

_ANYWHERE = (
    (r"rotary|inv_freq|(^|[._])rope($|[._])", "rotary positions: its scores depend on where a token stands"),
    (
        r"relative_attention_bias|distance_embedding|rel_pos|relative_position|pos_proj|alibi|rel_embeddings",
        "relative positions: its scores depend on where a token stands",
    ),
    (r"(^|\.)o_proj\.", "a family of models with rotary positions"),
    (r"(^|\.)query_key_value\.", "a family of models with rotary or relative positions"),
)
_INSIDE = (
    (r"(^|\.)(q|k|query|key)_?(norm|layernorm|layer_norm|ln)(\.|$)|qk_?norm", "a norm before the scores"),
    (r"mask", "a mask: some tokens are hidden from others"),
    (r"^bias_[kv]$", "a further key and value that stand for no token"),
    (r"lora_|adapter", "an adapter beside a projection: merge it into the weight first"),
    (r"gate|sink", "something beside the softmax of the scores"),
)
_HARMLESS = re.compile(r"^(output\.)?(layer_?norm|LayerNorm)\.(weight|bias|gamma|beta)$")
"""Names beside the projections that belong to what follows the layer."""


def check_names(names: Iterable[str], prefix: str, own: Iterable[str]) -> None:
    """Refuse tensors that make the layer another model.

    Args:
        names: The names of all tensors in the file.
        prefix: What the layer's own names begin with.
        own: The layer's own names, behind the prefix, and others that are known.

    Raises:
        UnusableInputError: The first such tensor is named, with the reason.
    """
    known = {prefix + tail for tail in own}
    check_positions(names)
    for name in sorted(set(names) - known):
        if not name.startswith(prefix) or _HARMLESS.match(name[len(prefix) :]):
            continue
        for pattern, reason in _INSIDE:
            if re.search(pattern, name[len(prefix) :]):
                raise UnusableInputError(f"this tensor belongs to {reason}", shown_name(name))
        expected = ", ".join(own)
        raise UnusableInputError(
            f"unexpected tensor: the layer has none of this name, only {expected}", shown_name(name)
        )


def check_positions(names: Iterable[str]) -> None:
    """Refuse a file with tensors that let positions enter the scores.

    Raises:
        UnusableInputError: The first such tensor is named.
    """
    for name in sorted(names):
        for pattern, reason in _ANYWHERE:
            if re.search(pattern, name):
                raise UnusableInputError(f"this tensor belongs to {reason}", shown_name(name))


def check_config(config: Mapping[str, Any]) -> None:
    """Refuse a model's configuration that tells of other scores than those of this model.

    Raises:
        UnusableInputError: The first such key is named.
    """
    for key, value in config.items():
        reason = None if value in (None, False, [], {}) else _reason(key, value)
        if reason:
            raise UnusableInputError(f"{reason}: another model", quote(key).strip("'"))


def _reason(key: str, value: Any) -> str | None:
    if key == "position_embedding_type":
        return None if value in _PLAIN_POSITIONS else f"positions of type {quote(str(value))} enter the scores"
    if key == "attention_types":
        return _NARROW if "local" in str(value) else None
    return next((reason for pattern, reason in _CONFIG_KEYS if re.search(pattern, key)), None)


_PLAIN_POSITIONS = ("absolute", "learned", "learned_absolute", "sinusoidal", "none")
_NARROW = "the final token does not see all tokens"
_CONFIG_KEYS = (
    (r"(^|_)rope(_|$)|rotary", "rotary positions"),
    (r"^relative_attention|alibi|^rel_pos|use_relative_position", "relative positions"),
    (r"qk_?(layer_?)?norm|query_key_norm", "a norm before the scores"),
    (r"soft_?cap|^attention_logit_cap$", "the scores are capped"),
    (r"^(query_pre_attn_scalar|attention_multiplier)$", "the scores have a factor of their own"),
    (r"^(sliding_window|attention_window)$", _NARROW),
)
