r"""Bounded noise for columns: medians of uniforms, whose error has a hard limit.

The search for a radius uses coarse grids of the loss. They only ever overstate δ
(docs/proofs/grids.md), and what they lead to is priced again, finely, before it is used.
"""

import math
from fractions import Fraction
from functools import cached_property, lru_cache

from leastnoise._dataclass import dataclass
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.numeric.interval import Endpoint
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.tabulation.delta_bound import delta_bound
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.split import squared_ratio

_LEAST_ORDER, _GREATEST_ORDER = 2, 12  # that are tried
_OFFSET_ORDER = 12  # hardly cut
# Grid points per standard deviation of one column's loss, and how close a radius is searched for.
_ROUGH = (4, 2.0**-7)
_FINE = (16, 2.0**-12)
_GREATEST_RADIUS = 1 << 21  # more values than that are not composed
_ALMOST = Fraction(257, 256)  # within 0.4 % an order is as good
_REACH = 8.0  # deviations of the loss above ε, on the first grid
_FEW = 8  # columns; with more a rough bound is enough to search by


def bounded_perturbation(
    columns: int, guarantee: ApproxDP, objective: Objective, *, centred: bool
) -> Perturbation:
    r"""The medians of uniforms, of order 2 to 12, with the least expected error.

    Theorem: if every column moves by at most 1, the loss is at most `columns` independent losses of
    the law against its shift by 1, for every ε at once. The radius is one for which their sum is
    proved to be (ε, δ)-DP; that no smaller one is, is not claimed.
    Proof: docs/proofs/marginals.md, section 3.

    References: DaganKur2022, for bounded noise of another shape.

    Example:
        >>> target = ApproxDP(epsilon=1, delta="1e-6")
        >>> bounded_perturbation(256, target, Objective.MAX, centred=False).noise
        IndependentNoise(law=MedianOfUniforms(order=5, radius=256), columns=256)
    """
    ratio = squared_ratio(columns) if centred else None
    if ratio is not None and objective is Objective.MAX:
        ratio /= 2  # hardly changes the expected error, and lowers its limit
    search = _Search(columns, guarantee, ratio)
    order = search.best_order(objective)
    radius = search.radius(order, *_FINE, guess=search.rough_radius(order))
    while not (found := search.perturbation(order, radius)).keeps(guarantee):
        radius += 1 + radius // 1024
    return found


