"""`ConcentratedStep`: the greatest step under zCDP with a leak, found by floats, then proved."""

import math
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.partitions.coin_divergence import coins_keep
from leastnoise.mechanisms.partitions.keep_step import GaussianStep

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_PLACES = 192  # a guess only: what it finds is proved afterwards
_FIRST_ORDER = 1 / 256  # orders are searched from 1 + this on
_HALVINGS = 16  # the odds are found to 2^-16 of the range
_TRUSTED = (1 - 2**-10, 1 - 2**-7, 1 - 2**-4, 1 / 2)
_SMALLER = 0.88  # a rule of thumb: it only decides which step is tried
_FARTHEST_ODDS = 500  # beyond, floats do not reach


@dataclass(frozen=True)
class ConcentratedStep:
    r"""The step of δ-approximate ρ-zCDP: the greatest q whose coin keeps it beside p's.

    Theorem: for coins with p ≤ q the promise holds if and only if those with chances p/(1−δ) and
    (q−δ)/(1−δ) are ρ-zCDP, both ways round. It is never less than that of the Gaussian of
    μ² = 2ρ. Proof: docs/proofs/partition_selection.md, section 5.

    The search is free; each answer is proved, and where that fails the Gaussian's step is taken.

    References: HarrisonManurangsi2026, for the idea of the best rule under such promises.
    """

    rho: Fraction
    delta: Fraction

    @property
    def gaussian(self) -> GaussianStep:
        """The step that keeps the promise in closed form."""
        return GaussianStep(2 * self.rho, self.delta)

    @property
    def about_half(self) -> float:
        """Somewhat sooner than the Gaussian's."""
        return _SMALLER * self.gaussian.about_half

    def after(self, kept: int, bits: int) -> int:
        """The Gaussian's step, and as far beyond it as can be proved."""
        one, sure = 1 << bits, self.gaussian.after(kept, bits)
        if not kept or sure == one or not self.rho:
            return sure
        share = Fraction(kept, one) / (1 - self.delta)
        start = self._odds(sure, one)
        if abs(start) > _FARTHEST_ODDS:
            return sure
        reach = _farthest(float(share), float(1 - share), float(self.rho), start) - start
        for part in _TRUSTED:
            tried = self._chance(start + part * reach, one)
            if tried <= sure:
                break
            if coins_keep(share, (Fraction(tried, one) - self.delta) / (1 - self.delta), self.rho):
                return tried
        return sure

    def _odds(self, kept: int, one: int) -> float:
        """The logarithm of the odds for heads, given no leak."""
        heads, tails = Fraction(kept, one) - self.delta, 1 - Fraction(kept, one)
        return math.log(heads / tails) if heads > 0 else -math.inf

    def _chance(self, odds: float, one: int) -> int:
        heads = Fraction(_heads(odds))
        return floor((self.delta + (1 - self.delta) * heads) * one)

    def loss(self, changes: int) -> "PrivacyLoss":
        """None is known that would be as good as the promise itself."""
        del changes
        raise UnsupportedQuery(
            "a rule made for zCDP must be priced by zCDP; a whole curve was asked for. "
            "Take its guarantee, or ask for an ApproxDP promise."
        )


def _farthest(heads: float, tails: float, rho: float, start: float) -> float:
    """About the greatest log-odds that keep ρ-zCDP beside a coin."""
    near, far = start, min(start + 8 * math.sqrt(2 * rho) + 8 * rho, _FARTHEST_ODDS)
    most = max(0.0, math.log(_heads(far) / heads), math.log(tails / _heads(-far)))
    orders = np.geomspace(_FIRST_ORDER, most / rho + 1, _PLACES)
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        kept = _seems_kept(heads, tails, middle, rho, orders)
        near, far = (middle, far) if kept else (near, middle)
    return near


def _heads(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _seems_kept(
    heads: float, tails: float, odds: float, rho: float, orders: NDArray[np.float64]
) -> bool:
    up, down = _heads(odds), _heads(-odds)
    rise, fall = math.log(up / heads), math.log(tails / down)
    forth = np.logaddexp(math.log(up) + orders * rise, math.log(down) - orders * fall)
    back = np.logaddexp(math.log(heads) - orders * rise, math.log(tails) + orders * fall)
    worse = np.maximum(forth, back)
    # The first order stands for all below it: there the chord from 0 must do.
    first = rho * orders[0]
    return bool(worse[0] <= first and (worse <= rho * orders * (1 + orders)).all())
