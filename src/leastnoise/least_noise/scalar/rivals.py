"""What else could be added, and how much worse it is."""

import math
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.certificates.problem import Problem
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.scalar.best_width import (
    best_staircase,
    best_truncated_staircase,
    price_of,
)
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True)
class Alternative:
    """Another law that keeps the same promise.

    Attributes:
        law: the law, in steps of the lattice.
        cost: its expected cost.
        ratio: its cost over that of the chosen law; at least 1 up to rounding.
    """

    law: LatticeLaw
    cost: Interval
    ratio: float

    def __repr__(self) -> str:
        return f"{float(self.cost):.6g} ({self.ratio:.4g}×): {self.law!r}"


def rivals(problem: Problem, chosen: LatticeLaw) -> tuple[Alternative, ...]:
    """Every other law of the library made for the same promise, the cheapest first."""
    best = price_of(problem, chosen)
    found = [
        Alternative(law, cost, _ratio(cost, best))
        for law in _candidates(problem)
        if law != chosen
        for cost in [price_of(problem, law)]
    ]
    return tuple(sorted(found, key=lambda rival: float(rival.cost)))


def _ratio(cost: Interval, best: Interval) -> float:
    if not best.upper:
        return 1.0 if not cost.upper else math.inf
    ratio = Fraction(cost.upper) / Fraction(best.upper)
    try:
        return float(ratio)
    except OverflowError:
        return math.inf


def _candidates(problem: Problem) -> list[LatticeLaw]:
    epsilon, delta, whole = problem.epsilon, problem.delta, problem.sensitivity
    laws: list[LatticeLaw] = []
    if epsilon:
        laws.append(DiscreteLaplace(scale=whole / epsilon))
        if whole > 1:
            laws.append(best_staircase(problem))
    if delta:
        laws.append(Uniform(sensitivity=whole, delta=delta))
        laws += _gaussian(problem)
    if epsilon and delta and whole > 1:
        laws.append(TruncatedLaplace(sensitivity=whole, epsilon=epsilon, delta=delta))
        laws.append(best_truncated_staircase(problem))
    return laws


def _gaussian(problem: Problem) -> list[LatticeLaw]:
    """The least discrete Gaussian; none where it would be wider than that law can be."""
    variance = discrete_gaussian_variance(
        epsilon=problem.epsilon, delta=problem.delta, sensitivity=problem.sensitivity
    )
    try:
        return [DiscreteGaussian(Fraction(variance.upper))]
    except InvalidParameter:
        return []
