"""What checking comes to: one of four statuses, the ways not to accept, and the bounds on time and size."""

import time
from dataclasses import dataclass
from enum import IntEnum

MAX_BITS = 2**20  # larger numbers are not computed (SPEC section 6)

class Status(IntEnum):
    """The exit statuses (SPEC section 6)."""
    ACCEPTED = 0
    REJECTED = 1
    UNUSABLE = 2
    NO_VERDICT = 3

@dataclass(frozen=True)
class Outcome:
    """The status; why not, in one line; else the accepted claims as (name, words), and what they are bound to."""
    status: Status
    reason: str = ""
    claims: tuple[tuple[str, str], ...] = ()
    binding: str = ""

class NotAccepted(Exception):  # noqa: N818  # a verdict, not an error
    """Why a certificate is not accepted; `place` is the line at fault, as a path in the document."""
    status: Status

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)

class Rejected(NotAccepted):
    """A line is not so."""
    status = Status.REJECTED

class Unusable(NotAccepted):
    """This is no certificate of the version that is read here, or no model file."""
    status = Status.UNUSABLE

class OutOfLimits(NotAccepted):
    """A limit on time or memory was met."""
    status = Status.NO_VERDICT

class Clock:
    """Computing time of this process since the clock was made, held against a bound; no signals."""
    def __init__(self, seconds: float) -> None:
        self._seconds, self._end = seconds, time.process_time() + seconds

    def tick(self) -> None:
        """Called between steps that are each bounded by `bounded_bits`."""
        if not time.process_time() <= self._end:  # so that NaN is no time at all
            raise OutOfLimits(f"no verdict after {self._seconds:g} seconds of computing")

def bounded_bits(bits: int, place: str) -> None:
    """Refuse to compute a number of about so many bits when that is too many."""
    if bits > MAX_BITS:
        raise OutOfLimits(f"a number of more than {MAX_BITS} bits would be computed", place)
