"""Counts of groups whose privacy grows with the group."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.record_sum import RecordSum
from leastnoise.groupwise.relative_certificate import RelativeCertificate
from leastnoise.groupwise.relative_counts import RelativeCounts, relative_counts
from leastnoise.groupwise.spaced_counts import SpacedCounts
from leastnoise.groupwise.transform import Logarithm, Root
from leastnoise.groupwise.truncated_zcdp import TruncatedZCDP
from leastnoise.groupwise.unit_splitting import UnitSplitting

if TYPE_CHECKING:
    from leastnoise.research.comparison import Comparison, compare
    from leastnoise.research.product_noise import ProductNoise
    from leastnoise.research.proportional_noise import ProportionalNoise

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

# What the sources propose and what is dominated stands on this package: loaded when used.
_RESEARCH = {
    "Comparison": "leastnoise.research.comparison",
    "compare": "leastnoise.research.comparison",
    "ProductNoise": "leastnoise.research.product_noise",
    "ProportionalNoise": "leastnoise.research.proportional_noise",
}


def __getattr__(name: str) -> Any:
    if name not in _RESEARCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_RESEARCH[name]), name)
