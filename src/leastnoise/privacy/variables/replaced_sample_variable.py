"""`ReplacedSampleVariable`: Gaussian noise on a Poisson sample, one record replaced by another."""

import math
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import exp
from leastnoise.privacy.variables.grid_cells import GridMasses, Twins
from leastnoise.privacy.variables.loss_variable import USUAL, LossVariable, Order
from leastnoise.privacy.variables.sampled_laws import ReplacedGaussian, negligible_mass
from leastnoise.privacy.variables.uneven_cells import CutPair, cut_pair

_RENYI_CELLS = 256  # cells to a deviation
_SLACK = 1e-10  # of sums of floats and of the masses in them
_MOST_RATES = 64.0  # most losses lie within a few rates of 0
_LARGEST = 700.0  # exponentials of less are floats


@dataclass(frozen=True)
class ReplacedSampleVariable(LossVariable):
    r"""The loss of (1−q)·N(0,1) + q·N(μ,1) against (1−q)·N(0,1) + q·N(−μ,1), its own reverse.

    Theorem (docs/proofs/sampling.md, section 2): this pair dominates every Poisson-sampled release
    with Gaussian noise in which one record is replaced, in any dimension, and opposite records
    reach it. μ is 1/σ for records of norm at most 1.
    """

    rate: Fraction
    mu_squared: Fraction

    @cached_property
    def _law(self) -> ReplacedGaussian:
        return ReplacedGaussian(self.rate, self.mu_squared)

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""

        def leak() -> arb:
            one, other = self._law.tails(balls.ball(epsilon))
            return one - balls.ball(epsilon).exp() * other

        found = balls.enclosure(leak)
        return Interval(max(Fraction(0), Fraction(found.lower)), found.upper)

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return balls.enclosure(lambda: self._law.tails(balls.ball(epsilon))[0])

    def renyi(self, order: Order) -> Interval:
        """Between sums over a grid; never above what joint convexity gives."""
        if order == math.inf:
            return Interval(math.inf, math.inf)
        exact = Fraction(order)
        if exact < 1:  # the pair is its own reverse: a·D_{1−a} = (1−a)·D_a
            most = self.renyi(1).upper
            return Interval(Fraction(0), most)
        exponent = float(exact - 1)
        cells = self.tilted_cells(self.spread / _RENYI_CELLS, exponent)
        low, high = cells.optimistic(), cells.pessimistic()
        if exact == 1:
            least, most_float = _mean(low), _mean(high) + self._beyond(2.0, high) + _SLACK
        else:
            moments = _log_moment(low, exponent), _log_moment(high, exponent)
            least = (moments[0] + math.log1p(-_SLACK)) / exponent
            beyond = self._beyond(float(exact), high)
            most_float = (
                np.logaddexp(moments[1] + math.log1p(_SLACK), math.log(max(beyond, 1e-300)))
                / exponent
            )
        lower = Fraction(max(0.0, least - _SLACK))
        ceiling = 2 * exact * self.mu_squared
        upper = (
            ceiling if not math.isfinite(most_float) else min(Fraction(float(most_float)), ceiling)
        )
        return Interval(min(lower, upper), upper)

    def _beyond(self, order: float, twin: GridMasses) -> float:
        r"""A bound on E e^((order−1)L) beyond the grid.

        There dP/dQ ≤ M/(1−q), with M = 1 − q + q·Y ≤ c·Y the ratio to N(0,1) and c its share at
        the edge: what is left is a normal tail.
        """
        q, mu = float(self.rate), math.sqrt(self.mu_squared)
        top = (twin.first + len(twin.mass) - 1) * twin.step
        weight = q * math.exp(-mu * mu / 2)
        if top > _LARGEST or weight == 0.0:
            return math.inf
        z = (top / 2 + math.asinh((1 - q) * math.sinh(top / 2) / weight)) / mu
        share = q + (1 - q) * math.exp(-mu * z + mu * mu / 2)
        far = math.erfc((z - order * mu) / math.sqrt(2)) / 2
        exponent = order * (order - 1) * mu * mu / 2 + (1 - order) * math.log1p(-q)
        if exponent > _LARGEST:
            return math.inf
        moment = share**order * math.exp(exponent) * far
        return float(1.01 * moment) + twin.infinite * math.exp(min(_LARGEST, (order - 1) * top))

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """The standard deviation, roughly."""
        return self._law.spread

    @property
    def span(self) -> float:
        """Wide cells hold what is far out: only the spread limits the grid."""
        return self.spread

    def cells(self, step: float) -> Twins:
        """Masses between multiples of the step."""
        return self.tilted_cells(step, 0.0)

    def cells_for_sum(self, step: float, count: int, rarity: float = USUAL) -> Twins:
        """Wide cells where the tilt that a sum of so many copies is likely to get leaves little."""
        tilt = self._law.likely_tilt(count, rarity)
        return _cut(self._law, step, tilt, negligible_mass(count, rarity)).forward()

    def spread_in_sum(self, count: int, rarity: float) -> float:
        """The deviation at that tilt: rare large losses may make all of a sum."""
        deviation = self._law.deviation(self._law.likely_tilt(count, rarity))
        return min(deviation, _MOST_RATES * float(self.rate))

    def tilted_cells(self, step: float, tilt: float) -> Twins:
        """Masses between multiples of the step, wider cells where e^(tilt·L) has little mass."""
        return _cut(self._law, step, tilt).forward()


@lru_cache(maxsize=8)
def _cut(law: ReplacedGaussian, step: float, tilt: float, negligible: float = 0.0) -> CutPair:
    return cut_pair(law.tails, law.edges(step, tilt, negligible), step)


def _mean(twin: GridMasses) -> float:
    losses = (twin.first + np.arange(len(twin.mass))) * twin.step
    return float((losses * twin.mass).sum())


def _log_moment(twin: GridMasses, exponent: float) -> float:
    kept = np.flatnonzero(twin.mass)
    exponents = (twin.first + kept).astype(np.float64) * (exponent * twin.step)
    shift = float(exponents.max())
    return shift + math.log(float((twin.mass[kept] * exp(exponents - shift)).sum()))
