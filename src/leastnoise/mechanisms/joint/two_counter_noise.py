"""`TwoCounterNoise`: one draw of noise for several questions, under pure ε."""

from collections.abc import Sequence
from functools import cached_property
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.joint.box_cell import BoxCell
from leastnoise.mechanisms.joint.checked_parts import checked_parts, checked_rate
from leastnoise.mechanisms.joint.growth import Sides, gathered
from leastnoise.mechanisms.joint.joint_part import CellLaw, Integers
from leastnoise.mechanisms.joint.joint_release import noisy_rows
from leastnoise.mechanisms.joint.part import Box, Part, Simplex
from leastnoise.mechanisms.joint.radius_law import RadiusLaw
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source
from leastnoise.randomness.uniform import uniform_integer

Parts = Checked[Sequence[Part], tuple[Part, ...]]


@frozen(repr=False)
class TwoCounterNoise(Rebuilt):
    r"""Noise for several rows of numbers that one unit may all change, at one price.

    Law: (p, q, x) with p, q ≥ 0 and x ∈ ∏ Cᵢ(p, q) has probability proportional to e^(−ε(p+q));
    x is added to the numbers and p − q to the number of units. C(p, q) is, for a part, everything
    that p units may add and q take away: for a box p·low − q·high .. p·high − q·low, widened by
    start/2 on both sides.

    Theorem: let one unit more or less change every row within its part, all rows at once, and the
    number of units by exactly 1. For all such neighbours the noisy numbers, all together, are ε-DP;
    for t units they are tε-DP. The noise is symmetric about 0.
    Proof: docs/proofs/joint_noise.md, section 1.

    Args:
        epsilon: the price of all numbers together.
        parts: what one unit may add to each row.

    Raises:
        InvalidParameter: a part makes no sense, or there is none.

    References: HardtTalwar2010, Section 4, for noise that is uniform in a convex body.

    Example:
        >>> noise = TwoCounterNoise(1, [Box(0, 1, cells=10), Everyone()])
        >>> [row.size for row in noise.release([range(10), [100]]).value]
        [10, 1]
        >>> round(float(noise.cell(0).moment(2)), 3)
        25.833
    """

    epsilon: Number = checked(checked_rate)
    parts: Parts = checked(checked_parts)

    def __post_init__(self) -> None:
        if any(isinstance(part, Simplex) for part in self.parts):
            raise UnsupportedQuery("a part must be Box or Everyone for now; got a Simplex. Wait.")

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for one unit more or less, for all rows together."""
        return PureDP(epsilon=self.epsilon)

    @cached_property
    def _boxes(self) -> tuple[Box, ...]:
        """Everyone is a box to which each unit adds exactly 1."""
        return tuple(part if isinstance(part, Box) else Box(1, 1) for part in self.parts)

    @cached_property
    def _radius(self) -> RadiusLaw:
        """The law of p + q: each of r + 1 pairs has as many points as the boxes have."""
        sides = [Sides(box.high - box.low, box.start + 1, box.cells) for box in self._boxes]
        return RadiusLaw(self.epsilon, gathered([Sides(1), *sides]))

    def make_ready(self) -> None:
        """Makes the table of p + q; draws nothing."""
        _ = self._radius.sampler

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """Noise for all rows: p + q, then p, then points of the boxes."""
        radius = self._radius.draw(source)
        p = uniform_integer(radius + 1, source)
        return tuple(self._box_noise(box, radius, p, source) for box in self._boxes)

    def _box_noise(self, box: Box, radius: int, p: int, source: Source) -> Integers:
        lowest = p * box.low - (radius - p) * box.high - box.start // 2
        length = radius * (box.high - box.low) + box.start
        return shifted_uniform(lowest, lowest + length, box.cells, source)

    def release(
        self, value: Sequence[ArrayLike], source: Source | None = None
    ) -> Release[tuple[Integers, ...]]:
        """All rows with noise, one row of integers per part.

        Raises:
            InvalidParameter: not that many rows, or a row does not fit; what was found is not said.
        """
        rows = noisy_rows(value, self.parts, lambda: self.draw(checked_source(source)))
        return Release(rows, self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The worst that ε-DP allows, which this law attains where everyone is counted."""
        units = _check.integer_between(distance, "distance", 1)
        return PrivacyLoss.worst_case(epsilon=self.epsilon * units)

    def certificate(self) -> None:
        """None: no proof is known that nothing is better."""
        return

    @cached_property
    def _cells(self) -> dict[Box, BoxCell]:
        table = self._radius.table
        return {
            box: BoxCell(table, box.high - box.low, box.start, abs(box.low + box.high))
            for box in set(self._boxes)
        }

    def cell(self, place: int) -> CellLaw:
        """The noise of one number of a part, for forecasts."""
        return self._cells[self._boxes[place]]

    def expected_cost(self) -> Interval:
        """E|noise| of the number that gets the most."""
        means = (cell.moment(1) for cell in self._cells.values())
        return max(means, key=lambda mean: mean.upper)
