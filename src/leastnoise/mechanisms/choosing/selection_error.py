r"""Expected errors of the two ways to choose, exactly; docs/proofs/selection.md, section 6.

A candidate with gap d to the best has the coin p = exp(−rate·d). Gaps whose coin is below
exp(−`_NEGLIGIBLE`) are bounded instead of summed; there d·p falls with d.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, log

import numpy as np
from flint import acb, arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.choosing.rare_gap import flipping_missed
from leastnoise.mechanisms.choosing.utility_gaps import Gaps
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.laws.finite_law import at_least_0

_NEGLIGIBLE = 160  # e^-160 is below 2^-230
_PLACES_PER_SCALE = 256  # looked at, per unit of rate·gap


Coin = tuple[int, int, arb]
"""Gap, number of candidates with it, and their chance of heads."""


@dataclass(frozen=True)
class _Split:
    """Gaps with the number of candidates that have them, up to a limit; and how many lie beyond."""

    near: list[tuple[int, int]]
    far: int
    rate: Fraction

    @classmethod
    def of(cls, gaps: Gaps, rate: Fraction) -> "_Split":
        close = gaps <= min(floor(_NEGLIGIBLE / rate), np.iinfo(np.uint64).max)
        values, counts = np.unique(gaps[close], return_counts=True)
        near = list(zip(values.tolist(), counts.tolist(), strict=True))
        return cls(near, int(gaps.size - np.count_nonzero(close)), rate)

    def coins(self) -> list[Coin]:
        """Those of the near candidates."""
        return [(gap, count, _coin(self.rate, gap)) for gap, count in self.near]

    def far_chance(self) -> arb:
        """Between 0 and a bound on the sum of p over the far candidates."""
        return arb(0).union(self.far * (-arb(_NEGLIGIBLE)).exp())

    def far_error(self) -> arb:
        """Between 0 and a bound on the sum of d·p over the far candidates."""
        return balls.ball(_NEGLIGIBLE / self.rate) * self.far_chance()


def _coin(rate: Fraction, gap: Fraction | int) -> arb:
    return (-balls.ball(rate * gap)).exp()


def exponential_error(gaps: Gaps, rate: Fraction) -> Interval:
    """Σ d·p/Σ p over all candidates."""
    split = _Split.of(gaps, rate)

    def error() -> arb:
        coins = split.coins()
        chance = sum((count * coin for _, count, coin in coins), split.far_chance())
        return sum((gap * count * coin for gap, count, coin in coins), split.far_error()) / chance

    return at_least_0(error)


def flipping_error(gaps: Gaps, rate: Fraction) -> Interval:
    r"""∫₀¹ Πⱼ(1 − pⱼ + pⱼ·s)·Σᵢ dᵢ·pᵢ/(1 − pᵢ + pᵢ·s) ds over all candidates.

    Far candidates lower it by a factor of at least 1 − Σ p, and raise it by at most Σ d·p.
    """
    split = _Split.of(gaps, rate)

    def error() -> arb:
        coins = split.coins()
        kept = acb.integral(lambda s, _: _flipping_density(coins, s), 0, 1).real
        return kept * (1 - split.far_chance()) + split.far_error()

    return at_least_0(error)


def _flipping_density(coins: Sequence[Coin], s: acb) -> acb:
    product, slope = acb(1), acb(0)
    for gap, count, coin in coins:
        tails_or_s = 1 - coin + coin * s
        product *= tails_or_s**count
        if gap:
            slope += gap * count * coin / tails_or_s
    return product * slope


def exponential_worst_error(candidates: int, rate: Fraction) -> Interval:
    """The greatest (n−1)·d/(e^(rate·d) + n − 1) of all integers d: it rises and then falls."""
    others = candidates - 1

    def falls(gap: int) -> bool:
        power = Fraction(rate * gap)
        return balls.sign(lambda: balls.ball(power).exp() * balls.ball(1 - power) + others) <= 0

    def error(gap: int) -> Interval:
        return at_least_0(lambda: others * gap / (balls.ball(rate * gap).exp() + others))

    peak = least_integer(falls, 1) if others else 1
    return _greatest([error(peak - 1), error(peak)])


def flipping_worst_error(candidates: int, rate: Fraction) -> Interval:
    r"""The greatest d·g(d) of all integers d, with g = 1 − (1 − (1−p)ⁿ)/(n·p) and p = e^(−rate·d).

    From above: by the exponential mechanism's, and by the greatest of all real d. Of these g falls,
    so between two places d < d′ the product is at most d′·g(d); beyond the last place it is at most
    d·(n−1)·p/2, which falls there. From below: at the integers beside the best of these places.
    """
    if candidates == 1:
        return Interval.exactly(0)
    places = ceil((log(candidates) + 4) * _PLACES_PER_SCALE)
    bounds = [_until_next(candidates, place) for place in range(places)]
    best = max(range(places), key=bounds.__getitem__)
    beyond = Fraction(places, _PLACES_PER_SCALE)
    rest = balls.enclosure(lambda: balls.ball(beyond * (candidates - 1) / 2) * _coin(beyond, 1))
    middle = floor(Fraction(best, _PLACES_PER_SCALE) / rate)
    lower = max(_reached(candidates, rate, gap) for gap in (middle, middle + 1))
    real = max(bounds[best], rest.upper) / rate
    return Interval(lower, min(real, exponential_worst_error(candidates, rate).upper))


def _until_next(candidates: int, place: int) -> Endpoint:
    """A bound on rate·d·g(d) for rate·d from this place to the next."""
    missed = balls.enclosure(lambda: _missed(candidates, Fraction(place, _PLACES_PER_SCALE)))
    return missed.upper * Fraction(place + 1, _PLACES_PER_SCALE)


def _reached(candidates: int, rate: Fraction, gap: int) -> Endpoint:
    return at_least_0(lambda: gap * _missed(candidates, rate * gap)).lower


def _missed(candidates: int, power: Fraction) -> arb:
    """The chance to miss the best if all others show heads with probability e^−power."""
    return flipping_missed(candidates, _coin(power, 1))


def _greatest(errors: Sequence[Interval]) -> Interval:
    return Interval(max(e.lower for e in errors), max(e.upper for e in errors))
