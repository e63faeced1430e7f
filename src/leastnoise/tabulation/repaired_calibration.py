r"""Repaired Gaussian noise for a guarantee.

The parts of the budget, the number of repairs and the threshold are searched for with floats and
are not trusted: what comes of them is priced again, and scaled up until the guarantee is proved.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.repaired_gaussian import RepairedGaussian
from leastnoise.tabulation.split import squared_ratio

_RISK = 0.05  # of the error that is made small; each way to exceed it gets a quarter
_SEARCH_SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.35)
_THRESHOLD_SHARES = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)
_NORMAL = NormalDist()
_GROWTH = Fraction(513, 512)  # a fifth of a percent more noise with each attempt
_LEAST_GROWTH = Fraction(1 + 2**-20)  # the search computes with floats
_DIGITS = 24  # bits of a parameter, few enough to be read
_LARGE_RATE = 30  # the noise of a question is next to nothing then


def repaired_perturbation(
    columns: int, guarantee: ApproxDP | ZCDP, *, centred: bool
) -> Perturbation:
    """Repaired Gaussian noise with about the least error that 95 % of draws stay within.

    Example:
        >>> found = repaired_perturbation(2**16, ZCDP(rho="0.5"), centred=False)
        >>> found.keeps(ZCDP(rho="0.5")), found.noise.repairs
        (True, 8)
    """
    rho = _rho(guarantee)
    ratio = squared_ratio(columns) if centred else None
    best = min(_designs(columns, rho, ratio), key=lambda design: design.error)
    factor = _LEAST_GROWTH
    while not (found := best.perturbation(factor)).keeps(guarantee):
        factor *= _GROWTH
    return found


def _rho(guarantee: ApproxDP | ZCDP) -> float:
    """The ρ that normal noise of the guarantee has."""
    match guarantee:
        case ZCDP(rho=rho):
            return float(rho)
        case ApproxDP(epsilon=epsilon, delta=delta):
            sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1)
            return 1 / (2 * float(sigma.upper) ** 2)
        case _:
            assert_never(guarantee)


def _designs(columns: int, rho: float, ratio: Fraction | None) -> Iterator["_Design"]:
    for half_power in range(2 * max(1, columns.bit_length() - 6)):
        repairs = int(2 ** (half_power / 2))
        for search in _SEARCH_SHARES:
            for threshold in _THRESHOLD_SHARES:
                yield _Design(columns, rho, ratio, repairs, search, threshold)


@dataclass(frozen=True)
class _Design:
    """One way to divide a budget, as if on the real line and with a Poisson number of hits."""

    columns: int
    rho: float
    squared_ratio: Fraction | None
    repairs: int
    search_share: float
    threshold_share: float

    @cached_property
    def _deviation(self) -> float:
        """That of the noise which every column gets first."""
        units = self.columns + (0 if self.squared_ratio is None else 1 / self.squared_ratio)
        return math.sqrt(units / (2 * self.rho * (1 - self.search_share)))

    @cached_property
    def _epsilon(self) -> float:
        """ε₀ with ε₀·tanh(ε₀/2) equal to its share of ρ, by Newton's method."""
        share = self.rho * self.search_share / self.repairs
        epsilon = math.sqrt(2 * share) + share
        for _ in range(8):
            half = math.tanh(epsilon / 2)
            epsilon -= (epsilon * half - share) / (half + epsilon * (1 - half**2) / 2)
        return epsilon

    @cached_property
    def _threshold(self) -> float:
        """Reached by more than the repairs with a quarter of the risk."""
        count = self.repairs + 1
        root = 1 - 1 / (9 * count) + _NORMAL.inv_cdf(_RISK / 4) / (3 * math.sqrt(count))
        hits = count * max(root, 0.05) ** 3  # Wilson and Hilferty's quantile
        low, high = 0.0, 60 * (self._deviation + 1 / self._query_rate)
        for _ in range(60):
            middle = (low + high) / 2
            fewer = self.columns * self._reached(middle) <= hits
            low, high = (low, middle) if fewer else (middle, high)
        return high

    @property
    def _query_rate(self) -> float:
        return (1 - self.threshold_share) * self._epsilon / 2

    def _reached(self, threshold: float) -> float:
        """P(|Z| + ν ≥ threshold) for normal Z and exponential ν."""
        place, rate = threshold / self._deviation, self._query_rate * self._deviation
        if rate > _LARGE_RATE:  # ν is next to nothing, and the formula overflows
            return 2 * _tail(place - 1 / rate)
        inside = _tail(rate - place) - _tail(rate)
        return 2 * (_tail(place) + math.exp(rate * (rate / 2 - place)) * inside)

    @cached_property
    def error(self) -> float:
        """What 95 % of draws stay within, without the cost of fresh noise, which is small."""
        slack = math.log(4 * self.repairs / _RISK) / (self.threshold_share * self._epsilon)
        return self._threshold + slack

    def perturbation(self, factor: Fraction) -> Perturbation:
        """The design with all its noise scaled by a factor."""
        noise = self._noise(factor)
        if self.squared_ratio is None:
            return Perturbation(noise)
        return Perturbation(noise, DiscreteGaussian(self.squared_ratio * noise.law.sigma_squared))

    def _noise(self, factor: Fraction) -> RepairedGaussian:
        fresh = self.error / _NORMAL.inv_cdf(1 - _RISK / (8 * self.repairs))
        # What the fresh noise costs is taken off everything.
        share = self.repairs / (2 * fresh**2 * self.rho)
        scale = float(factor) / math.sqrt(max(1 - share, 0.5))
        return RepairedGaussian(
            columns=self.columns,
            law=DiscreteGaussian(_short((scale * self._deviation) ** 2)),
            threshold=math.ceil(scale * self._threshold),
            gate=ThresholdNoise(
                epsilon=_short(self._epsilon / scale),
                sensitivity=1,
                threshold_share=Fraction(str(self.threshold_share)),
            ),
            fresh=DiscreteGaussian(_short((scale * fresh) ** 2)),
            repairs=self.repairs,
        )


def _tail(place: float) -> float:
    """P(normal > place), small values included."""
    return math.erfc(place / math.sqrt(2)) / 2


def _short(value: float) -> Fraction:
    """Nearly the same number, in few digits."""
    scale = Fraction(2) ** (_DIGITS - math.floor(math.log2(value)))
    return Fraction(round(value * scale)) / scale
