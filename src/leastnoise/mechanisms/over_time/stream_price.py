"""`StreamPrice`: what Gaussian measurements of a schedule cost."""

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

from leastnoise import _check
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.privacy.loss import PrivacyLoss

SMOOTHING = 64
MOST_PARAMETER = 1 << 80
"""Larger discrete Gaussians are not drawn: measure with smaller integers instead."""

checked_parameter = _check.limited(
    _check.positive,
    lambda parameter: 2**24 <= parameter <= MOST_PARAMETER,
    "lie in [2**24, 2**80]",
    "Measure with larger integers, or with smaller ones.",
)


class StreamPrice(ABC):
    """Integers that a schedule measures step by step, each with a discrete Gaussian of its own."""

    @property
    @abstractmethod
    def _terms(self) -> tuple[int, Fraction, int]:
        """How far one unit moves all of them, in squares; V; and how many of them there are."""

    @property
    def guarantee(self) -> ZCDP:
        """ρ = S/(2V), for the whole schedule."""
        moved, parameter, _ = self._terms
        return ZCDP(rho=moved / (2 * parameter))

    @cached_property
    def gaussians(self) -> LatticeGaussians:
        """The law of the noise of all steps."""
        _, parameter, numbers = self._terms
        return LatticeGaussians(parameter, SMOOTHING, numbers)

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of the whole schedule if up to `distance` units are added or removed."""
        most = Fraction(self._terms[0])
        return self.gaussians.loss(most, most * 0, distance)
