"""`independent_staircases`: the obvious way to answer a vector query, for comparison."""

from typing import SupportsIndex

from leastnoise._check import Exact
from leastnoise.least_noise.staircase.staircase_problem import StaircaseProblem
from leastnoise.least_noise.staircase.staircase_theory import absolute_optimum
from leastnoise.numeric.interval import Interval


def independent_staircases(
    *, epsilon: Exact, dimension: SupportsIndex, sensitivity: Exact = 1
) -> Interval:
    r"""The least E‖X‖₁ of d independent staircase laws, ε-DP for ℓ1-sensitivity Δ.

    Theorem: d independent staircase laws with drops Δ apart, each ε₀-DP alone, are together
    d·ε₀-DP and no better. So each runs at ε₀ = ε/d, and E‖X‖₁ = d·Δ/(2·sinh(ε/(2d))); for d = 2
    that is 2Δ·e^(ε/4)/(e^(ε/2) − 1).
    Proof: docs/proofs/staircase.md, section 8.

    Args:
        epsilon: ε in (0, 4096].
        dimension: d, an integer in 1..128.
        sensitivity: Δ > 0, in ℓ1.

    Raises:
        InvalidParameter: a parameter outside its range.

    Example:
        >>> from leastnoise.least_noise.staircase.staircase_theory import staircase
        >>> apart = independent_staircases(epsilon=8, dimension=2)
        >>> print(f"{float(apart):.4f} {float(staircase(epsilon=8, dimension=2).cost):.4f}")
        0.2757 0.0913
    """
    problem = StaircaseProblem(
        epsilon=epsilon, moment=1, dimension=dimension, sensitivity=sensitivity
    )
    _, cost = absolute_optimum(problem.epsilon / problem.dimension)
    factor = problem.dimension * problem.sensitivity
    return Interval(cost.lower * factor, cost.upper * factor)
