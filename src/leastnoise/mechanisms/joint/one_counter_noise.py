"""`OneCounterNoise`: one draw of noise for questions that go up and down alike, under pure ε."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from leastnoise import _check
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise.mechanisms.joint.box_cell import BoxCell
from leastnoise.mechanisms.joint.checked_parts import checked_parts, checked_rate
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.gap_cell import GapCell
from leastnoise.mechanisms.joint.growth import Growth, Sides, gathered
from leastnoise.mechanisms.joint.joint_mechanism import JointMechanism, refuse_wide_histograms
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.radius_law import RadiusLaw
from leastnoise.mechanisms.joint.radius_table import RadiusTable
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.mechanisms.joint.symmetric_sets import DiamondSet, Differences, Repeated
from leastnoise.randomness.source import Source

Parts = Checked[Sequence[Part], tuple[Part, ...]]


@frozen(repr=False)
class OneCounterNoise(JointMechanism):
    r"""Noise for several rows of numbers that a change may move up or down alike, at one price.

    Law: (p, x) with p ≥ 0 and x ∈ ∏ Cᵢ(p) has probability proportional to e^(−ε·p); x is added to
    the numbers. With reach = p·total + start, C(p) is for a box of height h the numbers up to
    p·h + start/2 in magnitude; for a simplex the x whose positive and whose negative cells add up
    to at most the reach each; for a diamond the x with Σ|xⱼ| at most the reach.

    Theorem: let neighbours' rows differ, all at once, by at most h in every number of a box, by the
    difference of two points of a simplex, and by at most `total` in all in a diamond. The noisy
    numbers, all together, are ε-DP; for neighbours of neighbours, t steps away, tε-DP. The noise is
    symmetric about 0.
    Proof: docs/proofs/joint_noise.md, section 2.

    Where a unit is replaced by another, rows of counts with cap a are a box of height a, and
    histograms with at most L in all a simplex of total L.

    Args:
        epsilon: the price of all numbers together, in 2**−40..4096.
        parts: how neighbours may differ in each row: `Box` with low = −high, `Simplex` or
            `Diamond`.

    Raises:
        InvalidParameter: a part makes no sense here, or there is none.
        UnsupportedQuery: the histograms are too wide.

    References: HardtTalwar2010, Section 4, for noise that is uniform in a convex body.

    Example:
        >>> noise = OneCounterNoise(1, [Box(-1, 1, cells=10), Simplex(5, 1)])
        >>> [row.size for row in noise.release([range(10), range(5)]).value]
        [10, 5]
    """

    epsilon: Number = checked(checked_rate)
    parts: Parts = checked(checked_parts)

    __hash__ = JointMechanism.__hash__

    def __post_init__(self) -> None:
        for part in self.parts:
            lopsided = isinstance(part, Box) and part.low != -part.high
            if lopsided or isinstance(part, Everyone):
                raise _check.refuse(
                    "a part must go up and down alike for one counter",
                    _check.shown(part),
                    "Use TwoCounterNoise; if units are replaced, give a box from −a to a.",
                )
        refuse_wide_histograms(self.parts)

    @property
    def _terms(self) -> tuple[Fraction, tuple[Part, ...]]:
        return self.epsilon, self.parts

    @cached_property
    def _law(self) -> RadiusLaw:
        """That of the counter."""
        boxes = [part for part in self.parts if isinstance(part, Box)]
        sides = gathered([Sides(2 * box.high, box.start + 1, box.cells) for box in boxes])
        others = Repeated.all([_set(part) for part in self.parts if not isinstance(part, Box)])
        factors: list[Growth] = [*sides, *others]
        return RadiusLaw(self.epsilon, factors)

    @property
    def counter_table(self) -> RadiusTable:
        """The law of the counter in floats: for forecasts and intervals."""
        return self._law.table

    def make_ready(self) -> None:
        """Makes the table of the counter; draws nothing."""
        _ = self._law.sampler

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """Noise for all rows: the counter, then a uniform point for each part."""
        counter = self._law.draw(source)
        return tuple(_point(part, counter, source) for part in self.parts)

    def _forecast(self, part: Part) -> Forecast:
        table = self._law.table
        if isinstance(part, Box):
            return BoxCell(table, 2 * part.high, part.start, 0)
        reaches, chances = _set(part).supports(table.radii)
        shares = chances * table.shares[:, np.newaxis]
        return GapCell(reaches, shares, 2 if isinstance(part, Simplex) else 1, table.tolerance)


def _set(part: Part) -> Differences | DiamondSet:
    assert isinstance(part, Simplex | Diamond)
    kind = Differences if isinstance(part, Simplex) else DiamondSet
    return kind(part.cells, part.total, part.start)


def _point(part: Part, counter: int, source: Source) -> Integers:
    if isinstance(part, Box):
        reach = counter * part.high + part.start // 2
        return shifted_uniform(-reach, reach, part.cells, source)
    return _set(part).uniform(counter, source)
