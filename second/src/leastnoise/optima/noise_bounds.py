"""How far Laplace and uniform noise can be from the least noise, for (epsilon, delta) and (0, delta).

These are the bounds of Geng's slides, corrected: what is wrong there is listed in docs/errata.md.
Proof page: docs/proofs/linear_program.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from flint import arb

from leastnoise.noise.laws import DiscreteLaplace, Uniform
from leastnoise.noise.stairs import power_sum
from leastnoise.numbers import ball as balls
from leastnoise.numbers.cost import Moment
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, inside, non_negative, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.optima.half_lines import MOST_SENSITIVITY, half_lines, straddling

_MOST, _MOST_MOMENT = 1 << 16, 16
_MOST_EPSILON = 512


@dataclass(frozen=True, repr=False)
class NoiseBounds:
    """Bounds on the least E|X|^moment of noise on the integers that is (epsilon, delta)-DP.

    Attributes:
        epsilon: of the promise.
        delta: of the promise.
        sensitivity: D.
        moment: which power of the error.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: int
    moment: int

    @cached_property
    def laplace(self) -> Interval | None:
        """What discrete Laplace noise costs; None at epsilon 0."""
        if not self.epsilon:
            return None
        return DiscreteLaplace(self.epsilon / self.sensitivity).moment(self.moment)

    @cached_property
    def uniform(self) -> Interval:
        """What uniform noise costs."""
        return Uniform(self.sensitivity, self.delta).moment(self.moment)

    @property
    def upper(self) -> Interval:
        """The lesser of the two."""
        costs = [cost for cost in (self.laplace, self.uniform) if cost is not None]
        return min(costs, key=lambda cost: cost.upper)

    @cached_property
    def half_lines(self) -> Interval:
        """A lower bound: the program of the slides, corrected."""
        return half_lines(self.sensitivity, self.epsilon, self.delta, Moment(self.moment))

    @cached_property
    def straddling(self) -> Interval:
        """A lower bound from all half-lines, those that straddle 0 too: mostly the greater one."""
        return straddling(self.sensitivity, self.epsilon, self.delta, Moment(self.moment))

    @property
    def lower(self) -> Interval:
        """The greater of the two lower bounds."""
        return max(self.half_lines, self.straddling, key=lambda bound: bound.lower)

    @property
    def ratio(self) -> Interval:
        """`upper` over `lower`."""
        low, high = self.lower, self.upper
        return Interval(Fraction(high.lower) / low.upper, Fraction(high.upper) / low.lower)

    def __repr__(self) -> str:
        known = (("at least", self.lower), ("Laplace", self.laplace), ("uniform", self.uniform))
        costs = ", ".join(f"{name} {float(cost):.4g}" for name, cost in known if cost is not None)
        promise = f"({written(self.epsilon)}, {written(self.delta)})-DP"
        return (
            f"{promise}, sensitivity {self.sensitivity}: {Moment(self.moment).name} {costs}; "
            f"ratio {float(self.ratio):.4g}"
        )

    @property
    def ratio_limit(self) -> Interval:
        """The limit of the greatest ratio for small epsilon at sensitivity 1; moments 1 and 2.

        It is 1/(1 - log(3)/2), at delta = epsilon/4, where the slides have 5.29; and 5.5087, at
        delta = epsilon/sqrt(24), where they have 40.
        """
        if self.moment == 1:
            return balls.enclosure(lambda: 1 / (1 - arb(3).log() / 2))
        if self.moment != 2:
            raise InvalidInput(f"moment is {self.moment}. The limit is known for 1 and 2.")

        def squared() -> arb:
            share = 1 / arb(24).sqrt()
            far = (1 + 1 / (2 * share)).log()
            return 1 / (1 - 2 * share * (far + far * far / 2))

        return balls.enclosure(squared)


def noise_bounds(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, moment: int = 1
) -> NoiseBounds:
    """Laplace and uniform noise for a whole number, and how far they can be from the least noise.

    >>> noise_bounds(epsilon=1, delta="0.01", sensitivity=3).half_lines
    2.39549330916215...
    """
    size = non_negative(epsilon, "epsilon")
    if size > _MOST_EPSILON:
        raise InvalidInput(f"epsilon is above {_MOST_EPSILON}, which promises nothing.")
    return NoiseBounds(
        size, inside(delta, "delta"), whole(sensitivity, "sensitivity", most=_MOST),
        whole(moment, "moment", most=_MOST_MOMENT),
    )  # fmt: skip


@dataclass(frozen=True)
class UniformBounds:
    """Bounds on the least E of the sum of |X_i|^moment, for (0, delta)-DP in l1.

    Attributes:
        noise: uniform noise with lighter ends, for each number by itself.
        upper: what it costs.
        lower: what no noise undercuts, from half-lines along each axis.
        printed: the bound on the slides; None where it is not printed. It fails at sensitivity 1.
    """

    noise: Uniform
    upper: Interval
    lower: Interval
    printed: Fraction | None


def uniform_bounds(
    *, delta: Exact, sensitivity: int = 1, dimension: int = 1, moment: int = 1
) -> UniformBounds:
    """Uniform noise for (0, delta)-DP, and how far it can be from the least noise.

    Theorem: if 1/(2*delta) is whole, `upper` equals `lower` for moment 1 at every sensitivity and in
    every dimension.

    >>> bounds = uniform_bounds(delta="0.25", sensitivity=3)
    >>> bounds.upper, bounds.lower, bounds.printed
    (3, 3, Fraction(5, 2))
    """
    leak, size = inside(delta, "delta"), whole(sensitivity, "sensitivity", most=MOST_SENSITIVITY)
    count = whole(dimension, "dimension", most=_MOST)
    order = whole(moment, "moment", most=_MOST_MOMENT)
    noise = Uniform(size, leak)
    one = noise.moment(order)
    least = straddling(size, Fraction(0), leak, Moment(order))
    printed = _printed(leak, size, count, order)
    upper = Interval(count * one.lower, count * one.upper)
    return UniformBounds(noise, upper, Interval.exactly(count * least.lower), printed)


def _printed(delta: Fraction, sensitivity: int, dimension: int, order: int) -> Fraction | None:
    n, wide = 1 / (2 * delta), sensitivity
    if n.denominator != 1:
        return None
    if dimension == 1:
        powers = [comb(order, j) * wide**j * power_sum(j, int(n)) for j in range(order + 1)]
        return Fraction(2 * delta * sum(powers))
    if order == 1:
        return dimension * (wide * n / 2 - Fraction(wide - 1, 2))
    if order == 2:
        squares = wide**2 * n**2 / 3 + Fraction(wide**2, 6)
        return dimension * (squares - (wide - 1) * (wide * n + 1) / 2)
    return None
