"""Laws for many queries that need no search: shares of a pure ε, one query, noise drawn jointly."""

from fractions import Fraction

from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.accounting.discrete_laplace_calibration import discrete_laplace_scale
from leastnoise.certificates.problem import Problem
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.noise_families import MOST_FOR_STAIRS
from leastnoise.least_noise.composed.search_by_floats import least_cost
from leastnoise.least_noise.scalar.best_width import best_staircase, best_truncated_staircase
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.noise.vectors.ball_stairs import MOST_RATE
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase

_WIDTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_REFINEMENTS = 6
_HALVINGS = 24
_SMALL = Fraction(1, 10**4)
_LEAST_SCALE = Fraction(1, MOST_RATE)
# A staircase gains less than 1 % on Laplace's law where ε is below half the dimension.
_LEAST_RATE = Fraction(1, 4)


def shared_laws(problem: ComposedProblem) -> dict[str, LatticeLaw]:
    """Laws that are (ε/count)-DP, by family, so that all answers together are ε-DP."""
    if not problem.epsilon:
        return {}
    scale = problem.count * problem.steps / problem.epsilon
    laws: dict[str, LatticeLaw] = {"discrete Laplace": DiscreteLaplace(scale)}
    if problem.steps > 1 and (not problem.delta or problem.count <= MOST_FOR_STAIRS):
        laws["staircase"] = best_staircase(problem.share)
    return laws


def single_laws(problem: ComposedProblem) -> dict[str, LatticeLaw]:
    """The least noise of each family for one query and δ > 0."""
    steps, epsilon, delta = problem.steps, problem.epsilon, problem.delta
    alone = Problem(steps, epsilon, delta, problem.cost, problem.step)
    laplace = discrete_laplace_scale(epsilon=epsilon, delta=delta, sensitivity=steps)
    gauss = discrete_gaussian_variance(epsilon=epsilon, delta=delta, sensitivity=steps)
    laws: dict[str, LatticeLaw] = {
        "discrete Laplace": DiscreteLaplace(Fraction(laplace.upper)),
        "discrete Gaussian": DiscreteGaussian(Fraction(gauss.upper)),
    }
    if steps == 1:
        laws["canonical"] = Canonical(epsilon=epsilon, delta=delta)
    elif epsilon:
        laws["staircase"] = best_staircase(alone)
        laws["truncated staircase"] = best_truncated_staircase(alone)
        laws["truncated Laplace"] = TruncatedLaplace(
            sensitivity=steps, epsilon=epsilon, delta=delta
        )
    else:
        laws["uniform"] = Uniform(sensitivity=steps, delta=delta)
    return laws


def joint_laws(problem: ComposedProblem) -> dict[str, NormLaplace | NormStaircase]:
    """Laws on integer vectors that know the largest error, by family; for two queries or more."""
    if problem.count == 1 or not problem.epsilon:
        return {}
    laws: dict[str, NormLaplace | NormStaircase] = {"joint Laplace": _joint_laplace(problem)}
    if problem.steps > 1 and _LEAST_RATE * problem.count < problem.epsilon <= MOST_RATE:
        laws["joint staircase"] = _joint_staircase(problem)
    return laws


def _joint_laplace(problem: ComposedProblem) -> NormLaplace:
    """At Δ/ε, which needs no δ; if δ is not small, at nearly the least scale for (ε, δ)."""

    def law(scale: Fraction) -> NormLaplace:
        return NormLaplace(problem.count, scale, "linf")

    high = max(problem.steps / problem.epsilon, _LEAST_SCALE)
    low = max(high / 64, _LEAST_SCALE)
    for _ in range(_HALVINGS if problem.delta > _SMALL else 0):
        middle = (low + high) / 2
        leak = law(middle).delta(problem.epsilon, problem.steps).upper
        low, high = (low, middle) if leak <= problem.delta else (middle, high)
    return law(high)


def _joint_staircase(problem: ComposedProblem) -> NormStaircase:
    """The width that costs least, as far as a search sees."""

    def law(share: float) -> NormStaircase:
        width = min(problem.steps, max(1, round(share * problem.steps)))
        return NormStaircase(
            dimension=problem.count,
            sensitivity=problem.steps,
            epsilon=problem.epsilon,
            width=width,
            norm="linf",
        )

    def cost(share: float) -> float:
        return float(expected_cost(CubeCoordinate(law(share).shape), problem.cost, problem.step))

    return law(least_cost(cost, _WIDTHS, _REFINEMENTS))
