"""`LaplaceVariable`: the loss of continuous Laplace noise."""

import math
from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable
from leastnoise.privacy.variables.exponential_cells import exponential_cells
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order


@dataclass(frozen=True)
class LaplaceVariable(LossVariable):
    r"""The loss between Laplace laws of one scale whose centres are `ratio` scales apart.

    Theorem: L = ratio with probability 1/2, L = −ratio with probability e^−ratio/2, and between
    them L has the density e^((l − ratio)/2)/4. Hence δ(ε) = 1 − e^((ε−ratio)/2) for |ε| ≤ ratio.
    Proof: L = (|x − Δ| − |x|)/s for x from the law at 0; count where x < 0, x > Δ, and between.
    """

    ratio: Fraction

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        if epsilon >= self.ratio:
            return Interval.exactly(0)
        if epsilon <= -self.ratio:
            return Computable(lambda: 1 - balls.ball(epsilon).exp()).interval()
        return Computable(lambda: 1 - balls.ball((epsilon - self.ratio) / 2).exp()).interval()

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        if epsilon >= self.ratio:
            return Interval.exactly(0)
        if epsilon < -self.ratio:
            return Interval.exactly(1)
        return Computable(lambda: 1 - balls.ball((epsilon - self.ratio) / 2).exp() / 2).interval()

    def renyi(self, order: Order) -> Interval:
        """log[a/(2a−1)·e^((a−1)r) + (a−1)/(2a−1)·e^(−a·r)]/(a−1); limits at a = 1, 1/2 and ∞."""
        if order == math.inf:
            return Interval.exactly(self.ratio)
        exact = Fraction(order)
        if exact == 1:
            return Computable(self._kl).interval()
        if exact == Fraction(1, 2):
            return Computable(self._half_order).interval()
        return Computable(lambda: self._renyi(exact)).interval()

    def _kl(self) -> arb:
        return balls.ball(self.ratio) - 1 + balls.ball(-self.ratio).exp()

    def _half_order(self) -> arb:
        ratio = balls.ball(self.ratio)
        return -2 * ((-ratio / 2).exp() * (1 + ratio / 2)).log()

    def _renyi(self, order: Fraction) -> arb:
        up = balls.ball(order / (2 * order - 1)) * balls.ball((order - 1) * self.ratio).exp()
        down = balls.ball((order - 1) / (2 * order - 1)) * balls.ball(-order * self.ratio).exp()
        return (up + down).log() / balls.ball(order - 1)

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """The ratio itself is the scale of the loss."""
        return float(self.ratio)

    @property
    def span(self) -> float:
        """The ratio bounds the loss."""
        return float(self.ratio)

    @property
    def lattice_step(self) -> Fraction:
        """The two atoms are multiples of the ratio."""
        return self.ratio

    def cells(self, step: float) -> Cells:
        """Closed forms between the two atoms."""
        return exponential_cells(self, self.ratio, step)

    def height(self, bound: arb) -> arb:
        """The density at the upper bound, from below."""
        del bound
        return arb(1) / 4

    def inner_tails(self, loss: arb, bound: arb) -> tuple[arb, arb]:
        """P(L > loss) and, the pair being its own reverse, P(−L > loss), for |loss| < bound."""
        return 1 - ((loss - bound) / 2).exp() / 2, ((-loss - bound) / 2).exp() / 2

    def bound_atoms(self, bound: arb) -> tuple[arb, arb]:
        """The chances of −bound and of bound itself."""
        return (-bound).exp() / 2, arb(1) / 2
