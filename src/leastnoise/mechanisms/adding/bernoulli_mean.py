"""`BernoulliMean`: the share of ones among n bits, with noise on their number."""

from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.mechanisms.error_split import ErrorSplit
from leastnoise.mechanisms.memoryless_noise import discrete_laplace_noise, laplace_noise
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_integers import secret_integers
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.identity import Described
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@frozen(kw_only=True, repr=False)
class BernoulliMean(Described):
    r"""(Σ bits + X)/n with X discrete Laplace of scale 1/ε; cut to [0, 1] unless told otherwise.

    Theorem: for all inputs, and neighbours that differ in one bit (n is public), the release is
    ε-DP, exactly: no smaller ε will do. Clipping costs no privacy and buys none either: the
    privacy loss keeps its law. If the bits are independent and 1 with probability p, then
    E(p̃ − p)² = p(1−p)/n + Var(X)/n² without clipping, and less with it.
    Proof: docs/proofs/bernoulli_mean.md.

    Args:
        epsilon: a positive number.
        records: n, the number of bits; public.
        clipped: whether to cut the result to [0, 1].

    References: DworkMcSherryNissimSmith2006; GhoshRoughgardenSundararajan2012.

    Example:
        >>> mechanism = BernoulliMean(epsilon=1, records=4)
        >>> 0 <= mechanism.release([1, 0, 1, 1]).value <= 1
        True
        >>> error = BernoulliMean(epsilon="0.1", records=10).squared_error(frequency="0.3")
        >>> round(float(error.sampling), 3), round(float(error.privacy), 3)
        (0.021, 1.998)
        >>> round(float(error.total), 4)
        0.195
    """

    epsilon: Number = checked(_check.positive)
    records: Whole = checked(_check.whole(1))
    clipped: bool = checked(_check.flag, default=True)

    @property
    def guarantee(self) -> PureDP:
        """ε-DP when one bit is replaced."""
        return PureDP(epsilon=self.epsilon)

    @cached_property
    def noise(self) -> DiscreteLaplace:
        """The law of the noise on the number of ones."""
        return DiscreteLaplace(scale=1 / self.epsilon)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Fraction]:
        """A noisy share of ones, an exact multiple of 1/n.

        Raises:
            InvalidParameter: not a row of n bits; what was found is not said.
        """
        ones = int(self._bits(value).sum()) + self.noise.sample(source=source)
        if self.clipped:
            ones = min(max(ones, 0), self.records)
        return Release(Fraction(ones, self.records), self.guarantee, repr(self))

    def _bits(self, value: ArrayLike) -> NDArray[np.int64]:
        bits = secret_integers(value, "value", 2)
        if bits.shape == (self.records,):
            return bits
        raise _check.refuse(
            f"`value` must be a row of records={self.records} bits",
            "another shape",
            "The number of records is public and part of the mechanism: state it there.",
        )

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` bits are replaced."""
        changed = _check.integer_between(distance, "distance", 1)
        reach = min(changed, self.records)
        loss = self.noise.privacy(reach)
        return PrivacyLoss(loss.forward, loss.backward, lambda size: self.privacy(reach * size))

    def certificate(self) -> None:
        """None for now."""

    def expected_cost(self) -> Interval:
        r"""E(release − share of ones)², for the bits where it is greatest.

        Without clipping it is Var(X)/n² for all bits. With clipping that is the upper end, and
        the lower end is the greater of what 0 and ⌊n/2⌋ ones give.
        """
        variance, square = self.noise.variance, self.records**2
        unclipped = Interval(variance.lower / square, variance.upper / square)
        if not self.clipped:
            return unclipped
        noise = discrete_laplace_noise(self.epsilon)
        witnesses = [noise.clipped_error(s, self.records) for s in (0, self.records // 2)]
        return Interval(max(error.lower for error in witnesses), unclipped.upper)

    def squared_error(self, *, frequency: Exact) -> ErrorSplit:
        r"""E(p̃ − p)² for independent bits that are 1 with probability p, and its parts.

        Theorem: with b = e^−ε, q = 1 − p, v = Var(X) = 2b/(1−b)² and a = E|X| = 2b/(1−b²),
        n²·E(p̃ − p)² = npq + v − (v/2 + npa)·(q + pb)ⁿ − (v/2 + nqa)·(p + qb)ⁿ with clipping; the
        last two terms are what clipping saves.
        Proof: docs/proofs/bernoulli_mean.md.
        """
        noise = discrete_laplace_noise(self.epsilon)
        p = _check.probability(frequency, "frequency")
        return noise.sampled_error(p, self.records, clipped=self.clipped)


def laplace_mean_error(
    *, frequency: Exact, records: SupportsIndex, epsilon: Exact, clipped: bool
) -> ErrorSplit:
    r"""The same error with Laplace noise on the real line, as textbooks have it.

    The formula of `BernoulliMean.squared_error` with v = 2/ε² and a = 1/ε. For comparison only:
    noise on the line cannot be drawn exactly.

    Example:
        >>> settings = dict(frequency="0.3", records=10, epsilon="0.1")
        >>> round(float(laplace_mean_error(clipped=False, **settings).total), 3)
        2.021
        >>> round(float(laplace_mean_error(clipped=True, **settings).total), 4)
        0.1947
    """
    noise = laplace_noise(_check.positive(epsilon, "epsilon"))
    p = _check.probability(frequency, "frequency")
    count = _check.integer_between(records, "records", 1)
    return noise.sampled_error(p, count, clipped=clipped)