@dataclass(frozen=True)
class _Search:
    """Radii for one number of columns and one target."""

    columns: int
    target: ApproxDP
    squared_ratio: Fraction | None

    def noise(self, order: int, radius: int) -> IndependentNoise:
        return IndependentNoise(MedianOfUniforms(order, radius), self.columns)

    def perturbation(self, order: int, radius: int) -> Perturbation:
        return Perturbation(self.noise(order, radius), self._offset(order, radius))

    def _offset(self, order: int, radius: int) -> MedianOfUniforms | None:
        """Bounded too; the standard deviation is about radius/√(2·order + 3)."""
        if self.squared_ratio is None:
            return None
        widths = Fraction(2 * _OFFSET_ORDER + 3, 2 * order + 3)
        square = radius**2 * widths * self.squared_ratio
        return MedianOfUniforms(_OFFSET_ORDER, math.isqrt(math.ceil(square)) + 1)

    def _leak(self, order: int, radius: int, density: int) -> float:
        """A δ that suffices, found on a grid of the given density."""
        loss = self.perturbation(order, radius).privacy(1)
        epsilon, delta = self.target.epsilon, self.target.delta
        rough = delta_bound(loss, epsilon=epsilon, delta=delta, density=density, reach=_REACH)
        if rough <= delta or (density == _ROUGH[0] and self.columns > _FEW):
            return rough
        return min(rough, delta_bound(loss, epsilon=epsilon, delta=delta, density=density))

    @cached_property
    def _sigma(self) -> float:
        """The standard deviation of normal noise for the same target and one column."""
        one = gaussian_sigma(epsilon=self.target.epsilon, delta=self.target.delta, sensitivity=1)
        return float(one.upper)

    def best_order(self, objective: Objective) -> int:
        """Downhill from a first guess; of orders that are almost as good, the least bound."""
        cost = lru_cache(lambda order: self._rough_cost(order, objective))
        order = self._first_order(objective)
        orders = range(_LEAST_ORDER, _GREATEST_ORDER + 1)
        for step in (-1, 1):
            while order + step in orders and cost(order + step) < cost(order):
                order += step
        near = [other for other in (order - 1, order) if other >= _LEAST_ORDER]
        good = [other for other in near if cost(other) <= _ALMOST * cost(order)]
        return min(good, key=self.rough_radius)

    def _first_order(self, objective: Objective) -> int:
        """The best if the first guesses at the radii were right."""
        orders = range(_LEAST_ORDER, _GREATEST_ORDER + 1)
        return min(
            orders,
            key=lambda order: (
                Perturbation(self.noise(order, self._guess(order))).cost(objective).upper
            ),
        )

    def _rough_cost(self, order: int, objective: Objective) -> Endpoint:
        try:
            noise = self.noise(order, self.rough_radius(order))
        except UnsupportedQuery:
            return math.inf
        return Perturbation(noise).cost(objective).upper

    def _limit(self, order: int) -> int:
        """The radius for very many columns, where only Fisher's information counts.

        It is a·(2a+1)/((a−1)·radius²) at order a, and 1/σ² for normal noise.
        """
        information = order * (2 * order + 1) / (order - 1)
        return math.ceil(math.sqrt(self.columns * information) * self._sigma)

    def _guess(self, order: int) -> int:
        """Not less than keeps a single column from its edges.

        Losses above ε occur up to a/ε from an edge, which (2a+1 over a)·(a/(2ε·radius))**(a+1)
        bounds; the factor is from experience.
        """
        most = self.columns * math.comb(2 * order + 1, order) / self.target.delta
        edge = 0.6 * order / (2 * float(self.target.epsilon)) * math.exp(_log(most) / (order + 1))
        return max(self._limit(order), math.ceil(min(edge, _GREATEST_RADIUS / 2)))

    def rough_radius(self, order: int) -> int:
        """A radius that suffices, less than a hundredth more than needed."""
        if order not in self._rough:
            self._rough[order] = self.radius(order, *_ROUGH, guess=self._guess(order))
        return self._rough[order]

    @cached_property
    def _rough(self) -> dict[int, int]:
        return {}

    def radius(self, order: int, density: int, relative: float, guess: int) -> int:
        """A radius that suffices on such a grid, and seems to be at most that much too large.

        By secants of log δ against log radius, kept between the radii known to be too small and
        large enough.
        """
        goal, small, large = _log(self.target.delta), 0, _GREATEST_RADIUS
        slope = -1 - (float(self.target.epsilon) * self._sigma) ** 2
        place, before = guess, (0.0, 0.0)
        while place < _GREATEST_RADIUS:
            here = math.log(place), math.log(self._leak(order, place, density))
            enough = here[1] <= goal
            small, large = (small, place) if enough else (place, large)
            if before[0] and here[0] != before[0]:
                slope = min((here[1] - before[1]) / (here[0] - before[0]), -1.0)
            # Aim a little beyond the goal, so that the next radius suffices.
            step = (goal + slope * relative / 2 - here[1]) / slope
            if large - small <= 1 or (enough and step >= -relative):
                return large
            place, before = math.ceil(place * math.exp(min(max(step, -0.3), 0.3))), here
            if not small < place < large:
                place = (small + large) // 2 if large < _GREATEST_RADIUS else 2 * small
        raise UnsupportedQuery(
            f"bounded noise must have a radius below {_GREATEST_RADIUS}; {self.target!r} needs "
            f"more for {self.columns} columns. Use Gaussian noise."
        )


def _log(value: Fraction) -> float:
    """The logarithm of a rational, however small."""
    return math.log(value.numerator) - math.log(value.denominator)
