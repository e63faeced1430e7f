"""Counts of groups whose privacy grows with the group."""

from leastnoise.groupwise.comparison import Comparison, compare
from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.product_noise import ProductNoise
from leastnoise.groupwise.proportional_noise import ProportionalNoise
from leastnoise.groupwise.record_sum import RecordSum
from leastnoise.groupwise.relative_certificate import RelativeCertificate
from leastnoise.groupwise.relative_counts import RelativeCounts, relative_counts
from leastnoise.groupwise.spaced_counts import SpacedCounts
from leastnoise.groupwise.transform import Logarithm, Root
from leastnoise.groupwise.truncated_zcdp import TruncatedZCDP
from leastnoise.groupwise.unit_splitting import UnitSplitting

__all__ = [
    "Comparison",
    "GroupCurve",
    "GroupwiseCounts",
    "LogGaussianCounts",
    "Logarithm",
    "ProductNoise",
    "ProportionalNoise",
    "RecordSum",
    "RelativeCertificate",
    "RelativeCounts",
    "Root",
    "SpacedCounts",
    "TruncatedZCDP",
    "UnitSplitting",
    "compare",
    "relative_counts",
]
