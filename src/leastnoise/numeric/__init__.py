"""Arithmetic that knows no privacy: exact rationals in, decided comparisons and intervals out."""

from leastnoise.numeric.interval import Interval

__all__ = ["Interval"]
