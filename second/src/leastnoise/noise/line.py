r"""Laws on the real line, for reading: Normal, Laplace and staircase, and divergences of two of a kind.

hockey_stick(other, epsilon) is the integral of max(0, p - e^epsilon*q); renyi(other, order) is
log(integral of p^order * q^(1 - order))/(order - 1) for an order from 1 on, at 1 the
Kullback-Leibler divergence and at infinity the greatest log(p/q). Nothing is drawn from these laws:
releases draw on the integers.

References: Gil, Alajaji and Linder 2013 (Renyi divergences); Geng and Viswanath 2016 (staircase).
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, inf
from typing import Any, Self

from flint import arb

from leastnoise.numbers.ball import Computation, ball, enclosure, normal_tail
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, inside, positive, renyi_order, whole
from leastnoise.numbers.interval import End, Interval

_GREATEST_ORDER = 64  # of a moment


def _at_least_0(compute: Computation) -> Interval:
    found = enclosure(compute)
    return Interval(max(found.lower, Fraction(0)), max(found.upper, Fraction(0)))


def _plus_log(value: Fraction, log: Computation, is_zero: bool) -> Interval:
    return Interval.exactly(value) if is_zero else enclosure(lambda: ball(value) + log())


def _complement(epsilon: Fraction, turned: arb) -> arb:
    """The hockey-stick of (P, Q) at epsilon from that of (Q, P) at -epsilon."""
    factor = ball(epsilon).exp()
    return 1 - factor + factor * turned


class LineLaw:
    """What all of these laws can be asked."""

    def privacy_loss(self, other: Self, place: Exact) -> Interval:
        """log(p/q) at a place; of the lower density at a drop."""
        return self._privacy_loss(self._alike(other), exact(place, "place"))

    def renyi(self, other: Self, order: Exact) -> Interval:
        """The Renyi divergence of an order from 1 on; infinity is allowed."""
        return self._renyi(self._alike(other), renyi_order(order))

    def hockey_stick(self, other: Self, epsilon: Exact) -> Interval:
        """The integral of max(0, p - e^epsilon*q)."""
        return self._hockey_stick(self._alike(other), exact(epsilon, "epsilon"))

    def _alike(self, other: Any) -> Any:
        if type(other) is not type(self):
            raise InvalidInput(f"The other law is no {type(self).__name__}. Give two of a kind.")
        return other

    _privacy_loss: Callable[..., Interval]
    _renyi: Callable[..., Interval]
    _hockey_stick: Callable[..., Interval]


@dataclass(frozen=True)
class Normal(LineLaw):
    """N(mean, variance).

    >>> Normal(6, 9).renyi(Normal(5, "6.25"), Fraction(36, 11))
    inf
    >>> Normal(5, "6.25").renyi(Normal(6, 9), 2)
    0.134113608145703...
    """

    mean: Checked[Exact, Fraction] = Checked(exact)
    variance: Checked[Exact, Fraction] = Checked(positive)

    def moment(self, order: int) -> Interval:
        """E|X - mean|^order."""
        m = whole(order, "order", most=_GREATEST_ORDER)
        return enclosure(
            lambda: (2 * ball(self.variance)) ** (arb(m) / 2) * (arb(m + 1) / 2).gamma()
            / arb.pi().sqrt()
        )  # fmt: skip

    def quantile(self, level: Exact) -> Interval:
        """The m with P(|X - mean| <= m) = level."""
        chance = inside(level, "level")
        return enclosure(lambda: (2 * ball(self.variance)).sqrt() * ball(1 - chance).erfcinv())

    def _privacy_loss(self, other: "Normal", place: Fraction) -> Interval:
        mine, theirs = ((place - law.mean) ** 2 / law.variance / 2 for law in (self, other))
        return _plus_log(
            theirs - mine, lambda: self._log_ratio(other), self.variance == other.variance
        )

    def _renyi(self, other: "Normal", order: End) -> Interval:
        square, gap = (self.mean - other.mean) ** 2, other.variance - self.variance
        if self == other:
            return Interval.exactly(0)
        if order == inf:
            if gap <= 0:
                return Interval.exactly(inf)
            return _at_least_0(lambda: self._log_ratio(other) + ball(square / (2 * gap)))
        a = Fraction(order)
        mixed = a * other.variance + (1 - a) * self.variance
        if mixed <= 0:
            return Interval.exactly(inf)
        if not gap:
            return Interval.exactly(a * square / (2 * mixed))
        if a == 1:
            rest = (self.variance + square) / (2 * other.variance) - Fraction(1, 2)
            return _at_least_0(lambda: self._log_ratio(other) + ball(rest))

        def compute() -> arb:
            spread = ball(other.variance / mixed).log() / ball(2 * (a - 1))
            return self._log_ratio(other) + spread + ball(a * square / (2 * mixed))

        return _at_least_0(compute)

    def _log_ratio(self, other: "Normal") -> arb:
        """Of the standard deviations, the other's on top."""
        return ball(other.variance / self.variance).log() / 2

    def _hockey_stick(self, other: "Normal", epsilon: Fraction) -> Interval:
        if self.variance < other.variance:
            return _at_least_0(lambda: self._inner(other, epsilon))
        if self.variance > other.variance:
            return _at_least_0(lambda: _complement(epsilon, other._inner(self, -epsilon)))
        square = (self.mean - other.mean) ** 2 / self.variance
        if not square:
            return _at_least_0(lambda: -ball(min(epsilon, Fraction(0))).expm1())

        def compute() -> arb:
            mu, size = ball(square).sqrt(), ball(epsilon)
            return normal_tail(size / mu - mu / 2) - size.exp() * normal_tail(size / mu + mu / 2)

        return _at_least_0(compute)

    def _inner(self, wider: "Normal", epsilon: Fraction) -> arb:
        """For a q of greater variance: p is above on an interval or nowhere."""
        # The loss is a peak less (x - centre)^2 * gap / (2*variances).
        gap = wider.variance - self.variance
        centre = (self.mean * wider.variance - wider.mean * self.variance) / gap
        height = self._log_ratio(wider) + ball((self.mean - wider.mean) ** 2 / (2 * gap) - epsilon)
        if height < 0:
            return arb(0)
        scale = ball(2 * self.variance * wider.variance / gap)
        reach = (height.nonnegative_part() * scale).sqrt()
        inside_p, inside_q = self._mass(centre, reach), wider._mass(centre, reach)
        return inside_p - ball(epsilon).exp() * inside_q

    def _mass(self, centre: Fraction, reach: arb) -> arb:
        """The chance of centre - reach .. centre + reach."""
        place, spread = ball(abs(centre - self.mean)), ball(self.variance).sqrt()
        return normal_tail((place - reach) / spread) - normal_tail((place + reach) / spread)


