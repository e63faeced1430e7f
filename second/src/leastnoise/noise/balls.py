r"""`NormStaircase`: noise for vectors, whose weight depends on the l1 or the l-infinity norm alone.

Weight of x in Z^d: e^(-rate * level(|x|)), where level(m) counts the drops at or below m, and drops
are at width, width + period, width + 2*period, ...

Theorem (mixture of balls): draw J with P(J = j) in proportion to e^(-rate*j) * points(r_j), with
r_j = width - 1 + j*period, then a uniform point of the ball of radius r_j: it has this law.
Proof: a point of norm m lies in ball j if j >= level(m), and those e^(-rate*j) add up to
e^(-rate*level(m)) / (1 - e^-rate).

That is joint noise with one block and one counter, and is drawn as such (`joint_pure`). All sums are
of b^j times a polynomial in j, b = e^-rate, in closed form by the differences of the polynomial.
Proof page: docs/proofs/staircase.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from leastnoise.noise.distribution import MOST_POINTS, Computed, Distribution, Real, integer
from leastnoise.noise.joint_pure import MOST_CELLS, Block, Box, Diamond, KNormNoise
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, positive, whole
from leastnoise.numbers.exponential import ExponentialRatio
from leastnoise.numbers.interval import Interval

_LARGEST = 2**62
_MOST_LAYERS = 1 << 12  # of a Renyi divergence


def _cells(value: int, name: str) -> int:
    return whole(value, name, most=MOST_CELLS)


def _size(value: int, name: str) -> int:
    return whole(value, name, most=_LARGEST)


def checked_norm(value: str, name: str = "norm") -> str:
    """One of the two norms whose balls can be counted."""
    if not isinstance(value, str) or value not in ("l1", "linf"):
        raise InvalidInput(f'{name} is {value!r:.40}. Give "l1" or "linf".')
    return value


@dataclass(frozen=True, repr=False)
class NormStaircase(Distribution):
    """Flat shells in Z^d, each less likely than the one inside by the factor e^rate.

    `tail`, `moment`, `quantile` and `expected` are about the norm of the vector. With period 1 and
    width 1 this is Laplace noise of the norm.

    Theorem: for vectors of whole numbers that move by at most `period` in this norm it is rate-DP,
    exactly. For every cost that does not fall with the norm some width has the least mean cost
    among all noise on Z^d that is and does not depend on the data.

    Attributes:
        dimension: how many numbers.
        period: the sensitivity.
        rate: epsilon.
        width: the norm of the first drop, at most the period.
        norm: "l1" (sum of magnitudes) or "linf" (greatest magnitude).

    >>> NormStaircase(dimension=2, period=100, rate=4, width=30, norm="linf").quantile(0.9)
    105
    """

    dimension: Checked[int, int] = Checked(_cells)
    period: Checked[int, int] = Checked(_size)
    rate: Checked[Exact, Fraction] = Checked(positive)
    width: Checked[int, int] = Checked(_size)
    norm: Checked[str, str] = Checked(checked_norm, default="l1")

    def __post_init__(self) -> None:
        if self.width > self.period:
            raise InvalidInput(f"width is {self.width}. Give at most the period, {self.period}.")

    @property
    def support(self) -> None:
        """None: there is no end."""
        return

    def length(self, point: object) -> int:
        """The norm of a vector."""
        parts = [
            abs(integer(part, "a part of the point"))
            for part in np.ravel(np.asarray(point, dtype=object))
        ]
        if len(parts) != self.dimension:
            raise InvalidInput(f"The point has {len(parts)} numbers. Give {self.dimension}.")
        return sum(parts) if self.norm == "l1" else max(parts)

    def level(self, norm: int) -> int:
        """How many drops are at or below a norm."""
        return max(0, (norm - self.width) // self.period + 1)

    def points(self, radius: int) -> int:
        """How many points of Z^d have at most this norm."""
        return _points(self.dimension, radius, self.norm)

    # Sums over layers

    def _radius(self, layer: int) -> int:
        return self.width - 1 + layer * self.period

    def _power(self, level: Fraction | int) -> arb:
        return (-balls.ball(self.rate * level)).exp()

    def _layers(self, value: Callable[[int], int], degree: int, first: int = 0) -> arb:
        """The sum over j >= first of b^(j - first) * value(j), a polynomial in j from `first` on."""
        rises = differences([value(first + n) for n in range(degree + 1)])
        return series(rises, self.rate)

    def _total(self) -> arb:
        """The sum of b^j * points(r_j)."""
        return self._layers(lambda j: self.points(self._radius(j)), self.dimension)

    def pmf(self, k: object) -> Interval:
        """P(X = k), for a vector of whole numbers."""
        norm = self.length(k)
        return balls.enclosure(lambda: self._at(norm))

    def _at(self, norm: int) -> arb:
        """The chance of each vector of this norm."""
        return self._power(self.level(norm)) / ((1 - self._power(1)) * self._total())

    def _pmf(self, k: int) -> Real:
        """P(|X| = k)."""
        if k < 0:
            return ExponentialRatio.of(0)
        shell = self.points(k) - (self.points(k - 1) if k else 0)
        return Computed(lambda: fmpz(shell) * self._at(k))

    def _pair(self, n: int) -> Interval:
        return self._pmf(n).interval()

    def _tail(self, k: int) -> Real:
        """P(|X| >= k): in ball j all points but those of the ball of radius k - 1."""
        if k <= 0:
            return ExponentialRatio.of(1)
        first, inner = self.level(k), self.points(k - 1)

        def tail() -> arb:
            beyond = self._layers(
                lambda j: self.points(self._radius(j)) - inner, self.dimension, first
            )
            return self._power(first) * beyond / self._total()

        return Computed(tail)

    def _moment(self, order: int) -> Interval:
        """E|X|^order, from the sums of |x|^order over balls."""
        rises = _power_rises(self.dimension, order, self.norm)

        def over_ball(layer: int) -> int:
            radius, total, ways = self._radius(layer), 0, 1
            for n, rise in enumerate(rises):
                total, ways = total + rise * ways, ways * (radius - n) // (n + 1)
            return total

        degree = self.dimension + order
        return balls.enclosure(lambda: self._layers(over_ball, degree) / self._total())

    # Divergence from a shifted copy

    def _hockey_stick(self, epsilon: Fraction, shift: int) -> Real:
        """The greatest over all shifts of this norm.

        It is 1 - the sum of min(P, e^epsilon * P shifted), and every level set of both is a ball. The
        shift (shift, 0, ... 0) in l1, or (shift, ... shift) in l-infinity, leaves every two balls
        the fewest common points.
        """
        distance = abs(shift)
        if epsilon >= self.rate * -(-distance // self.period):
            return ExponentialRatio.of(0)
        if distance > MOST_POINTS * self.period:
            raise InvalidInput("The shift is too large for this divergence. Give a smaller one.")
        drops, rest = divmod(epsilon, self.rate)

        def divergence() -> arb:
            lift, fall = balls.ball(rest).exp(), self._power(1)
            near = self._common(distance - int(drops) * self.period)
            far = self._common(max(0, distance - (int(drops) + 1) * self.period))
            whole = (1 - fall) * self._total()
            return 1 - ((1 - lift * fall) * near + (lift - 1) * fall * far) / whole

        return Computed(divergence)

    def _common(self, narrower: int) -> arb:
        """The sum of b^j * the points that ball j has in common with a shifted larger one.

        The larger radius is r_j + shift - narrower. Below `first` the count is no polynomial.
        """

        def overlap(layer: int) -> int:
            radius = self._radius(layer)
            if self.norm == "linf":
                return int(max(0, 2 * radius + 1 - narrower) ** self.dimension)
            return self._half(radius - (narrower + 1) // 2) + self._half(radius - narrower // 2 - 1)

        first = max(0, -(-(narrower // 2 + 1 - self.width + 1) // self.period)) + 1
        start = sum((self._power(j) * fmpz(overlap(j)) for j in range(first)), arb(0))
        return start + self._power(first) * self._layers(overlap, self.dimension, first)

    def _half(self, radius: int) -> int:
        """How many points of an l1 ball have a first number of at least 0."""
        if radius < 0:
            return 0
        return (self.points(radius) + _points(self.dimension - 1, radius, "l1")) // 2

    def _greatest_loss(self, shift: int) -> Interval:
        return Interval.exactly(self.rate * -(-abs(shift) // self.period))

    def _renyi(self, order: Fraction, shift: int) -> Interval:
        """From the hockey-stick curve at the worst shift, which has its corners at whole drops."""
        most = -(-abs(shift) // self.period)
        if most > _MOST_LAYERS:
            raise InvalidInput("The shift is too large for this divergence. Give a smaller one.")
        curve = [self._hockey_stick(self.rate * m, shift).ball for m in range(most + 1)]

        def divergence() -> arb:
            """With p(m) the chance of the loss m*rate, H(a) is the sum of p(m)*(1 - a*e^(-m*rate))."""
            heights, alphas = [h() for h in curve], [1 / self._power(m) for m in range(most + 1)]
            slopes = [(after - here) / (beta - alpha) for (here, after), (alpha, beta)
                      in zip(pairwise(heights), pairwise(alphas), strict=True)]  # fmt: skip
            steps = [after - before for before, after in pairwise([*slopes, arb(0)])]
            chances = [step * alpha for step, alpha in zip(steps, alphas[1:], strict=True)]
            total, rest = arb(0), arb(1)
            for m, p in enumerate(chances, 1):
                fall = self._power(m)
                rest -= p * (1 + fall)
                if order == 1:
                    total += balls.ball(self.rate * m) * p * (1 - fall)
                else:
                    grown = balls.ball((order - 1) * self.rate * m).exp()
                    total += p * (grown + fall / grown)
            return total if order == 1 else (total + rest).log() / balls.ball(order - 1)

        return balls.enclosure(divergence)

    # Exact draws

    @cached_property
    def _joint(self) -> KNormNoise:
        """The same law as joint noise."""
        cells, start = self.dimension, self.width - 1
        block: Block = (
            Diamond(cells, self.period, start)
            if self.norm == "l1"
            else Box(-self.period, self.period, cells, 2 * start)
        )
        return KNormNoise(self.rate, (block,), counters=1)

    def _draw(self, count: int, source: Source) -> Draws:
        rows = [self._joint.draw(source)[0] for _ in range(count)]
        fits = all(abs(x) < _LARGEST for row in rows for x in row)
        drawn: NDArray[np.int64] = np.array(rows, dtype=np.int64 if fits else np.object_)
        return drawn.reshape(count, self.dimension)


@lru_cache(maxsize=1 << 12)
def _points(dimension: int, radius: int, norm: str) -> int:
    """How many points of Z^dimension have at most this norm.

    >>> _points(2, 1, "l1"), _points(2, 1, "linf")
    (5, 9)
    """
    if norm == "linf":
        return int((2 * radius + 1) ** dimension)
    total = ways = 1  # ways to have t numbers that are not 0
    for t in range(min(dimension, radius)):
        ways = ways * 2 * (dimension - t) * (radius - t) // (t + 1) ** 2
        total += ways
    return total


@lru_cache(maxsize=64)
def _power_rises(dimension: int, order: int, norm: str) -> list[int]:
    """Differences at 0 of the sum of |x|^order over the ball, a polynomial in its radius."""
    counts = [_points(dimension, m, norm) for m in range(dimension + order + 1)]
    shells = (m**order * (high - low) for m, (low, high) in enumerate(pairwise(counts), 1))
    return differences(list(accumulate(shells, initial=0)))


def differences(values: list[int]) -> list[int]:
    """The n-th forward difference at the first value, for every n."""
    found = []
    while values:
        found.append(values[0])
        values = [high - low for low, high in pairwise(values)]
    return found


def series(rises: list[int], rate: Fraction) -> arb:
    """The sum of e^(-rate*j) * f(j) over j >= 0, for the polynomial with these differences at 0.

    The sum of b^j * C(j, n) is (b / (1 - b))^n / (1 - b).
    """
    odds, total = 1 / balls.ball(rate).expm1(), arb(0)
    for rise in reversed(rises):
        total = total * odds + fmpz(rise)
    return total * (1 + odds)
