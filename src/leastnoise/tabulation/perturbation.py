"""`Perturbation`: what is added to the counts, with its errors and its price."""

import math
from fractions import Fraction
from functools import cached_property
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.tabulation.column_noise import ColumnNoise, Offset
from leastnoise.tabulation.delta_bound import delta_bound
from leastnoise.tabulation.error_law import ErrorLaw
from leastnoise.tabulation.error_laws import error_unit, single_error, worst_error
from leastnoise.tabulation.objective import Objective

_GRIDS = ((16, 8.0), (16, math.inf), (64, math.inf))  # density and reach, the quickest first


@dataclass(frozen=True)
class Perturbation:
    r"""Noise Y for the columns, and X for the number of rows if it is hidden too.

    Without X the counts of ones get Y. With X the sums of ±1 get Y and the number of rows gets X,
    and half their sum is a count of ones with error (Yⱼ + X)/2.

    Theorem: all the columns, and the number of rows, move by at most 1 from neighbour to neighbour,
    so the loss is at most that of Y at distance 1 and of X at distance 1, added up.
    Proof: docs/proofs/marginals.md, sections 1 and 2.

    Args:
        noise: the law of Y.
        offset: the law of X; None if there is none.
    """

    noise: ColumnNoise
    offset: Offset = None

    @cached_property
    def worst(self) -> ErrorLaw:
        """The law of the largest error of all counts."""
        return worst_error(self.noise, self.offset)

    @cached_property
    def single(self) -> ErrorLaw:
        """The law of the error of one count."""
        return single_error(self.noise, self.offset)

    def cost(self, objective: Objective) -> Interval:
        """The expected error that the objective names."""
        match objective:
            case Objective.MAX:
                closed = self.noise.worst_mean(self.offset)
                return self.worst.mean if closed is None else _scaled(closed, self._unit)
            case Objective.AVERAGE:
                return self.noise.absolute_mean if self.offset is None else self.single.mean
            case Objective.SQUARED:
                return self._variance
            case _:
                assert_never(objective)

    @property
    def _unit(self) -> Fraction:
        return error_unit(self.offset)

    @property
    def _variance(self) -> Interval:
        if self.offset is None:
            return self.noise.variance
        return _scaled(self.noise.variance + self.offset.variance, self._unit**2)

    def privacy(self, distance: int) -> PrivacyLoss:
        """The loss of one release if every count moves by up to `distance`."""
        loss = self.noise.privacy(distance)
        return loss if self.offset is None else loss.compose(self.offset.privacy(distance))

    @property
    def pure_epsilon(self) -> Fraction | None:
        """An ε for which the release is ε-DP; None if there is none."""
        return _sum(self.noise.pure_epsilon, _offset_epsilon(self.offset))

    @property
    def rho(self) -> Fraction | None:
        """A ρ for which the release is ρ-zCDP; None if none is known."""
        return _sum(self.noise.rho, _offset_rho(self.offset))

    def keeps(self, guarantee: Guarantee) -> bool:
        """Whether the guarantee is proved, in exact arithmetic or by a sound upper bound."""
        if guarantee not in self._proved:
            self._proved[guarantee] = self._proves(guarantee)
        return self._proved[guarantee]

    @cached_property
    def _proved(self) -> dict[Guarantee, bool]:
        return {}

    def _proves(self, guarantee: Guarantee) -> bool:
        match guarantee:
            case PureDP(epsilon=epsilon):
                return self._is_pure(epsilon)
            case ApproxDP(epsilon=epsilon, delta=delta):
                return self._is_pure(epsilon) or self._is_approximate(epsilon, delta)
            case ZCDP(rho=rho):
                return self.rho is not None and self.rho <= rho
            case RDP() | GDP():
                raise UnsupportedQuery(
                    "noise for marginals is proved to be PureDP, ApproxDP or ZCDP; got "
                    f"{guarantee!r}. Ask for one of those."
                )
            case _:
                assert_never(guarantee)

    def _is_pure(self, epsilon: Fraction) -> bool:
        return self.pure_epsilon is not None and self.pure_epsilon <= epsilon

    def _is_approximate(self, epsilon: Fraction, delta: Fraction) -> bool:
        """By a quick bound if that is enough, else by the loss itself."""
        loss = self.privacy(1)
        if loss.backward is None and delta:
            for density, reach in _GRIDS:
                bound = delta_bound(
                    loss, epsilon=epsilon, delta=delta, density=density, reach=reach
                )
                if bound <= delta:
                    return True
        return bool(loss.delta(epsilon).upper <= delta)


def _scaled(interval: Interval, factor: Fraction) -> Interval:
    return Interval(interval.lower * factor, interval.upper * factor)


def _sum(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def _offset_epsilon(offset: Offset) -> Fraction | None:
    if isinstance(offset, DiscreteLaplace):
        return 1 / offset.scale
    return Fraction(0) if offset is None else None


def _offset_rho(offset: Offset) -> Fraction | None:
    if isinstance(offset, DiscreteGaussian):
        return 1 / (2 * offset.sigma_squared)
    return Fraction(0) if offset is None else None
