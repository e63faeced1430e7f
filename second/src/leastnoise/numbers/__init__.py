"""Exact numbers: what is typed, what is known from two sides, and what an error costs."""

from leastnoise.numbers.cost import Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected, Undecided
from leastnoise.numbers.interval import Interval

__all__ = ["CertificateRejected", "Interval", "Moment", "TailProbability", "Undecided"]
