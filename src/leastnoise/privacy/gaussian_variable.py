"""`GaussianVariable`: the loss of Gaussian noise, which composes in closed form."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable
from leastnoise.privacy.cells import Cells, Floats
from leastnoise.privacy.gaussian import gaussian_delta, gaussian_tail
from leastnoise.privacy.loss_variable import LossVariable, Order

_REACH = 20.0  # standard deviations
_BEYOND = 1e-88  # above 2·Φ(−20)


@dataclass(frozen=True)
class GaussianVariable:
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
        return math.sqrt(self.mu_squared)

    @property
    def lattice_step(self) -> None:
        """The loss is continuous."""
        return

    def cells(self, step: float) -> Cells:
        """Masses by differences of normal tails, on the side that keeps digits."""
        mu = self.spread
        first = math.floor((mu * mu / 2 - _REACH * mu) / step)
        last = math.ceil((mu * mu / 2 + _REACH * mu) / step)
        edges = np.arange(first, last + 1, dtype=np.float64) * step
        mass, other = _differences(edges / mu - mu / 2), _differences(edges / mu + mu / 2)
        kept = (mass > 0) & (other > 0)
        start, stop = int(np.argmax(kept)), len(kept) - int(np.argmax(kept[::-1]))
        depth = _depth(mass[start:stop], other[start:stop], edges[start:stop], step)
        nothing = np.zeros(stop - start + 1)
        return Cells(step, first + start, mass[start:stop], depth, nothing, 0.0, _BEYOND)

    def joined(self, other: LossVariable, count: int) -> "GaussianVariable | None":
        """Squares of μ add up."""
        if not isinstance(other, GaussianVariable):
            return None
        return GaussianVariable(self.mu_squared + count * other.mu_squared)

    def repeated(self, count: int) -> "GaussianVariable":
        """μ grows with the square root of the count."""
        return GaussianVariable(count * self.mu_squared)


def _differences(points: Floats) -> Floats:
    """Normal probabilities between neighbouring points."""
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import and rarely needed

    below, above = ndtr(points), ndtr(-points)
    masses: Floats = np.where(points[1:] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
    return masses


def _depth(mass: Floats, other: Floats, lower: Floats, step: float) -> Floats:
    """−log(mean of e^−L) above each cell's lower end, from the masses under both laws."""
    return np.clip(np.log(mass / other) - lower, 0.0, step)
