"""`Shape`: the mathematics of a law on the integers, apart from its name and its theorem."""

from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.numeric.real import Real
from leastnoise.randomness.source import Source

Draws = NDArray[np.int64] | NDArray[np.object_]
"""Integers: 64-bit where they fit, Python's own where they do not. Never wrapped."""


class Shape(Protocol):
    """Everything `LatticeLaw` needs to answer its questions."""

    @property
    def symmetric_unimodal(self) -> bool:
        """Whether pmf(k) = pmf(−k) and pmf does not increase with |k|."""

    @property
    def support(self) -> tuple[int, int] | None:
        """The least and greatest value with positive probability; None if unbounded."""

    def pmf(self, k: int) -> Real:
        """P(X = k)."""

    def tail(self, k: int) -> Real:
        """P(X ≥ k)."""

    def outside(self, magnitude: int) -> Real:
        """P(|X| > magnitude), for magnitude ≥ 0."""

    def moment(self, order: int) -> Real:
        """E|X|**order for order ≥ 1."""

    def hockey_stick(self, epsilon: Fraction, shift: int) -> Real:
        """Σₖ max(0, P(X = k) − exp(epsilon)·P(X + shift = k)), for shift ≠ 0."""

    def exceedance(self, epsilon: Fraction, shift: int) -> Real:
        """P(X ∈ {k : P(X = k) > exp(epsilon)·P(X + shift = k)}): the chance of a large loss."""

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high; −inf where the chance is 0."""

    def log_pmf_error(self, low: int, high: int) -> float:
        """By how much an entry of `log_pmf` may err."""

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
