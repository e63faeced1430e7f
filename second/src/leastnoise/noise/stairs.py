r"""Weights that fall by one factor per period, perhaps cut off: one shape for four laws.

Weight of magnitude i: w(i) = e^(-rate * level(i)), where level(i) is the number of drops at or below
i, and drops are at width, width + period, width + 2*period, ... A `radius` cuts the law off:
magnitudes beyond it have weight 0, and the outermost one keeps the part `edge` of its weight.

All sums over magnitudes are geometric series. Multiplied by (1 - e^-rate) and by the denominator of
`edge` they are exponential sums, so tails and divergences are decided exactly.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb, expm1, factorial, log1p

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws, Table, geometric, uniform_below
from leastnoise.numbers import ball as balls
from leastnoise.numbers.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numbers.inverse import least_integer

ONE, ZERO = ExponentialSum.of(1), ExponentialSum.of(0)
WHOLE = ExponentialRatio(ONE, ONE)

Pair = tuple[ExponentialSum, ExponentialSum]

_LARGEST = 1 << 62  # drawn magnitudes beyond are Python's integers


@dataclass(frozen=True)
class Stairs:
    """The shape of this module's docstring.

    Attributes:
        period: the distance from drop to drop.
        width: the magnitude of the first drop.
        rate: each drop divides the weight by e^rate; 0 only with a radius.
        radius: the outermost magnitude; None if there is no end.
        edge: the part of its weight that the outermost magnitude keeps.
    """

    period: int
    width: int
    rate: Fraction
    radius: int | None = None
    edge: ExponentialRatio = WHOLE

    def level(self, magnitude: int) -> int:
        """How many drops are at or below a magnitude."""
        return max(0, (magnitude - self.width) // self.period + 1)

    # Sums of weights, all multiplied by the same positive number `_unit`

    @cached_property
    def _gap(self) -> ExponentialSum:
        """1 - e^-rate, which closes geometric series; 1 where there is nothing to close."""
        return ONE - self._power(1) if self.rate else ONE

    @cached_property
    def _unit(self) -> ExponentialSum:
        return self._gap * self.edge.under

    def _power(self, level: int) -> ExponentialSum:
        return ExponentialSum.exp(-self.rate * level)

    def scaled_weight(self, magnitude: int) -> ExponentialSum:
        """_gap * w(magnitude), not cut off."""
        return self._gap * self._power(self.level(magnitude))

    def sum_below(self, stop: int) -> ExponentialSum:
        """_gap * the sum of w(i) over i < stop, not cut off."""
        if not self.rate:
            return ExponentialSum.of(stop)
        if stop <= self.width:
            return self._gap * stop
        level, rest = divmod(stop - self.width, self.period)
        whole = (self._power(1) - self._power(level + 1)) * self.period
        return self._gap * self.width + whole + self._gap * self._power(level + 1) * rest

    def _weight(self, magnitude: int) -> ExponentialSum:
        if self.radius is None or magnitude < self.radius:
            return self.edge.under * self.scaled_weight(magnitude)
        return self.edge.over * self.scaled_weight(magnitude) if magnitude == self.radius else ZERO

    def _from(self, magnitude: int) -> ExponentialSum:
        """The sum of the weights of magnitudes from this one on."""
        if self.radius is None:
            everything = self._gap * self.width + self._power(1) * self.period
            return everything - self.sum_below(magnitude)
        if magnitude > self.radius:
            return ZERO
        inside = self.sum_below(self.radius) - self.sum_below(magnitude)
        return self.edge.under * inside + self._weight(self.radius)

    @cached_property
    def _total(self) -> ExponentialSum:
        return self._from(0) * 2 - self._weight(0)

    # Chances

    def pmf(self, k: int) -> ExponentialRatio:
        """P(X = k)."""
        return ExponentialRatio(self._weight(abs(k)), self._total)

    def tail(self, k: int) -> ExponentialRatio:
        """P(X >= k)."""
        above = self._from(k) if k > 0 else self._total - self._from(1 - k)
        return ExponentialRatio(above, self._total)

    def moment(self, order: int) -> arb:
        r"""E|X|^order as a ball.

        With F(n) = sum of i^order over i < n and drops at D(m), summation by parts gives
        sum of i^order * w(i) = (1 - b) * sum over m of b^m * F(D(m)), b = e^-rate. F(D(m)) is a
        polynomial in m, and the sum of (1 - b) * b^m * C(m, j) is (b / (1 - b))^j.
        """
        if self.radius is None:
            inside = self._moment_from(order, 0)
        else:
            passed = self.level(self.radius - 1) if self.radius and self.rate else 0
            fall = (-balls.ball(self.rate * passed)).exp()
            inside = fall * power_sum(order, self.radius)
            if passed:
                inside += self._moment_from(order, 0) - fall * self._moment_from(order, passed)
            outermost = (-balls.ball(self.rate * self.level(self.radius))).exp()
            inside += self.edge.ball() * outermost * self.radius**order
        return 2 * inside * self._unit.ball() / self._total.ball()

    def _moment_from(self, order: int, first: int) -> arb:
        """(1 - b) * the sum of b^m * F(D(first + m)) over m >= 0."""
        drops = (self.width + (first + m) * self.period for m in range(order + 2))
        values = [power_sum(order, drop) for drop in drops]
        odds, total = 1 / (balls.ball(self.rate).exp() - 1), arb(0)
        for j in range(len(values)):
            total += values[0] * odds**j
            values = [high - low for low, high in pairwise(values)]
        return total

    # Divergence from a shifted copy

    def hockey_stick(self, epsilon: Fraction, distance: int) -> ExponentialRatio:
        """The sum over k of max(0, P(X = k) - e^epsilon * P(X + distance = k))."""
        here, there = self._where_loss_exceeds(epsilon, distance)
        return ExponentialRatio(here - ExponentialSum.exp(epsilon) * there, self._total)

    def exceedance(self, epsilon: Fraction, distance: int) -> ExponentialRatio:
        """P(P(X = k) > e^epsilon * P(X + distance = k) at k = X)."""
        return ExponentialRatio(self._where_loss_exceeds(epsilon, distance)[0], self._total)

    def _where_loss_exceeds(self, epsilon: Fraction, distance: int) -> Pair:
        """The weights, of X and of X + distance, of the k where the loss exceeds epsilon >= 0.

        By symmetry k >= distance is never among them; k <= 0 compares magnitude j = -k with
        j + distance; 0 < k < distance compares magnitude k with distance - k.
        """
        factor = ExponentialSum.exp(epsilon)
        outer = self._outer(epsilon, distance, factor)
        inner = self._inner(distance, factor)
        return outer[0] + inner[0], outer[1] + inner[1]

    def _outer(self, epsilon: Fraction, distance: int, factor: ExponentialSum) -> Pair:
        """The part with k <= 0. Magnitudes `distance` apart are `periods` drops apart, or one more."""
        periods, rest = divmod(distance, self.period)
        if self.rate * periods > epsilon:
            return self._from(0), self._from(distance)
        here, there = self._outer_by_cut(distance, factor)
        if self.rate * (periods + 1) > epsilon:
            # Only the last `rest` magnitudes before each drop are periods + 1 drops away.
            before = self.edge.under * self._before_drops(rest, distance)
            here, there = here + before, there + before * self._power(periods + 1)
        return here, there

    def _before_drops(self, rest: int, distance: int) -> ExponentialSum:
        """_gap * sum of w(j): j within `rest` below a drop, j + distance inside the radius."""
        first = min(rest, self.width)
        if self.radius is None:
            return self._gap * first + self._power(1) * rest
        stop = max(0, self.radius - distance)
        whole = max(0, (stop - self.width) // self.period + 1)  # drops wholly below stop
        drop = self.width + whole * self.period
        partial = max(0, min(stop, drop) - max(0, drop - rest))
        total = self._gap * self._power(whole) * partial
        if whole:
            total += self._gap * first + (self._power(1) - self._power(whole)) * rest
        return total

    def _outer_by_cut(self, distance: int, factor: ExponentialSum) -> Pair:
        """What the radius adds: partners beyond it, or the lighter one on it."""
        if self.radius is None:
            return ZERO, ZERO
        if self.radius < distance:
            return self._from(0), ZERO
        here, there = self._weight(self.radius - distance), self._weight(self.radius)
        beyond = self._from(self.radius - distance + 1)
        return (beyond + here, there) if (here - factor * there).sign() > 0 else (beyond, ZERO)

    def _inner(self, distance: int, factor: ExponentialSum) -> Pair:
        """The part with 0 < k < distance: all k below some place, for the loss falls with k."""

        def outside(k: int) -> bool:
            if k >= distance:
                return True
            return (self._weight(k) - factor * self._weight(distance - k)).sign() <= 0

        stop = min(least_integer(outside, 1), distance)
        there = self._from(distance - stop + 1) - self._from(distance)
        return self._from(1) - self._from(stop), there

    # Exact draws

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent draws: proposals from a simpler law, kept where they lie inside."""
        propose = self._endless if self.rate and not self._is_flat else self._level_ground
        drawn = propose(count, source)
        rejected = np.flatnonzero(~self._kept(drawn, source))
        while rejected.size:
            again = propose(rejected.size, source)
            drawn = drawn.astype(np.result_type(drawn, again))
            drawn[rejected] = again
            rejected = rejected[~self._kept(again, source)]
        return drawn

    @property
    def _is_flat(self) -> bool:
        """Whether the weights inside the radius are within a factor e: then uniform draws do."""
        return self.radius is not None and self.rate * self.level(self.radius) <= 1

    def _endless(self, count: int, source: Source) -> Draws:
        """Without a radius: the centre block or a side, the step (geometric), the place on it."""
        side = self._sides.sample(count, source)
        steps = geometric(self.rate, count, source)
        if int(steps.max(initial=0)) >= (_LARGEST - self.width) // self.period:
            steps = steps.astype(np.object_)
        outward = steps * self.period + uniform_array(self.period, count, source) + self.width
        drawn: Draws = np.where(side == 2, -outward, outward)
        centre = np.flatnonzero(side == 0)
        middle = uniform_array(2 * self.width - 1, centre.size, source) - (self.width - 1)
        drawn[centre] = middle
        return drawn

    @cached_property
    def _sides(self) -> Table:
        """0 for the centre block, 1 and 2 for the sides."""
        centre, side = self._gap * (2 * self.width - 1), self._power(1) * self.period
        whole = centre + side * 2
        return Table(lambda n, bits: ExponentialRatio(side * (3 - n), whole).floor(1 << bits), 3)

    def _level_ground(self, count: int, source: Source) -> Draws:
        """Uniform within the radius, thinned: a geometric draw of at least l has chance e^(-rate*l)."""
        assert self.radius is not None
        drawn = uniform_array(2 * self.radius + 1, count, source) - self.radius
        if not self.rate:
            return drawn
        levels = np.maximum(0, (np.abs(drawn) - self.width) // self.period + 1)
        drawn[geometric(self.rate, count, source) < levels] = self.radius + 1  # is not kept
        return drawn

    def _kept(self, drawn: Draws, source: Source) -> NDArray[np.bool_]:
        if self.radius is None:
            return np.ones(drawn.size, dtype=np.bool_)
        magnitude = np.abs(drawn)
        kept = np.asarray(magnitude <= self.radius, dtype=np.bool_)
        outermost = np.flatnonzero(magnitude == self.radius)
        kept[outermost] = _coin(self.edge).sample(outermost.size, source) == 1
        return kept


@lru_cache(maxsize=16)
def _coin(chance: ExponentialRatio) -> Table:
    """1 with this chance, else 0."""
    return Table(lambda _, bits: chance.floor(1 << bits), 2)


def uniform_array(bound: int, count: int, source: Source) -> Draws:
    """`count` uniform integers in 0 .. bound - 1: 64-bit words, those in the last part drawn again."""
    if bound > _LARGEST:
        return np.array([uniform_below(bound, source) for _ in range(count)], dtype=np.object_)
    most = (1 << 64) - (1 << 64) % bound - 1
    words = source.words(count)
    again = np.flatnonzero(words > np.uint64(most))
    while again.size:
        words[again] = source.words(again.size)
        again = again[words[again] > np.uint64(most)]
    return (words % np.uint64(bound)).astype(np.int64)


def power_sum(order: int, stop: int) -> int:
    """The sum of i^order over 0 <= i < stop, by Stirling numbers.

    >>> power_sum(2, 4)
    14
    """
    row = [1]  # Stirling numbers of the second kind
    for n in range(order):
        row = [k * row[k] + (row[k - 1] if k else 0) for k in range(n + 1)] + [1]
    return sum(s * factorial(k) * comb(stop, k + 1) for k, s in enumerate(row))


def cut_off(endless: Stairs, distance: int, epsilon: Fraction, delta: Fraction) -> Stairs:
    r"""Stairs with the least radius, and there the least edge, whose divergence is exactly delta.

    Theorem: let the endless stairs have hockey-stick divergence 0 at epsilon and `distance` D. Cut off
    at radius M with 2M >= D and edge t, the divergence is leak(t) / Z(t) with
    Z(t) = Z0 + 2*t*w(M), Z0 the sum of w over |k| < M, and
    leak(t) = A + t*w(M) + max(0, c - e^epsilon*t*w(M)), where A is the sum of w(|k|) over
    M - D < k < M and c = w(|M - D|), but c = 0 if 2M = D. Both are linear in t between corners, so the
    edge follows by a division. Proof page: docs/proofs/truncation.md.

    Args:
        endless: stairs without a radius.
        distance: the shift.
        epsilon: where the divergence is 0 before.
        delta: where it is to be at this epsilon.
    """

    def constant(radius: int) -> ExponentialSum:
        """A - delta * Z0."""
        upto = endless.sum_below
        z = upto(radius) * 2 - upto(1)
        if radius >= distance:
            return upto(radius) - upto(radius - distance + 1) - z * delta
        return upto(radius) + upto(distance - radius) - upto(1) - z * delta

    def excess(radius: int) -> ExponentialSum:
        """leak(1) - delta * Z(1)."""
        return constant(radius) + endless.scaled_weight(radius) * (1 - 2 * delta)

    radius = least_integer(
        lambda m: excess(m).sign() <= 0, (distance + 1) // 2, _about(distance, epsilon, delta)
    )
    partner = ZERO if 2 * radius == distance else endless.scaled_weight(abs(radius - distance))
    factor, outermost = ExponentialSum.exp(epsilon), endless.scaled_weight(radius)
    over, under = constant(radius) + partner, outermost * (factor - 1 + 2 * delta)
    # This solves the piece with t <= c / (e^epsilon * w(M)); beyond it the maximum in `leak` is 0.
    if (over * factor * outermost - partner * under).sign() > 0:
        over, under = constant(radius), outermost * (2 * delta - 1)
    return Stairs(
        endless.period, endless.width, endless.rate, radius, ExponentialRatio(over, under)
    )


def _about(distance: int, epsilon: Fraction, delta: Fraction) -> int | None:
    """Where the truncated Laplace density ends on the real line."""
    try:
        if not epsilon:
            return int(distance / (2 * delta))
        return int(distance / epsilon * Fraction(log1p(expm1(epsilon) / (2 * delta))))
    except (OverflowError, ZeroDivisionError):
        return None
