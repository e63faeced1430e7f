"""`ComposedProblem`: how many queries, which promise for all of them, and which cost is least."""

from fractions import Fraction
from functools import cached_property
from math import ceil, log, sqrt

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.certificates.problem import Problem
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.cost import Cost, Moment, TailProbability
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.pooling import Floats

_MOST_POINTS = 64
_WIDTH = 256
_MOST_NEPERS = 700.0  # e^-700 is about the least weight that a float holds
_TABLE = 1 << 11  # places at which a cost without a formula is asked


@dataclass(frozen=True)
class ComposedProblem:
    """`count` queries, each moved by up to `steps` of a lattice, under one (ε, δ).

    Attributes:
        steps: the integer sensitivity of each query.
        epsilon: ε ≥ 0 for all answers together.
        delta: δ in [0, 1) for all answers together.
        count: the number of queries.
        cost: what an error of one answer costs.
        step: what one step of the lattice is worth in the units of the queries.
    """

    steps: int
    epsilon: Fraction
    delta: Fraction
    count: int
    cost: Cost
    step: Fraction

    @property
    def share(self) -> Problem:
        """One query alone under its equal share of a pure ε."""
        return Problem(self.steps, self.epsilon / self.count, Fraction(0), self.cost, self.step)

    def leak(self, law: LatticeLaw) -> Interval:
        """δ at ε when every answer carries independent noise from the law."""
        return law.privacy(self.steps).self_compose(self.count).delta(self.epsilon)

    # What a search by floats needs; nothing below carries a proof.

    @cached_property
    def gaussian(self) -> float:
        """The standard deviation of Gaussian noise that would do, in units of the sensitivity."""
        single = gaussian_sigma(epsilon=self.epsilon, delta=self.delta, sensitivity=1)
        return float(single) * sqrt(self.count)

    @cached_property
    def points(self) -> int:
        """How many points of the search's own lattice make up the sensitivity.

        A finer lattice of the problem is searched on a coarser one: shapes hardly change with it.
        """
        return min(self.steps, max(1, min(_MOST_POINTS, int(_WIDTH / self.gaussian))))

    @property
    def reach(self) -> float:
        """Weights below e to minus this are not looked at: they could not change δ."""
        return min(_MOST_NEPERS, 30 + log(self.count / self.delta))

    def price(self, magnitudes: Floats) -> Floats:
        """What errors of so many points of the search's lattice cost."""
        errors = float(self._point) * magnitudes
        if isinstance(self.cost, Moment):
            powers: Floats = errors ** float(self.cost.order)
            return powers
        if isinstance(self.cost, TailProbability):
            return (errors > float(self.cost.threshold)).astype(np.float64)
        return np.interp(magnitudes, *self._table(float(magnitudes.max(initial=1.0))))

    @property
    def _point(self) -> Fraction:
        return self.step * self.steps / self.points

    def _table(self, farthest: float) -> tuple[Floats, Floats]:
        """Prices of a cost without a formula, at every point near 0 and at some far out."""
        size = 1 << ceil(farthest).bit_length()
        if size not in self._known_tables:
            places = sorted(
                {*range(min(size, _TABLE)), *(size * i // _TABLE for i in range(_TABLE))}
            )
            places.append(size)
            prices = [float(self.cost.at(place * self._point)) for place in places]
            self._known_tables[size] = np.array(places, dtype=np.float64), np.array(prices)
        return self._known_tables[size]

    @cached_property
    def _known_tables(self) -> dict[int, tuple[Floats, Floats]]:
        return {}
