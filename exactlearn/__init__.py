"""Exact symbolic verification of multi-head attention learned from value queries."""
