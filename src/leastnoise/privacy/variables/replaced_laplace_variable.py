"""`ReplacedLaplaceVariable`: Laplace noise on a Poisson sample, one record replaced by another."""

import math
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.grid_cells import Twins
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.pooling import Places
from leastnoise.privacy.variables.sampled_renyi import large_order
from leastnoise.privacy.variables.uneven_cells import CutPair, cut_pair

_RENYI_CELLS = 1024  # cells up to the greatest loss
_ABOVE_ONE = Fraction(3, 2)  # its divergence bounds those of orders up to 1
_LARGEST = 700.0  # exponentials of less are floats


@dataclass(frozen=True)
class ReplacedLaplaceVariable(LossVariable):
    r"""The loss of (1−q)·Λ(0) + q·Λ(r) against (1−q)·Λ(0) + q·Λ(−r), its own reverse.

    Λ(c) is the Laplace law of scale 1 around c.

    Theorem (docs/proofs/sampling.md, section 2): this pair dominates every Poisson-sampled release
    in which one record is replaced and which, unsampled, is dominated by Laplace noise with and
    without a record. In one dimension opposite records reach it.

    Args:
        rate: q, between 0 and 1.
        ratio: r, the sensitivity over the scale.
    """

    rate: Fraction
    ratio: Fraction

    def _greatest(self) -> arb:
        """The logarithm of (1 − q + q·e^r)/(1 − q + q·e^−r), the loss beyond r."""
        rate, ratio = balls.ball(self.rate), balls.ball(self.ratio)
        return (1 + rate * ratio.expm1()).log() - (1 + rate * (-ratio).expm1()).log()

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """P(L > loss) and Q(L > loss)."""
        if loss < 0:  # the pair is its own mirror image
            one, other = self._upper_tails(-loss)
            return 1 - other, 1 - one
        return self._upper_tails(loss)

    def _upper_tails(self, loss: arb) -> tuple[arb, arb]:
        """The same where 0 ≤ loss: 1 − q + q·e^(2z−r) = (1 − q + q·e^−r)·e^loss at its place z."""
        greatest = self._greatest()
        if loss > greatest:
            return arb(0), arb(0)
        rate, ratio = balls.ball(self.rate), balls.ball(self.ratio)
        rise = (1 + rate * (-ratio).expm1()) * loss.exp() - 1 + rate
        place = ((rise / rate).log() + ratio) / 2  # from 0 to r
        far = (-place).exp() / 2
        one = (1 - rate) * far + rate * (1 - (place - ratio).exp() / 2)
        return one, far * (1 + rate * (-ratio).expm1())

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""

        def leak() -> arb:
            one, other = self.tails(balls.ball(epsilon))
            return one - balls.ball(epsilon).exp() * other

        found = balls.enclosure(leak)
        return Interval(max(Fraction(0), Fraction(found.lower)), max(Fraction(0), found.upper))

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return balls.enclosure(lambda: self.tails(balls.ball(epsilon))[0])

    def renyi(self, order: Order) -> Interval:
        """Between sums over a grid; of order ∞ the greatest loss."""
        top = balls.enclosure(self._greatest)
        if order == math.inf:
            return top
        exact = Fraction(order)
        if exact <= 1:
            return Interval(Fraction(0), self.renyi(_ABOVE_ONE).upper)
        exponent = float(exact - 1)
        if exponent * float(top.upper) > _LARGEST:
            return Interval(Fraction(0), top.upper)
        cells = self.cells(self.span / _RENYI_CELLS)
        high = cells.pessimistic()
        beyond = high.infinite * math.exp(exponent * float(top.upper))
        least, most = large_order(cells.optimistic(), high, exponent, beyond)
        upper = min(Fraction(most), top.upper)
        return Interval(min(Fraction(max(0.0, least)), upper), upper)

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """About half of the greatest loss."""
        return self.span / 2

    @cached_property
    def span(self) -> float:
        """The greatest loss."""
        return float(balls.enclosure(self._greatest).upper)

    def cells(self, step: float) -> Twins:
        """Masses between multiples of the step."""
        return _cut(self, step).forward()

    def edges(self, step: float) -> Places:
        """All multiples of the step between the least loss and the greatest."""
        last = math.ceil(self.span / step) + 1
        return np.arange(-last, last + 1, dtype=np.int64)


@lru_cache(maxsize=8)
def _cut(law: ReplacedLaplaceVariable, step: float) -> CutPair:
    return cut_pair(law.tails, law.edges(step), step)