@dataclass(frozen=True)
class Laplace(LineLaw):
    """Density e^(-|x - centre|/scale)/(2*scale).

    >>> Laplace(0, 1).hockey_stick(Laplace(1, 1), Fraction(1, 2))
    0.221199216928595...
    >>> Laplace(0, 2).renyi(Laplace(0, 1), 2)
    inf
    """

    centre: Checked[Exact, Fraction] = Checked(exact)
    scale: Checked[Exact, Fraction] = Checked(positive)

    def moment(self, order: int) -> Interval:
        """E|X - centre|^order."""
        m = whole(order, "order", most=_GREATEST_ORDER)
        return Interval.exactly(factorial(m) * self.scale**m)

    def quantile(self, level: Exact) -> Interval:
        """The m with P(|X - centre| <= m) = level."""
        chance = inside(level, "level")
        return enclosure(lambda: -ball(self.scale) * ball(1 - chance).log())

    def _privacy_loss(self, other: "Laplace", place: Fraction) -> Interval:
        mine, theirs = (abs(place - law.centre) / law.scale for law in (self, other))
        ratio = other.scale / self.scale
        return _plus_log(theirs - mine, lambda: ball(ratio).log(), ratio == 1)

    def _renyi(self, other: "Laplace", order: End) -> Interval:
        distance = abs(self.centre - other.centre)
        if self == other:
            return Interval.exactly(0)
        if order == inf:
            if self.scale > other.scale:
                return Interval.exactly(inf)
            if self.scale == other.scale:
                return Interval.exactly(distance / self.scale)
            return _at_least_0(lambda: self._peak(other))
        a = Fraction(order)
        if a == 1:
            ratio = self.scale / other.scale
            return _at_least_0(
                lambda: self._peak(other) + ball(ratio) * ball(-distance / self.scale).exp() - 1
            )
        mine, theirs = a / self.scale, (1 - a) / other.scale
        if mine + theirs <= 0:
            return Interval.exactly(inf)

        def compute() -> arb:
            ends = [ball(-each * distance).exp() for each in (theirs, mine)]
            slope = theirs - mine  # of the logarithm between the centres
            ramp = ball(slope * distance).expm1() / ball(slope) if slope else ball(distance)
            total = (ends[0] + ends[1]) / ball(mine + theirs) + ends[0] * ramp
            heights = ball(2 * self.scale) ** ball(-a) * ball(2 * other.scale) ** ball(a - 1)
            return (heights * total).log() / ball(a - 1)

        return _at_least_0(compute)

    def _peak(self, other: "Laplace") -> arb:
        """The loss at the own centre, the greatest if the other law is wider."""
        far = abs(self.centre - other.centre) / other.scale
        return ball(other.scale / self.scale).log() + ball(far)

    def _hockey_stick(self, other: "Laplace", epsilon: Fraction) -> Interval:
        if self.scale < other.scale:
            return _at_least_0(lambda: self._inner(other, epsilon))
        if self.scale > other.scale:
            return _at_least_0(lambda: _complement(epsilon, other._inner(self, -epsilon)))
        most = abs(self.centre - other.centre) / self.scale
        if epsilon >= most:
            return Interval.exactly(0)
        exponent = epsilon if epsilon <= -most else (epsilon - most) / 2
        return _at_least_0(lambda: -ball(exponent).expm1())

    def _inner(self, wider: "Laplace", epsilon: Fraction) -> arb:
        """For a q of greater scale: p is above on an interval around the own centre, or nowhere."""
        distance = ball(abs(self.centre - wider.centre))
        height = self._peak(wider) - ball(epsilon)
        if height < 0:
            return arb(0)
        height = height.nonnegative_part()
        # The loss falls fast towards the other centre, and slowly beyond it and to the other side.
        slow = ball(1 / self.scale - 1 / wider.scale)
        fast = ball(1 / self.scale + 1 / wider.scale)
        beyond = (height - distance * fast).nonnegative_part()
        away, towards = height / slow, (height / fast).min(distance) + beyond / slow
        mine = self._upto(towards) - self._upto(-away)
        theirs = wider._upto(towards - distance) - wider._upto(-away - distance)
        return mine - ball(epsilon).exp() * theirs

    def _upto(self, place: arb) -> arb:
        """P(X - centre <= place); both branches at once, for a ball may hold 0."""
        below, above = place.min(arb(0)) / ball(self.scale), place.max(arb(0)) / ball(self.scale)
        return below.exp() / 2 + (1 - (-above).exp()) / 2


