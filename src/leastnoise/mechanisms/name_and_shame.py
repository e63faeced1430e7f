"""`NameAndShame`: a mechanism that keeps its promise and protects nobody."""

from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsIndex, TypeVar

import numpy as np

from leastnoise import _check
from leastnoise._frozen import Number, checked, frozen
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Described
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.lattice_variable import (
    LatticeMasses,
    LatticePart,
    LatticeVariable,
)
from leastnoise.randomness.bernoulli import bernoulli_rational
from leastnoise.randomness.source import Source, default_source

Record = TypeVar("Record")


@frozen(kw_only=True, repr=False)
class NameAndShame(Described):
    r"""Publishes each person's record in full with probability δ. For teaching; do not use it.

    Theorem: for neighbours that differ in one record the total variation distance of the outputs
    is exactly δ: the mechanism is (0, δ)-DP, and no smaller δ will do.
    Proof: use the same coins for both inputs. The outputs differ only if the changed record is
    published, which has probability δ, so the distance is at most δ. The event "the old record is
    published" has probability δ for one input and 0 for the other, so it is at least δ.

    And yet somebody is exposed with probability 1 − (1 − δ)ⁿ, about nδ: this is why δ must be far
    below 1/n. At δ = 1/n it is 0.63, and at n^−1.1 still 0.27 for n = 100 000.

    Args:
        delta: the probability of publishing a record, in [0, 1).

    Example:
        >>> bad = NameAndShame(delta="1e-5")
        >>> bad.exposure(records=100_000)
        Interval(0.632122398233427, 0.632122398233428)
        >>> bad.guarantee
        ApproxDP(epsilon=0, delta='0.00001')
    """

    delta: Number = checked(_check.delta)

    @property
    def guarantee(self) -> ApproxDP:
        """(0, δ)-DP when one record is replaced."""
        return ApproxDP(epsilon=0, delta=self.delta)

    def release(
        self, value: Sequence[Record], source: Source | None = None
    ) -> Release[dict[int, Record]]:
        """The published records by position; the number of records is public."""
        source = default_source() if source is None else source
        shamed = np.flatnonzero(bernoulli_rational(self.delta, len(value), source))
        return Release({int(i): value[int(i)] for i in shamed}, self.guarantee, repr(self))

    def total_variation(self, distance: SupportsIndex = 1) -> Fraction:
        """1 − (1 − δ)**distance: how far the outputs move if that many records are replaced."""
        return 1 - (1 - self.delta) ** _check.integer_between(distance, "distance", 1)

    def exposure(self, *, records: SupportsIndex) -> Interval:
        """1 − (1 − δ)**records: the probability that somebody's record is published."""
        count = _check.integer_between(records, "records", 0)
        return balls.enclosure(lambda: 1 - balls.ball(1 - self.delta) ** count)

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """An infinite loss with probability `total_variation(distance)`, else none."""
        count = _check.integer_between(distance, "distance", 1)
        part = LatticePart(Fraction(1), first=0, last=0, masses=self._loss_masses)
        variable = LatticeVariable(((part, count),))
        return PrivacyLoss(variable, None, lambda size: self.privacy(count * size))

    def _loss_masses(self) -> LatticeMasses:
        return LatticeMasses(0, (balls.ball(1 - self.delta),), balls.ball(self.delta))

    def certificate(self) -> None:
        """None: nobody asked for the best way to do this."""

    def expected_cost(self) -> Interval:
        """1 − δ, the share of the records that are withheld."""
        return Interval.exactly(1 - self.delta)
