"""`BoundedRangeVariable`: the worst loss of which only the range is bounded."""

import math
from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.exponential_cells import exponential_cells
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order


@dataclass(frozen=True)
class BoundedRangeVariable(LossVariable):
    r"""What a pair can lose at worst if its losses lie in some interval of length `width`.

    Theorem: with w the width, every pair of laws for which ln(P/Q) takes values in some interval
    [t − w, t] has δ(ε) ≤ (1 − e^((ε−w)/2))²/(1 − e^−w) for |ε| ≤ w, and for each ε some pair meets
    that. One pair has this δ at every ε: its loss has the density e^((l − w)/2)/(2·(1 − e^−w)) on
    −w ≤ l ≤ w, in both directions. So sums of such losses dominate compositions of such pairs; the
    lower ends of composed answers are about these sums.

    `renyi` is the greatest of all such pairs, and it is at most the order times `renyi(1)`.
    Proof: docs/proofs/selection.md, sections 2 and 3.

    References: DongDurfeeRogers2020, for δ; HarrisonManurangsi2025, for Rényi divergences.
    """

    width: Fraction

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        if epsilon >= self.width:
            return Interval.exactly(0)
        if epsilon <= -self.width:
            return balls.enclosure(lambda: -balls.ball(epsilon).expm1())
        return balls.enclosure(lambda: self._rise(epsilon) ** 2 / -balls.ball(-self.width).expm1())

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        if epsilon >= self.width:
            return Interval.exactly(0)
        if epsilon <= -self.width:
            return Interval.exactly(1)
        return balls.enclosure(lambda: self._rise(epsilon) / -balls.ball(-self.width).expm1())

    def _rise(self, epsilon: Fraction) -> arb:
        return -balls.ball((epsilon - self.width) / 2).expm1()

    def renyi(self, order: Order) -> Interval:
        """The greatest Rényi divergence of all pairs: of one with two losses, w apart."""
        if order == math.inf:
            return Interval.exactly(self.width)
        exact = Fraction(order)
        return balls.enclosure(self._kl if exact == 1 else lambda: self._renyi(exact))

    def _kl(self) -> arb:
        """log(sinh(w/2)/(w/2)) + (w/2)/tanh(w/2) − 1."""
        half = balls.ball(self.width / 2)
        return (half.sinh() / half).log() + half / half.tanh() - 1

    def _renyi(self, order: Fraction) -> arb:
        """[ψ(a) − a·ψ(1)]/(a−1) with ψ(s) = log(q + (1−q)·e^(−sw)), at the worst q."""
        power, one = balls.ball(-order * self.width).exp(), balls.ball(-self.width).exp()
        factor = balls.ball(order)
        chance = ((1 - power) * one - factor * (1 - one) * power) / (
            (factor - 1) * (1 - power) * (1 - one)
        )
        moment = (chance + (1 - chance) * power).log()
        return (moment - factor * (chance + (1 - chance) * one).log()) / (factor - 1)

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """That of a nearly uniform loss."""
        return float(self.width) / math.sqrt(3)

    @property
    def span(self) -> float:
        """The width bounds the loss."""
        return float(self.width)

    def cells(self, step: float) -> Cells:
        """Closed forms."""
        return exponential_cells(self, self.width, step)

    def height(self, bound: arb) -> arb:
        """The density at the upper bound, from below."""
        return 1 / (-2 * (-bound).expm1())

    def inner_tails(self, loss: arb, bound: arb) -> tuple[arb, arb]:
        """P(L > loss) and, the pair being its own reverse, P(−L > loss), for |loss| < bound."""
        whole = -(-bound).expm1()
        up = -((loss - bound) / 2).expm1() / whole
        return up, 1 + ((-loss - bound) / 2).expm1() / whole

    def bound_atoms(self, bound: arb) -> tuple[arb, arb]:
        """No loss has a chance of its own."""
        del bound
        return arb(0), arb(0)
