r"""Stairs against a shifted copy of themselves: sums that close up as geometric series.

Stairs give a place at magnitude m the weight e^(−rate·level(m)), where level(m) counts the drops at
width, width + period, width + 2·period, … at or below m, and 0 ≤ width ≤ period. The shifted copy
gives the same place another level. Both levels are constant between drops and move by one per
period, so a sum over all places of a function of the two levels needs only a few `Run`s.

The same runs serve stairs on the integers (tick = 1: places are counted) and on the real line
(tick = 0: lengths are measured). Proof: docs/proofs/divergences.md.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls


@dataclass(frozen=True)
class Run:
    """`count` equally long pieces, a period apart; None for endlessly many.

    On piece number t the stairs have level mine + t, their copy theirs + t·theirs_step.
    """

    length: Fraction
    mine: int
    theirs: int
    theirs_step: int
    count: int | None

    def power_sum(self, rate: Fraction, order: Fraction) -> arb:
        """Σ length · exp(−rate·(order·mine + (1−order)·theirs)) over the pieces."""
        first = -rate * (order * self.mine + (1 - order) * self.theirs)
        change = -rate * (order + (1 - order) * self.theirs_step)
        return balls.ball(self.length) * balls.ball(first).exp() * _geometric(change, self.count)

    def loss_sum(self, rate: Fraction) -> arb:
        """Σ length · exp(−rate·mine) · rate·(theirs − mine) over the pieces."""
        scale = balls.ball(self.length * rate) * balls.ball(-rate * self.mine).exp()
        gap, change = self.theirs - self.mine, self.theirs_step - 1
        total = gap * _geometric(-rate, self.count)
        if change and self.count is not None:
            total += change * _weighted_geometric(-rate, self.count)
        return scale * total

    def leak(self, rate: Fraction, epsilon: Fraction) -> arb:
        """Σ length · max(0, exp(−rate·mine) − exp(epsilon − rate·theirs)) over the pieces."""
        excess = self.theirs - self.mine - epsilon / rate
        if excess <= 0:
            return arb(0)
        count = self.count
        if self.theirs_step < 0 and count is not None:
            # The loss falls by two steps from piece to piece.
            count = min(count, ceil(excess / 2))
        kept = Run(self.length, self.mine, self.theirs, self.theirs_step, count)
        factor = balls.ball(epsilon).exp()
        return kept.power_sum(rate, Fraction(1)) - factor * kept.power_sum(rate, Fraction(0))


@dataclass(frozen=True)
class StairRuns:
    """All places where stairs and their copy, moved by `shift` > 0, both have weight.

    Args:
        period: from drop to drop.
        width: the magnitude of the first drop, in [0, period].
        rate: each drop divides the weight by e**rate.
        shift: how far the copy is moved.
        tick: 1 on the integers, 0 on the real line.
        radius: magnitudes beyond it have no weight; None if there is no limit.
    """

    period: Fraction
    width: Fraction
    rate: Fraction
    shift: Fraction
    tick: int
    radius: int | None = None

    def level(self, magnitude: Fraction) -> int:
        """How many drops lie at or below a magnitude."""
        return (magnitude - self.width) // self.period + 1

    def __iter__(self) -> Iterator[Run]:
        reach, first = None, Fraction(self.tick)
        if self.radius is not None:
            reach, first = self.radius - self.shift + 1, max(first, self.shift - self.radius)
        # Outside of either centre; outside of the other; between the two.
        yield from self._zone(Fraction(0), reach, (Fraction(0), self.shift), 1)
        yield from self._zone(Fraction(0), reach, (self.shift, Fraction(0)), 1)
        yield from self._zone(first, self.shift - first + self.tick, (Fraction(0), self.shift), -1)

    def _zone(
        self,
        start: Fraction,
        stop: Fraction | None,
        offsets: tuple[Fraction, Fraction],
        direction: int,
    ) -> Iterator[Run]:
        """The places m in [start, stop), of magnitudes m + offset and offset′ + direction·m."""
        mine, theirs = offsets
        cuts = [self.width - mine, self.width - theirs]
        if direction < 0:
            cuts[1] = theirs - self.width + self.tick
        places = sorted({start, *(start + (cut - start) % self.period for cut in cuts)})
        for low, high in pairwise([*places, start + self.period]):
            inside = (low + high - self.tick) / 2
            levels = self.level(inside + mine), self.level(theirs + direction * inside)
            yield from self._repeated(low, high, stop, Run(high - low, *levels, direction, None))

    def _repeated(
        self, low: Fraction, high: Fraction, stop: Fraction | None, endless: Run
    ) -> Iterator[Run]:
        """The copies of the piece [low, high) that lie before `stop`, the last perhaps cut."""
        if stop is None:
            yield endless
            return
        whole = max(0, (stop - high) // self.period + 1)
        mine, theirs, step = endless.mine, endless.theirs, endless.theirs_step
        yield Run(endless.length, mine, theirs, step, whole)
        cut = min(high + whole * self.period, stop) - (low + whole * self.period)
        if cut > 0:
            yield Run(cut, mine + whole, theirs + step * whole, step, 1)

    def power_sum(self, order: Fraction) -> arb:
        """Σ p^order·q^(1−order), the weights p and q not normalised."""
        return sum((run.power_sum(self.rate, order) for run in self), arb(0))

    def loss_sum(self) -> arb:
        """Σ p·ln(p/q), the weights p and q not normalised."""
        return sum((run.loss_sum(self.rate) for run in self), arb(0))

    def leak(self, epsilon: Fraction) -> arb:
        """Σ max(0, p − e^ε·q), the weights p and q not normalised, for rate > 0."""
        return sum((run.leak(self.rate, epsilon) for run in self), arb(0))

    def greatest_loss(self) -> Fraction:
        """The greatest ln(p/q)."""
        return max(self.rate * (run.theirs - run.mine) for run in self if run.count != 0)


def _geometric(change: Fraction, count: int | None) -> arb:
    """Σ exp(change·t) over 0 ≤ t < count, or over all t ≥ 0."""
    if count is None:
        return -1 / balls.ball(change).expm1()
    if not change:
        return arb(count)
    return balls.ball(change * count).expm1() / balls.ball(change).expm1()


def _weighted_geometric(change: Fraction, count: int) -> arb:
    """Σ t·exp(change·t) over 0 ≤ t < count, for change ≠ 0."""
    ratio, last = balls.ball(change).exp(), balls.ball(change * count).exp()
    return (ratio * (1 - last) - count * last * (1 - ratio)) / (1 - ratio) ** 2
