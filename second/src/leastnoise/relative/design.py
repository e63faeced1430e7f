r"""What relative counts are drawn from: a chain of coins below, Gaussian noise on logarithms above.

Channel: K = c(x) + round(N), N normal, where c(x) is the *place* of the count x on a lattice of
2^bits steps to a unit of the logarithm: from a table at first, then round(2^bits * ln(x + offset)).
So K is a post-processed Gaussian mechanism; x - 1 and x lie at most gap(x) apart, and their
privacy is that of a shift by gap(x)/deviation standard deviations, at most.

Chain: counts below `top` walk up or down with small chances u(x), x being a border between x - 1
and x; a walk keeps its direction. The walks from x - 1 and from x are one function of a coin that
is wrong with chance u(x): randomized response. A walk that arrives at the top goes through the
channel; a K below the threshold walks down from the top.

Nothing here is a float but the decoding of K, which is post-processing.
Proof page: docs/proofs/relative_counts.md, sections 2 and 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, pairwise

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.noise.laws import RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import rho_of_pure
from leastnoise.privacy.loss import PrivacyLoss

Integers = NDArray[np.int64]

WORD = 1 << 64  # a chance of the chain is a whole number of 2^-64
_LARGEST = np.iinfo(np.int64).max
_LARGEST_LOG = 700.0  # its exponential is a float, far beyond all counts


@dataclass(frozen=True)
class Channel:
    """K = c(x) + round(N) for counts from `first` on, and how K is read.

    Attributes:
        bits: the lattice has 2^bits steps to a unit of the logarithm.
        offset: added to every count before its logarithm is taken.
        deviation: of N, in steps.
        first: the least count.
        gaps: how far the next counts lie above each other, in steps, where logarithms do not say it.
    """

    bits: int
    offset: Fraction
    deviation: int
    first: int
    gaps: tuple[int, ...] = ()

    @property
    def sigma(self) -> Fraction:
        """The standard deviation on the scale of logarithms."""
        return Fraction(self.deviation, 1 << self.bits)

    @property
    def bend(self) -> int:
        """The first count that lies at its logarithm."""
        return self.first + len(self.gaps)

    def log_gap(self, x: int) -> int:
        """The distance of the logarithms of x - 1 and x in steps, rounded up."""
        ratio = (x + self.offset) / (x - 1 + self.offset)
        return -balls.floor(lambda: -balls.ball(ratio).log() * (1 << self.bits))

    def gap(self, x: int) -> int:
        """How far x - 1 and x are apart, at most. It does not grow with x."""
        return self.gaps[x - self.first - 1] if x <= self.bend else self.log_gap(x)

    @cached_property
    def table(self) -> tuple[int, ...]:
        """The places of first, ..., bend."""
        end = self._logs([self.bend])[0]
        return tuple(accumulate(reversed(self.gaps), int.__sub__, initial=end))[::-1]

    def places(self, counts: Sequence[int]) -> list[int]:
        """The places of counts."""
        return [
            self.table[x - self.first] if x <= self.bend else log
            for x, log in zip(counts, self._logs(counts), strict=True)
        ]

    def _logs(self, counts: Sequence[int]) -> list[int]:
        """floor(2^bits * ln(x + offset) + 1/2): ln q is irrational for rational q other than 1."""

        def log(x: int) -> arb:
            return (balls.ball(self.offset) + x).log() * (1 << self.bits) + arb("0.5")

        with balls.precision(balls.FIRST_BITS):
            found = [log(x).floor().unique_fmpz() for x in counts]
        return [
            balls.floor(partial(log, x)) if place is None else int(place)
            for x, place in zip(counts, found, strict=True)
        ]

    @cached_property
    def noise(self) -> RoundedGaussian:
        """The law of round(N)."""
        return RoundedGaussian(self.deviation**2)

    def blurred(self, counts: Integers, source: Source) -> Integers:
        """K for every count."""
        different, which = np.unique(counts, return_inverse=True)
        places = np.array(self.places(different.tolist()), dtype=np.int64)
        return places[which] + self.noise.sample(counts.size, source)

    @cached_property
    def borders(self) -> tuple[int, ...]:
        """For j = first, ..., bend - 1: the least K that is read as more than j.

        Half-way between the places, plus sigma^2 as for logarithms.
        """
        shift = self.sigma**2 * (1 << self.bits)
        return tuple((Fraction(a + b, 2) + shift).__ceil__() for a, b in pairwise(self.table))

    def read(self, blurred: Integers) -> Integers:
        """The count that K speaks of: exp(K/2^bits - sigma^2) - offset, rounded, at least `first`."""
        logs = np.ldexp(blurred.astype(np.float64), -self.bits) - float(self.sigma**2)
        found = np.floor(np.exp(np.minimum(logs, _LARGEST_LOG)) - float(self.offset) + 0.5)
        huge = found >= 2.0**63
        far = np.where(huge, _LARGEST, np.where(huge, 0.0, found).astype(np.int64))
        borders = np.array(self.borders, dtype=np.int64)
        near = np.searchsorted(borders, blurred, side="right") + self.first
        return np.where(near < self.bend, near, np.maximum(far, self.bend))

    def rho(self, x: int) -> Fraction:
        """The rho of the pair x - 1 and x."""
        return Fraction(self.gap(x) ** 2, 2 * self.deviation**2)

    def loss(self, x: int) -> PrivacyLoss:
        """The privacy loss of the pair x - 1 and x, and a bound on that of larger counts."""
        return PrivacyLoss.gaussian(mu=Fraction(self.gap(x), self.deviation))


@dataclass(frozen=True)
class Chain:
    """A walk on first, ..., top.

    Law: from x one goes up with chance u(x + 1), down with chance u(x), else one stays. Having come
    up to j one goes on with chance u(j + 1)/(1 - u(j)), having come down to j with chance
    u(j)/(1 - u(j + 1)). Borders outside of the chain are never crossed.

    Attributes:
        first: the least count.
        chances: u(x) * 2^64 for x = first + 1, ..., top; in 1 .. 2^63, and never falling.
    """

    first: int
    chances: tuple[int, ...]

    @property
    def top(self) -> int:
        """The greatest count, where the channel takes over."""
        return self.first + len(self.chances)

    def chance(self, x: int) -> Fraction:
        """u(x): how often the border between x - 1 and x is crossed."""
        return Fraction(self.chances[x - self.first - 1], WORD)

    def epsilon(self, x: int) -> Fraction:
        """ln((1 - u)/u) of the pair x - 1 and x, rounded up."""
        return _log_above((1 - self.chance(x)) / self.chance(x))

    def chance_up(self, x: int, y: int) -> Fraction:
        """P(end >= y) for a walk from x < y <= top."""
        chance = self.chance(x + 1)
        for j in range(x + 2, y + 1):
            chance *= self.chance(j) / (1 - self.chance(j - 1))
        return chance

    # One word decides each step: words below `_up` go up, the highest, as many as `_down`, down.

    @cached_property
    def _up(self) -> NDArray[np.uint64]:
        return np.array([*self.chances, 0], dtype=np.uint64)

    @cached_property
    def _down(self) -> NDArray[np.uint64]:
        return np.array([0, *self.chances], dtype=np.uint64)

    def walk(self, counts: Integers, source: Source) -> Integers:
        """The ends of independent walks from counts below the top."""
        places = counts - self.first
        words = source.words(places.size)
        rising, sinking = words < self._up[places], ~words < self._down[places]
        places[rising] = self._go_on(places[rising], 1, source)
        places[sinking] = self._go_on(places[sinking], -1, source)
        return places + self.first

    def sink(self, size: int, source: Source) -> Integers:
        """The ends of walks that go down from the top."""
        return self._go_on(np.full(size, len(self.chances)), -1, source) + self.first

    def _go_on(self, places: Integers, step: int, source: Source) -> Integers:
        """One step, then on with chance onward/(2^64 - back), else stop."""
        onward, back = (self._up, self._down) if step > 0 else (self._down, self._up)
        places = places + step
        moving = np.flatnonzero(onward[places])
        while moving.size:
            here, words = places[moving], source.words(moving.size)
            going = words < onward[here]
            places[moving[going]] += step
            moving = moving[going | (~words < back[here])]  # of 2^64 - back words; others are new
            moving = moving[onward[places[moving]] > 0]
        return places


@dataclass(frozen=True)
class Design:
    """A chain for counts below `top`, a channel from there on; smaller counts are raised to its first.

    Attributes:
        chain: begins with the smallest count; of length 0 if there is none.
        channel: begins at the top of the chain.
        threshold: a K below it goes down into the chain.
    """

    chain: Chain
    channel: Channel
    threshold: int

    @property
    def top(self) -> int:
        """The first count that goes through the channel."""
        return self.chain.top

    def draw(self, counts: Integers, source: Source) -> Integers:
        """An integer for each count."""
        drawn = np.maximum(counts, self.chain.first)
        small, large = np.flatnonzero(drawn < self.top), np.flatnonzero(drawn >= self.top)
        drawn[small] = self.chain.walk(drawn[small], source)
        arrived = small[drawn[small] == self.top]
        drawn[arrived] = self._from_top(arrived.size, source)
        blurred = self.channel.blurred(drawn[large], source)
        drawn[large] = self.channel.read(blurred)
        if self.chain.chances:
            sunk = large[blurred < self.threshold]
            drawn[sunk] = self.chain.sink(sunk.size, source)
        return drawn

    def _from_top(self, size: int, source: Source) -> Integers:
        """Read from K of the count `top`, given that it is not below the threshold."""
        top = np.full(size, self.top)
        blurred = self.channel.blurred(top, source)
        while (low := np.flatnonzero(blurred < self.threshold)).size:
            blurred[low] = self.channel.blurred(top[low], source)
        return self.channel.read(blurred)

    @cached_property
    def sunk(self) -> Interval:
        """P(K < threshold) at the top; P(round(N) <= -m) = P(round(N) >= m)."""
        return self.channel.noise.tail(self.channel.table[0] - self.threshold + 1)

    def _epsilon(self, x: int) -> Fraction:
        """Of the pair x - 1 and x up to the top: a coin says which side of the border x one ends."""
        if x < self.top:
            return self.chain.epsilon(x)
        up, sunk = self.chain.chance(x), Fraction(self.sunk.lower)
        return _log_above(max((1 - sunk) / up, (1 - up) / sunk))

    def rho(self, x: int) -> Fraction:
        """The v of a count, compared with one less and one more. It does not grow with x."""
        size = max(x, self.chain.first + 1)
        if size > self.top:
            return self.channel.rho(size)
        coins = (rho_of_pure(self._epsilon(each)) for each in (size, self.top))
        return max(*coins, self.channel.rho(self.top + 1))

    def loss(self, x: int) -> PrivacyLoss:
        """The privacy loss of the pair x - 1 and x; none up to the smallest count."""
        if x <= self.chain.first:
            return PrivacyLoss(())
        if x > self.top:
            return self.channel.loss(x)
        return PrivacyLoss.worst_case(epsilon=self._epsilon(x))

    @property
    def is_sound(self) -> bool:
        """What the theorems ask of the numbers of a design."""
        channel, chances = self.channel, self.chain.chances
        gaps, borders = [*channel.gaps, channel.log_gap(channel.bend + 1)], channel.borders
        ordered = list(chances) == sorted(chances) and list(borders) == sorted(borders)
        falling = gaps == sorted(gaps, reverse=True)
        possible = all(0 < chance <= WORD // 2 for chance in chances)
        joined = not chances or self.threshold <= channel.table[0]
        return ordered and falling and possible and joined and channel.first == self.top


def _log_above(odds: Fraction) -> Fraction:
    return balls.upper_end(lambda: balls.ball(odds).log()) if odds != 1 else Fraction(0)
