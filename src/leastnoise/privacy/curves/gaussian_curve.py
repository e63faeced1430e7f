"""`GaussianCurve`: ε against δ for Gaussian differential privacy."""

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.gaussian import gaussian_delta, gaussian_epsilon
from leastnoise.privacy.guarantee import GDP


@dataclass(frozen=True)
class GaussianCurve:
    r"""The curve of one draw from N(0, 1) or N(μ, 1).

    Theorem: a mechanism is μ-GDP if and only if it is (ε, δ(ε))-DP for every ε ≥ 0, where
    δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ). (The sign of the exponent is +; errata A5.)
    Proof: docs/proofs/implications.md, section 5.

    References: BalleWang2018, Theorem 8 (arXiv 1805.06530v2); DongRothSu2022, Corollary 2.13.

    Example:
        >>> round(float(GaussianCurve(GDP(mu=1)).delta(epsilon=1)), 4)
        0.1269
    """

    promise: GDP

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ at ε."""
        return gaussian_delta(_check.non_negative(epsilon, "epsilon"), self.promise.mu).interval()

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε at δ; infinite at δ = 0."""
        return gaussian_epsilon(delta, self.promise.mu)
