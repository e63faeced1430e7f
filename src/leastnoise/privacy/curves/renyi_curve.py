"""`RenyiCurve`: ε against δ for a bound on one Rényi divergence."""

from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER, at_least_zero, at_most_one


@dataclass(frozen=True)
class RenyiCurve:
    r"""The curve that a Rényi divergence of finite order α, at most `bound`, implies.

    Theorem: if D_α(M(D)‖M(D′)) ≤ R for all ordered pairs of neighbours, α > 1, then M is
    (ε, δ)-DP for every ε ≥ 0 with δ = e^((α−1)(R−ε))·(1−1/α)^(α−1)/α; solved for ε,
    ε = R + (ln(1/δ) + (α−1)·ln(1−1/α) − ln α)/(α−1). An upper bound, sharp up to the mass of
    losses below ε.
    Proof: docs/proofs/implications.md, section 3.

    References: CanonneKamathSteinke2020, Proposition 12 (arXiv 2004.00010v4);
    AsoodehLiaoCalmonKosutSankar2021 for the lossless version at one order.

    Example:
        >>> round(float(RenyiCurve(order=Fraction(2), bound=Fraction(1)).epsilon(delta="0.01")), 4)
        4.2189
    """

    order: Fraction
    bound: Fraction

    def delta(self, epsilon: Exact) -> Interval:
        """The bound on δ at ε."""
        wanted = _check.non_negative(epsilon, "epsilon")
        if not self.bound:
            return Interval.exactly(0)
        return at_most_one(enclosure(lambda: self._log_delta(wanted).exp()))

    def epsilon(self, delta: Exact) -> Interval:
        """The bound on ε at δ; infinite at δ = 0."""
        wanted = _check.delta(delta)
        if not self.bound:
            return Interval.exactly(0)
        return at_least_zero(enclosure(lambda: self._epsilon(wanted))) if wanted else NEVER

    def _log_delta(self, epsilon: Fraction) -> arb:
        above = self.order - 1
        return ball(above * (self.bound - epsilon)) + log_peak(ball(above))

    def _epsilon(self, delta: Fraction) -> arb:
        above = ball(self.order - 1)
        return ball(self.bound) + (log_peak(above) - ball(delta).log()) / above


def log_peak(above: arb) -> arb:
    r"""The logarithm of max over t of (1 − e^−t)·e^(−at): a^a/(1+a)^(1+a), a = α − 1."""
    return -above * (1 / above).log1p() - above.log1p()
