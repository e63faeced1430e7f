"""`LogGaussianCounts`: real-valued estimates from a count's logarithm plus Gaussian noise."""

from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.groupwise.count_map import CountMap
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.least_budget import least_budget
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.log_error import DRIFT_STEPS, LogError
from leastnoise.groupwise.make_relative_design import MARGIN, log_channel
from leastnoise.groupwise.relative_certificate import RelativeCertificate, relative_certificate
from leastnoise.groupwise.relative_promise import checked_promise
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@dataclass(frozen=True, init=False, repr=False)
class LogGaussianCounts(GroupwiseCounts):
    r"""x̂ = exp(Y − shift) − a with Y = ln(x + a) + σZ on a lattice, Z discrete Gaussian.

    Theorem: (1) With shift σ² the error is E|x̂ − x| = (2Φ(σ) − 1)·(x + a), the least of all
    shifts; with shift σ²/2 the estimate is unbiased and the error is (4Φ(σ/2) − 2)·(x + a). On the
    lattice both hold up to the bracket of `expected_error`, and σ is chosen such that its upper end
    is at most relative_error·(x + a). (2) The release is v-group-wise zCDP with
    v(x) = ⌈M·ln((x+a)/(x−1+a))⌉²/(2σ²M²), M = 2⁴⁰ in most cases; v does not grow with x.
    Proof: docs/proofs/relative_counts.md, sections 1, 3 and 4.

    For integers, and much less loss in small groups, use `RelativeCounts`.

    Args:
        relative_error: r in [10**−8, 1).
        smallest: smaller counts are raised to this; 1 or more, or 0 if there is slack.
        slack: a, a number of records that every size is increased by in the promise.
        unbiased: whether E x̂ = x is wanted rather than the least absolute error.

    Raises:
        InvalidParameter: the parameters are not such numbers.

    References: FinleyEtAl2024, for the unbiased estimate.

    Example:
        >>> mechanism = LogGaussianCounts(relative_error="0.1", smallest=1)
        >>> round(float(mechanism.privacy(10**6)) * 0.1**2 * 10**12, 4)
        0.3167
        >>> round(float(mechanism.expected_error(1000)), 4)
        99.9985
    """

    relative_error: Fraction
    least: int
    slack: Fraction
    unbiased: bool

    def __init__(
        self,
        *,
        relative_error: Exact,
        smallest: SupportsIndex = 1,
        slack: Exact = 0,
        unbiased: bool = False,
    ) -> None:
        error, least, extra = checked_promise(relative_error, smallest, slack)
        centred = _check.flag(unbiased, "unbiased")
        keep(self, relative_error=error, least=least, slack=extra, unbiased=centred)

    @property
    def channel(self) -> LogChannel:
        """The lattice and the noise on it; all of it is public."""
        return self._channel

    @cached_property
    def _channel(self) -> LogChannel:
        error = self.relative_error * (1 - MARGIN)
        log_map, variance = log_channel(error, self.slack, unbiased=self.unbiased)
        return LogChannel(CountMap(log_map, self.least, ()), variance)

    @cached_property
    def _log_error(self) -> LogError:
        share = Fraction(1, 2) if self.unbiased else 1
        return LogError(self.channel, share * self.channel.squared_sigma)

    def privacy(self, size: SupportsIndex) -> Fraction:
        """v(x): the group-wise ρ of a record in a group of x, exactly."""
        x = _check.integer_between(size, "size", 0)
        return self.channel.budget(max(x, self.least + 1))

    def _pair_loss(self, size: int) -> PrivacyLoss:
        return self.channel.loss(size)

    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|x̂ − x| for a group of x ≥ smallest; for a smaller one a bound."""
        x = _check.integer_between(size, "size", 0)
        raised = max(x, self.least)
        with balls.precision(balls.FIRST_PRECISION):
            n = balls.ball(raised + self.slack)
            low, high = (balls.interval(self._log_error.relative(side) * n) for side in (-1, 1))
        if raised == x:
            return Interval(low.lower, high.upper)
        away = raised - x
        return Interval(max(Fraction(0), away - Fraction(high.upper)), away + Fraction(high.upper))

    def bias(self, size: SupportsIndex) -> Interval:
        """E x̂ − x for a group of x ≥ smallest; of an unbiased estimate, what the lattice leaves."""
        x = _check.integer_between(size, "size", self.least)
        with balls.precision(balls.FIRST_PRECISION):
            exponent = self.channel.squared_sigma / 2 - self._log_error.log_shift
            drift = arb(0, DRIFT_STEPS) / (1 << self.channel.bits)
            return balls.interval(
                (balls.ball(exponent) + drift).expm1() * balls.ball(x + self.slack)
            )

    def _drawn(self, counts: NDArray[np.int64], source: Source) -> NDArray[Any]:
        blurred = self.channel.blurred(np.maximum(counts, self.least), source)
        return self.channel.estimates(blurred, self._log_error.log_shift)

    def _chance_above(self, size: int, released: Fraction) -> arb:
        if released + self.slack <= 0:
            return arb(1)
        log = self._log_error
        return log.above(log.position(size), log.border(released), 1)

    def certificate(self) -> RelativeCertificate:
        """How far v is from the best possible, for large groups; the range is stated."""
        return relative_certificate(self.channel, self.relative_error)

    def least_possible(self, size: SupportsIndex) -> Fraction:
        """A floor under v(x) for any mechanism that promises this error; crude for large groups."""
        x = _check.integer_between(size, "size", 0)
        return least_budget(self.relative_error, max(x, self.least + 1) + self.slack)
