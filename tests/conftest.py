"""Settings of all property-based tests: the same examples on every run, and no deadline on a shared machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("deterministic", deadline=None, derandomize=True)
settings.load_profile("deterministic")
