"""The families of independent noise for many queries, and the best member of each by floats."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf

from leastnoise._dataclass import dataclass
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.rays import (
    CutRay,
    MedianRay,
    PowerRay,
    Ray,
    StaircaseRay,
)
from leastnoise.least_noise.composed.search_by_floats import least_cost, least_scale
from leastnoise.numeric.cost import Moment

_POWERS = (65 / 64, 1.2, 1.4, 1.6, 1.8, 127 / 64)
_FINEST_POWER = 64
_SHARES = (0.01, 0.1, 0.5, 0.9)
_WIDTHS = (0.0, 0.15, 0.3, 0.45, 0.6, 1.0)
_ORDERS = (2.0, 4.0, 6.0, 9.0, 13.0)
_REFINEMENTS = 5
# With fewer queries than this, bell-shaped bounded noise comes last.
_FEWEST_FOR_MEDIANS = 16

MOST_FOR_STAIRS = 100
"""With more queries than this, staircases and cuts differ from Laplace noise for the worse."""


@dataclass(frozen=True)
class Candidate:
    """The best member of a family, as a search by floats sees it.

    Attributes:
        family: what its laws have in common.
        ray: laws of the best shape.
        shape: the parameter of that shape.
        scale: about the least that keeps the promise.
        cost: about the expected cost there.
    """

    family: str
    ray: Ray
    shape: float
    scale: float
    cost: float


def candidates(problem: ComposedProblem) -> list[Candidate]:
    """One candidate for each family in which the search finds any, the cheapest first."""
    search = _Search(problem)
    found = [search.generalized_gaussian()]
    if problem.count > 1:  # the others are known exactly for one query
        found += search.laplace_and_gauss()
        if problem.count <= MOST_FOR_STAIRS:
            found += search.stairs()
        if problem.count >= _FEWEST_FOR_MEDIANS and not isinstance(problem.cost, Moment):
            found.append(search.median())
    kept = [candidate for candidate in found if candidate is not None]
    return sorted(kept, key=lambda candidate: candidate.cost)


class _Search:
    """Calibrates rays for one problem, each from where the last one of its family ended."""

    def __init__(self, problem: ComposedProblem) -> None:
        self._problem = problem
        self._epsilon, self._delta = float(problem.epsilon), float(problem.delta)

    def laplace_and_gauss(self) -> list[Candidate | None]:
        """The two ends of the generalised Gaussians."""
        ends = (("discrete Laplace", 1), ("discrete Gaussian", 2))
        rays = [(family, PowerRay(self._problem, Fraction(power))) for family, power in ends]
        return [self._calibrated(family, ray, 0.0, ray.start) for family, ray in rays]

    def generalized_gaussian(self) -> Candidate | None:
        """Over all powers between 1 and 2, rounded to 64ths."""
        return self._best(
            "generalised Gaussian",
            lambda power: PowerRay(self._problem, _rounded_power(power)),
            _POWERS,
        )

    def stairs(self) -> list[Candidate | None]:
        """Staircases over all places of the first drop; cut off, over all shares of δ for that."""
        if self._problem.steps == 1:
            return [self._cut("canonical", 1.0)]
        endless = self._best("staircase", lambda width: StaircaseRay(self._problem, width), _WIDTHS)
        width = 1.0 if endless is None else max(endless.shape, 1 / self._problem.points)
        return [
            endless,
            self._cut("truncated staircase", width),
            self._cut("truncated Laplace", 0.0),
        ]

    def _cut(self, family: str, width: float) -> Candidate | None:
        def ray(share: float) -> CutRay:
            leak = Fraction(f"{share * self._delta / self._problem.count:.6e}")
            return CutRay(self._problem, leak, width)

        return self._best(family, ray, _SHARES)

    def median(self) -> Candidate | None:
        """Over a few orders."""
        return self._best(
            "median of uniforms",
            lambda order: MedianRay(self._problem, round(order)),
            _ORDERS,
        )

    def _best(
        self, family: str, ray_of: Callable[[float], Ray], shapes: Sequence[float]
    ) -> Candidate | None:
        """The candidate of least cost over a parameter of the shape."""
        known: dict[Ray, Candidate | None] = {}

        def candidate(shape: float) -> Candidate | None:
            ray = ray_of(shape)
            if ray not in known:
                before = next((c for c in reversed(known.values()) if c is not None), None)
                ratio = 1.0 if before is None else before.scale / before.ray.start
                known[ray] = self._calibrated(family, ray, shape, ray.start * ratio)
            return known[ray]

        def cost(shape: float) -> float:
            found = candidate(shape)
            return inf if found is None else found.cost

        return candidate(least_cost(cost, shapes, _REFINEMENTS))

    def _calibrated(self, family: str, ray: Ray, shape: float, start: float) -> Candidate | None:
        """The ray at the least scale that keeps the promise, if there is one."""
        problem = self._problem

        def leak(scale: float) -> float:
            return ray.sketch(scale).leak(problem.points, problem.count, self._epsilon)

        scale = least_scale(leak, self._delta, start)
        if scale is None:
            return None
        return Candidate(family, ray, shape, scale, ray.sketch(scale).cost(problem.price))


def _rounded_power(power: float) -> Fraction:
    nearest = min(max(round(power * _FINEST_POWER), _FINEST_POWER + 1), 2 * _FINEST_POWER - 1)
    return Fraction(nearest, _FINEST_POWER)
