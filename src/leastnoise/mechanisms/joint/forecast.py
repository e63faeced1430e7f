"""`Forecast`: what is said beforehand of the noise of one number, from tables of floats."""

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from math import floor, sqrt
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval

_LEAST_TAIL = Fraction(1, 10**12)  # the tables end a little below
_MARGIN = 25  # times the tolerance of means is what a table in blocks may hide of a tail,
_MOST_MARGIN = 0.025  # and no more than this
_DIGITS = 1e-5  # to which a bound far above 1 is found


class Forecast(ABC):
    """A symmetric law on the integers, known to some digits."""

    @property
    @abstractmethod
    def _tolerance(self) -> float:
        """How far a mean may be from the truth, relatively."""

    @abstractmethod
    def _absolute(self) -> float:
        """E|X|."""

    @abstractmethod
    def _square(self) -> float:
        """E X²."""

    @abstractmethod
    def _beyond(self, bound: float) -> float:
        """P(|X| > bound), for a whole number."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sd {sqrt(self._moments[1]):.4g})"

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self._absolute(), self._square()

    @cached_property
    def _bounds(self) -> dict[Fraction, int]:
        return {}

    def moment(self, order: SupportsIndex) -> Interval:
        """E|X|**order, for order 1 and 2.

        Raises:
            UnsupportedQuery: another order.
        """
        number = _check.integer_between(order, "order", 0)
        if number not in (1, 2):
            raise UnsupportedQuery(
                f"`order` must be 1 or 2 for joint noise; got order={number}. "
                "Ask for the mean error or for the variance."
            )
        middle = Fraction(self._moments[number - 1])
        slack = middle * Fraction(self._tolerance)
        return Interval(middle - slack, middle + slack)

    def quantile(self, probability: Exact) -> int:
        """The least m with P(|X| ≤ m) ≥ probability, or a little more.

        Raises:
            UnsupportedQuery: the probability is 1, or so near to it that no table knows.
        """
        tail = 1 - _check.probability(probability, "probability")
        if tail < _LEAST_TAIL:
            raise UnsupportedQuery(
                "`probability` must be below 1 by 1e-12 or more for joint noise; got a greater "
                "one. Ask for a probability such as 0.999."
            )
        if tail not in self._bounds:
            self._bounds[tail] = self._bound(float(tail))
        return self._bounds[tail]

    def _bound(self, chance: float) -> int:
        """By halving, to a few digits where it is large, and rounded up."""
        tail = chance * (1 - min(_MARGIN * self._tolerance, _MOST_MARGIN))
        low, high = -1.0, max(1.0, float(floor(2 * sqrt(self._moments[1]))))
        while self._beyond(high) > tail:
            low, high = high, 2 * high
        while high - low > max(1.0, _DIGITS * high):
            middle = float(floor((low + high) / 2))
            low, high = (low, middle) if self._beyond(middle) <= tail else (middle, high)
        return int(high)
