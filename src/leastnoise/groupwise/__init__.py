"""Counts of groups whose privacy grows with the group."""

from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.relative_certificate import RelativeCertificate
from leastnoise.groupwise.relative_counts import RelativeCounts, relative_counts
from leastnoise.groupwise.spaced_counts import SpacedCounts

__all__ = [
    "GroupCurve",
    "GroupwiseCounts",
    "LogGaussianCounts",
    "RelativeCertificate",
    "RelativeCounts",
    "SpacedCounts",
    "relative_counts",
]
