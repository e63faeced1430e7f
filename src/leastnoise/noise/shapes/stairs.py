r"""`Stairs`: weights that fall by one factor per period, perhaps cut off: one shape, six laws.

Weight of magnitude i: w(i) = exp(−rate·level(i)), level(i) = #{drops at or below i}, with one drop
at width, width + period, width + 2·period, …  A `radius` cuts the law off: magnitudes beyond it
have weight 0, and the outermost one keeps the fraction `edge` of its weight.

All sums over magnitudes close up as geometric series. Multiplied by (1 − e^−rate) and by the
denominator of `edge` they are exponential sums, so that tails, quantiles and divergences are
decided exactly.
"""

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.shapes.stairs_moments import stairs_power_sum
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.randomness.source import Source

if TYPE_CHECKING:
    from leastnoise.noise.shapes.stairs_sampler import StairsSampler

ONE = ExponentialSum.of(1)
ZERO = ExponentialSum.of(0)
WHOLE = ExponentialRatio(ONE, ONE)

Pair = tuple[ExponentialSum, ExponentialSum]


@dataclass(frozen=True)
class Stairs:
    """A symmetric, unimodal shape with equal steps. See the module's docstring for the weights.

    Args:
        period: distance from drop to drop, ≥ 1.
        width: magnitude of the first drop, ≥ 1.
        rate: each drop divides the weight by e**rate, rate ≥ 0.
        radius: the outermost magnitude with positive weight, or None for no end (rate > 0 then).
        edge: the share of its weight that the outermost magnitude keeps, in (0, 1].
    """

    period: int
    width: int
    rate: Fraction
    radius: int | None = None
    edge: ExponentialRatio = WHOLE

    symmetric_unimodal = True

    @property
    def support(self) -> tuple[int, int] | None:
        """−radius and radius."""
        return None if self.radius is None else (-self.radius, self.radius)

    def fall(self) -> arb:
        """e^−rate as a ball: what a drop multiplies the weight by."""
        return self._power(1).ball()

    def level(self, magnitude: int) -> int:
        """How many drops lie at or below a magnitude."""
        return max(0, (magnitude - self.width) // self.period + 1)

    # Scaled sums: every one is multiplied by the same positive number `_unit`.

    @cached_property
    def _gap(self) -> ExponentialSum:
        """1 − e^−rate, which closes geometric series; 1 where there is nothing to close."""
        return ONE - self._power(1) if self.rate else ONE

    @cached_property
    def _unit(self) -> ExponentialSum:
        return self._gap * self.edge.under

    def _power(self, level: int) -> ExponentialSum:
        return ExponentialSum.exp(-self.rate * level)

    def scaled_weight(self, magnitude: int) -> ExponentialSum:
        """_gap · w(magnitude), no cut-off applied."""
        return self._gap * self._power(self.level(magnitude))

    def sum_below(self, stop: int) -> ExponentialSum:
        """_gap · Σ w(i) over magnitudes i < stop, no cut-off applied."""
        if not self.rate:
            return ExponentialSum.of(stop)
        if stop <= self.width:
            return self._gap * stop
        level, rest = divmod(stop - self.width, self.period)
        whole = (self._power(1) - self._power(level + 1)) * self.period
        return self._gap * self.width + whole + self._gap * self._power(level + 1) * rest

    def _weight(self, magnitude: int) -> ExponentialSum:
        """_unit · w(magnitude)."""
        if self.radius is None or magnitude < self.radius:
            return self.edge.under * self.scaled_weight(magnitude)
        if magnitude == self.radius:
            return self.edge.over * self.scaled_weight(magnitude)
        return ZERO

    def _from(self, magnitude: int) -> ExponentialSum:
        """_unit · Σ w(i) over magnitudes i ≥ magnitude."""
        if self.radius is None:
            everything = self._gap * self.width + self._power(1) * self.period
            return everything - self.sum_below(magnitude)
        if magnitude > self.radius:
            return ZERO
        inside = self.sum_below(self.radius) - self.sum_below(magnitude)
        return self.edge.under * inside + self._weight(self.radius)

    @cached_property
    def _total(self) -> ExponentialSum:
        """_unit · Σ w(|k|) over all integers k."""
        return self._from(0) * 2 - self._weight(0)

    def pmf(self, k: int) -> ExponentialRatio:
        """P(X = k)."""
        return ExponentialRatio(self._weight(abs(k)), self._total)

    def tail(self, k: int) -> ExponentialRatio:
        """P(X ≥ k)."""
        above = self._from(k) if k > 0 else self._total - self._from(1 - k)
        return ExponentialRatio(above, self._total)

    def outside(self, magnitude: int) -> ExponentialRatio:
        """P(|X| > magnitude)."""
        return ExponentialRatio(self._from(magnitude + 1) * 2, self._total)

    def moment(self, order: int) -> ExponentialRatio:
        """E|X|**order for order ≥ 1."""
        over, under = stairs_power_sum(order, self.period, self.width, self.rate, self.radius)
        scaled = self._unit * over
        if self.radius is not None:
            scaled += self._weight(self.radius) * under * self.radius**order
        return ExponentialRatio(scaled * 2, self._total * under)

    def hockey_stick(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """Σₖ max(0, P(X = k) − e^epsilon·P(X + shift = k)), exactly."""
        here, there = self._where_loss_exceeds(epsilon, abs(shift))
        return ExponentialRatio(here - ExponentialSum.exp(epsilon) * there, self._total)

    def exceedance(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """P(loss > epsilon), exactly."""
        return ExponentialRatio(self._where_loss_exceeds(epsilon, abs(shift))[0], self._total)

    def _where_loss_exceeds(self, epsilon: Fraction, distance: int) -> Pair:
        r"""_unit · the weights, of X and of X + distance, of the k where the loss exceeds epsilon.

        The loss at k is log(P(X = k)/P(X + distance = k)).
        By symmetry k ≥ distance is never in the set; k ≤ 0 compares magnitude j = −k with
        j + distance; 0 < k < distance compares magnitude k with distance − k.
        """
        factor = ExponentialSum.exp(epsilon)
        outer = self._outer(epsilon, distance, factor)
        inner = self._inner(distance, factor)
        return outer[0] + inner[0], outer[1] + inner[1]

    def _outer(self, epsilon: Fraction, distance: int, factor: ExponentialSum) -> Pair:
        """The part of the set with k ≤ 0."""
        periods, rest = divmod(distance, self.period)
        if self.rate * periods > epsilon:
            return self._from(0), self._from(distance)
        here, there = self._outer_by_cut(distance, factor)
        if self.rate * (periods + 1) > epsilon:
            # Only the last `rest` magnitudes before each drop are periods + 1 drops away.
            before = self.edge.under * self._before_drops(rest, self._reach(distance))
            here, there = here + before, there + before * self._power(periods + 1)
        return here, there

    def _reach(self, distance: int) -> int | None:
        """Magnitudes below this one are compared with a magnitude below the radius."""
        return None if self.radius is None else max(0, self.radius - distance)

    def _before_drops(self, rest: int, stop: int | None) -> ExponentialSum:
        """_gap · Σ w(j) over j < stop that lie within `rest` below a drop. Needs rate > 0."""
        first = min(rest, self.width)
        if stop is None:
            return self._gap * first + self._power(1) * rest
        # Drop number m lies at width + m·period; count the ones wholly below `stop`.
        whole = max(0, (stop - self.width) // self.period + 1)
        drop = self.width + whole * self.period
        partial = max(0, min(stop, drop) - max(0, drop - rest))
        total = self._gap * self._power(whole) * partial
        if whole:
            total += self._gap * first + (self._power(1) - self._power(whole)) * rest
        return total

    def _outer_by_cut(self, distance: int, factor: ExponentialSum) -> Pair:
        """What the cut-off at the radius adds: partners beyond it, or the lighter one on it."""
        if self.radius is None:
            return ZERO, ZERO
        if self.radius < distance:
            return self._from(0), ZERO
        here, there = self._weight(self.radius - distance), self._weight(self.radius)
        beyond = self._from(self.radius - distance + 1)
        return (beyond + here, there) if (here - factor * there).sign() > 0 else (beyond, ZERO)

    def _inner(self, distance: int, factor: ExponentialSum) -> Pair:
        """The part of the set with 0 < k < distance.

        As k grows the weight of X falls and that of X + distance rises: the set is 0 < k < stop.
        """

        def outside(k: int) -> bool:
            if k >= distance:
                return True
            return (self._weight(k) - factor * self._weight(distance - k)).sign() <= 0

        stop = min(least_integer(outside, 1), distance)
        there = self._from(distance - stop + 1) - self._from(distance)
        return self._from(1) - self._from(stop), there

    def levels(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many steps down each value is."""
        found: NDArray[np.int64] = (np.abs(values) - self.width) // self.period + 1
        return np.maximum(0, found)

    def log_pmf_error(self, low: int, high: int) -> float:
        """Of at most five roundings of numbers that are at most so large."""
        deepest = int(self.levels(np.array([max(abs(low), abs(high))]))[0])
        largest = float(self.rate) * deepest + abs(_log(self.pmf(0)))
        if self.radius is not None:
            largest += abs(_log(self.edge))
        return 8 * UNIT * largest

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high."""
        magnitude = np.abs(np.arange(low, high + 1))
        levels = self.levels(magnitude).astype(np.float64)
        logs: NDArray[np.float64] = -float(self.rate) * levels + _log(self.pmf(0))
        if self.radius is not None:
            logs[magnitude == self.radius] += _log(self.edge)
            logs[magnitude > self.radius] = -np.inf
        return logs

    @cached_property
    def _sampler(self) -> "StairsSampler":
        from leastnoise.noise.shapes.stairs_sampler import StairsSampler  # noqa: PLC0415 - only drawing needs it

        return StairsSampler(
            period=self.period,
            width=self.width,
            rate=self.rate,
            radius=self.radius,
            edge=self.edge,
            survival=self._survival,
        )

    def _survival(self, n: int) -> ExponentialRatio:
        """The probability of all but the first n of the points 0, 1, −1, 2, −2 and so on."""
        left = self._from((n + 1) // 2) + self._from(n // 2 + 1)
        return ExponentialRatio(left, self._total)

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
        return self._sampler.sample(count, source)


def _log(number: ExponentialRatio) -> float:
    with balls.precision(balls.FIRST_PRECISION):
        return float(number.ball().log())
