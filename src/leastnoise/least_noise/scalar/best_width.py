"""The width of a staircase that costs least."""

import math
from collections.abc import Callable
from fractions import Fraction

from leastnoise.certificates.problem import Problem
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.truncated_staircase import TruncatedStaircase
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.nearest_float import nearest_float

_LARGE = 300.0  # of ε/2: the best width is 1 long before


def price_of(problem: Problem, law: LatticeLaw) -> Interval:
    """The expected cost of a law of noise, in steps of the problem's lattice."""
    return expected_cost(law, problem.cost, problem.step)


def best_staircase(problem: Problem) -> Staircase:
    r"""The staircase law of the best width.

    Theorem: the cost first falls and then rises with the width, so that bisection finds the best;
    where two neighbours cost the same to 24 digits, either will do.
    Proof: docs/proofs/linear_program.md, section 5.
    """

    def law(width: int) -> Staircase:
        return Staircase(sensitivity=problem.sensitivity, epsilon=problem.epsilon, width=width)

    cost = _remembered(lambda width: Fraction(price_of(problem, law(width)).upper))
    widest = problem.sensitivity
    return law(
        least_integer(
            lambda width: width >= widest or cost(width) <= cost(width + 1), 1, _near(problem)
        )
    )


def _near(problem: Problem) -> int:
    """The best width for the absolute error, about; for other costs a place to begin."""
    half = min(nearest_float(problem.epsilon) / 2, _LARGE)
    return max(1, round(problem.sensitivity / (1 + math.exp(half))))


def best_truncated_staircase(problem: Problem) -> TruncatedStaircase:
    """The cheapest truncated staircase found by descent from the best endless one.

    Every width gives a law that keeps the promise, so a search that stops early costs accuracy
    only; the certificate says how much at most.
    """

    def law(width: int) -> TruncatedStaircase:
        return TruncatedStaircase(
            sensitivity=problem.sensitivity,
            epsilon=problem.epsilon,
            delta=problem.delta,
            width=width,
        )

    start = best_staircase(problem).width
    cost = _remembered(lambda width: Fraction(price_of(problem, law(width)).upper))
    step = max(1, problem.sensitivity // 32)
    while step:
        near = [
            width for width in (start - step, start + step) if 1 <= width <= problem.sensitivity
        ]
        best = min([start, *near], key=cost)
        step = step if best != start else step // 2
        start = best
    return law(start)


def _remembered(function: Callable[[int], Fraction]) -> Callable[[int], Fraction]:
    known: dict[int, Fraction] = {}

    def recalled(argument: int) -> Fraction:
        if argument not in known:
            known[argument] = function(argument)
        return known[argument]

    return recalled
