"""`ColumnNoise`: noise for a row of integers each of which a neighbour may move by 1."""

from fractions import Fraction
from typing import Protocol

from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source

Offset = LatticeLaw | None
"""The law of an integer X, independent of the columns' noise and added to all; None for 0."""


class ColumnNoise(Protocol):
    """A law on Z^columns whose coordinates Yⱼ are symmetric about 0 and unimodal."""

    @property
    def columns(self) -> int:
        """The number of coordinates."""

    @property
    def bound(self) -> int | None:
        """The greatest magnitude a coordinate can have; None if there is none."""

    def worst_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t for all columns j)."""

    def one_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t) for one column j."""

    def worst_mean(self, offset: Offset) -> Interval | None:
        """E max |Yⱼ + X|, if there is a closed form."""

    @property
    def absolute_mean(self) -> Interval:
        """E|Yⱼ|."""

    @property
    def variance(self) -> Interval:
        """E Yⱼ²."""

    @property
    def pure_epsilon(self) -> Fraction | None:
        """An ε for which moving every coordinate by at most 1 is ε-DP; None if there is none."""

    @property
    def rho(self) -> Fraction | None:
        """A ρ for which moving every coordinate by at most 1 is ρ-zCDP; None if none is known."""

    def privacy(self, distance: int) -> PrivacyLoss:
        """The loss if every coordinate moves by up to `distance`."""

    def sample(self, source: Source | None = None) -> Draws:
        """One exact draw, an integer for each column."""
