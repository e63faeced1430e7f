r"""Costs: what an error of a given size is held to cost.

A cost is a function of |error| that does not decrease. Optimal noise is optimal for one cost; the
noise that is best for |error| can be far from best for its square.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Protocol, runtime_checkable

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Number, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_MOST_ORDER = 64  # exact moments of higher order are long to write and of no use


@runtime_checkable
class Cost(Protocol):
    """A non-decreasing function of |error|, known in brackets."""

    @property
    def name(self) -> str:
        """What is minimised, in symbols."""

    @property
    def growth(self) -> Fraction:
        """Some m with c(λx) ≤ λ^m·c(x) for every λ ≥ 1 and every x > 0 with c(x) > 0."""

    def at(self, error: Fraction) -> Interval:
        """The cost of an error of this size, error ≥ 0."""


_order = _check.limited(
    _check.rational,
    lambda order: 1 <= order <= _MOST_ORDER,
    f"lie in [1, {_MOST_ORDER}]",
    "For shorter tails than any moment sees, use TailProbability.",
)


_growth = _check.limited(
    _check.non_negative,
    lambda power: power <= _MOST_ORDER // 2,
    f"be at most {_MOST_ORDER // 2}",
    "Give the least power that bounds the growth of the cost.",
)


def _function(value: Callable[[Fraction], Exact], name: str) -> Callable[[Fraction], Exact]:
    rule = f"`{name}` must be callable"
    return _check.kind(value, Callable, rule, "Give a function of |error|.")  # type: ignore[arg-type]


@frozen
class Moment:
    """|error|^order: 1 is the absolute error, 2 the squared error.

    Args:
        order: a number in [1, 64].

    Example:
        >>> Moment(2).at(Fraction(3)), Moment(2).name
        (Interval(9), 'E|error|^2')
    """

    order: Number = checked(_order)

    @property
    def name(self) -> str:
        """What is minimised, in symbols."""
        return "E|error|" if self.order == 1 else f"E|error|^{self.order}"

    @property
    def growth(self) -> Fraction:
        """The order itself."""
        return self.order

    def at(self, error: Fraction) -> Interval:
        """error^order."""
        if self.order.denominator == 1:
            return Interval.exactly(error**self.order.numerator)
        if error in (0, 1):
            return Interval.exactly(error)
        return balls.enclosure(lambda: balls.ball(error) ** balls.ball(self.order))


@frozen
class TailProbability:
    """1 if |error| exceeds a threshold, else 0; its expectation is P(|error| > threshold).

    Args:
        threshold: a number ≥ 0, in the units of the query.

    Example:
        >>> [float(TailProbability(threshold=3).at(Fraction(x))) for x in (3, 4)]
        [0.0, 1.0]
    """

    threshold: Number = checked(_check.non_negative)

    @property
    def name(self) -> str:
        """What is minimised, in symbols."""
        return f"P(|error| > {self.threshold})"

    @property
    def growth(self) -> Fraction:
        """A cost of 1 never grows."""
        return Fraction(0)

    def at(self, error: Fraction) -> Interval:
        """1 above the threshold, 0 up to it."""
        return Interval.exactly(int(error > self.threshold))


@frozen
class OwnCost:
    r"""A cost of your own making.

    The library asks the function at many places and refuses it where it is seen to decrease, but
    cannot see everywhere: that it does not decrease, and that c(λx) ≤ λ^growth·c(x) for λ ≥ 1, is
    your promise. A concave cost has growth 1, Huber's 2. Lower bounds rest on the first promise
    only.

    Args:
        function: takes |error| as an exact `Fraction` and returns its cost ≥ 0: an int, Fraction,
            Decimal, text or float (taken at its exact binary value).
        growth: a number in [0, 32].
        label: how to call it in reports.

    Example:
        >>> capped = OwnCost(lambda error: min(error, 10), growth=1, label="capped error")
        >>> float(capped.at(Fraction(25)))
        10.0
    """

    function: Callable[[Fraction], Exact] = checked(_function)
    _: KW_ONLY
    growth: Number = checked(_growth, default=2)
    label: str = checked(lambda label, _: str(label), default="own cost")

    @property
    def name(self) -> str:
        """What is minimised, in words."""
        return f"E[{self.label}]"

    def at(self, error: Fraction) -> Interval:
        """What the function says, exactly."""
        return Interval.exactly(_check.non_negative(self.function(error), "a cost"))


@dataclass(frozen=True)
class TabulatedCost:
    """A cost known at 0, step, 2·step, … up to some place, and said not to decrease after it.

    Attributes:
        values: the costs, not decreasing.
        step: the distance between places.
    """

    values: tuple[Fraction, ...]
    step: Fraction

    @property
    def name(self) -> str:
        """What is minimised: a table has no other name than its ends."""
        first, last = self.values[0], self.values[-1]
        return f"E[cost by a table of {len(self.values)} values, {first} to {last}]"

    @property
    def growth(self) -> Fraction:
        """None is known beyond the table, where the last value is a lower bound."""
        return Fraction(0)

    def at(self, error: Fraction) -> Interval:
        """The value at a place; beyond the table only that it is no less than the last."""
        place = error / self.step
        if place.denominator == 1 and place < len(self.values):
            return Interval.exactly(self.values[place.numerator])
        return Interval(self.values[min(int(place), len(self.values) - 1)], math.inf)


def whole_power(cost: Cost) -> int | None:
    """The p of a cost |error|^p, if it is whole and moments are closed forms; else None."""
    if isinstance(cost, Moment) and cost.order.denominator == 1:
        return cost.order.numerator
    return None


def last_free_place(cost: Cost, step: Fraction, more: Fraction = Fraction(0)) -> int | None:
    """The last k for which an error of k·step + more is free, where all greater ones cost 1.

    It is negative where `more` alone is too much, and None for a cost of another kind.
    """
    if isinstance(cost, TailProbability):
        return math.floor((cost.threshold - more) / step)
    return None


ABSOLUTE = Moment(1)
SQUARED = Moment(2)
_BY_NAME: dict[str, Cost] = {"absolute": ABSOLUTE, "squared": SQUARED}

CostLike = str | Cost
"""A cost, or the name of one: "absolute", "squared"."""


def checked_cost(cost: CostLike, name: str = "cost") -> Cost:
    """The cost meant by a name or given as a value.

    Raises:
        InvalidParameter: neither a known name nor a cost.
    """
    named = _BY_NAME.get(cost) if isinstance(cost, str) else cost
    if isinstance(named, Cost):
        return named
    raise _check.refuse(
        f"`{name}` must be 'absolute', 'squared', Moment(p), TailProbability(t) or OwnCost(f)",
        _check.shown(cost),
        "Say which error should be least.",
    )
