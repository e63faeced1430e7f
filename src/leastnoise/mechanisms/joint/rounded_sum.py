"""`RoundedSum`: a sum of discrete Gaussians, rounded to an integer."""

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.normal_cdf import normal_cdf

_FAR = 12  # P(Z > 12) < 2**-108
_TINY = Fraction(1, 1 << 60)
_SMOOTH = 4  # from this deviation on rounding adds 1/12 to the variance, but for e^-300


@dataclass(frozen=True)
class RoundedSum:
    r"""R = N rounded to the nearest integer, ties by fair coins, for N = Σ aᵢXᵢ.

    Theorem: R is symmetric. `moment` brackets E|R| and E R²; P(|R| > m) ≤ 1 − p for m =
    quantile(p).
    Proof: docs/proofs/joint_gaussian.md, section 4.

    Args:
        gaussians: the law of the X.
        squares: A = Σ aᵢ².

    Example:
        >>> law = RoundedSum(LatticeGaussians(Fraction(1 << 60), 64, 2), Fraction(1, 1 << 58))
        >>> round(float(law.moment(2)), 4), law.quantile("0.95")
        (4.0833, 4)
    """

    gaussians: LatticeGaussians
    squares: Fraction

    def quantile(self, probability: Exact) -> int:
        """An m with P(|R| ≤ m) ≥ probability; the least, but for a part in a thousand of N."""
        return _quantile(self, 1 - _check.confidence(probability, "probability"))

    def moment(self, order: SupportsIndex) -> Interval:
        """E|R|**order, for order 1 or 2."""
        return self._moments[_check.integer_between(order, "order", 1, 2)]

    @cached_property
    def _moments(self) -> dict[int, Interval]:
        """Asked for by the search, the preview, its advice and the release."""
        return {power: self._moment(power) for power in (1, 2)}

    def _moment(self, power: int) -> Interval:
        with balls.precision(balls.FIRST_PRECISION):
            shift = _FAR * (self._squares() * self.gaussians.smoothing).sqrt()
            if shift < balls.ball(Fraction(1, 2)):
                middle, doubt = self._fine(power, shift)
            else:
                middle, doubt = self._coarse(power)
            doubt += balls.ball(_TINY) * (1 + self._deviation()) ** power
            low, high = balls.interval(middle - doubt), balls.interval(middle + doubt)
        return Interval(max(Fraction(0), low.lower), high.upper)

    def _squares(self) -> arb:
        return balls.ball(self.squares)

    def _deviation(self) -> arb:
        """τ, of the normal law that N comes close to: τ² = A·(V+s)."""
        return balls.ball(
            self.squares * (self.gaussians.parameter + self.gaussians.smoothing)
        ).sqrt()

    def _fine(self, power: int, shift: arb) -> tuple[arb, arb]:
        """For lattices finer than the integers: that of rounded normal noise, and the doubt."""
        tau = self._deviation()
        doubt = shift / tau + (shift if power == 1 else shift * (3 * tau + 2))
        if tau < _SMOOTH:
            return _summed(power, tau), doubt
        if power == 2:
            return tau * tau + arb(1) / 12, doubt
        top = 1 / (tau * (2 * arb.pi()).sqrt())
        return top * (2 * tau * tau - arb(1) / 12), doubt + 1 / (200 * tau**3)

    def _coarse(self, power: int) -> tuple[arb, arb]:
        """For all lattices: rounding moves N by at most 1/2."""
        tau, half = self._deviation(), arb(1) / 2
        smooth = (self._squares() * self.gaussians.smoothing).sqrt()
        if power == 1:
            return tau * (2 / arb.pi()).sqrt(), smooth + half
        return tau * tau, smooth**2 + tau + half


@lru_cache(maxsize=64)  # hundreds of questions have the same few laws
def _quantile(law: RoundedSum, risk: Fraction) -> int:
    # |R| > m means |N| ≥ m + 1/2.
    return math.floor(law.gaussians.quantile(law._squares, risk).upper + Fraction(1, 2))


def _summed(power: int, tau: arb) -> arb:
    """E|rounded Y|**power for Y normal with deviation τ < 4, by its tails."""
    total = arb(0)
    for k in range(1, _FAR * (_SMOOTH + 1) + 1):
        weight = 1 if power == 1 else 2 * k - 1
        total += 2 * weight * normal_cdf((arb(1) / 2 - k) / tau)
    return total
