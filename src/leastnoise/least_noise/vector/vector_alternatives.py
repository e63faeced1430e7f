"""What else could have been added to a vector, and how much more it would cost."""

import math
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, isfinite

from leastnoise._dataclass import dataclass
from leastnoise.accounting.discrete_gaussian_vector_calibration import (
    discrete_gaussian_vector_variance,
)
from leastnoise.least_noise.vector.best_vector_width import best_width
from leastnoise.least_noise.vector.vector_laws import laplace_law
from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost, sum_by_blocks
from leastnoise.noise.vectors.sum_moment import sum_moment
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import last_free_place
from leastnoise.numeric.interval import Interval

_NEGLIGIBLE = Fraction(1, 10**9)
_MOST_DOUBLINGS = 64


@dataclass(frozen=True, repr=False)
class VectorAlternative:
    """Other noise with the same promise.

    Attributes:
        name: what it is.
        law: the law of the vector, or that of every coordinate, in steps of the lattice.
        cost: its expected cost, the rounding of values to the lattice left aside.
        ratio: its cost over that of the noise chosen.
    """

    name: str
    law: VectorLaw | LatticeLaw
    cost: Interval
    ratio: Interval

    def __repr__(self) -> str:
        try:
            ratio = f"{float(self.ratio):.4g}×"
        except OverflowError:
            ratio = "more than 1e308×"
        return f"{float(self.cost):.6g} ({ratio}): {self.name}"


def alternatives(
    problem: VectorProblem, chosen: VectorLaw, others: list[VectorLaw]
) -> tuple[VectorAlternative, ...]:
    """Other laws considered, and the usual ways to answer a vector query, the cheapest first."""
    step, cost = problem.granularity, problem.cost
    mine = expected_norm_cost(chosen, cost, step)
    found = [
        VectorAlternative(type(law).__name__, law, price, _ratio(price, mine))
        for law in [*others, *_laplace(problem, [chosen, *others])]
        for price in [expected_norm_cost(law, cost, step)]
    ]
    for name, law in _independent(problem):
        price = independent_cost(problem, law)
        if price is not None:
            found.append(VectorAlternative(name, law, price, _ratio(price, mine)))
    return tuple(sorted(found, key=lambda other: other.cost.upper))


def _ratio(one: Interval, other: Interval) -> Interval:
    if not other.lower:
        return Interval(Fraction(0), math.inf)
    lower, upper = Fraction(other.lower), Fraction(other.upper)
    return Interval(Fraction(one.lower) / upper, Fraction(one.upper) / lower)


def _laplace(problem: VectorProblem, known: list[VectorLaw]) -> list[VectorLaw]:
    """The Laplace law in the norm, unless it is among those known."""
    law = laplace_law(problem) if problem.epsilon else None
    return [law] if law is not None and law not in known else []


def _independent(problem: VectorProblem) -> Iterator[tuple[str, LatticeLaw]]:
    """The same noise on every coordinate, with the share of the privacy it can be given."""
    moved = min(problem.dimension, problem.steps) if problem.norm == "l1" else problem.dimension
    if problem.epsilon:
        share = problem.epsilon / moved
        width = best_width(
            dimension=1,
            sensitivity=problem.steps,
            epsilon=share,
            norm="l1",
            order=problem.order or 1,
        )
        law = Staircase(sensitivity=problem.steps, epsilon=share, width=width)
        yield f"independent staircases at epsilon/{moved} each", law
        if problem.norm == "linf":
            yield (
                f"independent discrete Laplace noise at epsilon/{moved} each",
                DiscreteLaplace(problem.steps / share),
            )
    if problem.delta:
        square = problem.steps**2 * (1 if problem.norm == "l1" else problem.dimension)
        variance = discrete_gaussian_vector_variance(
            epsilon=problem.epsilon, delta=problem.delta, squared_sensitivity=square
        ).upper
        if isfinite(variance):
            yield "independent discrete Gaussians", DiscreteGaussian(_short(Fraction(variance)))


def _short(variance: Fraction) -> Fraction:
    """A little more, in few digits."""
    scale = Fraction(2) ** (
        40 + variance.denominator.bit_length() - variance.numerator.bit_length()
    )
    return ceil(variance * scale) / scale


def independent_cost(problem: VectorProblem, law: LatticeLaw) -> Interval | None:
    """E c(step·‖X‖) for d independent copies; None where there is no closed form."""
    order, step = problem.order, problem.granularity
    if problem.norm == "l1":
        return None if order is None else _sum_cost(law, problem, order)

    def outside(m: int) -> Interval:
        """P(the largest magnitude is m or more)."""
        if m <= 0:
            return Interval.exactly(1)
        single = law.shape.outside(m - 1)
        return balls.enclosure(
            lambda: -(problem.dimension * (-single.ball()).log1p()).expm1(), relative_bits=40
        )

    free = last_free_place(problem.cost, step)
    if free is not None:
        return outside(free + 1)
    last = law.quantile(1 - _NEGLIGIBLE / problem.dimension)
    inside = sum_by_blocks(outside, lambda m: problem.cost.at(m * step), last)
    return Interval(inside.lower, inside.upper + _rest(problem, law, last))


def _rest(problem: VectorProblem, law: LatticeLaw, last: int) -> Fraction:
    """E[c(max); max > last] by the theorem of `expected_cost`, each coordinate for itself."""
    q, place = ceil(problem.cost.growth) + 16, max(1, last)
    price = Fraction(0)
    for _ in range(_MOST_DOUBLINGS):
        price = Fraction(problem.cost.at(place * problem.granularity).upper)
        if price:
            break
        place *= 2
    beyond = problem.dimension * Fraction(law.moment(q).upper) / Fraction(place) ** q
    return price * (beyond + (_NEGLIGIBLE if place > last else 0))


def _sum_cost(law: LatticeLaw, problem: VectorProblem, order: int) -> Interval:
    """E(step·Σ|Xᵢ|)^order."""
    moments = [law.shape.moment(i) for i in range(1, order + 1)]
    value = balls.enclosure(lambda: sum_moment(moments, problem.dimension))
    factor = problem.granularity**order
    return Interval(value.lower * factor, value.upper * factor)