@dataclass(frozen=True)
class StaircaseDensity(LineLaw):
    """A density that falls by the factor e^-rate at |x - centre| = width + k*period, k = 0, 1, 2 ...

    With period the sensitivity it is rate-DP (Geng and Viswanath 2016; their gamma is width/period).

    >>> law, copy = (StaircaseDensity(centre, 1, "0.25", 2) for centre in (0, 1))
    >>> law.renyi(copy, inf), law.hockey_stick(copy, Fraction(1))
    (2, 0.510430859050418...)
    """

    centre: Checked[Exact, Fraction] = Checked(exact)
    period: Checked[Exact, Fraction] = Checked(positive)
    width: Checked[Exact, Fraction] = Checked(exact)
    rate: Checked[Exact, Fraction] = Checked(positive)

    def __post_init__(self) -> None:
        if not 0 <= self.width <= self.period:
            raise InvalidInput("width is outside of 0 .. period.")

    def level(self, place: Exact) -> int:
        """How many drops lie between the centre and a place."""
        return max(
            0,
            ((abs(exact(place, "place") - self.centre) - self.width) / self.period).__floor__() + 1,
        )

    def _height(self) -> arb:
        step = ball(-self.rate).exp()
        area = 2 * (ball(self.width) + step * ball(self.period - self.width))
        return (1 - step) / area

    def _privacy_loss(self, other: "StaircaseDensity", place: Fraction) -> Interval:
        """Of the lower density at a drop."""
        gap = self.rate * (other.level(place) - self.level(place))
        same = self.width == other.width
        return _plus_log(gap, lambda: (self._height() / other._height()).log(), same)

    def density(self, place: Exact) -> Interval:
        """The density; the lower one at a drop."""
        fall = self.rate * self.level(exact(place, "place"))
        return enclosure(lambda: self._height() * ball(-fall).exp())

    def moment(self, order: int) -> Interval:
        """E|X - centre|^order."""
        n = whole(order, "order", most=_GREATEST_ORDER) + 1

        def compute() -> arb:
            step, total = ball(-self.rate).exp(), arb(0)
            for j in range(n + 1):
                powers = step.polylog(arb(-j)) if j else 1 / (1 - step)
                total += comb(n, j) * ball(self.width) ** (n - j) * ball(self.period) ** j * powers
            return 2 * self._height() * (1 - step) * total / n

        return enclosure(compute)

    def _renyi(self, other: "StaircaseDensity", order: End) -> Interval:
        pieces = list(self._pieces(other))
        if order == inf:
            top = max(other_level - level for _, level, other_level, _ in pieces)
            gap = self.rate * top
            if self.width == other.width:
                return Interval.exactly(gap)
            return _at_least_0(lambda: ball(gap) + (self._height() / other._height()).log())
        a = Fraction(order)
        if a == 1:
            return _at_least_0(lambda: self._sum(other, lambda p, q: p * (p / q).log()))
        return _at_least_0(
            lambda: (
                self._sum(other, lambda p, q: p * ((p / q).log() * ball(a - 1)).exp()).log()
                / ball(a - 1)
            )
        )

    def _hockey_stick(self, other: "StaircaseDensity", epsilon: Fraction) -> Interval:
        if self.width == other.width and epsilon >= self._renyi(other, inf).lower:
            return Interval.exactly(0)
        factor: Callable[[], arb] = ball(epsilon).exp
        return _at_least_0(lambda: self._sum(other, lambda p, q: (p - factor() * q).max(arb(0))))

    def _sum(self, other: "StaircaseDensity", integrand: Callable[[arb, arb], arb]) -> arb:
        """The integral of a homogeneous function of both densities."""
        heights, step, total = (self._height(), other._height()), ball(-self.rate).exp(), arb(0)
        for length, mine, theirs, repeats in self._pieces(other):
            value = integrand(heights[0] * step**mine, heights[1] * step**theirs)
            total += ball(length) * value / (1 - step if repeats else 1)
        return total

    def _pieces(self, other: "StaircaseDensity") -> Iterator[tuple[Fraction, int, int, bool]]:
        """Length, the two levels, and whether the piece repeats outward, each time a drop lower."""
        if (self.period, self.rate) != (other.period, other.rate):
            raise InvalidInput("The two staircases differ in period or rate. Give the same.")
        centres = sorted((self.centre, other.centre))
        reach = self.period
        inner = centres[0] - reach, centres[1] + reach
        outer = inner[0] - self.period, inner[1] + self.period
        if inner[1] - inner[0] > 10_000 * self.period:
            raise InvalidInput("The centres are more than 10,000 periods apart.")
        cuts = {*inner, *outer, self.centre, other.centre}
        for law in (self, other):
            drop = law.width
            while drop <= outer[1] - outer[0]:
                cuts |= {law.centre - drop, law.centre + drop}
                drop += self.period
        places = sorted(cut for cut in cuts if outer[0] <= cut <= outer[1])
        for low, high in itertools.pairwise(places):
            middle = (low + high) / 2
            repeats = high <= inner[0] or low >= inner[1]
            yield high - low, self.level(middle), other.level(middle), repeats
