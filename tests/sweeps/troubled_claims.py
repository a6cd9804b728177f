"""Claims made to hurt, for tests of sweeps: they crash, never end, fill the memory, fail, or leave a trace."""

from __future__ import annotations

import faulthandler
import itertools
import os
import time
from pathlib import Path

from exactlearn.claims import Claim
from exactlearn.claims.claim import always
from exactlearn.claims.context import Context
from exactlearn.verdict import Fails, Holds, Verdict


def aborts(context: Context) -> Verdict:
    """Take the process down on the seeds that are multiples of 3, as FLINT's faults do."""
    if context.seed % 3 == 0:
        os.write(2, b"FLINT would say why here\n")
        os.abort()
    return Holds("did not abort")


def segfaults(context: Context) -> Verdict:
    """Die of a bad address on seed 1."""
    if context.seed == 1:
        faulthandler._sigsegv()  # type: ignore[attr-defined]
    return Holds("did not crash")


def never_ends(context: Context) -> Verdict:
    """Hang on seed 1, in one endless call of C that heeds no signal and keeps every other thread waiting."""
    if context.seed == 1:
        with Path(os.environ.get("TRACE", os.devnull)).open("a", encoding="ascii") as file:
            file.write(f"{context.seed} {os.getpid()}\n")
        sum(itertools.repeat(0))
    return Holds("ended")


def fills_memory(context: Context) -> Verdict:
    """Ask for more and more on seed 2."""
    held = []
    while context.seed == 2:
        held.append(bytearray(2**24))
    return Holds("was modest")


def raises(context: Context) -> Verdict:
    """An error that nobody expects, on seed 1."""
    if context.seed == 1:
        raise KeyError("unexpected")
    return Holds("did not raise")


def fails(context: Context) -> Verdict:
    """A claim that is false on seed 1."""
    return Fails(context.seed, "seed 1 is a counterexample") if context.seed == 1 else Holds("true")


def leaves_a_trace(context: Context) -> Verdict:
    """Append seed and process to the file that the environment names."""
    with Path(os.environ["TRACE"]).open("a", encoding="ascii") as file:
        file.write(f"{context.seed} {os.getpid()}\n")
    time.sleep(0.01)
    return Holds("left a trace")


def _claim(name: str, check: object) -> Claim:
    assert callable(check)
    return Claim(name, name, name, always, check, check)


TROUBLED = (
    _claim("recovery", fails),
    _claim("rational-form", aborts),
    _claim("determination", segfaults),
    _claim("jacobian", never_ends),
    _claim("canonical", fills_memory),
    _claim("merging", raises),
)
TRACED = (_claim("rational-form", leaves_a_trace), _claim("determination", lambda _: Holds("quick")))
