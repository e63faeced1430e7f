"""A real number that can be asked for its sign against a fraction, and for an interval around it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import Computation
from leastnoise.numbers.interval import Interval


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

    >>> Computed(lambda: arb(2).sqrt()).compare(1)
    1
    """

    ball: Computation

    def compare(self, value: Fraction | int) -> int:
        """The sign of the number minus `value`."""
        return balls.sign(lambda: self.ball() - balls.ball(value))

    def interval(self) -> Interval:
        """A tight bracket."""
        return balls.enclosure(self.ball)


def least_zero(compute: Computation) -> Interval:
    """A bracket of a number that is known to be at least 0."""

    def clipped() -> arb:
        value = compute()
        return value if value > 0 else value.max(arb(0))

    found = balls.enclosure(clipped)
    return Interval(max(found.lower, Fraction(0)), max(found.upper, Fraction(0)))
