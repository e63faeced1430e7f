"""Exact numbers: what is typed, what is known from two sides, and what an error costs."""

from leastnoise.numbers.cost import Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.numbers.errors import Undecided as Undecided
from leastnoise.numbers.interval import Interval as Interval

__all__ = [
    "CertificateRejected",
    "Moment",
    "TailProbability",
]
