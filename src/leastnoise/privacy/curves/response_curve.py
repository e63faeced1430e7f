"""`ResponseCurve`: everything an (ε, δ) promise implies, through randomised response."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric.ball import enclosure
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER
from leastnoise.privacy.guarantee import ApproxDP


@dataclass(frozen=True)
class ResponseCurve:
    r"""The curve of the leakiest mechanism that keeps an (ε₀, δ₀) promise.

    Theorem: every (ε₀, δ₀)-DP mechanism is (ε, δ₀ + (1−δ₀)·(e^ε₀ − e^ε)/(e^ε₀ + 1))-DP for
    0 ≤ ε ≤ ε₀, and (ε, δ₀)-DP for ε ≥ ε₀; randomised response that gives the secret away with
    probability δ₀ attains both.
    Proof: docs/proofs/implications.md, section 1.

    References: KairouzOhViswanath2017, Section 4 (arXiv 1311.0776).

    Example:
        >>> round(float(ResponseCurve(ApproxDP(epsilon=1, delta=0)).delta(epsilon=0)), 4)
        0.4621
    """

    promise: ApproxDP

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ at ε."""
        wanted = _check.non_negative(epsilon, "epsilon")
        if wanted >= self.promise.epsilon:
            return Interval.exactly(self.promise.delta)
        top, leak = ExponentialSum.exp(self.promise.epsilon), self.promise.delta
        spread = (top - ExponentialSum.exp(wanted)) * (1 - leak)
        return ExponentialRatio((top + 1) * leak + spread, top + 1).interval()

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε at δ; infinite below δ₀."""
        wanted = _check.delta(delta)
        if wanted <= self.promise.delta:
            met = wanted == self.promise.delta
            return Interval.exactly(self.promise.epsilon) if met else NEVER
        share = (wanted - self.promise.delta) / (1 - self.promise.delta)
        return _log_above_zero(ExponentialSum.exp(self.promise.epsilon) * (1 - share) - share)


def _log_above_zero(value: ExponentialSum) -> Interval:
    if (value - 1).sign() <= 0:
        return Interval.exactly(Fraction(0))
    return enclosure(lambda: value.ball().log())
