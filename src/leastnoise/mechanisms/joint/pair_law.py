"""`PairLaw`: how often the two counters of a joint draw have which values."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats, Sides
from leastnoise.mechanisms.joint.radius_table import peak
from leastnoise.mechanisms.joint.simplex_set import SimplexSet
from leastnoise.numeric import ball as balls


@dataclass(frozen=True)
class PairLaw:
    r"""(p, q) ∝ exp(−rate·(p+q))·∏ points(p+q) of sides·∏ points(p, q) of histograms.

    Args:
        rate: ε.
        sides: boxes, which grow with p + q.
        simplexes: histograms, and how many there are of each kind.
    """

    rate: Fraction
    sides: Sequence[Sides]
    simplexes: Mapping[SimplexSet, int]

    def weight(self, p: int, q: int) -> arb:
        """A ball around the weight, not normalised."""
        weight = self._of_sum(p + q)
        for simplex, count in self.simplexes.items():
            weight = weight * simplex.points(p, q) ** count
        return weight

    def _of_sum(self, radius: int) -> arb:
        weight = (-balls.ball(self.rate * radius)).exp()
        for side in self.sides:
            weight = weight * side.points(radius)
        return weight

    def bound(self, radius: int) -> arb:
        """At least the weight of all pairs of this sum together; log-concave in the sum.

        A histogram's points lie in the ℓ1 ball of radius A + B.
        """
        from leastnoise.noise.vectors.cross_polytope import CrossPolytope  # noqa: PLC0415 - only drawing needs it

        bound = self._of_sum(radius) * (radius + 1)
        for simplex, count in self.simplexes.items():
            ball = CrossPolytope(simplex.cells)
            bound = bound * ball.points(radius * simplex.total + 2 * simplex.start) ** count
        return bound

    def log_weight(self, p: Floats, q: Floats) -> Floats:
        """The logarithm of the weight, roughly."""
        return self._log_of_sum(p + q) + self._log_histograms(p, q)

    def _log_of_sum(self, radii: Floats) -> Floats:
        total = -float(self.rate) * radii
        for side in self.sides:
            total = total + side.log_points(radii)
        return total

    def _log_histograms(self, p: Floats, q: Floats) -> Floats:
        total = np.zeros_like(p)
        for simplex, count in self.simplexes.items():
            total = total + count * simplex.log_points(p, q)
        return total

    @cached_property
    def _peak(self) -> float:
        """Where the factor that depends on p + q alone is greatest."""
        return peak(self._log_of_sum)

    def log_bounds(self, p: Floats, q: Floats, beyond: float) -> tuple[Floats, Floats]:
        """What no weight in the square p..p+beyond, q..q+beyond exceeds or falls below, roughly.

        Histograms grow with either counter; the rest is log-concave in p + q. Logarithms.
        """
        low, high = p + q, p + q + 2 * beyond
        most = self._log_of_sum(np.clip(self._peak, low, high))
        least = np.minimum(self._log_of_sum(low), self._log_of_sum(high))
        above = most + self._log_histograms(p + beyond, q + beyond)
        return above, least + self._log_histograms(p, q)
