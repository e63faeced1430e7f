"""A secret value in, a noisy answer out, its privacy known before."""

from leastnoise.mechanisms.additive import gaussian, laplace, staircase
from leastnoise.mechanisms.partition import partition_rule
from leastnoise.mechanisms.quantiles import quantiles
from leastnoise.mechanisms.response import randomized_response
from leastnoise.mechanisms.selection import exponential_mechanism, permute_and_flip
from leastnoise.mechanisms.teaching import NameAndShame, mean_error
from leastnoise.mechanisms.thresholds import above_threshold, sparse_vector

__all__ = [
    "NameAndShame",
    "above_threshold",
    "exponential_mechanism",
    "gaussian",
    "laplace",
    "mean_error",
    "partition_rule",
    "permute_and_flip",
    "quantiles",
    "randomized_response",
    "sparse_vector",
    "staircase",
]
