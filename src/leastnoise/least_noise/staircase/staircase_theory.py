r"""The staircase law on the real line and in R^d: the best γ, its cost, and the cost of Laplace.

Law: in R^d, with any norm, the density is constant but for drops by the factor e^ε at
‖x‖ = (k + γ)·Δ, k = 0, 1, 2, …
"""

from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.least_noise.staircase.staircase_problem import StaircaseProblem
from leastnoise.least_noise.staircase.staircase_sums import StaircaseSums
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse
from leastnoise.numeric.real_roots import Crossing, crossings

_NEAR = Fraction(1, 2**100)


@dataclass(frozen=True)
class StaircaseTheory:
    """What the best staircase law can do; made by `staircase`.

    Attributes:
        problem: ε, p, d and Δ.
        gamma: the γ of least cost.
        cost: the least cost E‖X‖^p.
    """

    problem: StaircaseProblem
    gamma: Interval
    cost: Interval

    @property
    def laplace_cost(self) -> Interval:
        """E‖X‖^p for the density ∝ exp(−ε‖x‖/Δ), exactly."""
        return Interval.exactly(self.problem.laplace_cost)

    @property
    def ratio(self) -> Interval:
        """The least cost over that of the Laplace law."""
        return _times(self.cost, 1 / self.problem.laplace_cost)

    def cost_at(self, gamma: Exact) -> Interval:
        """E‖X‖^p at another γ in [0, 1]; 0 and 1 give the same law."""
        place, problem = _check.probability(gamma, "gamma"), self.problem
        sums = StaircaseSums(problem.epsilon, problem.dimension, problem.moment)
        return _times(balls.enclosure(lambda: sums.cost(place, place)), problem.unit)


def staircase(
    *,
    epsilon: Exact,
    moment: SupportsIndex = 1,
    dimension: SupportsIndex = 1,
    sensitivity: Exact = 1,
) -> StaircaseTheory:
    r"""The staircase law of least E‖X‖^p that is ε-DP for queries of sensitivity Δ in that norm.

    Theorem: for every d, p and norm E‖X‖^p = d/(d+p)·Δ^p·A_(d+p)(γ)/A_d(γ) with
    A_m(γ) = Σ e^(−kε)·(k+γ)^m over k ≥ 0. It has its least value inside (0, 1), where
    (d+p)·A_(d+p−1)·A_d = d·A_(d+p)·A_(d−1). All solutions of this polynomial equation are
    found, each in a certified bracket, and the best is returned: the search is global.
    For d = 1 and p = 1: γ = 1/(1+e^(ε/2)), cost Δ/(2·sinh(ε/2)). For d = 1 and p = 2, with
    b = e^(−ε) and u³ = b(1+b)/2: γ = (u−b)/(1−b), cost Δ²·(u²+b)/(1−b)².
    No ε-DP noise on the real line costs less.
    Proof: docs/proofs/staircase.md, which also says what is known for d > 1.

    Args:
        epsilon: ε in (0, 4096].
        moment: p, an integer in 1..64.
        dimension: d, an integer in 1..128.
        sensitivity: Δ > 0, in the norm that also measures the error.

    Raises:
        InvalidParameter: a parameter outside its range.
        Undecided: the equation has a multiple solution; not known to happen.

    References: GengViswanath2016; GengKairouzOhViswanath2015; MelbourneDiazAsoodeh2026 (abstract).

    Example:
        >>> best = staircase(epsilon=2)
        >>> best.gamma, best.cost, best.laplace_cost
        (Interval(0.268941421369995, 0.268941421369996), Interval(0.42545906411966,
        0.425459064119661), Interval(0.5))
        >>> print(f"{float(staircase(epsilon=8, dimension=2).ratio):.3f}")
        0.365
    """
    problem = StaircaseProblem(
        epsilon=epsilon, moment=moment, dimension=dimension, sensitivity=sensitivity
    )
    gamma, cost = _best(problem.epsilon, problem.dimension, problem.moment)
    return StaircaseTheory(problem, gamma, _times(cost, problem.unit))


def _best(epsilon: Fraction, dimension: int, moment: int) -> tuple[Interval, Interval]:
    """The best γ and its cost at sensitivity 1, by the shortest way there is."""
    if (dimension, moment) == (1, 1):
        return absolute_optimum(epsilon)
    if (dimension, moment) == (1, 2):
        return squared_optimum(epsilon)
    return searched_optimum(epsilon, dimension, moment)


def absolute_optimum(epsilon: Fraction) -> tuple[Interval, Interval]:
    """γ and E|X| for d = p = 1 at sensitivity 1: 1/(1 + e^(ε/2)) and 1/(2·sinh(ε/2))."""
    half = epsilon / 2
    gamma = balls.enclosure(lambda: 1 / (1 + balls.ball(half).exp()))
    return gamma, balls.enclosure(lambda: 1 / (2 * balls.ball(half).sinh()))


def squared_optimum(epsilon: Fraction) -> tuple[Interval, Interval]:
    """γ and E X² for d = 1, p = 2 at sensitivity 1: (u−b)/(1−b) and (u²+b)/(1−b)²."""

    def parts() -> tuple[arb, arb, arb]:
        b = (-balls.ball(epsilon)).exp()
        return b, (b * (1 + b) / 2).root(3), -(-balls.ball(epsilon)).expm1()

    def gamma() -> arb:
        b, u, rest = parts()
        return (u - b) / rest

    def cost() -> arb:
        b, u, rest = parts()
        return (u * u + b) / rest**2

    return balls.enclosure(gamma), balls.enclosure(cost)


def searched_optimum(epsilon: Fraction, dimension: int, moment: int) -> tuple[Interval, Interval]:
    """γ and E‖X‖^p at sensitivity 1 by global search; the γ bracket holds every best γ."""
    sums = StaircaseSums(epsilon, dimension, moment)
    lowest = [_refined(sums, crossing) for crossing in crossings(sums.slope_coefficients)]
    return cheapest([(gamma, cost_within(sums, gamma)) for gamma in lowest if gamma is not None])


def cheapest(priced: list[tuple[Interval, Interval]]) -> tuple[Interval, Interval]:
    """The place and the cost of the cheapest; the place spans all that may be it."""
    least = min(cost.upper for _, cost in priced)
    kept = [(place, cost) for place, cost in priced if cost.lower <= least]
    places = Interval(min(place.lower for place, _ in kept), max(place.upper for place, _ in kept))
    return places, Interval(min(cost.lower for _, cost in kept), least)


def _refined(sums: StaircaseSums, crossing: Crossing) -> Interval | None:
    """A narrow bracket on a local minimum; None for a local maximum."""
    if not crossing.rises:
        return None

    def compare(gamma: Fraction) -> int:
        return balls.sign(lambda: sums.slope(gamma))

    return monotone_inverse(compare, crossing.lower, crossing.upper, relative=_NEAR)


def cost_within(sums: StaircaseSums, gamma: Interval) -> Interval:
    """The cost at the minimum inside a bracket: A_m grows with γ, so that its ends bound it."""
    low, high = Fraction(gamma.lower), Fraction(gamma.upper)
    below = balls.enclosure(lambda: sums.cost(low, high))
    above = balls.enclosure(lambda: sums.cost(high, high))
    return Interval(below.lower, above.upper)


def _times(value: Interval, factor: Fraction) -> Interval:
    return Interval(value.lower * factor, value.upper * factor)
