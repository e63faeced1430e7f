"""Mechanisms: a secret value goes in, a release and its price come out. One per file."""

from leastnoise.mechanisms.bernoulli_mean import BernoulliMean, laplace_mean_error
from leastnoise.mechanisms.error_split import ErrorSplit
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.name_and_shame import NameAndShame
from leastnoise.mechanisms.randomized_response import RandomizedResponse, randomized_response
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.response_frequencies import ResponseFrequencies

MECHANISMS = (BernoulliMean, NameAndShame, RandomizedResponse)
"""The registry that the suite of mechanisms walks."""

__all__ = [
    "MECHANISMS",
    "BernoulliMean",
    "ErrorSplit",
    "Mechanism",
    "NameAndShame",
    "RandomizedResponse",
    "Release",
    "ResponseFrequencies",
    "laplace_mean_error",
    "randomized_response",
]
