"""The mechanisms everybody knows by name, drawn exactly: for comparison, or because a text says so.

`optimal` is never worse than any of them. The law that `staircase` adds is `noise.Staircase`;
`theory.staircase` is about the law on the real line, and draws nothing.
"""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.least_noise.optimal import chosen_step, optimal_scalar
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ApproxDP, PureDP


def laplace(
    *, sensitivity: Exact, epsilon: Exact, granularity: Exact | None = None
) -> AdditiveNoise:
    """Discrete Laplace (two-sided geometric) noise: ε-DP.

    Args:
        sensitivity: the most that one person changes the query's value.
        epsilon: ε above 0.
        granularity: the step of the lattice that answers lie on; 1 for whole sensitivities.

    Example:
        >>> mechanism = laplace(sensitivity=1, epsilon="0.1")
        >>> mechanism.law, mechanism.error("0.95")
        (DiscreteLaplace(scale=10), Fraction(30, 1))
    """
    reach, loss = _check.positive(sensitivity, "sensitivity"), _check.positive(epsilon, "epsilon")
    step = chosen_step(reach, granularity)
    law = DiscreteLaplace(scale=Lattice(step).reach(reach) / loss)
    return AdditiveNoise(law, sensitivity=reach, guarantee=PureDP(epsilon=loss), granularity=step)


def staircase(
    *, sensitivity: Exact, epsilon: Exact, granularity: Exact | None = None
) -> AdditiveNoise:
    """The staircase with the least mean error: ε-DP, and the least noise there is for that.

    Args:
        sensitivity: the most that one person changes the query's value.
        epsilon: ε above 0.
        granularity: the step of the lattice that answers lie on; 1 for whole sensitivities.

    Example:
        >>> staircase(sensitivity=10, epsilon=3).law
        Staircase(sensitivity=10, epsilon=3, width=2)
    """
    loss = _check.positive(epsilon, "epsilon")
    return optimal_scalar(sensitivity=sensitivity, epsilon=loss, granularity=granularity).mechanism


def gaussian(
    *, sensitivity: Exact, epsilon: Exact, delta: Exact, granularity: Exact | None = None
) -> AdditiveNoise:
    """Discrete Gaussian noise of the least variance that is (ε, δ)-DP.

    Args:
        sensitivity: the most that one person changes the query's value.
        epsilon: ε.
        delta: δ above 0.
        granularity: the step of the lattice that answers lie on; 1 for whole sensitivities.

    Example:
        >>> mechanism = gaussian(sensitivity=1, epsilon=1, delta="1e-6")
        >>> round(float(mechanism.law.sigma_squared), 2)
        17.9
    """
    reach = _check.positive(sensitivity, "sensitivity")
    promise = ApproxDP(epsilon=epsilon, delta=_check.positive_delta(delta))
    step = chosen_step(reach, granularity)
    variance = discrete_gaussian_variance(
        epsilon=promise.epsilon, delta=promise.delta, sensitivity=Lattice(step).reach(reach)
    )
    law = DiscreteGaussian(Fraction(variance.upper))
    return AdditiveNoise(law, sensitivity=reach, guarantee=promise, granularity=step)
