"""`TwoCounterNoise`: one draw of noise for several questions, under pure ε."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.joint.box_counters import BoxCounters
from leastnoise.mechanisms.joint.checked_parts import checked_parts, checked_rate
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.joint_release import noisy_rows
from leastnoise.mechanisms.joint.pair_counters import PairCounters, simplex_set
from leastnoise.mechanisms.joint.part import Box, Diamond, Part, Simplex
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source

MOST_SIMPLEX_CELLS = 400
"""Wider histograms together take long to make ready, and gain nothing from a joint draw."""

Parts = Checked[Sequence[Part], tuple[Part, ...]]


@frozen(repr=False)
class TwoCounterNoise(Rebuilt):
    r"""Noise for several rows of numbers that one unit may all change, at one price.

    Law: (p, q, x) with p, q ≥ 0 and x ∈ ∏ Cᵢ(p, q) has probability proportional to e^(−ε(p+q));
    x is added to the numbers and p − q to the number of units. C(p, q) is, for a part, everything
    that p units may add and q take away: for a box p·low − q·high .. p·high − q·low, widened by
    start/2 on both sides; for a simplex the x whose positive cells add up to at most p·total +
    start and whose negative ones to at least −(q·total + start).

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
        >>> from leastnoise.mechanisms.joint.part import Everyone
        >>> noise = TwoCounterNoise(1, [Box(0, 1, cells=10), Everyone()])
        >>> [row.size for row in noise.release([range(10), [100]]).value]
        [10, 1]
        >>> round(float(noise.cell(0).moment(2)), 3)
        25.833
    """

    epsilon: Number = checked(checked_rate)
    parts: Parts = checked(checked_parts)

    def __post_init__(self) -> None:
        _refuse_what_needs_one_counter(self.parts)

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for one unit more or less, for all rows together."""
        return PureDP(epsilon=self.epsilon)

    @cached_property
    def _sets(self) -> tuple[Box | Simplex, ...]:
        """Everyone is a box to which each unit adds exactly 1."""
        return tuple(part if isinstance(part, Box | Simplex) else Box(1, 1) for part in self.parts)

    @cached_property
    def _counters(self) -> BoxCounters | PairCounters:
        boxes = [part for part in self._sets if isinstance(part, Box)]
        if len(boxes) == len(self.parts):
            return BoxCounters(self.epsilon, boxes)
        return PairCounters(self.epsilon, self._sets)

    def make_ready(self) -> None:
        """Makes the tables of p and q; draws nothing."""
        self._counters.make_ready()

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """Noise for all rows: p and q, then a uniform point for each part."""
        p, q = self._counters.draw(source)
        return tuple(_point(part, p, q, source) for part in self._sets)

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
    def _cells(self) -> dict[Box | Simplex, Forecast]:
        """Parts that differ only in how many numbers they have share one law."""
        return {part: self._counters.cell(part) for part in {_one(part) for part in self._sets}}

    def cell(self, place: int) -> Forecast:
        """The noise of one number of a part, for forecasts."""
        return self._cells[_one(self._sets[place])]

    def expected_cost(self) -> Interval:
        """E|noise| of the number that gets the most."""
        means = (cell.moment(1) for cell in self._cells.values())
        return max(means, key=lambda mean: mean.upper)


def _one(part: Box | Simplex) -> Box | Simplex:
    return replace(part, cells=1) if isinstance(part, Box) else part


def _point(part: Box | Simplex, p: int, q: int, source: Source) -> Integers:
    if isinstance(part, Simplex):
        return simplex_set(part).uniform(p, q, source)
    half = part.start // 2
    lowest, highest = p * part.low - q * part.high - half, p * part.high - q * part.low + half
    return shifted_uniform(lowest, highest, part.cells, source)


def _refuse_what_needs_one_counter(parts: Sequence[Part]) -> None:
    if any(isinstance(part, Diamond) for part in parts):
        raise _check.refuse(
            "a part must be Box, Simplex or Everyone for two counters",
            "a Diamond",
            "Use OneCounterNoise: what goes up and down alike gains nothing from two.",
        )
    cells = sum(part.cells for part in parts if isinstance(part, Simplex))
    if cells > MOST_SIMPLEX_CELLS:
        raise UnsupportedQuery(
            f"histograms of a joint draw must have at most {MOST_SIMPLEX_CELLS} cells in all; got "
            f"{cells}. Give wide ones noise of their own: they gain next to nothing here."
        )
