"""`Problem`: which noise is asked for; what a certificate is about."""

from fractions import Fraction
from functools import cached_property
from math import ceil

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Cost
from leastnoise.numeric.interval import Interval

_BITS = 192  # of e^ε; a certificate rounds more coarsely


@dataclass(frozen=True)
class Problem:
    r"""Least E c(step·|X|) over all laws of X on the integers that are (ε, δ)-DP at sensitivity Δ.

    That is Σₖ max(0, P(X = k) − e^ε·P(X = k + d)) ≤ δ for all integers d, |d| ≤ Δ.

    Attributes:
        sensitivity: Δ, in steps.
        epsilon: ε ≥ 0.
        delta: δ in [0, 1).
        cost: c, a non-decreasing function of the size of the error.
        step: what one step of the lattice is worth in the units of the query.
    """

    sensitivity: int
    epsilon: Fraction
    delta: Fraction
    cost: Cost
    step: Fraction = Fraction(1)

    def price(self, place: int) -> Interval:
        """The cost of an error of that many steps."""
        if place not in self._prices:
            self._prices[place] = self.cost.at(place * self.step)
        return self._prices[place]

    @cached_property
    def _prices(self) -> dict[int, Interval]:
        """Program, law, dual and bound ask for the same ones, one after another."""
        return {}

    @property
    def price_bits(self) -> int:
        """About how long an exact price is: what a checker's work is measured by."""
        step = self.step.numerator.bit_length() + self.step.denominator.bit_length()
        return 64 + ceil(self.cost.growth) * step

    def factor(self) -> Interval:
        """e^ε between two dyadic rationals."""
        if not self.epsilon:
            return Interval.exactly(1)
        return balls.enclosure(lambda: balls.ball(self.epsilon).exp(), relative_bits=_BITS)
