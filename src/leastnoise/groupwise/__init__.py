"""Counts of groups whose privacy grows with the group."""

from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.record_sum import RecordSum
from leastnoise.groupwise.relative_certificate import RelativeCertificate
from leastnoise.groupwise.relative_counts import RelativeCounts, relative_counts
from leastnoise.groupwise.spaced_counts import SpacedCounts
from leastnoise.groupwise.transform import Logarithm, Root
from leastnoise.groupwise.unit_splitting import UnitSplitting

__all__ = [
    "GroupCurve",
    "GroupwiseCounts",
    "LogGaussianCounts",
    "Logarithm",
    "RecordSum",
    "RelativeCertificate",
    "RelativeCounts",
    "Root",
    "SpacedCounts",
    "UnitSplitting",
    "relative_counts",
]
