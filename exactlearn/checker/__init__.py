"""The independent checker, standard library alone; SPEC.md of `exactlearn.certificate` says what it checks."""

from .checking import check_file, check_text
from .outcome import Outcome, Status

__all__ = ["Outcome", "Status", "check_file", "check_text"]
