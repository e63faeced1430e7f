"""A secret value in, a noisy answer out, its privacy known before."""

from leastnoise.mechanisms.additive import gaussian, laplace, staircase
from leastnoise.mechanisms.partition import partition_rule
from leastnoise.mechanisms.quantiles import quantiles
from leastnoise.mechanisms.response import randomized_response as randomized_response
from leastnoise.mechanisms.selection import exponential_mechanism, permute_and_flip
from leastnoise.mechanisms.teaching import NameAndShame, mean_error
from leastnoise.mechanisms.thresholds import above_threshold as above_threshold
from leastnoise.mechanisms.thresholds import sparse_vector

__all__ = [
    "NameAndShame",
    "exponential_mechanism",
    "gaussian",
    "laplace",
    "mean_error",
    "partition_rule",
    "permute_and_flip",
    "quantiles",
    "sparse_vector",
    "staircase",
]
