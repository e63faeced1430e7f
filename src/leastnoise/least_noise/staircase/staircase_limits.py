r"""What the best staircase law costs for ε near 0 and for ε far out, by the first two terms."""

from fractions import Fraction
from math import factorial
from typing import SupportsIndex

from flint import arb, fmpq, fmpq_poly

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.least_noise.staircase.staircase_problem import MOST_DIMENSION, StaircaseProblem
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse

_HALF = Fraction(1, 2)
_NEAR = Fraction(1, 2**100)


def staircase_small_epsilon(
    *,
    epsilon: Exact,
    moment: SupportsIndex = 1,
    dimension: SupportsIndex = 1,
    sensitivity: Exact = 1,
) -> Interval:
    r"""L·(1 + ε^(d+1)·min B_(d+1)/(d+1)!), L the cost of Laplace, B a Bernoulli polynomial.

    Theorem: the least cost of a staircase law is this up to a factor 1 + O(ε^(d+2)) as ε → 0, for
    every p. The bracket is on the formula, not on the cost. It gives Δ/ε − Δε/24 for d = p = 1
    and 2Δ/ε − Δε²/(36√3) for d = 2, p = 1: little is gained where ε is small against d.
    Proof: docs/proofs/staircase.md, section 6.

    Example:
        >>> staircase_small_epsilon(epsilon="0.12")
        Interval(8.32833333333333, 8.32833333333334)
    """
    problem = StaircaseProblem(
        epsilon=epsilon, moment=moment, dimension=dimension, sensitivity=sensitivity
    )
    laplace, d = problem.laplace_cost, problem.dimension
    factor = laplace * problem.epsilon ** (d + 1) / factorial(d + 1)
    least = _least_bernoulli(d)
    return Interval(laplace + least.lower * factor, laplace + least.upper * factor)


def staircase_large_epsilon(
    *,
    epsilon: Exact,
    moment: SupportsIndex = 1,
    dimension: SupportsIndex = 1,
    sensitivity: Exact = 1,
) -> Interval:
    r"""Δ^p·g^p·(1 + c·g) with g = (d·e^(−ε)/p)^(1/(d+p)), c = (d−1)/d if p = 1, else c = p.

    Theorem: the least cost of a staircase law is this up to a factor 1 + O(g²) as ε → ∞; the best
    γ is g·(1 + O(g)). The bracket is on the formula, not on the cost. It gives Δe^(−ε/2) for
    d = p = 1 and 2^(1/3)·Δe^(−ε/3) + 2^(−1/3)·Δe^(−2ε/3) for d = 2, p = 1, where the
    Laplace law has dΔ/ε.
    Proof: docs/proofs/staircase.md, section 7.

    Example:
        >>> staircase_large_epsilon(epsilon=20, sensitivity=3)
        Interval(0.000136199789287454, 0.000136199789287455)
    """
    problem = StaircaseProblem(
        epsilon=epsilon, moment=moment, dimension=dimension, sensitivity=sensitivity
    )
    d, p = problem.dimension, problem.moment
    slope = Fraction(d - 1, d) if p == 1 else Fraction(p)

    def compute() -> arb:
        weight = balls.ball(Fraction(d, p)) * (-balls.ball(problem.epsilon)).exp()
        g = weight.root(d + p)
        return balls.ball(problem.unit) * g**p * (1 + balls.ball(slope) * g)

    return balls.enclosure(compute)


def staircase_limit_gamma(dimension: SupportsIndex = 1) -> Interval:
    r"""The limit of the best γ as ε → 0: where the Bernoulli polynomial B_(d+1) is least.

    Theorem: for odd d it is 1/2 if (d−1)/2 is even and 0 (the same law as 1) if it is odd. For even
    d it is the zero of B_d in (1/2, 1) if d/2 is odd, and in (0, 1/2) if it is even. It does not
    depend on the moment, and has the limit 1/2 of the real line only there and for d = 5, 9, …
    Proof: docs/proofs/staircase.md, section 6.

    Example:
        >>> [round(float(staircase_limit_gamma(d)), 4) for d in (1, 2, 3, 4, 5)]
        [0.5, 0.7887, 0.0, 0.2403, 0.5]
    """
    d = _check.integer_between(dimension, "dimension", 1, MOST_DIMENSION)
    if d % 2:
        return Interval.exactly(_HALF if d % 4 == 1 else 0)
    start = _HALF if d % 4 == 2 else Fraction(0)
    slope = fmpq_poly.bernoulli_poly(d)

    def compare(gamma: Fraction) -> int:
        value = _at(slope, gamma)
        return (value > 0) - (value < 0)

    return monotone_inverse(compare, start, start + _HALF, relative=_NEAR)


def _least_bernoulli(dimension: int) -> Interval:
    """The least value of B_(d+1) on [0, 1]."""
    gamma = staircase_limit_gamma(dimension)
    low, high = Fraction(gamma.lower), Fraction(gamma.upper)
    value = _at(fmpq_poly.bernoulli_poly(dimension + 1), high)
    # To the left of `high` and up to the minimum, the slope is at most what it is there.
    slope = (dimension + 1) * _at(fmpq_poly.bernoulli_poly(dimension), high)
    return Interval(value - (high - low) * slope, value)


def _at(polynomial: fmpq_poly, place: Fraction) -> Fraction:
    value = polynomial(fmpq(place.numerator, place.denominator))
    return Fraction(int(value.p), int(value.q))
