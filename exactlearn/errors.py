"""The whole family of errors: each name says what a user can do about it (DESIGN section 13)."""

from __future__ import annotations


class ExactlearnError(Exception):
    """Base of every error that this package raises on purpose."""


class UnusableInputError(ExactlearnError):
    """Input that cannot be taken: the message says what is wrong, `place` says where.

    Args:
        reason: One sentence without a line break.
        place: The file, entry or argument at fault, for example ``model.json: heads[0].W[1][0]``; may be empty.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        self.reason = reason
        self.place = place
        super().__init__(f"{place}: {reason}" if place else reason)

    def within(self, outer: str) -> UnusableInputError:
        """The same error seen from one level further out: `outer` is put before the place."""
        joint = "" if not self.place or self.place.startswith("[") else ": "
        return UnusableInputError(self.reason, f"{outer}{joint}{self.place}")


class MissingExtraError(UnusableInputError):
    """An optional package is needed for this input and is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package}: pip install 'exactlearn[{extra}]'")


class NotAtThisPlaceError(UnusableInputError):
    """The model or the sequence has no value at the chosen place; another place can see it."""


class NotAttentionError(ExactlearnError):
    """The outputs are not those of a multi-head softmax attention model with so few heads (DESIGN section 3)."""


class DegenerateDrawError(ExactlearnError):
    """Every draw of tokens that was tried lay on the bad set of DESIGN section 5."""


class UndecidedError(ExactlearnError):
    """A decision that this method cannot make; never to be read as a No."""


class OverBudgetError(ExactlearnError):
    """The computation would exceed a stated bound on its size; nothing has been decided."""


class UnluckyPrimeError(ExactlearnError):
    """Something collapsed modulo this prime that need not collapse in truth: look with another prime.

    Attributes:
        is_accident: Whether this happens for few primes only, so that many such primes in a row are no accident.
    """

    is_accident = True


class PrecisionTooLowError(ExactlearnError):
    """More digits of the same values are needed before a number can be read off."""


class ConditionFailsError(ExactlearnError):
    """A condition of the method does not hold for these outputs; the message names it (DESIGN section 9)."""


class TooCoarseError(ExactlearnError):
    """Approximate outputs from which no parameters can be told: the error of the outputs is too large (section 8).

    Attributes:
        what: What cannot be told: "poles not told apart", "a head is not seen", "a pole is not seen", "no such
            function", "complex poles", "negative pole" or "wrong match".
        probe: The probe's name, such as P(1,2).
        detail: Which poles or heads; may be empty.
    """

    def __init__(self, what: str, probe: str, detail: str = "") -> None:
        self.what = what
        self.probe = probe
        self.detail = detail
        super().__init__(f"{what} at {probe}{f': {detail}' if detail else ''}")
