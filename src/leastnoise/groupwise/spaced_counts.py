"""`SpacedCounts`: small counts set as far apart as Gaussian noise needs to tell them apart."""

from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.errors import UnsupportedQuery
from leastnoise.groupwise.even_gaps import even_gaps
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.relative_promise import checked_promise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.normal_cdf import normal_cdf
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source

_NOISE_BITS = 32  # a step of the lattice is next to nothing
_NOISE = 1 << _NOISE_BITS  # the standard deviation, in steps
_WIDEST_ERROR = 8  # at the largest count
_NEGLIGIBLE = 40  # standard deviations
# Per cent of the error that an even line would use up; the rest is for gaps that are not even.
_SHARE = 97


@dataclass(frozen=True, init=False, repr=False)
class SpacedCounts(GroupwiseCounts):
    r"""Counts smallest, …, largest on a line, Gaussian noise, and the count nearest to the result.

    Theorem: (1) E|x̂ − x| ≤ relative_error·x for every x from smallest to largest. (2) The release
    is v-group-wise zCDP with v(x) = gap(x)²/2, in units of the noise, for the gap between x − 1 and
    x, which does not grow with x.
    Proof: docs/proofs/relative_counts.md, section 6.

    The gap above x is chosen such that a line with equal gaps of that size would have nearly the
    error relative_error·x. `RelativeCounts` loses less at every x; this mechanism is here to be
    compared with, and for those who want Gaussian noise throughout.

    Args:
        relative_error: r in [10**−8, 1).
        smallest: the least size that the error is promised for; smaller counts are raised to it.
        largest: the greatest; larger counts are lowered to it. At most 8/relative_error.

    Raises:
        InvalidParameter: the parameters are not such numbers.

    Example:
        >>> mechanism = SpacedCounts(relative_error="0.05", smallest=1, largest=40)
        >>> [round(float(mechanism.privacy(x)), 2) for x in (2, 5, 10)]
        [7.79, 3.38, 1.3]
    """

    relative_error: Fraction
    least: int
    largest: int

    def __init__(
        self, *, relative_error: Exact, smallest: SupportsIndex = 1, largest: SupportsIndex
    ) -> None:
        error, least, _ = checked_promise(relative_error, smallest, 0)
        most = int(_WIDEST_ERROR / error)
        top = _check.integer_between(largest, "largest", least + 1, max(most, least + 1))
        keep(self, relative_error=error, least=least, largest=top)
        _line(error, least, top)

    @property
    def channel(self) -> None:
        """None: counts do not lie at logarithms."""
        return

    @cached_property
    def line(self) -> "CountLine":
        """The places of the counts; all of it is public."""
        return _line(self.relative_error, self.least, self.largest)

    @cached_property
    def noise(self) -> DiscreteGaussian:
        """The law of the noise, in steps of the lattice."""
        return DiscreteGaussian(variance=_NOISE**2)

    def privacy(self, size: SupportsIndex) -> Fraction:
        """v(x): the group-wise ρ of a record in a group of x, exactly."""
        x = _check.integer_between(size, "size", 0)
        return Fraction(self.line.gap(self._bordered(x)) ** 2, 2 * _NOISE**2)

    def _bordered(self, x: int) -> int:
        return min(max(x, self.least + 1), self.largest)

    def _pair_loss(self, size: int) -> PrivacyLoss:
        return self.noise.privacy(self.line.gap(self._bordered(size)))

    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|x̂ − x| for a group of x from smallest to largest."""
        x = _check.integer_between(size, "size", self.least, self.largest)
        with balls.precision(balls.FIRST_PRECISION):
            low, high = (balls.interval(self.line.error(x, side)) for side in (-1, 1))
        return Interval(max(low.lower, Fraction(0)), high.upper)

    def _drawn(self, counts: NDArray[np.int64], source: Source) -> NDArray[Any]:
        places = np.array(self.line.places, dtype=np.int64)
        held = np.clip(counts, self.least, self.largest) - self.least
        blurred = places[held] + self.noise.sample(counts.size, source).astype(np.int64)
        borders = np.array(self.line.borders, dtype=np.int64)
        return np.searchsorted(borders, blurred, side="right") + self.least

    def _chance_above(self, size: int, released: Fraction) -> arb:
        if released <= size or size >= self.largest:
            return arb(1)
        y = min(-(-released.numerator // released.denominator), self.largest)
        return self.line.chance_above(size, y - 1, 1)


@dataclass(frozen=True)
class CountLine:
    """Places of the counts from `first` on, in steps of the lattice."""

    first: int
    places: tuple[int, ...]

    @cached_property
    def borders(self) -> tuple[int, ...]:
        """Half-way between neighbours: from there on the upper one is nearer."""
        return tuple(-(-(a + b) // 2) for a, b in zip(self.places, self.places[1:], strict=False))

    def gap(self, x: int) -> int:
        """How far x − 1 and x lie apart."""
        return self.places[x - self.first] - self.places[x - self.first - 1]

    def chance_above(self, x: int, j: int, side: int) -> arb:
        """P(x̂ > j) for j ≥ x, bounded from above or below by a normal law one step away."""
        distance = self.borders[j - self.first] - self.places[x - self.first]
        return normal_cdf(-arb(distance - side) / _NOISE)

    def _chance_below(self, x: int, j: int, side: int) -> arb:
        """P(x̂ ≤ j) for j < x."""
        distance = self.borders[j - self.first] - self.places[x - self.first]
        return normal_cdf(arb(distance + side) / _NOISE)

    def error(self, x: int, side: int) -> arb:
        """E|x̂ − x|, an upper or a lower bound."""
        near = [j for j, border in enumerate(self.borders, self.first) if self._is_near(x, border)]
        total = arb(0)
        for j in near:
            total += (self.chance_above if j >= x else self._chance_below)(x, j, side)
        # Each of the others adds at most P(Z > 39).
        others = (len(self.borders) - len(near)) * normal_cdf(arb(1 - _NEGLIGIBLE))
        return total + others if side > 0 else total

    def _is_near(self, x: int, border: int) -> bool:
        return abs(border - self.places[x - self.first]) <= _NEGLIGIBLE * _NOISE


@lru_cache(maxsize=32)
def _line(relative_error: Fraction, smallest: int, largest: int) -> CountLine:
    """The closest places that provably keep the error."""
    for percent in range(_SHARE, 49, -1):
        share = percent / 100 * float(relative_error)
        errors = share * np.arange(smallest, largest, dtype=np.float64)
        gaps = [round(gap * _NOISE) for gap in even_gaps(errors).tolist()]
        line = CountLine(smallest, tuple(accumulate([0, *gaps])))
        if _keeps(line, relative_error):
            return line
    raise UnsupportedQuery(
        "a design must be proved to keep its error; this one was not. "
        "Allow a slightly different relative_error."
    )


def _keeps(line: CountLine, relative_error: Fraction) -> bool:
    counts = range(line.first, line.first + len(line.places))
    with balls.precision(balls.FIRST_PRECISION):
        return all(line.error(x, 1) <= balls.ball(relative_error * x) for x in counts)
