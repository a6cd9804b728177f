"""Sweeps: a specification becomes instances, each is checked in a process of its own, results go to SQLite."""
