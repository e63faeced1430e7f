"""Choices to make before any data is read."""

from leastnoise.planning.choosing_delta import (
    DeltaChoice,
    DeltaTooLarge,
    exposure_probability,
    judge_delta,
    suggest_delta,
)

__all__ = [
    "DeltaChoice",
    "DeltaTooLarge",
    "exposure_probability",
    "judge_delta",
    "suggest_delta",
]
