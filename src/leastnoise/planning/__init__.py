"""Choices to make before any data is read."""

from leastnoise.planning.choosing_delta import (
    DeltaChoice,
    DeltaTooLarge,
    exposure_probability,
    judge_delta,
    suggest_delta,
)
from leastnoise.sizes.least_epsilon import LeastEpsilon, least_epsilon
from leastnoise.sizes.least_error import LeastError, least_error
from leastnoise.sizes.published_rule import PublishedRule
from leastnoise.sizes.sample_size import SampleSize, sample_size

__all__ = [
    "DeltaChoice",
    "DeltaTooLarge",
    "LeastEpsilon",
    "LeastError",
    "PublishedRule",
    "SampleSize",
    "exposure_probability",
    "judge_delta",
    "least_epsilon",
    "least_error",
    "sample_size",
    "suggest_delta",
]
