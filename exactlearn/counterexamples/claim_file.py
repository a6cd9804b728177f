"""A claim as a Python file: it defines `claim(model)` or `claim(first, second)`, which returns a bool or a Verdict."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from exactlearn.counterexamples import claims
from exactlearn.errors import UnusableInputError
from exactlearn.files.reading import place_of, read_bytes
from exactlearn.files.strict_json import decode_utf8

FUNCTION = "claim"
MOST_BYTES = 1 << 20


def load_claim(name_or_path: str | os.PathLike[str]) -> Callable[..., Any]:
    """The function `claim` of a Python file, or of a bundled example by its name.  The file is run.

    Raises:
        UnusableInputError: When there is no such file, it is no Python, raises when run, or defines no such function.
    """
    text = os.fspath(name_or_path)
    path = claims.path(text) if text in claims.NAMES and not os.path.exists(text) else text  # noqa: PTH110  # never raises
    place = place_of(path)
    source = decode_utf8(read_bytes(path, MOST_BYTES), place)
    try:
        code = compile(source, os.fspath(path), "exec")
    except SyntaxError as error:
        raise UnusableInputError(f"not Python: {error.msg}, line {error.lineno}", place) from None
    except ValueError as error:  # a null character
        raise UnusableInputError(f"not Python: {error}", place) from None
    module = ModuleType("claim_file")
    module.__file__ = os.fspath(path)
    try:
        exec(code, module.__dict__)  # noqa: S102  # running the user's own claim is what is asked for
    except (Exception, SystemExit) as error:  # noqa: BLE001  # it may raise anything
        raise UnusableInputError(f"raises when run: {type(error).__name__}: {_one_line(error)}", place) from None
    function = getattr(module, FUNCTION, None)
    if not callable(function):
        raise UnusableInputError(
            f"it defines no function {FUNCTION}: write def {FUNCTION}(model) or def {FUNCTION}(first, second)", place
        )
    return function  # type: ignore[no-any-return]


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
