"""`RepairedGaussian`: Gaussian noise whose few largest values are found and drawn again."""

from collections.abc import Iterator
from dataclasses import KW_ONLY
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.implications import pure_to_zcdp
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.chance import chance
from leastnoise.tabulation.column_noise import Offset
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.offset_average import offset_average

_PRECISION = 192  # bits
_STEPS_PER_FOLD = 64  # while the tail falls by a factor e
_CHUNK = 1 << 18  # columns at a time: 2 megabytes


@frozen(repr=False)
class RepairedGaussian(Rebuilt):
    r"""The approximate mechanism of Steinke and Ullman: Gaussian noise, then a sparse vector.

    Column j first gets discrete Gaussian noise Zⱼ. The columns are then gone through in order: an
    AboveThreshold on |Zⱼ| runs until it fires, the column where it fired gets fresh discrete
    Gaussian noise in place of Zⱼ, and a new one starts behind it, up to `repairs` times in all.

    Theorem: if every coordinate moves by at most 1, the loss is at most that of `columns` draws of
    the first law, `repairs` ε₀-DP releases and `repairs` draws of the second law, added up; ε₀ is
    the price of one AboveThreshold. With T the threshold and e^(−n·l) = P(ρ ≥ n), for t ≥ T,
    P(max |Yⱼ| > t) ≤ repairs·(e^(−l·(t−T+2)) + P(|fresh| > t)) + P(more than `repairs` of the
    |Zⱼ| + νⱼ reach T).
    Proof: docs/proofs/marginals.md, section 6.

    It has a smaller worst error than Gaussian noise alone once there are many columns (from about
    2**16 at ε = 1, δ = 1e-6), but bounded noise has a smaller one for every number of columns.

    Args:
        columns: the number of coordinates, at least 1.
        law: of the noise that every column gets first.
        threshold: T, from which a column is worth repairing.
        gate: the noise of each AboveThreshold, for sensitivity 1 and one positive.
        fresh: the law of the noise on repaired columns.
        repairs: how many columns can be repaired, at least 1.

    References: SteinkeUllman2016, Section 4.2; DworkNaorReingoldRothblumVadhan2009.

    Example:
        >>> noise = RepairedGaussian(
        ...     columns=1000,
        ...     law=DiscreteGaussian(10**4),
        ...     threshold=350,
        ...     gate=ThresholdNoise(epsilon="0.1", sensitivity=1),
        ...     fresh=DiscreteGaussian(100),
        ...     repairs=4,
        ... )
        >>> len(noise.sample())
        1000
    """

    columns: Whole = checked(_check.whole(1))
    _: KW_ONLY
    law: DiscreteGaussian
    threshold: Whole = checked(_check.whole(1))
    gate: ThresholdNoise
    fresh: DiscreteGaussian
    repairs: Whole = checked(_check.whole(1))

    bound = None
    pure_epsilon = None

    def __post_init__(self) -> None:
        gate = self.gate
        if not (gate.sensitivity == 1 and gate.positives == 1 and not gate.monotone):
            raise _check.refuse(
                "`gate` must be for sensitivity 1, one positive, and questions that may rise and "
                "fall",
                repr(gate),
                "Write ThresholdNoise(epsilon=..., sensitivity=1).",
            )

    def sample(self, source: Source | None = None) -> Draws:
        """One exact draw, an integer for each column."""
        source = checked_source(source)
        drawn = self.law.sample(self.columns, source)
        repaired = self._found(np.asarray(np.abs(drawn)), source)
        drawn[repaired] = self.fresh.sample(len(repaired), source)
        return drawn

    def _found(self, away: Draws, source: Source) -> NDArray[np.int64]:
        """Where an AboveThreshold fired, each started behind the one before.

        Every column is asked about once, with noise ν ≥ 0 of its own, so all of them may be drawn
        first; as ρ ≥ 0, no column fires that does not reach the threshold without ρ.
        """
        found: list[int] = []
        level = self._level(source)
        for place, noisy in self._reaching_columns(away, source):
            if noisy >= level:
                found.append(place)
                if len(found) == self.repairs:
                    break
                level = self._level(source)
        return np.array(found, dtype=np.int64)

    def _level(self, source: Source) -> int:
        """T + ρ."""
        return self.threshold + int(self.gate.threshold_sampler.sample(1, source)[0])

    def _reaching_columns(self, away: Draws, source: Source) -> Iterator[tuple[int, int]]:
        """The columns with |Z| + ν ≥ T in order, with that number."""
        for start in range(0, len(away), _CHUNK):
            part = away[start : start + _CHUNK]
            noisy = exact_sum(part, self.gate.query_sampler.sample(len(part), source))
            for place in np.flatnonzero(noisy >= self.threshold).tolist():
                yield start + place, int(noisy[place])

    # Price

    def privacy(self, distance: int) -> PrivacyLoss:
        """Everything that may happen, added up."""
        return (
            self.law.privacy(distance)
            .self_compose(self.columns)
            .compose(
                self.gate.privacy(distance).self_compose(self.repairs),
                self.fresh.privacy(distance).self_compose(self.repairs),
            )
        )

    @property
    def rho(self) -> Fraction:
        """A ρ for which moving every coordinate by at most 1 is ρ-zCDP."""
        search = pure_to_zcdp(PureDP(epsilon=self.gate.epsilon)).rho
        fresh = 1 / (2 * self.fresh.sigma_squared)
        return self.columns / (2 * self.law.sigma_squared) + self.repairs * (search + fresh)

    # Errors

    def worst_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t for all columns j): at least that of |Yⱼ| ≤ t − |X| for all of them.

        At most `repairs` columns can be repaired, so it is at most the chance of |Zⱼ + X| > t
        in no more than that many, which X only makes smaller.
        """
        with balls.precision(_PRECISION):
            most = chance(self._at_most_repairs(self.law.shape.outside(t).ball())).upper
        low = self._surely(t)
        if offset is not None:
            least = offset_average(offset).of(lambda x: Interval(self._surely(t - x), Fraction(1)))
            low = Fraction(least.lower)
        return Interval(low, max(low, most))

    def _surely(self, t: int) -> Fraction:
        """A lower bound on P(|Yⱼ| ≤ t for all columns j)."""
        if t < 0:
            return Fraction(0)
        with balls.precision(_PRECISION):
            outside, again = (law.shape.outside(t).ball() for law in (self.law, self.fresh))
            kept = (1 - again) ** self.repairs
            untouched = chance((1 - outside) ** self.columns * kept)
            found = chance(kept - self._too_many - self._missed(t))
        return Fraction(max(untouched.lower, found.lower))

    def _missed(self, t: int) -> arb:
        """The chance that one of the noisy thresholds let a larger value than t pass."""
        if t < self.threshold:
            return arb(1)
        each = (-balls.ball(self.gate.threshold_rate * (t - self.threshold + 2))).exp()
        return 1 - (1 - each) ** self.repairs

    @cached_property
    def _too_many(self) -> arb:
        with balls.precision(_PRECISION):
            return 1 - self._at_most_repairs(self._reaching)

    @cached_property
    def _reaching(self) -> arb:
        """P(|Z| + ν ≥ T), rounded up: |Z| is moved to the upper end of its step."""
        rate, last = self.gate.query_rate, self.threshold - 1
        step = max(1, int(1 / (_STEPS_PER_FOLD * rate)))
        with balls.precision(_PRECISION):
            beyond = self.law.shape.outside(last).ball()
            total, top = beyond, last
            while top >= 0:
                low = max(top - step, -1)
                above = self.law.shape.outside(low).ball() if low >= 0 else arb(1)
                total += (above - beyond) * (-balls.ball(rate * (self.threshold - top))).exp()
                beyond, top = above, low
            return total

    def _at_most_repairs(self, each: arb) -> arb:
        """P(at most `repairs` of the columns are hit), each being hit with this probability."""
        most = min(self.repairs, self.columns)
        odds = each / (1 - each)
        term = (1 - each) ** self.columns
        total = term
        for hits in range(1, most + 1):
            term *= odds * (self.columns - hits + 1) / hits
            total += term
        return total

    def one_within(self, t: int, offset: Offset) -> Interval:
        """P(|Yⱼ + X| ≤ t) for one column j: that of Zⱼ, but for the chance of a repair."""
        alone = IndependentNoise(self.law, 1).one_within(t, offset)
        low, high = alone.lower - self._repair, alone.upper + self._repair
        return Interval(max(Fraction(0), low), min(Fraction(1), high))

    @cached_property
    def _repair(self) -> Fraction:
        """More than the chance that a given column is repaired."""
        with balls.precision(_PRECISION):
            return Fraction(chance(self._reaching).upper)

    def worst_mean(self, offset: Offset) -> None:
        """There is no closed form."""
        del offset

    @cached_property
    def absolute_mean(self) -> Interval:
        """E|Yⱼ|: a repair takes away at most |Zⱼ| and adds at most the fresh noise."""
        return self._mean(1)

    @cached_property
    def variance(self) -> Interval:
        """E Yⱼ²."""
        return self._mean(2)

    def _mean(self, order: int) -> Interval:
        r"""E|Yⱼ|**order; E[|Z|**order; repaired] ≤ √(E|Z|**(2·order)·P(repaired))."""
        here, twice = self.law.moment(order), self.law.moment(2 * order)
        lost = balls.enclosure(lambda: balls.ball(Fraction(twice.upper) * self._repair).sqrt())
        added = self._repair * Fraction(self.fresh.moment(order).upper)
        return Interval(max(Fraction(0), here.lower - lost.upper), here.upper + added)
