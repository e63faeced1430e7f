"""`JointMechanism`: what every pure joint noise can be asked."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.joint_release import noisy_rows
from leastnoise.mechanisms.joint.part import Box, Part, Simplex
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source, checked_source

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

MOST_SIMPLEX_CELLS = 400
"""Wider histograms together take long to make ready, and gain nothing from a joint draw."""


class JointMechanism(Rebuilt):
    """Noise for several rows of numbers, drawn at once, at one price ε."""

    @property
    @abstractmethod
    def _terms(self) -> tuple[Fraction, tuple[Part, ...]]:
        """ε, and what one unit may add to each row."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Of hundreds of parts: found once, whatever is looked up by them."""
        return hash((type(self), self._terms))

    @abstractmethod
    def _forecast(self, part: Part) -> Forecast:
        """The noise of one number of a part."""

    @abstractmethod
    def make_ready(self) -> None:
        """Makes the tables that noise is drawn from; draws nothing."""

    @abstractmethod
    def draw(self, source: Source) -> tuple[Integers, ...]:
        """One draw of all noise: for each part as many integers as it has cells."""

    @property
    def guarantee(self) -> PureDP:
        """ε-DP, for all rows together."""
        return PureDP(epsilon=self._terms[0])

    def release(
        self, value: Sequence[ArrayLike], source: Source | None = None
    ) -> Release[tuple[Integers, ...]]:
        """All rows with noise, one row of integers per part.

        Raises:
            InvalidParameter: not that many rows, or a row does not fit; what was found is not said.
        """
        rows = noisy_rows(value, self._terms[1], lambda: self.draw(checked_source(source)))
        return Release(rows, self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """The worst that ε-DP for each of t units allows: docs/proofs/paths.md, section 4."""
        units = _check.integer_between(distance, "distance", 1)
        return DiscreteLaplace(scale=1 / self._terms[0]).privacy(units)

    def certificate(self) -> None:
        """None: no proof is known that nothing is better."""
        return

    @cached_property
    def _cells(self) -> Mapping[Part, Forecast]:
        """Boxes that differ only in how many numbers they have share one law."""
        return {part: self._forecast(part) for part in {_single(p) for p in self._terms[1]}}

    def cell(self, place: int) -> Forecast:
        """The noise of one number of a part, for forecasts."""
        return self._cells[_single(self._terms[1][place])]

    def expected_cost(self) -> Interval:
        """E|noise| of the number that gets the most."""
        means = (cell.moment(1) for cell in self._cells.values())
        return max(means, key=lambda mean: mean.upper)


def _single(part: Part) -> Part:
    return replace(part, cells=1) if isinstance(part, Box) else part


def refuse_wide_histograms(parts: Sequence[Part]) -> None:
    """Histograms whose tables would take too long.

    Raises:
        UnsupportedQuery: they have more than `MOST_SIMPLEX_CELLS` cells in all.
    """
    cells = sum(part.cells for part in parts if isinstance(part, Simplex))
    if cells > MOST_SIMPLEX_CELLS:
        raise UnsupportedQuery(
            f"histograms of a joint draw must have at most {MOST_SIMPLEX_CELLS} cells in all; got "
            f"{cells}. Give wide ones noise of their own: they gain next to nothing here."
        )
