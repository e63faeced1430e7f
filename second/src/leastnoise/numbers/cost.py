"""What an error costs: a power of its size, whether it is too large, or a function of one's own.

A cost is a function of |error| that does not decrease. The noise that is best for |error| can be far
from best for its square, so every question about the least noise names a cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, non_negative, written
from leastnoise.numbers.interval import Interval

_GREATEST_ORDER = 64


class Cost(Protocol):
    """A function of |error| that does not decrease."""

    @property
    def name(self) -> str:
        """What is to be small, in symbols."""

    @property
    def growth(self) -> Fraction:
        """Some m with cost(t*x) <= t^m * cost(x) for all t >= 1 and x with cost(x) > 0."""

    def at(self, error: Fraction) -> Interval:
        """The cost of an error of this size."""


def _order(value: Exact, name: str) -> Fraction:
    order = exact(value, name)
    if not 1 <= order <= _GREATEST_ORDER:
        raise InvalidInput(
            f"{name} is {written(order)}. Give a number from 1 to {_GREATEST_ORDER}."
        )
    return order


@dataclass(frozen=True)
class Moment:
    """|error|^order: 1 is the absolute error, 2 the squared error.

    >>> Moment(2).at(Fraction(3)), Moment(2).name
    (9, 'E error²')
    """

    order: Checked[Exact, Fraction] = Checked(_order)

    @property
    def name(self) -> str:
        """What is to be small, in symbols."""
        known = {1: "E|error|", 2: "E error²"}
        return known.get(self.order, f"E|error|^{written(self.order)}")  # type: ignore[call-overload, no-any-return]

    @property
    def growth(self) -> Fraction:
        """The order."""
        return self.order

    def at(self, error: Fraction) -> Interval:
        """error^order."""
        if self.order.denominator == 1:
            return Interval.exactly(error**self.order.numerator)
        if error in (0, 1):
            return Interval.exactly(error)
        return balls.enclosure(lambda: balls.ball(error) ** balls.ball(self.order))


@dataclass(frozen=True)
class TailProbability:
    """1 if |error| is above a threshold, else 0: its mean is P(|error| > threshold).

    >>> [float(TailProbability(3).at(Fraction(x))) for x in (3, 4)]
    [0.0, 1.0]
    """

    threshold: Checked[Exact, Fraction] = Checked(non_negative)

    @property
    def name(self) -> str:
        """What is to be small, in symbols."""
        return f"P(|error| > {written(self.threshold)})"

    @property
    def growth(self) -> Fraction:
        """0: a cost of 1 does not grow."""
        return Fraction(0)

    def at(self, error: Fraction) -> Interval:
        """1 above the threshold."""
        return Interval.exactly(int(error > self.threshold))


@dataclass(frozen=True)
class OwnCost:
    """A function of |error| that does not decrease and grows no faster than |error|^2.

    That it does so is up to whoever wrote it: the library looks at it in some places only.
    """

    function: Callable[[Fraction], Exact]

    @property
    def name(self) -> str:
        """What is to be small."""
        return "E cost(error)"

    @property
    def growth(self) -> Fraction:
        """2."""
        return Fraction(2)

    def at(self, error: Fraction) -> Interval:
        """What the function says."""
        return Interval.exactly(non_negative(self.function(error), "the cost of an error"))


CostLike = str | Cost | Callable[[Fraction], Exact]
"""A cost, a function of |error|, or one of the names "absolute" and "squared"."""

ABSOLUTE, SQUARED = Moment(1), Moment(2)


def cost_of(given: CostLike) -> Cost:
    """The cost that is meant.

    >>> cost_of("squared")
    Moment(order=Fraction(2, 1))
    """
    if isinstance(given, str) and given in ("absolute", "squared"):
        return ABSOLUTE if given == "absolute" else SQUARED
    if isinstance(given, Moment | TailProbability | OwnCost):
        return given
    if callable(given):
        return OwnCost(given)
    raise InvalidInput(
        f'cost is {given!r:.40}. Give "absolute", "squared", Moment(3), TailProbability(10) or a '
        "function of the error's size."
    )
