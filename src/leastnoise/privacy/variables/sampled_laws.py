r"""Pairs of laws made by Poisson sampling, by the tails of their loss: what is cut into cells.

A pair has a loss L that is a rising function of the unsampled one. `tails(l)` are P(L > l) and
Q(L > l) in balls; `edges` says where to cut. Edges carry no proof: any will do.

Proof: docs/proofs/sampling.md, sections 1 and 3.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.loss_table import LossTable
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.pooling import Floats, Places

_REACH = 13.0  # standard deviations; beyond lies less than 1e-38
_NEGLIGIBLE = 1e-9  # of a delta
_POINTS = 4001  # of the table that chooses cells


class SampledLaw(Protocol):
    """A pair (P, Q) whose loss is to be cut into cells."""

    def __hash__(self) -> int:
        """Cells are remembered by law."""

    @property
    def spread(self) -> float:
        """A rough standard deviation of the loss; chooses grids, carries no proof."""

    def likely_tilt(self, count: int, rarity: float, *, removing: bool = True) -> float:
        """About the tilt at which a sum of so many copies is asked for a delta of e^−rarity.

        Negative for the reversed pair: there losses are −L, under Q.
        """

    def deviation(self, tilt: float) -> float:
        """About the standard deviation of the loss where it is weighed with e^(tilt·L)."""

    def edges(self, step: float, tilt: float, negligible: float = 0.0) -> Places:
        """Where to cut, in steps: wider cells where e^(tilt·L) has little mass.

        Up to where no more than negligible mass lies above.
        """

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """Balls around P(L > loss) and Q(L > loss)."""


@dataclass(frozen=True)
class SampledGaussian:
    r"""((1−q)·N(0,1) + q·N(μ,1), N(0,1)): L = log(1 − q + q·e^(μz − μ²/2)) rises with z."""

    rate: Fraction
    mu_squared: Fraction

    @cached_property
    def _table(self) -> LossTable:
        """Losses on a table of z."""
        mu, q = math.sqrt(self.mu_squared), float(self.rate)
        z = np.linspace(-_REACH, mu + _REACH, _POINTS)
        loss = np.logaddexp(math.log1p(-q), math.log(q) + mu * z - mu * mu / 2)
        without = _beyond(z)
        return LossTable(loss, (1 - q) * without + q * _beyond(z - mu), without)

    @cached_property
    def spread(self) -> float:
        """The least of three guesses."""
        mu = math.sqrt(self.mu_squared)
        ratio = float(self.rate) * math.sqrt(math.expm1(min(mu * mu, 700.0)))
        return min(ratio, mu, self._table.deviation(0.0))

    def likely_tilt(self, count: int, rarity: float, *, removing: bool = True) -> float:
        """From the table."""
        return self._table.likely_tilt(count, rarity, removing=removing)

    def deviation(self, tilt: float) -> float:
        """From the table."""
        return self._table.deviation(tilt)

    def edges(self, step: float, tilt: float, negligible: float = 0.0) -> Places:
        """From the least loss up to where the tail is negligible."""
        return self._table.edges(step, tilt, negligible)

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """Of both laws at the z of this loss."""
        rate, mu = balls.ball(self.rate), balls.ball(self.mu_squared).sqrt()
        rise = loss.expm1() + rate
        if rise < 0:
            return arb(1), arb(1)
        z = (rise / rate).log() / mu + mu / 2
        without, with_record = _upper_tail(z), _upper_tail(z - mu)
        return without + rate * (with_record - without), without


@dataclass(frozen=True)
class ReplacedGaussian:
    r"""(1−q)·N(0,1) + q·N(μ,1) against (1−q)·N(0,1) + q·N(−μ,1): L is odd and rises with z.

    With c = q·e^(−μ²/2), z = [l/2 + asinh((1−q)·sinh(l/2)/c)]/μ where L = l.
    """

    rate: Fraction
    mu_squared: Fraction

    @cached_property
    def _table(self) -> LossTable:
        mu, q = math.sqrt(self.mu_squared), float(self.rate)
        z = np.linspace(-mu - _REACH, mu + _REACH, _POINTS)
        rest, ratio = math.log1p(-q), math.log(q) - mu * mu / 2
        loss = np.logaddexp(rest, ratio + mu * z) - np.logaddexp(rest, ratio - mu * z)
        middle, high, low = _beyond(z), _beyond(z - mu), _beyond(z + mu)
        return LossTable(loss, (1 - q) * middle + q * high, (1 - q) * middle + q * low)

    @cached_property
    def spread(self) -> float:
        """The least of three guesses."""
        mu = math.sqrt(self.mu_squared)
        ratio = 2 * float(self.rate) * math.sqrt(math.expm1(min(mu * mu, 700.0)))
        return min(ratio, 2 * mu, self._table.deviation(0.0))

    def likely_tilt(self, count: int, rarity: float, *, removing: bool = True) -> float:
        """From the table."""
        return self._table.likely_tilt(count, rarity, removing=removing)

    def deviation(self, tilt: float) -> float:
        """From the table."""
        return self._table.deviation(tilt)

    def edges(self, step: float, tilt: float, negligible: float = 0.0) -> Places:
        """The same on both sides of 0: what is rare on one is rare on the other."""
        above = self._table.upper_half.edges(step, tilt, negligible)
        above = above[above > 0]
        return np.concatenate([-above[::-1], np.zeros(1, dtype=np.int64), above])

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """Of both laws at the z of this loss."""
        rate, mu = balls.ball(self.rate), balls.ball(self.mu_squared).sqrt()
        weight = rate * (-balls.ball(self.mu_squared) / 2).exp()
        z = (loss / 2 + ((1 - rate) * (loss / 2).sinh() / weight).asinh()) / mu
        middle, high, low = _upper_tail(z), _upper_tail(z - mu), _upper_tail(z + mu)
        return middle + rate * (high - middle), middle + rate * (low - middle)


@dataclass(frozen=True)
class SampledBounded:
    """A loss with bounds, the same both ways and with closed tails, sampled at a rate."""

    rate: Fraction
    base: LaplaceVariable | BoundedRangeVariable

    @property
    def _bound(self) -> Fraction:
        return self.base.ratio if isinstance(self.base, LaplaceVariable) else self.base.width

    @cached_property
    def spread(self) -> float:
        """That of the unsampled loss, made smaller as the greatest loss is."""
        bound = float(self._bound)
        share = math.log1p(float(self.rate) * math.expm1(min(bound, 700.0))) / min(bound, 700.0)
        return self.base.spread * share

    def likely_tilt(self, count: int, rarity: float, *, removing: bool = True) -> float:
        """Of no use: all cells are narrow."""
        del count, rarity, removing
        return 0.0

    def deviation(self, tilt: float) -> float:
        """That of the loss itself: it has bounds."""
        del tilt
        return self.spread

    def edges(self, step: float, tilt: float, negligible: float = 0.0) -> Places:
        """All multiples of the step between the least loss and the greatest."""
        del tilt, negligible
        bound, q = float(self._bound), float(self.rate)
        first, last = (math.log1p(q * math.expm1(end)) / step for end in (-bound, bound))
        return np.arange(math.floor(first) - 1, math.ceil(last) + 2, dtype=np.int64)

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """Of the mixture and of the law without the record."""
        rate, bound = balls.ball(self.rate), balls.ball(self._bound)
        rise = loss.expm1() + rate
        if rise < 0:
            return arb(1), arb(1)
        base = (rise / rate).log()
        if base > bound:
            return arb(0), arb(0)
        if base < -bound:
            return arb(1), arb(1)
        with_record, without = self.base.inner_tails(base, bound)
        return without + rate * (with_record - without), without


def sampled_law(base: LossVariable, rate: Fraction) -> SampledLaw | None:
    """The pair (mixture, without) of a base with closed tails, or None."""
    if isinstance(base, GaussianVariable):
        return SampledGaussian(rate, base.mu_squared)
    if isinstance(base, (LaplaceVariable, BoundedRangeVariable)):
        return SampledBounded(rate, base)
    return None


def negligible_mass(count: int, rarity: float) -> float:
    """So little that so many copies of it hardly count against a delta of e^−rarity."""
    return _NEGLIGIBLE * math.exp(-rarity) / count


def _beyond(z: Floats) -> Floats:
    return np.array([math.erfc(point / math.sqrt(2)) / 2 for point in z.tolist()])


def _upper_tail(z: arb) -> arb:
    return (z / arb(2).sqrt()).erfc() / 2
