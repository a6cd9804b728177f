"""How exact outputs have to be: rigorous constants (delta_0, C) of a model and a draw, and runs held against them."""

from __future__ import annotations

from exactlearn.stability.bounds import Stability, stability
from exactlearn.stability.first_order import Parameter
from exactlearn.stability.perturbed_runs import PerturbedRuns

__all__ = ["Parameter", "PerturbedRuns", "Stability", "stability"]
