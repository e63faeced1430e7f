"""The least noise for a vector of whole numbers, of known sensitivity in l1 or in l-infinity norm.

For delta 0 some staircase of the norm is best, and all widths are compared. For delta above 0 the
best known law is taken; the certificate says how far from the least it can be.

Proof page: docs/proofs/staircase.md.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import TruncatedLaplace, Uniform
from leastnoise.numbers.cost import ABSOLUTE, Moment
from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima.checker import expected
from leastnoise.optima.dual import Problem
from leastnoise.optima.staircase import StaircaseTheory

_EVERY_WIDTH = 64  # so many widths are compared one by one
_BESIDE = 2  # widths on either side of the best one on R^d


def candidates(problem: Problem) -> list[Distribution]:
    """Laws that keep the promise, each the best of its family or about so.

    Independent noise on every number is for l1: its theorem needs a radius of at least the
    sensitivity. See docs/proofs/truncation.md, section 3.
    """
    found: list[Distribution] = []
    if problem.epsilon:
        found += [best_staircase(problem)]
        if problem.sensitivity > 1:
            rate = problem.epsilon / problem.sensitivity
            found += [NormStaircase(problem.dimension, 1, rate, 1, problem.norm)]
    if problem.delta and problem.norm == "l1" and problem.cost in (ABSOLUTE, Moment(2)):
        alone: list[Distribution] = [Uniform(problem.sensitivity, problem.delta)]
        if problem.epsilon:
            alone += [TruncatedLaplace(problem.sensitivity, problem.epsilon, problem.delta)]
        found += [law for law in alone if law.support and law.support[1] >= problem.sensitivity]
    if not found:
        raise InvalidInput(
            "No noise is known for a vector at epsilon 0 with this norm and cost. Give an epsilon "
            "above 0."
        )
    return found


def best_staircase(problem: Problem) -> NormStaircase:
    """The staircase of the best width among those beside the best ones on R^d and a coarse grid.

    On Z^d the cost is no unimodal function of the width. For small sensitivities all widths are
    compared; else a grid, and then ever closer widths beside the best one.
    """
    size = problem.sensitivity

    def law(width: int) -> NormStaircase:
        return NormStaircase(problem.dimension, size, problem.epsilon, width, problem.norm)

    @cache
    def cost(width: int) -> Fraction:
        return Fraction(expected(problem, law(width)).upper)

    if size <= _EVERY_WIDTH:
        return law(min(range(1, size + 1), key=cost))
    step = size // _EVERY_WIDTH
    found = min({1, size, *_near(problem), *range(1, size + 1, step)}, key=cost)
    return law(_closer(cost, found, step, size))


def _near(problem: Problem) -> list[int]:
    """Widths beside the best one on R^d, where the cost is a moment."""
    order = problem.cost.order if isinstance(problem.cost, Moment) else Fraction(1)
    try:
        theory = StaircaseTheory(problem.epsilon, math.ceil(order), problem.dimension, 1)
        middle = round(problem.sensitivity * float(theory.gamma))
    except InvalidInput:
        return []
    return [
        width
        for width in range(middle - _BESIDE, middle + _BESIDE + 1)
        if 1 <= width <= problem.sensitivity
    ]


def _closer(cost: Callable[[int], Fraction], start: int, step: int, size: int) -> int:
    """The best width found by steps that are halved until they are 1."""
    while step:
        near = [width for width in (start - step, start + step) if 1 <= width <= size]
        best = min([start, *near], key=cost)
        step = step if best != start else step // 2
        start = best
    return start
