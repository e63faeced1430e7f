"""What the layers above ask of a real number, and the two kinds there are.

`ExponentialRatio` decides every comparison, equality included. `Computable` is any other real that
Arb can compute: comparisons are decided unless the two numbers are equal.
"""

from fractions import Fraction
from typing import Protocol

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval


class Real(Protocol):
    """A real number known to any precision."""

    def ball(self) -> arb:
        """A ball around it at the working precision."""

    def compare(self, value: Fraction | int) -> int:
        """The sign of this number minus `value`."""

    def interval(self) -> Interval:
        """A tight bracket."""

    def floor(self, scale: int) -> int:
        """The integer part of scale times this number."""


def rational_real(value: Fraction | int) -> ExponentialRatio:
    """A rational number as a real."""
    return ExponentialRatio(ExponentialSum.of(value), ExponentialSum.of(1))


@dataclass(frozen=True)
class Computable:
    """A real number given by a computation with balls."""

    compute: balls.Computation

    def ball(self) -> arb:
        """A ball around it at the working precision."""
        return self.compute()

    def compare(self, value: Fraction | int) -> int:
        """The sign of this number minus `value`; raises `Undecided` if they are equal."""
        return balls.sign(lambda: self.compute() - balls.ball(value))

    def interval(self) -> Interval:
        """A tight bracket."""
        return balls.enclosure(self.compute)

    def floor(self, scale: int) -> int:
        """The integer part of scale times this number; `Undecided` if the product is an integer."""
        return balls.floor(lambda: self.compute() * scale)
