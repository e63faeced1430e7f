"""Counts that are the more private the larger, and two algorithms of the literature as they are."""

from leastnoise.relative.algorithms import ProductNoise, ProportionalNoise
from leastnoise.relative.counts import relative_counts as relative_counts
from leastnoise.relative.guarantee import GroupwiseZCDP

__all__ = ["GroupwiseZCDP", "ProductNoise", "ProportionalNoise"]
