"""ε-DP noise for columns: cube noise, and independent discrete Laplace noise beside it."""

from collections.abc import Callable
from fractions import Fraction

from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.tabulation.column_noise import ColumnNoise
from leastnoise.tabulation.cube_noise import CubeNoise
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.split import pure_share


def cube_perturbation(columns: int, epsilon: Fraction, *, centred: bool) -> Perturbation:
    """One radius for all columns.

    Example:
        >>> cube_perturbation(100, Fraction(1, 2), centred=False).noise
        CubeNoise(columns=100, scale=2)
    """
    return _perturbation(lambda share: CubeNoise(columns, 1 / share), columns, epsilon, centred)


def laplace_perturbation(columns: int, epsilon: Fraction, *, centred: bool) -> Perturbation:
    """A draw for each column, which pays for all of them.

    Example:
        >>> laplace_perturbation(100, Fraction(1, 2), centred=False).noise
        IndependentNoise(law=DiscreteLaplace(scale=200), columns=100)
    """
    return _perturbation(
        lambda share: IndependentNoise(DiscreteLaplace(columns / share), columns),
        columns,
        epsilon,
        centred,
    )


def _perturbation(
    noise: Callable[[Fraction], ColumnNoise], columns: int, epsilon: Fraction, centred: bool
) -> Perturbation:
    if not centred:
        return Perturbation(noise(epsilon))
    spent = epsilon * pure_share(columns)
    return Perturbation(noise(epsilon - spent), DiscreteLaplace(1 / spent))
