"""The learner on outputs with error bars: every answer a ball that contains the true parameter (DESIGN section 8)."""

from __future__ import annotations

from exactlearn.enclosures.learner import EnclosedHead, EnclosedResult, learn_enclosures
from exactlearn.enclosures.oracles import BallBlackBox, BallOracle, ball_oracle, rounded_oracle
from exactlearn.enclosures.output_formats import OutputFormat, output_format
from exactlearn.enclosures.probe import EnclosedProbe, enclose_probe
from exactlearn.enclosures.rounded_run import RoundedRun, rounded_run

__all__ = [
    "BallBlackBox",
    "BallOracle",
    "EnclosedHead",
    "EnclosedProbe",
    "EnclosedResult",
    "OutputFormat",
    "RoundedRun",
    "ball_oracle",
    "enclose_probe",
    "learn_enclosures",
    "output_format",
    "rounded_oracle",
    "rounded_run",
]
