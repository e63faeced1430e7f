"""`GaussianVariable`: the loss of Gaussian noise, which composes in closed form."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import gaussian_delta, gaussian_tail, gaussian_tradeoff
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.pooling import Floats

_REACH = 20.0  # standard deviations
_BEYOND = 1e-88  # above 2·Φ(−20)
_NODES = 20  # off by 1e-14 on two deviations


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
        mu = self.spread
        first = math.floor((mu * mu / 2 - _REACH * mu) / step) - 1
        last = math.ceil((mu * mu / 2 + _REACH * mu) / step) + 1
        edges = np.arange(first, last + 1, dtype=np.float64) * step
        measure = _narrow_cells if step < 2 * mu else _wide_cells
        mass, depth = measure(edges / mu - mu / 2, step / mu, mu)
        kept = mass > 0
        start, stop = int(np.argmax(kept)), len(kept) - int(np.argmax(kept[::-1]))
        nothing = np.zeros(stop - start + 1)
        return Cells(
            step, first + start, mass[start:stop], depth[start:stop], nothing, 0.0, _BEYOND
        )

    def joined(self, other: LossVariable, count: int) -> "GaussianVariable | None":
        """Squares of μ add up."""
        if not isinstance(other, GaussianVariable):
            return None
        return GaussianVariable(self.mu_squared + count * other.mu_squared)

    def repeated(self, count: int) -> "GaussianVariable":
        """μ grows with the square root of the count."""
        return GaussianVariable(count * self.mu_squared)


def _narrow_cells(points: Floats, width: float, mu: float) -> tuple[Floats, Floats]:
    """Mass and depth of cells between standardised points, by quadrature: nothing cancels."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    shares = (nodes + 1) / 2
    x = points[:-1, None] + width * shares
    density = np.exp(-x * x / 2) * weights
    total = density.sum(axis=1)
    mass = total * width / (2 * math.sqrt(2 * math.pi))
    # 1 − mean of e^−(loss above the lower end)
    shortfall = (density * -np.expm1(-mu * width * shares)).sum(axis=1)
    depth = -np.log1p(-shortfall / np.where(total > 0, total, 1.0))
    return mass, np.clip(depth, 0.0, mu * width)


def _wide_cells(points: Floats, width: float, mu: float) -> tuple[Floats, Floats]:
    """The same for cells much wider than the law, from its distribution function."""
    mass, other = _differences(points), _differences(points + mu)
    some = (mass > 0) & (other > 0)
    ratio = np.where(some, mass, 1.0) / np.where(some, other, 1.0)
    lower = (points[:-1] + mu / 2) * mu
    depth = np.where(some, np.log(ratio) - lower, np.where(mass > 0, mu * width, 0.0))
    return mass, np.clip(depth, 0.0, mu * width)


def _differences(points: Floats) -> Floats:
    """Normal probabilities between neighbouring points."""
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import and rarely needed

    below, above = ndtr(points), ndtr(-points)
    masses: Floats = np.where(points[1:] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
    return masses
