"""`SharedGaussian`: counts with Gaussian noise that they share, as an answer of `optimal`."""

from fractions import Fraction
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.mechanisms.adding.additive_mechanism import Answers
from leastnoise.mechanisms.release import Release
from leastnoise.numeric.cost import Cost, Moment
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian

_SQUARED = Moment(2)


def shared_gaussian(problem: ComposedProblem) -> CorrelatedGaussian | None:
    """Gaussian noise that counts share, where its cost is known: whole counts, squared errors."""
    fits = problem.steps == 1 and problem.step == 1 and problem.cost == _SQUARED
    if not (fits and problem.delta and problem.epsilon and problem.count > 1):
        return None
    promise = ApproxDP(epsilon=problem.epsilon, delta=problem.delta)
    return CorrelatedGaussian(columns=problem.count, guarantee=promise)


@dataclass(frozen=True)
class SharedGaussian:
    """`CorrelatedGaussian` with the questions that `OptimalAnswers` asks of a mechanism.

    Attributes:
        law: the noise, which proved its promise when it was made.
        guarantee: the promise.
    """

    law: CorrelatedGaussian
    guarantee: ApproxDP

    sensitivity = granularity = Fraction(1)
    rounding = Fraction(0)
    steps = 1

    @property
    def cost(self) -> Cost:
        """Squared errors."""
        return _SQUARED

    @property
    def count(self) -> int:
        """The number of counts."""
        return self.law.columns

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All counts with noise."""
        noisy = self.law.release(value, source)
        return Release(noisy.value, self.guarantee, repr(self.law))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` units change."""
        return self.law.privacy(distance)

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        return Fraction(self.law.error(confidence=confidence).upper)

    def simultaneous(self, confidence: Exact) -> Fraction:
        """A bound that *all* answers' errors keep with at least this probability."""
        return Fraction(self.law.error(confidence=confidence, every_column=True).upper)

    def expected_cost(self) -> Interval:
        """The variance of one answer."""
        return self.law.variance
