"""`PublishedRule`: Steinke and Ullman's number of records, and how often it really fails."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.tail_bound import cube_records, cube_tail_bound


@frozen
class PublishedRule:
    r"""n = ⌈4d/(ε·error)⌉ records for ε-DP noise in the maximum norm, on the real line.

    Theorem: at that n some column is off by more than the error with probability
    P(Gamma(d) > ε·error·n/2), exactly, which is at most (2/e)^d.
    Proof: docs/proofs/sample_size.md, section 1.

    Args:
        dimension: d, an integer ≥ 1.
        epsilon: ε > 0.
        error: the error of means of ±1, above 0.

    Raises:
        InvalidParameter: a parameter outside its range.

    References: SteinkeUllman2016, Theorem 1.2; its failure probability is lost in some copies.

    Example:
        >>> rule = PublishedRule(dimension=2, epsilon=1, error="0.1")
        >>> rule.records, rule.failure
        (80, Interval(0.0915781944436709, 0.091578194443671))
    """

    dimension: Whole = checked(_check.whole(1))
    epsilon: Number = checked(_check.positive)
    error: Number = checked(_check.positive)

    @property
    def records(self) -> int:
        """⌈4d/(ε·error)⌉."""
        return cube_records(columns=self.dimension, epsilon=self.epsilon, error=self.error)

    @property
    def failure(self) -> Interval:
        """P(Gamma(d) > ε·error·n/2)."""
        place = self.epsilon * self._count_error
        return balls.enclosure(lambda: balls.ball(place).gamma_upper(self.dimension, 1))

    @property
    def bound(self) -> Interval:
        """What the paper's proof shows: (2/e)^d where n is not rounded up, else a little less."""
        return cube_tail_bound(
            columns=self.dimension, epsilon=self.epsilon, error=self._count_error
        )

    @property
    def _count_error(self) -> Fraction:
        return self.error * self.records / 2


def published_rule(task: MeansTask, error: Fraction) -> PublishedRule:
    """The rule for a task at an error of means of ±1."""
    return PublishedRule(task.dimension, task.epsilon, error)
