"""`Distribution`: what every law of noise on the integers can be asked.

A law states its chances, moments, divergences from shifted copies, and how it is drawn; everything
else follows here. Answers are `Interval`s around the true value. A law knows no privacy object:
`privacy` is built on its divergences.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.source import Source, system_source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import Computation
from leastnoise.numbers.cost import CostLike, Moment, TailProbability, cost_of
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Exact, non_negative, probability, renyi_order, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

MOST_POINTS = 1 << 16  # of a sum over single points: some seconds
_GREATEST_ORDER = 64
MOST_DRAWS = 1 << 32
_CLOSE = Fraction(1, 10**12)  # how exactly the mean of a cost of one's own is known
_TOO_WIDE = "The noise is too wide to add up this cost. Use Moment or TailProbability."


class Real(Protocol):
    """A real number: a quotient of exponential sums, or what balls compute."""

    def compare(self, value: Fraction | int) -> int:
        """The sign of the number minus `value`."""

    def interval(self) -> Interval:
        """A tight bracket."""

    @property
    def ball(self) -> Computation:
        """A function that gives the number as a ball at the working precision."""


@dataclass(frozen=True)
class Computed:
    """A number that balls compute. To compare it with a number that it equals is `Undecided`.

    >>> Computed(lambda: balls.ball(2).sqrt()).compare(1)
    1
    """

    ball: Computation

    def compare(self, value: Fraction | int) -> int:
        """The sign of the number minus `value`."""
        return balls.sign(lambda: self.ball() - balls.ball(value))

    def interval(self) -> Interval:
        """A tight bracket."""
        return balls.enclosure(self.ball)


class Distribution(ABC):
    """A law of noise on the integers that is drawn exactly as stated.

    Attributes:
        dimension: 1; laws of vectors have their own class.
        is_peaked: whether the law is symmetric about 0 and never rises with |k|. Then the largest
            shift has the largest divergence, in either direction.
    """

    dimension = 1
    is_peaked = True

    # What a law states

    @property
    @abstractmethod
    def support(self) -> tuple[int, int] | None:
        """The least and the greatest value; None if there is no end."""

    @abstractmethod
    def _pmf(self, k: int) -> Real: ...

    @abstractmethod
    def _tail(self, k: int) -> Real: ...

    @abstractmethod
    def _moment(self, order: int) -> Interval: ...

    @abstractmethod
    def _hockey_stick(self, epsilon: Fraction, shift: int) -> Real: ...

    @abstractmethod
    def _renyi(self, order: Fraction, shift: int) -> Interval:
        """For a finite order of at least 1 and a shift other than 0, of a law without end."""

    @abstractmethod
    def _greatest_loss(self, shift: int) -> Interval:
        """The Renyi divergence of order infinity."""

    @abstractmethod
    def _draw(self, count: int, source: Source) -> Draws: ...

    # What follows

    def pmf(self, k: int) -> Interval:
        """P(X = k)."""
        return self._pmf(integer(k, "k")).interval()

    def tail(self, k: int) -> Interval:
        """P(X >= k)."""
        return self._tail(integer(k, "k")).interval()

    def moment(self, order: int) -> Interval:
        """E|X|^order."""
        power = whole(order, "order", least=0, most=_GREATEST_ORDER)
        return self._moment(power) if power else Interval.exactly(1)

    def quantile(self, level: Exact) -> int:
        """The least m with P(|X| <= m) >= level: the error that is not exceeded so often."""
        chance = probability(level, "level")
        if chance == 1 and self.support is None:
            raise InvalidInput("level is 1, and this noise has no end. Give a level below 1.")
        return least_integer(lambda m: self._outside(m).lower <= 1 - chance, 0, self._about(chance))

    def _outside(self, m: int) -> Interval:
        """P(|X| > m), sharp enough to be compared."""
        above, below = self._tail(m + 1).interval(), self._tail(-m).interval()
        return Interval(above.lower + 1 - below.upper, above.upper + 1 - below.lower)

    def _about(self, level: Fraction) -> int:  # noqa: ARG002
        """Near a quantile: where its search begins."""
        return 0

    def expected(self, cost: CostLike = "absolute") -> Interval:
        """The mean cost of the error."""
        asked = cost_of(cost)
        match asked:
            case Moment(order=order) if order.denominator == 1:
                return self.moment(order.numerator)
            case TailProbability(threshold=threshold):
                return self._outside(math.floor(threshold))
            case _:
                return self._summed(asked.at, math.ceil(asked.growth))

    def _summed(self, cost: object, growth: int) -> Interval:
        """Point by point; beyond n, cost(x) <= cost(n) * (x / n)^growth."""
        assert callable(cost)
        if (
            self._outside(MOST_POINTS).lower > _CLOSE
        ):  # the cost does not fall: the end cannot be met
            raise Undecided(_TOO_WIDE)
        lower, upper, partial = Fraction(0), Fraction(0), Interval.exactly(0)
        everything = self.moment(growth)
        n = 0
        while n <= MOST_POINTS:
            chance = self._pair(n)
            price = cost(Fraction(n))
            lower, upper = lower + chance.lower * price.lower, upper + chance.upper * price.upper
            power = n**growth
            partial = Interval(
                partial.lower + chance.lower * power, partial.upper + chance.upper * power
            )
            n += 1
            if n & (n - 1) and n % 64:
                continue
            left = max(Fraction(0), everything.upper - partial.lower)
            beyond = left * cost(Fraction(n)).upper / n**growth
            if beyond <= _CLOSE * lower or (self.support and n > max(map(abs, self.support))):
                return Interval(lower, upper + beyond)
        raise Undecided(_TOO_WIDE)

    def _pair(self, n: int) -> Interval:
        """P(|X| = n)."""
        one, other = self.pmf(n), self.pmf(-n) if n else Interval.exactly(0)
        return Interval(one.lower + other.lower, one.upper + other.upper)

    def hockey_stick(self, epsilon: Exact, shift: int) -> Interval:
        """The sum over k of max(0, P(X = k) - e^epsilon * P(X + shift = k))."""
        amount, distance = non_negative(epsilon, "epsilon"), integer(shift, "shift")
        return self._hockey_stick(amount, distance).interval() if distance else Interval.exactly(0)

    def renyi(self, order: Exact, shift: int) -> Interval:
        """The Renyi divergence of X from X + shift, of an order of at least 1; infinity is allowed."""
        distance, power = integer(shift, "shift"), renyi_order(order)
        if not distance:
            return Interval.exactly(0)
        if isinstance(power, float):
            return self._greatest_loss(distance)
        if self.support is not None:
            return Interval(math.inf, math.inf)
        return self._renyi(power, distance)

    def sample(self, count: int, source: Source | None = None) -> NDArray[np.int64]:
        """`count` independent draws; Python's integers (dtype object) where 64 bits do not suffice."""
        return self._draw(whole(count, "count", least=0, most=MOST_DRAWS), system_source(source))

    def __repr__(self) -> str:
        shown = (f"{name}={_text(value)}" for name, value in vars(self).items()
                 if name in getattr(type(self), "__dataclass_fields__", {}))  # fmt: skip
        return f"{type(self).__name__}({', '.join(shown)})"


def _text(value: object) -> str:
    return written(value) if isinstance(value, Fraction) else repr(value)


def integer(value: object, name: str) -> int:
    """A whole number, of Python or NumPy."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
        return int(value)
    shown = " ".join(repr(value).split())
    raise InvalidInput(f"{name} is {shown:.40}. Give a whole number.")
