"""The laws of noise on the integers that can be named, drawn and asked.

`DiscreteLaplace`, `Staircase`, `TruncatedLaplace` and `Uniform` are one shape (`stairs`) with fewer
parameters. `RoundedGaussian` is the Gaussian noise of releases. `TableLaw` is any finite law.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import isqrt

import numpy as np
from flint import arb, ctx

from leastnoise.noise.distribution import MOST_POINTS, Computed, Distribution, Real, integer
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.noise.stairs import Stairs, cut_off, power_sum
from leastnoise.noise.uniform import Draws, Table
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import normal_tail
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import (
    Checked,
    Exact,
    inside,
    non_negative,
    positive,
    whole,
)
from leastnoise.numbers.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

_MOST_LEVELS = 1 << 12  # of a Renyi divergence of stairs
_CELLS = 200  # per standard deviation, of a lower bound for wide Gaussian noise


class _StairsLaw(Distribution):
    """A law whose shape is stairs."""

    @cached_property
    @abstractmethod
    def stairs(self) -> Stairs:
        """The shape."""

    @property
    def support(self) -> tuple[int, int] | None:
        """The least and the greatest value; None if there is no end."""
        radius = self.stairs.radius
        return None if radius is None else (-radius, radius)

    def _pmf(self, k: int) -> Real:
        return self.stairs.pmf(k)

    def _tail(self, k: int) -> Real:
        return self.stairs.tail(k)

    def _moment(self, order: int) -> Interval:
        return balls.enclosure(lambda: self.stairs.moment(order))

    def _hockey_stick(self, epsilon: Fraction, shift: int) -> Real:
        return self.stairs.hockey_stick(epsilon, abs(shift))

    def _about(self, level: Fraction) -> int:
        risk = float(1 - level)
        if not self.stairs.rate or not risk:
            return 0
        return int(Fraction(-math.log(risk)) * self.stairs.period / self.stairs.rate)

    def _levels(self, shift: int) -> int:
        """The greatest number of drops between two magnitudes so far apart."""
        levels = -(-abs(shift) // self.stairs.period)
        if levels > _MOST_LEVELS:
            raise Undecided("The shift is too large for a sum over levels. Give a smaller one.")
        return levels

    def _greatest_loss(self, shift: int) -> Interval:
        if self.stairs.radius is not None:
            return Interval(math.inf, math.inf)
        return Interval.exactly(self.stairs.rate * -(-abs(shift) // self.stairs.period))

    def _renyi(self, order: Fraction, shift: int) -> Interval:
        """The loss is m * rate with chance p(m), and -m * rate with chance e^(-m*rate) * p(m)."""
        rate, distance = self.stairs.rate, abs(shift)
        above = [self.stairs.exceedance(rate * m - rate / 2, distance)
                 for m in range(1, self._levels(shift) + 2)]  # fmt: skip

        def divergence() -> arb:
            chances = [x.ball() for x in above]
            masses = [here - after for here, after in pairwise(chances)]
            total, rest = arb(0), arb(1)
            for m, p in enumerate(masses, 1):
                fall = (-balls.ball(rate * m)).exp()
                rest -= p * (1 + fall)
                if order == 1:
                    total += balls.ball(rate * m) * p * (1 - fall)
                else:
                    grown = (balls.ball((order - 1) * rate * m)).exp()
                    total += p * (grown + fall / grown)
            return total if order == 1 else (total + rest).log() / balls.ball(order - 1)

        return balls.enclosure(divergence)

    def _draw(self, count: int, source: Source) -> Draws:
        return self.stairs.sample(count, source)


@dataclass(frozen=True, repr=False)
class DiscreteLaplace(_StairsLaw):
    """Two-sided geometric noise: P(k) is proportional to e^(-rate*|k|).

    Theorem: for a whole number of sensitivity 1 it is rate-DP, and has the least mean of every cost
    among all noise on the integers that is (Ghosh, Roughgarden and Sundararajan 2012).

    >>> DiscreteLaplace(1).expected()
    0.850918128239321...
    """

    rate: Checked[Exact, Fraction] = Checked(positive)

    @cached_property
    def stairs(self) -> Stairs:
        """A drop at every step."""
        return Stairs(1, 1, self.rate)

    def _draw(self, count: int, source: Source) -> Draws:
        return discrete_laplace(1 / self.rate, count, source)


def _size(value: int, name: str) -> int:
    found = whole(value, name)
    if found > 2**62:
        raise InvalidInput(f"{name} is above 2^62. Give a smaller one.")
    return found


@dataclass(frozen=True, repr=False)
class Staircase(_StairsLaw):
    """Flat steps, each less likely than the one before by the factor e^rate.

    Theorem: for a whole number of sensitivity `period` it is rate-DP, exactly; for every cost that
    does not fall with |error|, some width has the least mean cost among all noise on the integers
    that is (Geng and Viswanath 2016, Theorem 4). Proof page: docs/proofs/staircase.md.

    Attributes:
        period: the sensitivity.
        rate: epsilon.
        width: the magnitude of the first drop, at most the period.

    >>> Staircase(period=10, rate=4, width=2).quantile(0.9)
    2
    """

    period: Checked[int, int] = Checked(_size)
    rate: Checked[Exact, Fraction] = Checked(positive)
    width: Checked[int, int] = Checked(_size)

    def __post_init__(self) -> None:
        if self.width > self.period:
            raise InvalidInput(f"width is {self.width}. Give at most the period, {self.period}.")

    @cached_property
    def stairs(self) -> Stairs:
        """A drop for each sensitivity."""
        return Stairs(self.period, self.width, self.rate)


@dataclass(frozen=True, repr=False)
class TruncatedLaplace(_StairsLaw):
    """Laplace noise cut off at the least radius that keeps (rate, delta), the outermost atoms lighter.

    Theorem: for a whole number of sensitivity `period` it is (rate, delta)-DP, with equality. With
    period 1 it has the least mean of every cost among all noise on the integers that is (Awan and
    Ramasethu 2023, who call it canonical). Proof page: docs/proofs/truncation.md.

    Attributes:
        period: the sensitivity; weights fall by e^(-rate/period) at every step.
        rate: epsilon.
        delta: between 0 and 1.

    >>> TruncatedLaplace(period=1, rate=1, delta="1e-6").support
    (-14, 14)
    """

    period: Checked[int, int] = Checked(_size)
    rate: Checked[Exact, Fraction] = Checked(positive)
    delta: Checked[Exact, Fraction] = Checked(inside)

    @cached_property
    def stairs(self) -> Stairs:
        """A drop at every step, up to the radius."""
        endless = Stairs(1, 1, self.rate / self.period)
        return cut_off(endless, self.period, self.rate, self.delta)


@dataclass(frozen=True, repr=False)
class Uniform(_StairsLaw):
    """Equally likely values with lighter end points, for (0, delta)-DP.

    Theorem: for a whole number of sensitivity `period` it is (0, delta)-DP, with equality. All values
    have the chance delta/period but the outermost two. If 1/(2*delta) is whole, no law on the
    integers that is (0, delta)-DP has a smaller E|X|. Proof page: docs/proofs/linear_program.md.

    Attributes:
        period: the sensitivity.
        delta: between 0 and 1.

    >>> [float(Uniform(period=1, delta="0.25").pmf(k)) for k in (-2, -1, 0, 1, 2)]
    [0.125, 0.25, 0.25, 0.25, 0.125]
    """

    period: Checked[int, int] = Checked(_size)
    delta: Checked[Exact, Fraction] = Checked(inside)

    @cached_property
    def stairs(self) -> Stairs:
        """No drop up to the radius."""
        return cut_off(Stairs(1, 1, Fraction(0)), self.period, Fraction(0), self.delta)

    def _moment(self, order: int) -> Interval:
        """A fraction: nothing here is irrational."""
        radius = self.stairs.radius
        assert radius is not None
        inner, outer = (self.pmf(k).lower for k in (0, radius))
        return Interval.exactly(2 * (inner * power_sum(order, radius) + outer * radius**order))


@dataclass(frozen=True, repr=False)
class RoundedGaussian(Distribution):
    """A normal number with mean 0, rounded to the nearest integer.

    Theorem: for whole numbers that move by at most D in l2 norm it is mu-GDP with
    mu = D / sqrt(variance), for it is post-processing of the Gaussian mechanism. Proof page:
    docs/proofs/rounded_gaussian.md.

    >>> RoundedGaussian(variance=100).moment(2)
    100.083333333333...
    """

    variance: Checked[Exact, Fraction] = Checked(positive)

    @property
    def support(self) -> None:
        """None: there is no end."""
        return

    def _beyond(self, doubled: int) -> arb:
        """P(N >= doubled / 2) of the normal number."""
        return normal_tail(balls.ball(Fraction(doubled, 2)) / self._deviation())

    def _deviation(self) -> arb:
        return balls.ball(self.variance).sqrt()

    def _mass(self, k: int) -> arb:
        return self._beyond(2 * abs(k) - 1) - self._beyond(2 * abs(k) + 1)

    def _pmf(self, k: int) -> Real:
        return Computed(lambda: self._mass(k))

    def _tail(self, k: int) -> Real:
        return Computed(lambda: self._beyond(2 * k - 1))

    def _about(self, level: Fraction) -> int:
        risk = max(float(1 - level), 1e-300)
        return math.isqrt(int(Fraction(-2 * math.log(risk)) * self.variance))

    @cached_property
    def _reach(self) -> int:
        """Beyond this, less than e^-200 of everything is left."""
        return math.isqrt(int(400 * self.variance)) + 2

    def _moment(self, order: int) -> Interval:
        if self._reach <= MOST_POINTS // 2:
            return balls.enclosure(lambda: self._moment_by_points(order))
        with balls.precision(balls.FIRST_BITS):
            return balls.interval(self._moment_by_rounding(order))

    def _moment_by_points(self, order: int) -> arb:
        """The sum of (k^order - (k-1)^order) * P(|X| >= k); the rest is below a hundred last terms."""
        last = self._reach * max(1, isqrt(ctx.prec // 64))
        terms = [(k**order - (k - 1) ** order) * self._beyond(2 * k - 1) for k in range(1, last)]
        rest = last**order * self._beyond(2 * last - 1) * 100
        return 2 * sum(terms, arb(0)) + arb(0).union(2 * rest)

    def _moment_by_rounding(self, order: int) -> arb:
        """Between the moments of |N| - 1/2 and |N| + 1/2, by Minkowski's inequality."""
        power = balls.ball(Fraction(order + 1, 2))
        root = (2 * balls.ball(self.variance)) ** balls.ball(Fraction(order, 2))
        norm = (root * power.gamma() / arb.pi().sqrt()) ** (arb(1) / order)
        return ((norm - arb(0.5)) ** order).union((norm + arb(0.5)) ** order)

    def _hockey_stick(self, epsilon: Fraction, shift: int) -> Real:
        """The loss falls with k, for the law is log-concave: the events are all k below a place."""
        distance = abs(shift)

        def is_outside(k: int) -> bool:
            if not epsilon:
                return 2 * k >= distance
            return (
                balls.sign(
                    lambda: self._mass(k) - balls.ball(epsilon).exp() * self._mass(k - distance)
                )
                <= 0
            )

        about = distance // 2 - int(epsilon * self.variance / distance)
        low = min(about, 0) - 1
        while is_outside(low):
            low *= 2
        stop = least_integer(is_outside, low, about)
        return Computed(
            lambda: (
                self._beyond(1 - 2 * stop)
                - balls.ball(epsilon).exp() * self._beyond(1 - 2 * (stop - distance))
            )
        )

    def _greatest_loss(self, shift: int) -> Interval:  # noqa: ARG002
        return Interval(math.inf, math.inf)

    def _renyi(self, order: Fraction, shift: int) -> Interval:
        """At least that of cells, at most that of the normal law (data processing).

        Where every cell is a point, what lies beyond 20 deviations is bounded by the normal law too.
        Reference: Gil, Alajaji and Linder 2013, for normal laws.
        """
        most, distance = order * shift**2 / (2 * self.variance), abs(shift)
        room = Fraction(math.isqrt(int(1024 * self.variance)), distance)
        if order > room:  # it grows with the order, and sums so far out take minutes
            least = self._renyi(room, shift).lower if room >= 1 else Fraction(0)
            return Interval(least, most)
        width = -(-math.isqrt(math.ceil(self.variance)) // _CELLS)
        reach = self._reach + distance * math.ceil(order)

        def divergence() -> arb:
            edges = range(-reach, reach + width, width)
            mine = [self._beyond(2 * edge - 1) for edge in edges]
            theirs = [self._beyond(2 * (edge - distance) - 1) for edge in edges]
            total, rest = arb(0), arb(-198).exp()
            for p, q in zip(_steps(mine), _steps(theirs), strict=True):
                ratio = (p / q).log()
                total += p * (ratio if order == 1 else (ratio * balls.ball(order - 1)).exp())
            if order == 1:
                slope = balls.ball(distance / self.variance) * (self._deviation() + 1 + distance)
                return total.union(total + rest * slope)
            rest *= balls.ball((order - 1) * most).exp()
            return total.union(total + rest).log() / balls.ball(order - 1)

        with balls.precision(4 * balls.FIRST_BITS + 4 * reach**2 // math.ceil(self.variance)):
            found = balls.interval(divergence())
        lower = min(max(found.lower, Fraction(0)), most)
        return Interval(lower, most if width > 1 else max(lower, min(most, found.upper)))

    def _draw(self, count: int, source: Source) -> Draws:
        return rounded_gaussian(self.variance, count, source)


def _steps(tails: list[arb]) -> list[arb]:
    return [here - after for here, after in pairwise(tails)]


@dataclass(frozen=True, repr=False, init=False)
class TableLaw(Distribution):
    """A finite law of whole numbers, in proportion to rational weights.

    >>> law = TableLaw({-1: 1, 0: 2, 1: 1})
    >>> float(law.pmf(0)), law
    (0.5, TableLaw(3 values from -1 to 1))
    """

    weights: Mapping[int, Fraction]

    def __init__(self, weights: Mapping[int, Exact]) -> None:
        if not isinstance(weights, Mapping):
            raise InvalidInput("weights is no mapping. Write TableLaw({-1: 1, 0: 2, 1: 1}).")
        read = {integer(k, "a value"): non_negative(w, "a weight") for k, w in weights.items()}
        total = sum(read.values())
        if not total:
            raise InvalidInput("No weight is above 0. Give at least one.")
        object.__setattr__(self, "weights", {k: read[k] / total for k in sorted(read) if read[k]})

    def __hash__(self) -> int:
        return hash(tuple(self.weights.items()))

    def __repr__(self) -> str:
        low, high = self.support
        return f"TableLaw({len(self.weights)} values from {low} to {high})"

    @property
    def support(self) -> tuple[int, int]:
        """The least and the greatest value."""
        return min(self.weights), max(self.weights)

    @property
    def is_peaked(self) -> bool:  # type: ignore[override]
        """Whether it is symmetric about 0 and never rises with |k|."""
        high = self.support[1]
        falling = [self._at(k) for k in range(high + 1)]
        return falling == sorted(falling, reverse=True) and all(
            self._at(-k) == weight for k, weight in self.weights.items()
        )

    def _at(self, k: int) -> Fraction:
        return self.weights.get(k, Fraction(0))

    def _pmf(self, k: int) -> Real:
        return ExponentialRatio.of(self._at(k))

    def _tail(self, k: int) -> Real:
        return ExponentialRatio.of(sum(w for value, w in self.weights.items() if value >= k))

    def _moment(self, order: int) -> Interval:
        return Interval.exactly(sum(abs(k) ** order * w for k, w in self.weights.items()))

    def _hockey_stick(self, epsilon: Fraction, shift: int) -> Real:
        factor, total = ExponentialSum.exp(epsilon), ExponentialSum.of(0)
        for k, weight in self.weights.items():
            excess = weight - factor * self._at(k - shift)
            if excess.sign() > 0:
                total += excess
        return ExponentialRatio(total, ExponentialSum.of(1))

    def _greatest_loss(self, shift: int) -> Interval:  # noqa: ARG002
        return Interval(math.inf, math.inf)

    def _renyi(self, order: Fraction, shift: int) -> Interval:  # noqa: ARG002
        return Interval(math.inf, math.inf)

    def _draw(self, count: int, source: Source) -> Draws:
        values = np.array(list(self.weights), dtype=np.int64)
        return values[self._table.sample(count, source)]

    @cached_property
    def _table(self) -> Table:
        chances = list(self.weights.values())
        beyond = list(accumulate(reversed(chances)))[::-1]
        return Table(lambda n, bits: int(beyond[n] * (1 << bits)), len(chances))
