r"""E|estimate - x| of what a design draws, in balls, and the proof that it is as promised for all x.

E|estimate - x| = sum over j >= x of P(estimate > j) + sum over j < x of P(estimate <= j). With
n = x + offset and Z standard normal, the channel's estimate exceeds j where n*exp(sigma*Z - sigma^2)
exceeds j + 1/2 + offset, up to a *drift* of the exponent: half a step for the place, half a step
for rounding N, less than a step for floats. `side` = 1 asks for upper bounds, -1 for lower ones.

Proof page: docs/proofs/relative_counts.md, section 4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

from flint import arb

from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball, normal_tail
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.relative.design import WORD, Channel, Design

DRIFT = 2  # steps
_FAR = 9  # standard deviations: chances beyond are bounded by the last one
_MANY = 48
_MOST_SIZES = 1 << 20  # that are proved one by one
_TRIES = (1, 12, _MANY)  # borders whose chances are computed one by one; the cheapest proof first


@dataclass(frozen=True)
class ChannelError:
    """Tails and partial means of the estimates of a channel, at the working precision."""

    channel: Channel

    def shifted(self, value: Fraction | int) -> arb:
        """A count or a value between counts, plus the offset."""
        return ball(value + self.channel.offset)

    def position(self, x: int) -> arb:
        """Where a count lies, on the scale of logarithms."""
        if x >= self.channel.bend:
            return self.shifted(x).log()
        return arb(self.channel.table[x - self.channel.first]) / (1 << self.channel.bits)

    def border(self, j: int) -> arb:
        """From where on the estimate exceeds j, on the scale of logarithms."""
        if j < self.channel.bend:
            return arb(self.channel.borders[j - self.channel.first]) / (1 << self.channel.bits)
        return self._threshold(self.shifted(j + Fraction(1, 2)))

    def _threshold(self, t: arb) -> arb:
        return t.log() + ball(self.channel.sigma**2)

    def drift(self, side: int) -> arb:
        """How far the exponent may be off."""
        return arb(side * DRIFT) / (1 << self.channel.bits)

    def above(self, position: arb, border: arb, side: int) -> arb:
        """The chance of a place beyond the border."""
        return normal_tail((border - position - self.drift(side)) / ball(self.channel.sigma))

    def below(self, position: arb, border: arb, side: int) -> arb:
        """The chance of a place before the border."""
        return self.above(border, position, side)

    def excess(self, position: arb, t: arb, side: int) -> arb:
        """E(X - t)+ for X = exp(position + sigma*Z - sigma^2): the integral of `above`."""
        sigma = ball(self.channel.sigma)
        d = (position - self._threshold(t) + self.drift(side)) / sigma
        return self._mean(position, side) * normal_tail(-d - sigma) - t * normal_tail(-d)

    def shortfall(self, position: arb, t: arb, side: int) -> arb:
        """E(t - X)+: the integral of `below`."""
        return t - self._mean(position, -side) + self.excess(position, t, -side)

    def _mean(self, position: arb, side: int) -> arb:
        return (position - ball(self.channel.sigma**2 / 2) + self.drift(side)).exp()

    def relative(self, side: int) -> arb:
        """E|X - n|/n, the same for every n; without drift it is 2*Phi(sigma) - 1."""
        return self.excess(arb(0), arb(1), side) + self.shortfall(arb(0), arb(1), side)

    def density(self, position: arb, t: arb, side: int) -> arb:
        """The slope of `below` at the threshold of t."""
        z = (self._threshold(t) - position + self.drift(side)) / ball(self.channel.sigma)
        return (-z * z / 2).exp() / (ball(self.channel.sigma) * (2 * arb.pi()).sqrt() * t)

    def mode(self, position: arb, side: int) -> arb:
        """Where the density is greatest; it grows before and falls after."""
        return (position - 2 * ball(self.channel.sigma**2) - self.drift(side)).exp()


@dataclass(frozen=True)
class DesignError:
    """The expected error of a design; all answers but `at` at the working precision."""

    design: Design

    @cached_property
    def channel(self) -> ChannelError:
        """Of the channel."""
        return ChannelError(self.design.channel)

    def at(self, x: int) -> Interval:
        """E|estimate - x| for any count; one below the smallest is raised first."""
        raised = max(x, self.design.chain.first)
        with balls.precision(balls.FIRST_BITS):
            low, high = (balls.interval(self.bound(raised, side, _MANY)) for side in (-1, 1))
        return Interval(max(low.lower, Fraction(0)) + raised - x, high.upper + raised - x)

    def bound(self, x: int, side: int, terms: int) -> arb:
        """A bound on E|estimate - x| for x >= smallest, with so many chances computed one by one."""
        if x < self.design.top:
            return self._chain_errors(side)[x - self.design.chain.first]
        return self._up(x, side, terms) + self._down(x, side, terms) + self._sinking(x, side)

    # The chain

    @cached_property
    def _u(self) -> list[arb]:
        return [arb(chance) / WORD for chance in self.design.chain.chances]

    @cached_property
    def _levels_down(self) -> list[arb]:
        """At x - smallest: the mean length of a walk that goes down from x."""
        levels = [arb(0)]
        for i, here in enumerate(self._u):
            levels.append(1 + (levels[i] * self._u[i - 1] / (1 - here) if i else 0))
        return levels

    def _chain_errors(self, side: int) -> list[arb]:
        """For smallest, ..., top - 1."""
        u = self._u
        if not u:
            return []
        sunk = Fraction(self.design.sunk.upper if side > 0 else self.design.sunk.lower)
        ups = [1 + self._up(self.design.top, side, _MANY) / ball(1 - sunk)]
        for here, after in zip(reversed(u[:-1]), reversed(u[1:]), strict=True):
            ups.append(1 + ups[-1] * after / (1 - here))
        downs = [low * below for low, below in zip([arb(0), *u], self._levels_down, strict=True)]
        return [down + high * up for down, high, up in zip(downs, u, reversed(ups), strict=False)]

    def _sinking(self, x: int, side: int) -> arb:
        """What K below the threshold adds."""
        if not self._u:
            return arb(0)
        threshold = arb(self.design.threshold) / (1 << self.design.channel.bits)
        return self.channel.below(self.channel.position(x), threshold, side) * self._levels_down[-1]

    # The channel

    def _up(self, x: int, side: int, terms: int) -> arb:
        """The sum over j >= x of P(estimate > j)."""
        error, bend = self.channel, self.design.channel.bend
        position, last = error.position(x), max(x, bend) + self._near(x, terms)
        total = self._sum(error.above, position, range(x, bend), side)
        total += self._sum(error.above, position, range(max(x, bend), last), side)
        # The tail is convex there: its values in the middle of cells add up to less than its
        # integral, by an eighth of its slope at most.
        rest = error.excess(position, error.shifted(last), side)
        if side < 0:
            rest -= error.density(position, error.shifted(last), 1) / 8
        return total + rest

    def _down(self, x: int, side: int, terms: int) -> arb:
        """The sum over j < x of P(estimate <= j), in the channel."""
        error, bend = self.channel, self.design.channel.bend
        listed = self._listed(x, side)
        if x <= bend:
            return listed
        position, start = error.position(x), max(bend, x - self._near(x, terms))
        total = listed + self._sum(error.below, position, range(x - 1, start - 1, -1), side)
        if start == bend:
            return total
        low, high = error.shifted(bend), error.shifted(start)
        total += error.shortfall(position, high, side) - error.shortfall(position, low, side)
        return total + side * self._change(position, low, high, side) / 8

    def _change(self, position: arb, low: arb, high: arb, side: int) -> arb:
        """How far the density of `below` falls between two places; or, for side -1, its greatest."""
        mode = self.channel.mode(position, side)
        summit = low if low >= mode else high if high <= mode else mode  # undecided: the greatest
        greatest = self.channel.density(position, summit, side)
        return greatest - self.channel.density(position, high, 1) if side > 0 else greatest

    def _listed(self, x: int, side: int) -> arb:
        """The part of `_down` with places from the table; it falls as x grows beyond the bend."""
        counts = self.design.channel
        below = range(min(x, counts.bend) - 1, counts.first - 1, -1)
        return self._sum(self.channel.below, self.channel.position(x), below, side)

    def _sum(
        self, tail: Callable[[arb, arb, int], arb], position: arb, counts: range, side: int
    ) -> arb:
        """Of chances beyond borders; `counts` lead away from the position, so the chances fall."""
        total, far = arb(0), _FAR * ball(self.design.channel.sigma)
        for done, j in enumerate(counts, start=1):
            border = self.channel.border(j)
            chance = tail(position, border, side)
            total += chance
            if abs(border - position) > far:
                return total + (len(counts) - done) * chance if side > 0 else total
        return total

    def _near(self, x: int, terms: int) -> int:
        spread = float(self.design.channel.sigma) * float(x + self.design.channel.offset)
        return min(terms, int(8 * spread) + 2)

    # Proofs

    def chance_above(self, x: int, released: Fraction) -> arb:
        """An upper bound on P(estimate >= released) for a count x >= smallest; it grows with x."""
        y, top = ceil(released), self.design.top
        if y <= x:
            return arb(1)
        if x >= top:
            return self.channel.above(self.channel.position(x), self.channel.border(y - 1), 1)
        arriving = ball(self.design.chain.chance_up(x, min(y, top)))
        if y <= top:
            return arriving
        kept = 1 - Fraction(self.design.sunk.upper)
        return arriving * self.chance_above(top, released) / ball(kept)

    def is_at_most(self, relative_error: Fraction) -> bool:
        """Whether E|estimate - x| <= relative_error*(x + offset) from smallest on; yes is a proof."""
        with balls.precision(balls.FIRST_BITS):
            share, error = ball(relative_error), self.channel
            if not (self.design.is_sound and self._borders_meet and error.relative(1) < share):
                return False
            chain = enumerate(self._chain_errors(1), self.design.chain.first)
            if not all(found <= share * error.shifted(x) for x, found in chain):
                return False
            first, last = self.design.top, self._settled(share)
            return last - first <= _MOST_SIZES and all(
                any(self.bound(x, 1, terms) <= share * error.shifted(x) for terms in _TRIES)
                for x in range(first, last)
            )

    @property
    def _borders_meet(self) -> bool:
        """Whether the last border of the table lies before the first one of logarithms."""
        error, bend = self.channel, self.design.channel.bend
        listed = bool(self.design.channel.gaps)
        return not listed or error.border(bend - 1) + error.drift(2) < error.border(bend)

    def _settled(self, share: arb) -> int:
        """From this count on a closed formula proves the error.

        For x >= bend it is at most n*A + c(x): A is the relative error of real-valued estimates,
        and c bounds what rounding, the table and sinking add. c does not grow, (share - A)*n does.
        """
        spare = share - self.channel.relative(1)

        def holds(x: int) -> bool:
            position, n = self.channel.position(x), self.channel.shifted(x)
            rounding = self._change(position, self.channel.mode(position, 1), n, 1) / 8
            return bool(rounding + self._listed(x, 1) + self._sinking(x, 1) <= spare * n)

        return least_integer(holds, self.design.channel.bend)
