r"""A width for a cost without a closed form, by floating-point sums over all widths at once.

With level(m) = ⌊m/Δ⌋ + [m mod Δ ≥ w] the weights of a staircase fall apart by m mod Δ: with
G(ρ) = Σ f(m)·|Sphere(m)|·b^⌊m/Δ⌋ over m ≡ ρ, the sum of f(‖x‖) over the law is
Σ_{ρ<w} G(ρ) + b·Σ_{ρ≥w} G(ρ). So running sums over ρ price every width. What is found is not
trusted: the law it leads to is priced again in brackets.
"""

from fractions import Fraction
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.noise.vectors.norm import Norm

Floats = NDArray[np.float64]

_MOST_NORMS = 1 << 15
_DEVIATIONS = 12


def searched_width(problem: VectorProblem) -> int:
    """About the best width in 1..Δ of a norm staircase, for any cost.

    Example:
        >>> problem = VectorProblem(
        ...     dimension=2, norm="l1", sensitivity=1000, epsilon=4, delta=0,
        ...     cost="absolute", granularity=1,
        ... )  # fmt: skip
        >>> searched_width(problem)
        312
    """
    dimension, sensitivity, rate = problem.dimension, problem.steps, float(problem.epsilon)
    far = (dimension + _DEVIATIONS * sqrt(dimension) + 40) / rate + 2
    # A lattice too fine to be summed point by point is made coarser.
    coarse = max(1, ceil(sensitivity * far / _MOST_NORMS))
    period = max(1, sensitivity // coarse)
    norms = np.arange(period * ceil(far))
    sizes = _log_spheres(dimension, problem.norm, len(norms))
    weights = np.exp(sizes - rate * norms / period - np.max(sizes - rate * norms / period))
    weights *= np.exp(rate * (norms % period) / period)
    unit = problem.granularity * Fraction(sensitivity, period)
    prices = np.array([float(problem.cost.at(int(m) * unit)) for m in norms])
    fall = np.exp(-rate)
    over, under = (_by_width(sums, period, fall) for sums in (weights * prices, weights))
    best = int(np.argmin(over / under)) + 1
    return min(sensitivity, max(1, round(Fraction(best * sensitivity, period))))


def _by_width(terms: Floats, period: int, fall: float) -> Floats:
    """Σ terms, those with m mod period ≥ w multiplied by the fall, for w = 1..period."""
    inside = np.cumsum(terms.reshape(-1, period).sum(axis=0))
    return np.asarray(inside + fall * (inside[-1] - inside))


def _log_spheres(dimension: int, norm: Norm, count: int) -> Floats:
    """Log |Sphere(m)| for m < count."""
    norms = np.arange(1, count)
    if norm == "linf":
        sides = np.log(2.0 * norms + 1)
        inner = np.log1p(-np.exp(dimension * (np.log(2.0 * norms - 1) - sides)))
        return np.concatenate([[0.0], dimension * sides + inner])
    # Choose t coordinates and their signs; t magnitudes ≥ 1 with a given sum.
    logs = np.full(count - 1, -np.inf)
    for t in range(1, dimension + 1):
        choices = _log_choices(np.array(float(dimension)), t) + t * np.log(2)
        logs = np.logaddexp(logs, choices + _log_choices(norms.astype(np.float64) - 1, t - 1))
    return np.concatenate([[0.0], logs])


def _log_choices(population: Floats, size: int) -> Floats:
    """Log C(population, size), −inf where there are too few."""
    # Loaded here: a fifth of a second that those who ask for one number need not wait.
    from scipy.special import gammaln  # noqa: PLC0415

    rest = population - size
    known = gammaln(population + 1) - gammaln(size + 1) - gammaln(np.maximum(rest, 0) + 1)
    return np.asarray(np.where(rest >= 0, known, -np.inf))
