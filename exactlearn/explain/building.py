"""A certificate to one HTML page: the templates of this folder filled in, every text escaped, no file outside it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

SCRIPTS = ("rationals.js", "run.js", "checking.js", "elements.js", "pictures.js", "view.js", "control.js")
"""The parts of the page's one script, in order; the first three are the check and need no page."""

CHECK_SCRIPTS = SCRIPTS[:3]

_WEIGHTS = {
    "log-rational": "Here e^W is written down instead of W: T, with W = unit · log T entry by entry. "
    "So every answer on whole tokens is a rational number.",
    "rational": "Here W is unit times a rational matrix, and e is the true e. An answer is then a number in Q(e^unit), "
    "and the exponents and residues describe it exactly.",
}
_CHECKED = {
    "log-rational": "With e^W rational these are the poles, the residues, every answer F(k), the matchings, the heads, "
    "the counts and the lines of the further claims.",
    "rational": "With true e no answer is a rational number, so none stands here: these are the exponents, the "
    "residues, the matchings, the heads, the counts and the lines of the further claims.",
}


def build_page(certificate: Mapping[str, Any], title: str) -> str:
    """The page of one run.

    Args:
        certificate: A certificate as it was parsed, of the form with the claim recovery.  It need not be true: the
            page says which of its lines do not hold.
        title: What the run is called, any text.

    Returns:
        One HTML document without any reference to outside; the same for the same arguments.
    """
    style, script = template("page.css"), script_text(SCRIPTS)
    weights = str(certificate["model"]["weights"])
    parts = {
        "title": html.escape(title),
        "summary": html.escape(_summary(certificate)),
        "weights": html.escape(_WEIGHTS[weights]),
        "checked": html.escape(_CHECKED[weights]),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "certificate": embedded(certificate),
    }
    # In one pass: what is put in is not looked at again.
    return re.sub(r"\{([a-z_]+)\}", lambda match: parts[match[1]], template("page.html"))


def embedded(document: Mapping[str, Any]) -> str:
    """JSON for a script element, which no text in it can end, open or comment out."""
    text = json.dumps(document)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def script_text(names: tuple[str, ...]) -> str:
    """Some parts of the page's script, one after the other."""
    return "\n".join(template(name) for name in names)


def template(name: str) -> str:
    """A file of this folder."""
    return resources.files("exactlearn.explain").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """How a Content-Security-Policy names the one script, or style, that it lets in."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _summary(certificate: Mapping[str, Any]) -> str:
    dim, draw = certificate["model"]["dim"], certificate["draw"]
    raw, found = len(certificate["model"]["heads"]), len(certificate["heads"])
    bound = draw["heads"] if "heads" in draw else draw["max_heads"]
    queries = 1 + 2 * bound * (2 * dim**2 - 1)
    return (
        f"A multi-head attention model with {_many(raw, 'raw head')} in {_many(dim, 'dimension')} was seen as a black "
        f"box only. {queries} value queries of at most {2 * bound + 1} tokens gave back {_many(found, 'head')}, "
        "exactly. "
        "This page shows how, and checks every number of it."
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
