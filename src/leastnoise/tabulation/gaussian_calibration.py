"""Discrete Gaussian noise for columns."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.accounting.discrete_gaussian_vector_calibration import (
    discrete_gaussian_vector_variance,
)
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.tabulation.independent_noise import IndependentNoise
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.split import squared_ratio

_FIRST_EXCESS = Fraction(1, 2**14)  # over the variance of normal noise
_LAST_EXCESS = Fraction(1, 4)  # then the way through zCDP
_DIGITS = 24  # bits of a variance, few enough to be read


def gaussian_perturbation(
    columns: int, guarantee: ApproxDP | ZCDP, *, centred: bool
) -> Perturbation:
    r"""The least discrete Gaussian noise for the guarantee, or hardly more.

    For ρ-zCDP the variance is exactly that of the theorem. For (ε, δ)-DP the search starts at the
    variance that normal noise needs and goes up until the added losses are proved to be within
    (ε, δ); the classical way through zCDP, which always suffices, is the last resort.

    Example:
        >>> gaussian_perturbation(100, ZCDP(rho="0.5"), centred=False).noise
        IndependentNoise(law=DiscreteGaussian(variance=100), columns=100)
    """
    if columns == 1 and not centred and isinstance(guarantee, ApproxDP):
        return _for_one_column(guarantee)
    ratio = squared_ratio(columns) if centred else None
    # In units of the variance for one column alone.
    units = columns if ratio is None else columns + 1 / ratio

    def perturbation(unit: Fraction) -> Perturbation:
        variance = unit * units
        offset = None if ratio is None else DiscreteGaussian(ratio * variance)
        return Perturbation(IndependentNoise(DiscreteGaussian(variance), columns), offset)

    match guarantee:
        case ZCDP(rho=rho):
            return perturbation(1 / (2 * rho))
        case ApproxDP():
            return _certified(perturbation, guarantee)
        case _:
            assert_never(guarantee)


def _for_one_column(guarantee: ApproxDP) -> Perturbation:
    variance = discrete_gaussian_variance(
        epsilon=guarantee.epsilon, delta=guarantee.delta, sensitivity=1
    )
    return Perturbation(IndependentNoise(DiscreteGaussian(Fraction(variance.upper)), 1))


def _certified(make: Callable[[Fraction], Perturbation], guarantee: ApproxDP) -> Perturbation:
    """The first variance per column, from that of normal noise upwards, that is proved."""
    sigma = gaussian_sigma(epsilon=guarantee.epsilon, delta=guarantee.delta, sensitivity=1)
    excess = _FIRST_EXCESS
    while excess < _LAST_EXCESS:
        found = make(_short(Fraction(sigma.upper) ** 2 * (1 + excess)))
        if found.keeps(guarantee):
            return found
        excess *= 4
    enough = discrete_gaussian_vector_variance(
        epsilon=guarantee.epsilon, delta=guarantee.delta, squared_sensitivity=1
    )
    return make(Fraction(enough.upper))


def _short(value: Fraction) -> Fraction:
    """A little more, in few digits."""
    scale = Fraction(2) ** (_DIGITS - math.floor(math.log2(value)))
    return Fraction(math.ceil(value * scale)) / scale
