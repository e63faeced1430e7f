"""`GaussianVariable`: the loss of Gaussian noise, which composes in closed form."""

import math
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import gaussian_delta, gaussian_tail, gaussian_tradeoff
from leastnoise.privacy.variables.gaussian_cells import gaussian_cells
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order


@dataclass(frozen=True)
class GaussianVariable(LossVariable):
    r"""The loss between N(0, 1) and N(μ, 1): normal with mean μ²/2 and variance μ².

    Theorem: δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) for every real ε; k releases with μ₁ … μₖ are
    together one with √(Σ μᵢ²).

    References: BalleWang2018, Theorem 8 (with the sign that makes it exact).
    """

    mu_squared: Fraction

    def _mu(self) -> Computable:
        return Computable(lambda: balls.ball(self.mu_squared).sqrt())

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        return gaussian_delta(epsilon, self._mu()).interval()

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return gaussian_tail(epsilon, self._mu()).interval()

    def tradeoff(self, false_alarm: Fraction) -> Interval:
        """The least missed-detection rate, in closed form."""
        return gaussian_tradeoff(false_alarm, self._mu())

    def renyi(self, order: Order) -> Interval:
        """order·μ²/2, exactly."""
        if order == math.inf:
            return Interval(math.inf, math.inf)
        return Interval.exactly(Fraction(order) * self.mu_squared / 2)

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """μ."""
        return math.sqrt(max(float(self.mu_squared), 1e-300))

    @property
    def span(self) -> float:
        """The mean and ten standard deviations."""
        return self.spread * (self.spread / 2 + 10)

    def cells(self, step: float) -> Cells:
        """Masses and means cell by cell."""
        return gaussian_cells(self.mu_squared, step)

    def joined(self, other: LossVariable, count: int) -> "GaussianVariable | None":
        """Squares of μ add up."""
        if not isinstance(other, GaussianVariable):
            return None
        return GaussianVariable(self.mu_squared + count * other.mu_squared)

    def repeated(self, count: int) -> "GaussianVariable":
        """μ grows with the square root of the count."""
        return GaussianVariable(count * self.mu_squared)
