"""The names that `leastnoise.mechanisms` shows."""

from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise
from leastnoise.mechanisms.adding.bernoulli_mean import BernoulliMean, laplace_mean_error
from leastnoise.mechanisms.adding.counts_noise import CountsNoise
from leastnoise.mechanisms.adding.euclidean_noise import EuclideanNoise
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.mechanisms.choosing.exponential_mechanism import (
    ExponentialMechanism,
    exponential_mechanism,
)
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip, permute_and_flip
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.error_split import ErrorSplit
from leastnoise.mechanisms.joint.best_starts import best_starts
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.name_and_shame import NameAndShame
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.response import RandomizedResponse, randomized_response
from leastnoise.mechanisms.response_frequencies import ResponseFrequencies
from leastnoise.mechanisms.thresholds.above_threshold import AboveThreshold, above_threshold
from leastnoise.mechanisms.thresholds.sparse_vector import SparseVector, sparse_vector
from leastnoise.mechanisms.thresholds.threshold_accuracy import ThresholdAccuracy
from leastnoise.mechanisms.thresholds.threshold_answer import ThresholdAnswer, ThresholdAnswers
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion
from leastnoise.mechanisms.thresholds.threshold_share import least_gap_share, least_variance_share
from leastnoise.mechanisms.thresholds.threshold_transcripts import HonestMachine, greatest_loss

MECHANISMS = (
    BernoulliMean,
    CentredGaussian,
    ExponentialMechanism,
    NameAndShame,
    OneCounterNoise,
    PermuteAndFlip,
    RandomizedResponse,
    TwoCounterNoise,
)
"""The registry that the suite of mechanisms walks.

A sparse vector answers many questions at one price, so it is no `Mechanism` and not in here.
"""

__all__ = [
    "MECHANISMS",
    "AboveThreshold",
    "AdditiveNoise",
    "AdditiveVectorNoise",
    "BernoulliMean",
    "Box",
    "CentredGaussian",
    "CountedPartitions",
    "CountsNoise",
    "Diamond",
    "ErrorSplit",
    "EuclideanNoise",
    "Everyone",
    "ExponentialMechanism",
    "HonestMachine",
    "JointNoise",
    "Lattice",
    "Mechanism",
    "NameAndShame",
    "OneCounterNoise",
    "PartitionSelection",
    "PermuteAndFlip",
    "Precision",
    "Quantiles",
    "RandomizedResponse",
    "Release",
    "RepeatedNoise",
    "ResponseFrequencies",
    "Selection",
    "Simplex",
    "SparseVector",
    "ThresholdAccuracy",
    "ThresholdAnswer",
    "ThresholdAnswers",
    "ThresholdNoise",
    "ThresholdQuestion",
    "TopSelection",
    "TwoCounterNoise",
    "above_threshold",
    "best_starts",
    "exponential_mechanism",
    "greatest_loss",
    "laplace_mean_error",
    "least_gap_share",
    "least_variance_share",
    "permute_and_flip",
    "randomized_response",
    "sparse_vector",
]
