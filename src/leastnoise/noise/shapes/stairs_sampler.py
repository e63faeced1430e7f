r"""Exact draws from stairs.

Narrow stairs are one table over the points 0, 1, −1, 2, −2, … Wide ones are put together from
independent parts: the centre block or a side; on a side the number of drops passed (geometric) and
the place on the step (uniform). Points beyond a radius are drawn again, and the outermost one is
kept with its share of the weight: rejection leaves exactly the truncated law.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.randomness.bernoulli import bernoulli
from leastnoise.randomness.geometric import Geometric
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable
from leastnoise.randomness.uniform import uniform_below

_MOST_POINTS = 1024  # a longer table costs more to make than it saves
_CHUNK = 1 << 16  # stays in the processor's cache
_LARGEST = 2**63 - 1  # of a signed 64-bit integer


def zigzag(n: int) -> int:
    """The n-th integer in the order 0, 1, −1, 2, −2 and so on."""
    return (n + 1) // 2 if n % 2 else -(n // 2)


@dataclass(frozen=True)
class StairsSampler:
    """The sampler for a `Stairs` with the same fields.

    `survival(n)` is the exact probability of the points after the first n of 0, 1, −1, 2, −2, …;
    it settles the rare thresholds that balls cannot.
    """

    period: int
    width: int
    rate: Fraction
    radius: int | None
    edge: ExponentialRatio
    survival: Callable[[int], ExponentialRatio]

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
        if self._is_narrow:
            return self._points.sample(count, source)
        # Chunks that stay in the processor's cache; an empty one keeps the type for count = 0.
        starts = range(0, max(count, 1), _CHUNK)
        return np.concatenate([self._wide(min(_CHUNK, count - at), source) for at in starts])

    @property
    def _is_narrow(self) -> bool:
        """Whether all points of probability 2**-64 or more fit into a small table."""
        if self.radius is not None and self.radius <= _MOST_POINTS:
            return True
        # 45 > 64·log 2 drops divide any weight by more than 2**64.
        return bool(self.rate) and self.width + self.period * 45 / self.rate <= _MOST_POINTS

    # Narrow stairs

    @cached_property
    def _points(self) -> LookUpTable:
        length = None if self.radius is None else 2 * self.radius + 1
        return LookUpTable(self._floor, zigzag, length)

    def _floor(self, n: int, bits: int) -> int:
        with balls.precision(bits + 64):
            scaled = self._survival_ball(n) * arb(2) ** bits
            whole = scaled.floor().unique_fmpz()
        return self.survival(n).floor(2**bits) if whole is None else int(whole)

    def _survival_ball(self, n: int) -> arb:
        first, second = (n + 1) // 2, n // 2 + 1
        sums = self._sums(ctx.prec)
        return (sums.outward(first) + sums.outward(second)) / sums.total

    @lru_cache(maxsize=4)  # noqa: B019 - the sampler lives as long as its law
    def _sums(self, bits: int) -> "_StairSums":
        del bits  # only the cache needs it: balls of one precision are not those of another
        return _StairSums(self.period, self.width, self.rate, self.radius, self.edge.ball())

    # Wide stairs

    @cached_property
    def _steps(self) -> Geometric:
        if self.radius is None:
            return Geometric(self.rate)
        last = max(0, (self.radius - self.width) // self.period)
        return Geometric(self.rate, cap_bits=last.bit_length())

    @cached_property
    def _side(self) -> LookUpTable:
        """0 for the centre block, 1 or −1 for a side."""
        fall = ExponentialSum.exp(-self.rate)
        gap = 1 - fall if self.rate else ExponentialSum.of(1)
        centre = gap * (2 * self.width - 1)
        if self.radius is None:
            sides = fall * (2 * self.period)
        elif self.radius < self.width:
            sides = ExponentialSum.of(0)
        else:
            steps = 1 << max(0, (self.radius - self.width) // self.period).bit_length()
            rows = 1 - ExponentialSum.exp(-self.rate * steps) if self.rate else steps
            sides = fall * rows * (2 * self.period)
        first = ExponentialRatio(sides, centre + sides)
        second = ExponentialRatio(sides, (centre + sides) * 2)
        return LookUpTable(lambda n, bits: (first, second)[n - 1].floor(2**bits), zigzag, 3)

    def _wide(self, count: int, source: Source) -> Draws:
        if self.radius is None:
            return self._propose(count, source)
        return self._within_radius(count, source, self.radius)

    def _propose(self, count: int, source: Source) -> Draws:
        """Draws from the stairs without a radius, or with far steps left out."""
        side = self._side.sample(count, source)
        drawn = self._outward(count, source)
        drawn = drawn * side
        centre = np.flatnonzero(side == 0)
        middle = uniform_below(2 * self.width - 1, centre.size, source) - (self.width - 1)
        drawn[centre] = middle
        return drawn

    def _outward(self, count: int, source: Source) -> Draws:
        """Magnitudes outside the centre block."""
        steps = self._steps.sample(count, source)
        if int(steps.max(initial=0)) + 2 > (_LARGEST - self.width) // self.period:
            steps = steps.astype(np.object_)
        if self.period > 1:
            return steps * self.period + uniform_below(self.period, count, source) + self.width
        return steps + self.width

    def _within_radius(self, count: int, source: Source, radius: int) -> Draws:
        drawn = self._propose(count, source)
        redraw = np.flatnonzero(~self._accepted(drawn, radius, source))
        while redraw.size:
            again = self._propose(redraw.size, source)
            if again.dtype == np.object_:
                drawn = drawn.astype(np.object_)
            drawn[redraw] = again
            redraw = redraw[~self._accepted(again, radius, source)]
        return drawn.astype(np.int64) if radius <= _LARGEST else drawn

    def _accepted(self, drawn: Draws, radius: int, source: Source) -> NDArray[np.bool_]:
        magnitude = np.abs(drawn)
        accepted = (magnitude <= radius).astype(np.bool_)
        outermost = np.flatnonzero(magnitude == radius)
        accepted[outermost] = bernoulli(self.edge, outermost.size, source)
        return accepted


class _StairSums:
    """Sums of weights as balls of one precision, with the powers of e**−rate kept."""

    def __init__(
        self, period: int, width: int, rate: Fraction, radius: int | None, edge: arb
    ) -> None:
        self._period, self._width, self._radius = period, width, radius
        self._fall = (-balls.ball(rate)).exp()
        self._powers = [arb(1)]
        self._rest = period * self._fall / (1 - self._fall) if rate else arb(0)
        self._edge = arb(0) if radius is None else edge * self._power(self._level(radius))
        self._cut = arb(0) if radius is None else self._endless(radius)
        self.total = 2 * self.outward(0) - 1

    def _level(self, magnitude: int) -> int:
        return max(0, (magnitude - self._width) // self._period + 1)

    def _power(self, level: int) -> arb:
        while len(self._powers) <= level:
            self._powers.append(self._powers[-1] * self._fall)
        return self._powers[level]

    def _endless(self, magnitude: int) -> arb:
        """Σ w(i) over i ≥ magnitude without a radius (up to a constant if the rate is 0)."""
        level = self._level(magnitude)
        next_drop = self._width + level * self._period
        if self._fall == 1:
            return arb(-magnitude)
        return self._power(level) * (next_drop - magnitude + self._rest)

    def outward(self, magnitude: int) -> arb:
        """Σ w(i) over magnitudes i ≥ magnitude."""
        if self._radius is None:
            return self._endless(magnitude)
        if magnitude > self._radius:
            return arb(0)
        return self._endless(magnitude) - self._cut + self._edge
